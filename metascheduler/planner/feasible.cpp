#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "lib/decisions/words.hpp"
#include "metascheduler/planner/room.hpp"
#include "metascheduler/planner/stages.hpp"

namespace gleaner::planner {
namespace {

/// Tasks that may wait for their files to be read before a pair gets no further jobs. Otherwise a cluster that lists files more slowly than
/// it carries out tasks would have ever more of them to list.
constexpr std::int64_t kMostUnread = 20'000;

/// The most resources of one job, if none were out of use.
int room_of_all(const ClusterView& cluster) {
  const int all = cluster.max_resources + cluster.resources_out();
  return all - grid::kept_resources(cluster.headroom, cluster.learnt_headroom, all);
}

/// Why no script is sent to the cluster now. Empty: one is.
std::string why_no_script(const CampaignView& campaign, const Candidate& candidate) {
  const auto& cluster = *candidate.cluster;
  const auto& pair = *candidate.pair;
  if (!cluster.enabled) return fmt::format("{0} was disabled by an administrator ('gridctl cluster enable {0}' enables it)", cluster.name);
  if (!cluster.reachable) return fmt::format("{} does not answer", cluster.name);
  if (!pair.mapped) return fmt::format("the user {} has no account on {} (an administrator can map one)", campaign.user, cluster.name);
  if (pair.token_lack)
    return fmt::format("it has no token of {0} that it takes ('gridtoken add {1}' gives one)", campaign.user, cluster.name);
  if (cluster.brake) return fmt::format("{} is braked ({}) {}", cluster.name, cluster.brake->reason, decisions::until(*cluster.brake));
  if (pair.brake)
    return fmt::format("the campaign is braked on {} ({}) {}", cluster.name, pair.brake->reason, decisions::until(*pair.brake));
  return {};
}

std::optional<Reason> whole_campaign(const Contender& contender) {
  const auto& campaign = *contender.campaign;
  if (campaign.state != grid::CampaignState::in_treatment) return reason::Paused{};
  if (campaign.awaits) return reason::Awaits{*campaign.awaits};
  if (campaign.brake) return reason::CampaignBraked{*campaign.brake};
  if (contender.candidates.empty()) return reason::NoCluster{};
  if (campaign.waiting_tasks > 0) return std::nullopt;
  int frozen_jobs = 0;
  int live_jobs = 0;
  std::vector<std::string> epilogues;
  std::vector<std::string> held;
  for (const auto& candidate : contender.candidates) {
    // Where a cluster is retired, none is waited for.
    if (candidate.pair->awaits_epilogue && !candidate.cluster->retired) {
      epilogues.push_back(candidate.cluster->name);
      if (auto why = why_no_script(campaign, candidate); !why.empty()) held.push_back(std::move(why));
    }
    frozen_jobs += candidate.pair->frozen_jobs;
    live_jobs += candidate.pair->live_jobs;
  }
  if (campaign.holds_tasks && campaign.held_tasks > 0) return reason::AwaitsTasks{*campaign.holds_tasks, campaign.held_tasks, live_jobs};
  if (campaign.hold && campaign.on_hold_tasks > 0) return reason::TasksHeld{campaign.on_hold_tasks, *campaign.hold, live_jobs};
  if (frozen_jobs > 0) return reason::Frozen{frozen_jobs};
  if (!epilogues.empty()) return reason::EpiloguesLeft{.clusters = std::move(epilogues), .obstacles = std::move(held)};
  const bool may_replicate = campaign.replicas_allowed && campaign.type != grid::CampaignType::test;
  return reason::BagEmpty{.live_jobs = live_jobs,
                          .unsettled_tasks = campaign.unsettled_tasks,
                          .may_replicate = may_replicate,
                          .withheld_tasks = campaign.withheld_tasks};
}

/// Finds the index of an id in a list. Pairs mostly come in the order of the lists, so the last index, and the next, are tried first.
template <class Id>
class Index {
 public:
  void add(Id id, std::size_t at) { ids_.emplace_back(id, at); }
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
      throw std::invalid_argument{
          fmt::format("the pair of campaign {} and cluster {} is not of this snapshot", pair.campaign.value(), pair.cluster.value())};
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

/// Finds the homes that clusters of the campaign share, if tasks wait for one of them. A cluster that is `off` in the JDL takes no tasks of
/// others.
void find_homes(Contender& contender) {
  if (std::ranges::none_of(contender.candidates, [](const Candidate& candidate) { return candidate.pair->home_tasks > 0; })) return;
  for (auto& candidate : contender.candidates) {
    const std::string_view name = candidate.cluster->shared_home;
    if (name.empty()) continue;
    auto home = std::ranges::find(contender.homes, name, &Home::name);
    if (home == contender.homes.end()) home = contender.homes.insert(home, {.name = name});
    home->tasks += candidate.pair->home_tasks;
    if (!candidate.cluster->retired && candidate.pair->max_jobs != 0) home->clusters.push_back(candidate.cluster->name);
    candidate.home = home - contender.homes.begin();
    candidate.bound -= candidate.pair->home_tasks;
  }
}

/// Adds the cluster, and those that share the homes there.
void add_with_home(std::vector<std::string_view>& clusters, const Contender& contender, const Candidate& candidate) {
  clusters.push_back(candidate.cluster->name);
  if (candidate.home >= 0) {
    const auto& home = contender.homes[static_cast<std::size_t>(candidate.home)];
    clusters.insert(clusters.end(), home.clusters.begin(), home.clusters.end());
  }
  std::ranges::sort(clusters);
  clusters.erase(std::ranges::unique(clusters).begin(), clusters.end());
}

void check_clusters(Contender& contender, Plan& plan) {
  const auto& campaign = *contender.campaign;
  std::int64_t reserved = 0;
  for (auto& candidate : contender.candidates) candidate.bound = candidate.pair->returned_tasks;
  find_homes(contender);
  // Counted whatever stops the cluster: a job of the void launch may still run there, and only there the fence holds.
  for (const auto& candidate : contender.candidates) {
    const auto& pair = *candidate.pair;
    reserved += pair.returned_tasks;
    contender.tasks_fenced += pair.fenced_tasks;
    contender.tasks_following += pair.following_tasks;
    if (pair.following_tasks > 0) add_with_home(contender.followed, contender, candidate);
    if (pair.home_tasks > pair.following_tasks) add_with_home(contender.kept, contender, candidate);
  }
  contender.tasks_reserved = std::min(reserved, campaign.waiting_tasks);
  contender.tasks_for_anyone = campaign.waiting_tasks - contender.tasks_reserved;
  std::erase_if(contender.candidates, [&](Candidate& candidate) {
    auto reason = why_not(campaign, *candidate.cluster, *candidate.pair);
    // Whether tasks would go there without that is seen later: `size` has the files brought.
    const bool is_stopped = reason && !is_one_of<reason::InputsFirst>(*reason);
    if (is_stopped) note_stop(plan, candidate, Stage::feasible, std::move(*reason));
    if (is_stopped || candidate.pair->fitting_tasks != 0) return is_stopped;
    // Those that wait for another cluster are not among the fitting ones.
    const auto tasks = contender.tasks_for_anyone + contender.bound_tasks(candidate);
    note_stop(plan, candidate, Stage::feasible, tasks > 0 ? Reason{reason::NoTaskFits{tasks}} : why_bound(contender));
    return true;
  });
}

}  // namespace

std::int64_t Contender::bound_tasks(const Candidate& candidate) const {
  const bool shares = candidate.home >= 0 && candidate.pair->max_jobs != 0;
  const auto of_home = candidate.home < 0 ? 0 : homes[static_cast<std::size_t>(candidate.home)].tasks;
  // A cluster that is off takes those alone that are bound to itself.
  const auto own_of_home = shares ? of_home : std::min(of_home, candidate.pair->home_tasks);
  return std::min(candidate.bound + own_of_home, tasks_reserved);
}

void Contender::take_bound(Candidate& candidate, std::int64_t tasks) {
  const auto of_cluster = std::min(tasks, candidate.bound);
  candidate.bound -= of_cluster;
  if (candidate.home >= 0) homes[static_cast<std::size_t>(candidate.home)].tasks -= tasks - of_cluster;
  tasks_reserved -= tasks;
}

Reason why_bound(const Contender& contender) {
  const auto tasks = contender.tasks_reserved;
  const auto others = [tasks](std::int64_t of_kind) { return std::max<std::int64_t>(0, tasks - of_kind); };
  if (!contender.followed.empty())
    return reason::TasksFollow{.tasks = std::min(tasks, contender.tasks_following),
                               .clusters = {contender.followed.begin(), contender.followed.end()},
                               .others = others(contender.tasks_following)};
  if (contender.campaign->checkpoint_cost && tasks > contender.tasks_fenced)
    return reason::TasksKept{.tasks = others(contender.tasks_fenced),
                             .clusters = {contender.kept.begin(), contender.kept.end()},
                             .others = std::min(tasks, contender.tasks_fenced)};
  return reason::TasksReserved{tasks};
}

std::optional<Reason> why_not(const CampaignView& campaign, const ClusterView& cluster, const PairView& pair) {
  if (cluster.retired) return reason::ClusterRetired{};
  if (!cluster.enabled) return reason::ClusterDisabled{};
  if (!cluster.reachable) return reason::Unreachable{};
  if (!cluster.status_fresh) return reason::StaleStatus{};
  const int all = cluster.max_resources + (pair.best_effort ? 0 : cluster.reserved_resources);
  if (all <= 0) return reason::NoResources{.out = cluster, .since = cluster.no_resources_since};
  if (cluster.brake) return reason::ClusterBraked{*cluster.brake};
  if (pair.brake) return reason::PairBraked{*pair.brake};
  if (!pair.mapped) return reason::NotMapped{campaign.user};
  if (pair.token_lack) return reason::NoToken{.user = campaign.user, .fault = pair.token_lack->fault, .since = pair.token_lack->since};
  const int kept = cluster.kept_resources();
  if (const double least = least_of_job(pair, cluster); least > all - kept)
    return reason::TooBig{.resources_per_job = static_cast<int>(least),
                          .max_resources = all,
                          .kept_resources = kept,
                          .out = cluster,
                          .room_of_all = room_of_all(cluster)};
  if (pair.unread_tasks > kMostUnread) return reason::EndsUnread{pair.unread_tasks};
  if (pair.preparation != grid::Preparation::ready) return reason::ScriptFirst{pair.preparation};
  if (grid::lacks_inputs(pair)) return reason::InputsFirst{pair.missing_inputs->bytes, pair.missing_inputs->mb_s};
  return std::nullopt;
}

std::vector<Contender> feasible(Draft& draft) {
  std::vector<Contender> kept;
  kept.reserve(draft.snapshot.campaigns.size());
  draft.plan.decisions.reserve(draft.snapshot.pairs.size());
  for (auto& contender : pair_up(draft.snapshot)) {
    if (auto reason = whole_campaign(contender)) {
      draft.plan.decisions.push_back({.campaign = contender.campaign->id, .stage = Stage::feasible, .reason = std::move(*reason)});
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
