#include "metascheduler/planner/placements/power.hpp"
#include "metascheduler/planner/plan.hpp"
#include "metascheduler/planner/policy_table.hpp"

namespace gleaner::planner {
namespace {

const Power kPower;

constexpr PolicyTable<Placement, 1> kPlacements{&kPower};

}  // namespace

tl::expected<const Placement*, std::string> find_placement(std::string_view name) {
  return find_policy(kPlacements, "placement of jobs", name);
}

std::vector<std::string_view> placement_names() { return names_of(kPlacements); }

}  // namespace gleaner::planner
