#include "metascheduler/planner/orders/slices.hpp"

#include <algorithm>
#include <cmath>

namespace gleaner::planner {
namespace {

constexpr double kTurnsOfAPlan = 256.0;

}  // namespace

double slice_of(const Class& among) { return std::max(1.0, std::floor(among.free_resources / kTurnsOfAPlan)); }

double resource_day(const Snapshot& snapshot) {
  double resources = 0.0;
  for (const auto& cluster : snapshot.clusters) resources += cluster.max_resources;
  return std::max(1.0, resources) * 86400.0;
}

}  // namespace gleaner::planner
