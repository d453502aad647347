#include <algorithm>
#include <cmath>

#include "lib/grid/dust.hpp"
#include "metascheduler/planner/room.hpp"
#include "metascheduler/planner/stages.hpp"

namespace gleaner::planner {
namespace {

using grid::kDust;

bool wants_more(const Plan& plan, const Candidate& candidate) {
  if (candidate.decision < 0) return false;
  const auto& decision = plan.decisions[static_cast<std::size_t>(candidate.decision)];
  if (const auto* launched = std::get_if<reason::Launched>(&decision.reason)) return is_one_of<bound::Offer>(launched->bound);
  return is_one_of<reason::NoFreeResources, reason::KeptForLocal, reason::KeptForOthers, reason::NodesAsleep, reason::BusyWithoutJob,
                   reason::NotEnoughResources, reason::NoNodeFree, reason::EarlierCampaigns, reason::HeldForReservation, reason::Reserved>(
      decision.reason);
}

/// Resources that campaigns of normal priority and above want on one cluster, those for their jobs in its queue included.
struct Demand {
  double wanted = 0.0;
  double most = 0.0;                 ///< that can be had: free ones, and those that kills of jobs of the lowest priority bring
  double kept = 0.0;                 ///< that stay free, as they are kept from some of these for others (`gridctl keep`)
  std::vector<Candidate*> who = {};  ///< candidates that did not get all that they want

