#include "metascheduler/planner/preemption.hpp"

#include <algorithm>
#include <cmath>

#include "lib/grid/dust.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {

using grid::kDust;

bool wants_more(const Plan& plan, const Candidate& candidate) {
  if (candidate.decision < 0) return false;
  const auto& decision = plan.decisions[static_cast<std::size_t>(candidate.decision)];
  if (const auto* launched = std::get_if<reason::Launched>(&decision.reason)) return is_one_of<bound::Offer>(launched->bound);
  if (keeps_too_much(decision.reason)) return false;
  return is_one_of<reason::NoFreeResources, reason::KeptForLocal, reason::KeptForOthers, reason::NodesAsleep, reason::BusyWithoutJob,
                   reason::NotEnoughResources, reason::NoNodeFree, reason::EarlierCampaigns, reason::HeldForReservation, reason::Reserved>(
      decision.reason);
}

int owed_resources(const ClusterView& cluster) {
  const int free = cluster.free_resources + cluster.withheld_resources;
  return std::max(0, cluster.kept_resources() - grid::available_resources(free, cluster.loaded_resources));
}

double gained(double freed, const ClusterView& cluster) {
  if (cluster.loaded_resources > cluster.free_resources + cluster.withheld_resources) return 0.0;
  return std::max(0.0, freed - owed_resources(cluster));
}

int startable_jobs(const PairView& pair, const ClusterView& cluster) {
  if (!pair.matching_resources) return pair.has_properties ? 0 : kNoLimit;
  if (*pair.matching_resources < least_of_job(pair, cluster)) return 0;
  const auto at_once = static_cast<int>(std::floor(*pair.matching_resources / job_resources(pair, cluster) + kDust));
  return std::max(0, std::max(1, at_once) - running_jobs(pair));
}

bool free_resources(double wanted, const ClusterView& cluster, const std::vector<Giver>& givers, Plan& plan) {
  bool freed = false;
  for (const auto& [pair, jobs] : givers) {
    wanted -= pair->dying_jobs * job_resources(*pair, cluster);
    freed = freed || pair->dying_jobs > 0;
  }
  for (const auto& [pair, most] : givers) {
    if (wanted <= kDust) break;
    const double each = job_resources(*pair, cluster);
    const int jobs = std::min(most - pair->dying_jobs, static_cast<int>(std::ceil(wanted / each - kDust)));
    if (jobs <= 0) continue;
    wanted -= jobs * each;
    plan.preemptions.push_back({.campaign = pair->campaign, .cluster = cluster.id, .jobs = jobs});
    freed = true;
  }
  return freed;
}

}  // namespace gleaner::planner
