#include "metascheduler/planner/preempt.hpp"

#include <algorithm>
#include <cmath>

#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

constexpr double kDust = 1e-9;

bool wants_more(const Plan& plan, const Candidate& candidate) {
  if (candidate.decision < 0) return false;
  const auto& decision = plan.decisions[static_cast<std::size_t>(candidate.decision)];
  switch (decision.reason) {
    case Reason::launched: return decision.figures.limit == Limit::offer;
    case Reason::no_free_resources:
    case Reason::not_enough_resources:
    case Reason::earlier_campaigns:
    case Reason::held_for_reservation:
    case Reason::reserved: return true;
    default: return false;
  }
}

double job_resources(const PairView& pair, const ClusterView& cluster) { return 1.0 / usable_ratio(pair, cluster); }

/// What the campaigns of normal priority and above want of one cluster, in resources, those
/// included that they wait for in its queue.
struct Demand {
  double wanted = 0.0;
  std::vector<Candidate*> who = {};  ///< that did not get all they want
};

std::vector<Demand> demands_of(std::vector<Contender>& contenders, const Draft& draft) {
  std::vector<Demand> demands(draft.snapshot.clusters.size());
  for (auto& contender : contenders) {
    if (contender.campaign->priority > kNormalPriority || contender.campaign->type == grid::CampaignType::test) continue;
    auto tasks = contender.tasks();
    for (auto& candidate : contender.candidates) {
      auto& demand = demands[candidate.cluster_index];
      const int queued = candidate.pair->waiting_jobs + candidate.jobs;
      std::int64_t more = 0;
      if (wants_more(draft.plan, candidate)) {
        more = std::max<std::int64_t>(0, std::min<std::int64_t>({tasks, candidate.allowed_jobs, candidate.cluster->max_resources - queued}));
        tasks -= more;
        if (more > 0) demand.who.push_back(&candidate);
      }
      demand.wanted += static_cast<double>(queued + more) * job_resources(*candidate.pair, *candidate.cluster);
    }
  }
  return demands;
}

/// The pairs of lowest campaigns whose jobs run on a cluster, the campaign that came last first.
std::vector<const PairView*> givers_of(const ClusterView& cluster, const std::vector<grid::CampaignId>& lowest, const Snapshot& snapshot) {
  std::vector<const PairView*> givers;
  for (const auto& pair : snapshot.pairs) {
    if (pair.cluster == cluster.id && pair.live_jobs > pair.waiting_jobs && std::ranges::binary_search(lowest, pair.campaign))
      givers.push_back(&pair);
  }
  std::ranges::sort(givers, std::greater{}, &PairView::campaign);
  return givers;
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
  const auto demands = demands_of(contenders, draft);
  for (std::size_t index = 0; index < demands.size(); ++index) {
    const auto& cluster = draft.snapshot.clusters[index];
    const double wanted = demands[index].wanted - cluster.free_resources;
    if (wanted <= kDust || !cluster.enabled || !cluster.reachable || !cluster.status_fresh) continue;
    if (!free_resources(wanted, cluster, givers_of(cluster, lowest, draft.snapshot), draft.plan)) continue;
    for (auto* candidate : demands[index].who) note_stop(draft.plan, *candidate, Stage::match, {Reason::preempting, figures_of(*candidate, draft.ledger)});
  }
}

}  // namespace gleaner::planner
