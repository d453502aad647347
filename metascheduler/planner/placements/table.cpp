#include "metascheduler/planner/placements/power.hpp"
#include "metascheduler/planner/policy_table.hpp"

namespace gleaner::planner {
namespace {

const Power kPower;

}  // namespace

tl::expected<const Placement*, std::string> find_placement(std::string_view name) {
  static constexpr PolicyTable<Placement, 1> kPlacements{&kPower};
  return find_policy(kPlacements, "placement of jobs", name);
}

}  // namespace gleaner::planner
