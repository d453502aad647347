#include "metascheduler/planner/feasible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

Stop braked(Reason reason, const Brake& brake) {
  Figures figures;
  figures.note = brake.reason;
  figures.until = brake.until;
  return {reason, std::move(figures)};
}

std::optional<Stop> whole_campaign(const Contender& contender) {
  const auto& campaign = *contender.campaign;
  if (campaign.state != grid::CampaignState::in_treatment) return Stop{Reason::paused};
  if (campaign.brake) return braked(Reason::campaign_braked, *campaign.brake);
  if (contender.candidates.empty()) return Stop{Reason::no_cluster};
  if (campaign.waiting_tasks > 0) return std::nullopt;
  Figures figures;
  for (const auto& candidate : contender.candidates) {
    figures.frozen_jobs += candidate.pair->frozen_jobs;
    figures.live_jobs += candidate.pair->live_jobs;
  }
  const auto reason = figures.frozen_jobs > 0 ? Reason::frozen : Reason::bag_empty;
  return Stop{reason, std::move(figures)};
}

/// The index of an id in a list; pairs mostly come in the order of the lists, so the last one found,
/// or the next, is tried first.
template <class Id>
class Index {
 public:
  void add(Id id, std::size_t at) {
    ids_.emplace_back(id, at);
  }
  void sort() { std::ranges::sort(ids_); }
  [[nodiscard]] std::optional<std::size_t> find(Id id) {
    for (const auto guess : {last_, last_ + 1, std::size_t{0}}) {
      if (guess < ids_.size() && ids_[guess].first == id) return ids_[last_ = guess].second;
    }
    const auto found = std::ranges::lower_bound(ids_, id, {}, &std::pair<Id, std::size_t>::first);
    if (found == ids_.end() || found->first != id) return std::nullopt;
    last_ = static_cast<std::size_t>(found - ids_.begin());
    return found->second;
  }

 private:
  std::vector<std::pair<Id, std::size_t>> ids_;
  std::size_t last_ = 0;
};

std::vector<Contender> pair_up(const Snapshot& snapshot) {
  std::vector<Contender> contenders;
  contenders.reserve(snapshot.campaigns.size());
  for (const auto& campaign : snapshot.campaigns) contenders.push_back({.campaign = &campaign});
  std::ranges::sort(contenders, {}, [](const Contender& contender) { return contender.campaign->id; });
  Index<grid::ClusterId> clusters;
  for (std::size_t i = 0; i < snapshot.clusters.size(); ++i) clusters.add(snapshot.clusters[i].id, i);
  clusters.sort();
  Index<grid::CampaignId> campaigns;
  for (std::size_t i = 0; i < contenders.size(); ++i) campaigns.add(contenders[i].campaign->id, i);
  for (const auto& pair : snapshot.pairs) {
    const auto campaign = campaigns.find(pair.campaign);
    const auto cluster = clusters.find(pair.cluster);
    if (!campaign || !cluster)
      throw std::invalid_argument{fmt::format("the pair of campaign {} and cluster {} is not of this snapshot",
                                              pair.campaign.value(), pair.cluster.value())};
    auto& candidates = contenders[*campaign].candidates;
    if (candidates.empty()) candidates.reserve(snapshot.clusters.size());
    candidates.push_back(candidate_of(pair, snapshot.clusters[*cluster], *cluster));
  }
  const auto by_cluster = [](const Candidate& candidate) { return candidate.cluster->id; };
  for (auto& contender : contenders) {
    if (!std::ranges::is_sorted(contender.candidates, {}, by_cluster)) std::ranges::sort(contender.candidates, {}, by_cluster);
  }
  return contenders;
}

void check_clusters(Contender& contender, Plan& plan) {
  const auto& campaign = *contender.campaign;
  std::int64_t reserved = 0;
  std::erase_if(contender.candidates, [&](Candidate& candidate) {
    auto stop = why_not(campaign, *candidate.cluster, *candidate.pair);
    if (!stop && candidate.pair->fitting_tasks == 0) stop = Stop{Reason::no_task_fits, {.tasks = campaign.waiting_tasks}};
    // Whatever stops the cluster: a job of the void launch may still run there, and only there the fence holds.
    reserved += candidate.pair->returned_tasks;
    if (stop) note_stop(plan, candidate, Stage::feasible, std::move(*stop));
    return stop.has_value();
  });
  contender.tasks_reserved = std::min(reserved, campaign.waiting_tasks);
  contender.tasks_for_anyone = campaign.waiting_tasks - contender.tasks_reserved;
}

}  // namespace

std::optional<Stop> why_not(const CampaignView& campaign, const ClusterView& cluster, const PairView& pair) {
  if (cluster.retired) return Stop{Reason::cluster_retired};
  if (!cluster.enabled) return Stop{Reason::cluster_disabled};
  if (!cluster.reachable) return Stop{Reason::unreachable};
  if (!cluster.status_fresh) return Stop{Reason::stale_status};
  if (cluster.brake) return braked(Reason::cluster_braked, *cluster.brake);
  if (pair.brake) return braked(Reason::pair_braked, *pair.brake);
  if (!pair.mapped) return Stop{Reason::not_mapped, {.note = campaign.user}};
  if (pair.resources_per_job.value_or(0) > cluster.max_resources)
    return Stop{Reason::too_big, {.max_resources = cluster.max_resources, .job_resources = static_cast<double>(*pair.resources_per_job)}};
  return std::nullopt;
}

std::vector<Contender> feasible(Draft& draft) {
  std::vector<Contender> kept;
  kept.reserve(draft.snapshot.campaigns.size());
  draft.plan.decisions.reserve(draft.snapshot.pairs.size());
  for (auto& contender : pair_up(draft.snapshot)) {
    if (auto stop = whole_campaign(contender)) {
      draft.plan.decisions.push_back({.campaign = contender.campaign->id,
                                      .cluster = std::nullopt,
                                      .stage = Stage::feasible,
                                      .reason = stop->reason,
                                      .jobs = 0,
                                      .figures = std::move(stop->figures)});
      continue;
    }
    check_clusters(contender, draft.plan);
    if (contender.candidates.empty()) continue;
    contender.limits = draft.limits.holding(*contender.campaign);
    kept.push_back(std::move(contender));
  }
  return kept;
}

}  // namespace gleaner::planner
