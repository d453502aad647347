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

Candidate candidate_of(const PairView& pair, const ClusterView& cluster, std::size_t cluster_index) {
  const double ratio = usable_ratio(pair, cluster);
  const int tolerated = grid::tolerated_jobs({.waiting = pair.waiting_jobs,
                                              .ratio = ratio,
                                              .free_resources = cluster.free_resources,
                                              .max_resources = cluster.max_resources,
                                              .flood = cluster.flood,
                                              .starting = pair.waiting_jobs == 0 ? grid::Starting::still : pair.starting});
  return {.pair = &pair, .cluster = &cluster, .cluster_index = cluster_index, .ratio = ratio, .tolerated_jobs = tolerated};
}

int room_for(const Candidate& candidate, const Offer& offer) {
  const auto& pair = *candidate.pair;
  const double jobs = std::floor(std::min(kMostJobs, offer.resources * candidate.ratio + kDust));
  const int room = std::min(static_cast<int>(jobs), std::max(0, candidate.tolerated_jobs - pair.waiting_jobs - candidate.jobs));
  if (room > 0) return room;
  const bool none_waits = pair.waiting_jobs == 0 && pair.frozen_jobs == 0 && candidate.jobs == 0;
  return none_waits && offer.free + kDust >= std::max(1, pair.resources_per_job.value_or(1)) ? 1 : 0;
}

}  // namespace gleaner::planner
