#include <algorithm>
#include <cmath>

#include "lib/grid/dust.hpp"
#include "metascheduler/planner/preemption.hpp"
#include "metascheduler/planner/room.hpp"
#include "metascheduler/planner/stages.hpp"

namespace gleaner::planner {
namespace {

using grid::kDust;

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

/// The pairs of the lowest priority whose jobs run on a cluster, the newest campaign first.
std::vector<Giver> givers_of(const ClusterView& cluster, const std::vector<grid::CampaignId>& lowest, const Snapshot& snapshot) {
  std::vector<Giver> givers;
  for (const auto& pair : snapshot.pairs) {
    if (pair.cluster == cluster.id && running_jobs(pair) > 0 && std::ranges::binary_search(lowest, pair.campaign))
      givers.push_back({.pair = &pair, .jobs = running_jobs(pair)});
  }
  std::ranges::sort(givers, std::greater{}, [](const Giver& giver) { return giver.pair->campaign; });
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

using Givers = std::vector<std::vector<Giver>>;  // by the cluster's index

std::vector<Demand> demands_of(std::vector<Contender>& contenders, const Givers& givers, const Draft& draft) {
  std::vector<Demand> demands(draft.snapshot.clusters.size());
  for (std::size_t index = 0; index < demands.size(); ++index) {
    const auto& cluster = draft.snapshot.clusters[index];
    double given = 0.0;
    for (const auto& giver : givers[index]) given += giver.jobs * job_resources(*giver.pair, cluster);
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
      if (candidate->pair->missing_inputs) want_inputs(draft.plan, *candidate, startable_jobs(*candidate->pair, cluster));
    }
  }
}

}  // namespace gleaner::planner
