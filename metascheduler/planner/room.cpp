#include "metascheduler/planner/room.hpp"

#include <algorithm>
#include <cmath>

namespace gleaner::planner {
namespace {

/// Rounding dust: an offer of 3 at a ratio of 1/3 is one job.
constexpr double kDust = 1e-9;
constexpr double kMostJobs = 1e9;

}  // namespace

double usable_ratio(const PairView& pair, const ClusterView& cluster) {
  const double least = 1.0 / std::max(1, cluster.max_resources);
  return std::isfinite(pair.job_ratio) ? std::max(least, pair.job_ratio) : least;
}

double resources_of(int jobs, const PairView& pair, const ClusterView& cluster, double offered) {
  const double resources = jobs / usable_ratio(pair, cluster);
  if (jobs == 1 && resources > offered + kDust && pair.resources_per_job) return *pair.resources_per_job;
  return resources;
}

int room_for(const PairView& pair, const ClusterView& cluster, double offered) {
  const double jobs = std::floor(std::min(kMostJobs, offered * usable_ratio(pair, cluster) + kDust));
  if (jobs >= 1.0) return static_cast<int>(jobs);
  const bool none_waits = pair.waiting_jobs == 0 && pair.frozen_jobs == 0;
  return none_waits && offered + kDust >= std::max(1, pair.resources_per_job.value_or(1)) ? 1 : 0;
}

}  // namespace gleaner::planner
