#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <ranges>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/grid/dust.hpp"
#include "metascheduler/planner/preemption.hpp"
#include "metascheduler/planner/prioritize.hpp"
#include "metascheduler/planner/room.hpp"
#include "metascheduler/planner/stages.hpp"

namespace gleaner::planner {
namespace {

using grid::kDust;

/// First tasks that lack resources on a cluster: of a candidate that got none, or whose jobs wait in the cluster's queue.
struct Want {
  const CampaignView* campaign = nullptr;
  const PairView* pair = nullptr;
  std::int64_t jobs = 0;
  Candidate* candidate = nullptr;  ///< null: they wait in the queue
};

/// One cluster with its first tasks that wait, and what each user holds there.
struct Division {
  const ClusterView* cluster = nullptr;
  double free = 0.0;  ///< resources that this plan leaves free
  std::vector<Want> wants = {};
  std::vector<const PairView*> pairs = {};  ///< with live jobs
};

bool frees_by_kills(const PairView& pair) { return !pair.nodes_per_job; }

/// A contender's first tasks that found nothing, on the first cluster that lacks only resources.
std::optional<Want> want_of(Contender& contender, double resources, const Placement& placement, const Plan& plan) {
  std::vector<Candidate*> lacking;
  for (auto& candidate : contender.candidates) {
    if (candidate.jobs == 0 && wants_more(plan, candidate) && !grid::lacks_inputs(*candidate.pair) && frees_by_kills(*candidate.pair))
      lacking.push_back(&candidate);
  }
  allocate(placement, contender, lacking);
  for (auto* candidate : lacking) {
    const auto jobs = static_cast<std::int64_t>(resources / job_resources(*candidate->pair, *candidate->cluster) + kDust);
    const auto most = std::min<std::int64_t>({jobs, candidate->allowed.jobs, startable_jobs(*candidate->pair, *candidate->cluster)});
    if (most > 0) return Want{.campaign = contender.campaign, .pair = candidate->pair, .jobs = most, .candidate = candidate};
  }
  return std::nullopt;
}

/// The pairs with live jobs, by their ids.
std::vector<const PairView*> live_pairs(const Snapshot& snapshot) {
  std::vector<const PairView*> pairs;
  for (const auto& pair : snapshot.pairs) {
    if (pair.live_jobs > 0) pairs.push_back(&pair);
  }
  std::ranges::sort(pairs, {}, [](const PairView* pair) { return std::pair{pair->campaign, pair->cluster}; });
  return pairs;
}

std::vector<Division> divisions_of(const Placement& placement, HeadStarts& head_starts, std::vector<Contender>& contenders,
                                   const Draft& draft) {
  std::map<grid::ClusterId, std::size_t> index;
  std::vector<Division> divisions;
  for (const auto& cluster : draft.snapshot.clusters) {
    index.emplace(cluster.id, divisions.size());
    divisions.push_back({.cluster = &cluster, .free = std::max(0.0, cluster.free_resources - draft.ledger.taken(divisions.size()))});
  }
  std::map<grid::CampaignId, std::int64_t> queued;  // those that are counted
  for (const auto* pair : live_pairs(draft.snapshot)) {
    auto& division = divisions[index.at(pair->cluster)];
    division.pairs.push_back(pair);
    auto& counted = queued[pair->campaign];
    const auto early = std::min<std::int64_t>(pair->waiting_jobs, head_starts.early_jobs(pair->campaign) - counted);
    if (early <= 0 || !frees_by_kills(*pair)) continue;
    counted += early;
    division.wants.push_back({.campaign = draft.campaigns.at(pair->campaign), .pair = pair, .jobs = early});
  }
  std::vector<std::size_t> all(contenders.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  for (const auto contender : head_starts.in_order(all)) {
    const auto want = want_of(contenders[contender], head_starts.resources(contender), placement, draft.plan);
    if (!want) continue;
    const double resources = static_cast<double>(want->jobs) * job_resources(*want->pair, *want->candidate->cluster);
    head_starts.served(contender, {.resources = resources, .jobs = static_cast<int>(want->jobs)});
    divisions[want->candidate->cluster_index].wants.push_back(*want);
  }
  return divisions;
}

/// Leaves the first tasks of the class that goes first.
void keep_first_class(const OrderChoice& order, std::vector<Want>& wants) {
  const auto rank = [&](const Want& want) { return class_rank(order, *want.campaign); };
  const auto first = rank(*std::ranges::min_element(wants, {}, rank));
  std::erase_if(wants, [&](const Want& want) { return rank(want) != first; });
}

/// The resources that the users of a cluster hold there: those of jobs that run.
class Holdings {
 public:
  Holdings(const Division& division, const Campaigns& campaigns) : cluster_{*division.cluster} {
    for (const auto* pair : division.pairs) {
      const int jobs = running_jobs(*pair);
      if (jobs > 0) held_[campaigns.at(pair->campaign)->user] += jobs * job_resources(*pair, cluster_);
    }
    for (const auto& want : division.wants) held_.try_emplace(want.campaign->user, 0.0);
  }
  [[nodiscard]] double& of(std::string_view user) { return held_.at(user); }
  [[nodiscard]] std::int64_t users() const { return std::ssize(held_); }
  [[nodiscard]] double part() const { return cluster_.max_resources / static_cast<double>(users()); }

 private:
  const ClusterView& cluster_;
  std::map<std::string_view, double> held_;
};

/// Limits first tasks to so many resources that can be had, and to their users' parts; those that get none leave the list.
/// @return the resources of those that are left
double fit_wants(std::vector<Want>& wants, double most, const ClusterView& cluster, Holdings holdings) {
  double wanted = 0.0;
  std::erase_if(wants, [&](Want& want) {
    const double each = job_resources(*want.pair, cluster);
    auto& held = holdings.of(want.campaign->user);
    const double within = std::floor(std::max(0.0, std::min(holdings.part() - held, most - wanted)) / each + kDust);
    want.jobs = std::min(want.jobs, static_cast<std::int64_t>(within));
    const double resources = static_cast<double>(want.jobs) * each;
    held += resources;
    wanted += resources;
    return want.jobs <= 0;
  });
  return wanted;
}

/// The pairs that may give, of the users with the greatest surplus first, then of the newest campaign: no job of theirs that carries out a
/// first task, and no more than their user holds beyond the part.
std::vector<Giver> givers_of(const OrderChoice& order, const Division& division, const HeadStarts& head_starts, const Campaigns& campaigns,
                             Holdings holdings) {
  const auto rank = class_rank(order, *division.wants.front().campaign);
  std::vector<const PairView*> pairs;
  for (const auto* pair : division.pairs) {
    const auto& campaign = *campaigns.at(pair->campaign);
    if (running_jobs(*pair) > 0 && campaign.type != grid::CampaignType::test && class_rank(order, campaign) >= rank) pairs.push_back(pair);
  }
  std::ranges::sort(pairs, std::greater{}, [&](const PairView* pair) {
    return std::tuple{holdings.of(campaigns.at(pair->campaign)->user), campaigns.at(pair->campaign)->submitted, pair->campaign};
  });
  std::vector<Giver> givers;
  for (const auto* pair : pairs) {
    const double each = job_resources(*pair, *division.cluster);
    auto& held = holdings.of(campaigns.at(pair->campaign)->user);
    const auto surplus = static_cast<std::int64_t>(std::floor((held - holdings.part()) / each + kDust));
    const auto later = running_jobs(*pair) - head_starts.early_jobs(pair->campaign);
    const auto jobs = std::min(surplus, later);
    if (jobs <= 0) continue;
    held -= static_cast<double>(jobs) * each;
    givers.push_back({.pair = pair, .jobs = static_cast<int>(jobs)});
  }
  return givers;
}

/// Leaves first tasks that are no wider than a job that may be killed, and givers whose jobs are no narrower than these tasks: each kill
/// makes room at once. Resources that come job by job would be taken by narrower ones meanwhile.
void keep_no_wider(std::vector<Want>& wants, std::vector<Giver>& givers, const ClusterView& cluster) {
  const auto width = [&](const auto& one) { return job_resources(*one.pair, cluster); };
  const auto widest = [&](const auto& all) { return std::ranges::max(all | std::views::transform(width)); };
  if (!givers.empty()) std::erase_if(wants, [&, most = widest(givers)](const Want& want) { return width(want) > most + kDust; });
  if (!wants.empty()) std::erase_if(givers, [&, least = widest(wants)](const Giver& giver) { return width(giver) + kDust < least; });
}

/// Resources of jobs that wait in the cluster's queue, and would take what is freed before the first tasks.
double queued_before(const Division& division) {
  double resources = 0.0;
  for (const auto* pair : division.pairs) {
    const auto want = std::ranges::find(division.wants, pair, &Want::pair);
    const auto first = want == division.wants.end() || want->candidate ? 0 : want->jobs;
    resources += static_cast<double>(pair->waiting_jobs - first) * job_resources(*pair, *division.cluster);
  }
  return resources;
}

double queued_by(const Giver& giver, const ClusterView& cluster) { return giver.pair->waiting_jobs * job_resources(*giver.pair, cluster); }

/// All that the givers may bring: what they run, and their places in the queue.
double brought_by(const std::vector<Giver>& givers, const ClusterView& cluster) {
  double resources = 0.0;
  for (const auto& giver : givers) resources += giver.jobs * job_resources(*giver.pair, cluster) + queued_by(giver, cluster);
  return resources;
}

/// Kills jobs of the first givers first; what waits of these in the queue is killed with them.
/// @return whether something is freed, by this plan or by kills on their way
bool take_from(const std::vector<Giver>& givers, double lacking, const ClusterView& cluster, Plan& plan) {
  bool freed = false;
  for (const auto& giver : givers) {
    if (giver.pair->dying_jobs == 0) continue;
    lacking -= giver.pair->dying_jobs * job_resources(*giver.pair, cluster) + queued_by(giver, cluster);
    freed = true;
  }
  for (const auto& giver : givers) {
    const int left = giver.jobs - giver.pair->dying_jobs;
    if (lacking <= kDust || left <= 0) continue;
    if (giver.pair->dying_jobs == 0) lacking -= queued_by(giver, cluster);
    const double each = job_resources(*giver.pair, cluster);
    const int jobs = std::clamp(static_cast<int>(std::ceil(lacking / each - kDust)), 1, left);
    lacking -= jobs * each;
    plan.preemptions.push_back({.campaign = giver.pair->campaign, .cluster = cluster.id, .jobs = jobs});
    freed = true;
  }
  return freed;
}

void give_way(const OrderChoice& order, Division& division, const HeadStarts& head_starts, Draft& draft) {
  const auto& cluster = *division.cluster;
  if (division.wants.empty() || !cluster.enabled || !cluster.reachable || !cluster.status_fresh) return;
  keep_first_class(order, division.wants);
  const Holdings holdings{division, draft.campaigns};
  auto givers = givers_of(order, division, head_starts, draft.campaigns, holdings);
  fit_wants(division.wants, cluster.max_resources, cluster, holdings);
  keep_no_wider(division.wants, givers, cluster);
  // A job for which not enough can be freed would have others killed in each plan, and never start.
  const double most = gained(brought_by(givers, cluster), cluster) + division.free;
  const double wanted = fit_wants(division.wants, most - queued_before(division), cluster, holdings);
  const double needed = wanted + queued_before(division);
  if (wanted <= kDust || needed > most + kDust) return;
  if (!take_from(givers, needed - division.free + owed_resources(cluster), cluster, draft.plan)) return;
  for (const auto& want : division.wants) {
    if (!want.candidate) continue;
    note_stop(draft.plan, *want.candidate, Stage::match,
              reason::PreemptingForFirst{
                  .part_resources = decisions::rounded(holdings.part(), 1), .users = holdings.users(), .parts = parts_of(*want.candidate)});
  }
}

}  // namespace

void give_way(const OrderChoice& order, const Placement& placement, HeadStarts& head_starts, std::vector<Contender>& contenders,
              Draft& draft) {
  for (auto& division : divisions_of(placement, head_starts, contenders, draft)) give_way(order, division, head_starts, draft);
}

}  // namespace gleaner::planner
