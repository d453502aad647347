#include "metascheduler/planner/placements/balanced.hpp"
#include "metascheduler/planner/placements/fastest.hpp"
#include "metascheduler/planner/placements/packed.hpp"
#include "metascheduler/planner/placements/power.hpp"
#include "metascheduler/planner/placements/throughput.hpp"
#include "metascheduler/planner/placements/transfer.hpp"
#include "metascheduler/planner/policy_table.hpp"

namespace gleaner::planner {
namespace {

const Power kPower;
const Fastest kFastest;
const Packed kPacked;
const Balanced kBalanced;
const Throughput kThroughput;
const Transfer kTransfer;

constexpr PolicyTable<Placement, 6> kPlacements{&kPower, &kFastest, &kPacked, &kBalanced, &kThroughput, &kTransfer};

}  // namespace

tl::expected<const Placement*, std::string> find_placement(std::string_view name) {
  return find_policy(kPlacements, "placement of jobs", name);
}

std::vector<std::string_view> placement_names() { return names_of(kPlacements); }

}  // namespace gleaner::planner