  /// Adds those of so many jobs that still fit into what can be had, and returns their number: kills do not help a job that is too wide.
  /// @param kept_from  the jobs, of what can be had
  int add(std::int64_t jobs, double each, double kept_from = 0.0) {
    const double can_be_had = most - std::max(kept, kept_from) - wanted;
    const auto fitting = static_cast<int>(std::min<double>(static_cast<double>(jobs), std::floor(can_be_had / each + kDust)));
    if (fitting <= 0) return 0;
    kept = std::max(kept, kept_from);
    wanted += fitting * each;
    return fitting;
  }
};

/// Freed resources that stay free for local jobs first.
int owed_resources(const ClusterView& cluster) {
  const int free = cluster.free_resources + cluster.withheld_resources;
  return std::max(0, cluster.kept_resources() - grid::available_resources(free, cluster.loaded_resources));
}

/// The part of so many freed resources that the grid gains. Nothing while more is loaded than is free: a job has taken it since the load
/// was read.
double gained(double freed, const ClusterView& cluster) {
  if (cluster.loaded_resources > cluster.free_resources + cluster.withheld_resources) return 0.0;
  return std::max(0.0, freed - owed_resources(cluster));
}

/// The pairs of the lowest priority whose jobs run on a cluster, the newest campaign first.
std::vector<const PairView*> givers_of(const ClusterView& cluster, const std::vector<grid::CampaignId>& lowest, const Snapshot& snapshot) {
  std::vector<const PairView*> givers;
  for (const auto& pair : snapshot.pairs) {
    if (pair.cluster == cluster.id && pair.live_jobs > pair.waiting_jobs && std::ranges::binary_search(lowest, pair.campaign))
      givers.push_back(&pair);
  }
  std::ranges::sort(givers, std::greater{}, &PairView::campaign);
  return givers;
}

/// The campaigns that may take resources of the lowest priority, by their ids.
std::vector<grid::CampaignId> takers_of(const Snapshot& snapshot) {
  std::vector<grid::CampaignId> takers;
  for (const auto& campaign : snapshot.campaigns) {
    if (campaign.priority <= kNormalPriority && campaign.type != grid::CampaignType::test &&
        campaign.state == grid::CampaignState::in_treatment)
      takers.push_back(campaign.id);
  }
  std::ranges::sort(takers);
  return takers;
}

/// More jobs of a pair that freed resources let run. If the JDL has properties: those for which matching resources are left, and none
/// while the cluster has not reported how many match.
int startable_jobs(const PairView& pair, const ClusterView& cluster) {
  if (!pair.matching_resources) return pair.has_properties ? 0 : kNoLimit;
  if (*pair.matching_resources < least_of_job(pair, cluster)) return 0;
  const auto at_once = static_cast<int>(std::floor(*pair.matching_resources / job_resources(pair, cluster) + kDust));
  const int running = pair.live_jobs - pair.waiting_jobs;
  return std::max(0, std::max(1, at_once) - running);
}

using Givers = std::vector<std::vector<const PairView*>>;  // by the cluster's index

std::vector<Demand> demands_of(std::vector<Contender>& contenders, const Givers& givers, const Draft& draft) {
  std::vector<Demand> demands(draft.snapshot.clusters.size());
  for (std::size_t index = 0; index < demands.size(); ++index) {
    const auto& cluster = draft.snapshot.clusters[index];
    double given = 0.0;
    for (const auto* pair : givers[index]) given += (pair->live_jobs - pair->waiting_jobs) * job_resources(*pair, cluster);
    demands[index].most = cluster.free_resources + gained(given, cluster);
  }
  const auto takers = takers_of(draft.snapshot);
  // This counts campaigns too whose last tasks are all submitted, and which are no contenders.
  for (const auto& pair : draft.snapshot.pairs) {
    if (pair.waiting_jobs == 0 || !std::ranges::binary_search(takers, pair.campaign)) continue;
    const auto cluster = std::ranges::find(draft.snapshot.clusters, pair.cluster, &ClusterView::id);
    if (cluster == draft.snapshot.clusters.end()) continue;
    auto& demand = demands[static_cast<std::size_t>(cluster - draft.snapshot.clusters.begin())];
    demand.add(std::min(pair.waiting_jobs, startable_jobs(pair, *cluster)), job_resources(pair, *cluster));
  }
  for (auto& contender : contenders) {
    if (!std::ranges::binary_search(takers, contender.campaign->id)) continue;
    auto tasks = contender.tasks();
    for (auto& candidate : contender.candidates) {
      auto& demand = demands[candidate.cluster_index];
      const double each = job_resources(*candidate.pair, *candidate.cluster);
      int startable = startable_jobs(*candidate.pair, *candidate.cluster) - candidate.pair->waiting_jobs;  // which are added above
      startable -= demand.add(std::min(candidate.jobs, startable), each);
      if (!wants_more(draft.plan, candidate)) continue;
      const int more = demand.add(std::min({tasks, std::int64_t{candidate.allowed.jobs}, std::int64_t{startable}}), each,
                                  draft.ledger.kept_from(candidate.cluster_index, *candidate.pair));
      tasks -= more;
      if (more > 0) demand.who.push_back(&candidate);
    }
  }
  return demands;
}

/// @return whether something is freed, by this plan or by kills on their way
bool free_resources(double wanted, const ClusterView& cluster, const std::vector<const PairView*>& givers, Plan& plan) {
  bool freed = false;
  for (const auto* pair : givers) {
    wanted -= pair->dying_jobs * job_resources(*pair, cluster);
    freed = freed || pair->dying_jobs > 0;
  }
  for (const auto* pair : givers) {
    if (wanted <= kDust) break;
    const double each = job_resources(*pair, cluster);
    const int running = pair->live_jobs - pair->waiting_jobs - pair->dying_jobs;
    const int jobs = std::min(running, static_cast<int>(std::ceil(wanted / each - kDust)));
    if (jobs <= 0) continue;
    wanted -= jobs * each;
    plan.preemptions.push_back({.campaign = pair->campaign, .cluster = cluster.id, .jobs = jobs});
    freed = true;
  }
  return freed;
}

}  // namespace

void preempt(std::vector<Contender>& contenders, Draft& draft) {
  std::vector<grid::CampaignId> lowest;
  for (const auto& campaign : draft.snapshot.campaigns) {
    if (campaign.priority == kLowestPriority) lowest.push_back(campaign.id);
  }
  if (lowest.empty()) return;
  std::ranges::sort(lowest);
  Givers givers;
  for (const auto& cluster : draft.snapshot.clusters) givers.push_back(givers_of(cluster, lowest, draft.snapshot));
  const auto demands = demands_of(contenders, givers, draft);
  for (std::size_t index = 0; index < demands.size(); ++index) {
    const auto& cluster = draft.snapshot.clusters[index];
    const double wanted = demands[index].wanted + demands[index].kept - cluster.free_resources;
    if (wanted <= kDust || !cluster.enabled || !cluster.reachable || !cluster.status_fresh) continue;
    if (!free_resources(wanted + owed_resources(cluster), cluster, givers[index], draft.plan)) continue;
    for (auto* candidate : demands[index].who) {
      note_stop(draft.plan, *candidate, Stage::match, reason::Preempting{parts_of(*candidate)});
      if (candidate->pair->missing_inputs) draft.plan.inputs.push_back({candidate->pair->campaign, cluster.id});
    }
  }
}

}  // namespace gleaner::planner
