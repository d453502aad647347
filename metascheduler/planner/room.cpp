#include "metascheduler/planner/room.hpp"

#include <algorithm>
#include <cmath>

#include "lib/grid/dust.hpp"
#include "lib/grid/flood.hpp"

namespace gleaner::planner {
namespace {

using grid::kDust;
using grid::kMostJobs;

}  // namespace

const grid::Booking* booking_of(const PairView& pair, const ClusterView& cluster) {
  const grid::Booking* found = nullptr;
  for (const auto& booking : cluster.bookings) {
    if (booking.after < pair.before_reservation) found = &booking;
  }
  return found;
}

double usable_ratio(const PairView& pair, const ClusterView& cluster) {
  const double least = 1.0 / std::max(1, cluster.max_resources);
  return std::isfinite(pair.job_ratio) ? std::max(least, pair.job_ratio) : least;
}

double job_resources(const PairView& pair, const ClusterView& cluster) { return std::max(1.0, 1.0 / usable_ratio(pair, cluster)); }

Width width_of(const PairView& pair, const ClusterView& cluster) {
  if (pair.resources_per_job) return {.resources = std::max(1.0, static_cast<double>(*pair.resources_per_job))};
  if (pair.measured_resources) return {.resources = std::max(1.0, *pair.measured_resources)};
  const double by_ratio = job_resources(pair, cluster);
  if (pair.fitting_tasks && by_ratio > 1.0) return {.resources = by_ratio};
  const double whole = grid::whole_nodes(pair, cluster);
  return {.resources = whole > 0 ? whole : by_ratio, .known = false};
}

int at_a_time(const CampaignView& campaign, const Width& width) {
  return campaign.side_by_side ? std::max(1, static_cast<int>(width.resources)) : 1;
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
                                              .free_resources = cluster.free_resources + (pair.best_effort ? 0 : cluster.reserved_free),
                                              .max_resources = cluster.max_resources,
                                              .flood = cluster.flood,
                                              .starting = pair.waiting_jobs == 0 ? grid::Starting::still : pair.starting});
  return {.pair = &pair,
          .cluster = &cluster,
          .cluster_index = cluster_index,
          .ratio = ratio,
          .width = width_of(pair, cluster),
          .tolerated_jobs = tolerated};
}

int jobs_on_matching(int resources, const Candidate& candidate) {
  if (resources < least_of_job(*candidate.pair, *candidate.cluster)) return 0;
  const auto whole = [&](double count) {
    return static_cast<int>(std::clamp(std::floor(count * candidate.ratio + kDust), 0.0, kMostJobs));
  };
  const double flood = std::clamp(candidate.cluster->flood, 0.0, 1e6);
  return std::max(1, whole(resources) + whole(std::floor(flood * resources + kDust)));
}

double least_of_job(const PairView& pair, const ClusterView& cluster) {
  if (pair.resources_per_job) return std::max(1, *pair.resources_per_job);
  // OAR chooses the nodes, and some resources must stay free.
  const int node = cluster.kept_resources() > 0 || pair.barred ? cluster.max_node_resources : cluster.min_node_resources;
  return pair.nodes_per_job ? std::clamp(static_cast<double>(*pair.nodes_per_job) * node, 1.0, kMostJobs) : 1.0;
}

int room_for(const Candidate& candidate, const Offer& offer) {
  const auto& pair = *candidate.pair;
  const double jobs = std::floor(std::min(kMostJobs, offer.resources * candidate.ratio + kDust));
  const int room = std::min(static_cast<int>(jobs), std::max(0, candidate.tolerated_jobs - pair.waiting_jobs - candidate.jobs));
  if (room > 0) return room;
  const bool none_waits = pair.waiting_jobs == 0 && pair.frozen_jobs == 0 && candidate.jobs == 0;
  return none_waits && offer.free + kDust >= least_of_job(pair, *candidate.cluster) ? 1 : 0;
}

}  // namespace gleaner::planner
