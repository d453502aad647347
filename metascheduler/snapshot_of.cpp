#include "metascheduler/snapshot_of.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "lib/grid/share_tree.hpp"
#include "lib/grid/sink.hpp"
#include "metascheduler/asleep.hpp"
#include "metascheduler/planner/keeps.hpp"
#include "metascheduler/planner/memory.hpp"
#include "metascheduler/planner/room.hpp"
#include "metascheduler/shares_of.hpp"

namespace gleaner::metascheduler {

double ratio_of(const grid::PairFacts& pair, const grid::ClusterFacts& cluster) {
  const double first = grid::first_ratio(pair.resources_per_job, grid::whole_nodes(pair, cluster));
  if (!pair.forecast_ratio || *pair.forecast_ratio <= 0) return first;
  // Short jobs may wait behind each other, but not where resources are to stay free: OAR would start them there.
  return cluster.kept_resources() > 0 ? std::min(*pair.forecast_ratio, first) : *pair.forecast_ratio;
}

namespace {

/// A failure halves it, twice at most; an hour restores it.
constexpr double kRestored = 3600.0;

double standing_of(const grid::PairFacts& pair, grid::Instant now) {
  if (!pair.last_failure_at || pair.failures_in_a_row == 0) return 1.0;
  const double age = std::chrono::duration<double>{now - *pair.last_failure_at}.count();
  const double lowest = pair.failures_in_a_row == 1 ? 0.5 : 0.25;
  return std::clamp(lowest + (1.0 - lowest) * age / kRestored, lowest, 1.0);
}

std::optional<grid::NodeSizes> free_nodes_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text == grid::kNoFreeNode ? grid::NodeSizes{} : grid::NodeSizes::parse(text);
}

planner::ClusterView view_of(const grid::ClusterFacts& facts, const process::Config& config, grid::Instant now) {
  planner::ClusterView view{facts};
  view.withheld_resources = facts.free_resources - facts.free_for_grid();
  view.busy_resources = facts.free_resources - facts.available_resources();
  view.free_resources = facts.free_for_grid();
  view.flood = facts.flood_for_grid();
  view.nodes_free = free_nodes_of(facts.free_nodes);
  view.reserved_nodes_free = free_nodes_of(facts.reserved_free_nodes);
  view.memory = grid::NodeMemory::parse(facts.node_memory).value_or(grid::NodeMemory{}).in_mb(facts.memory_unit_mb);
  view.bookings =
      grid::bookings_of(grid::advance_reservations(facts.advance_reservations).value_or(std::vector<grid::AdvanceReservation>{}), now,
                        facts.max_resources + facts.reserved_resources);
  view.status_fresh = facts.status_at && now - *facts.status_at <= config.status_max_age;
  return view;
}

/// OAR starts a best-effort job where nothing else begins within that time, whatever its walltime, and kills it when something does.
constexpr double kBestEffortHole = 300.0;
/// For which a job is on its way to OAR, with a best-effort one.
constexpr double kOnItsWay = 10.0;

/// So that OAR starts it, and does not kill it.
double before_reservation(const grid::PairFacts& pair, const process::Config& config) {
  const double lasts = pair.walltime + std::chrono::duration<double>{config.reservation_margin}.count();
  return pair.best_effort ? std::max(lasts, kBestEffortHole + kOnItsWay) : lasts;
}

/// Whether OAR does not start jobs of the pair that wait, where a reservation begins.
bool starts_too_late(const planner::PairView& pair, const planner::ClusterView& cluster) {
  if (pair.best_effort) return !cluster.bookings.empty() && cluster.bookings.front().after < kBestEffortHole;
  return planner::booking_of(pair, cluster) != nullptr;
}

planner::CampaignView view_of(const grid::CampaignFacts& facts, const process::Config& config) {
  planner::CampaignView view{facts};
  if (view.scheduler.empty()) view.scheduler = config.campaign_scheduler;
  return view;
}

planner::PairView view_of(const grid::PairFacts& facts, double ratio, const process::Config& config, grid::Instant now) {
  planner::PairView view{facts};
  if (facts.resources_jobs > 0)
    view.measured_resources = static_cast<double>(facts.resources_sum) / static_cast<double>(facts.resources_jobs);
  view.job_ratio = ratio;
  view.live_jobs = facts.launching + facts.waiting + facts.running;
  view.waiting_jobs = facts.launching + facts.waiting;
  view.starting = grid::starting_of(facts.last_start_at, facts.last_accept_at, now, grid::kSettling);
  view.frozen_jobs = facts.unknown;
  view.on_trial = facts.failures_in_a_row >= config.failures_before_brake;
  view.mapped = grid::is_login(facts.login);
  if (facts.done > 0) view.mean_duration = facts.duration_sum / static_cast<double>(facts.done);
  view.standing = standing_of(facts, now);
  return view;
}

/// No more may wait than may start before it has waited too long: on what our jobs are expected to free by then, on what others hold, as
/// nobody knows when they end, and on what this plan fills. A job beyond that would be taken back, and sent again, until it starts.
void bound_queue(planner::ClusterView& cluster) {
  double known = 0.0, soon = 0.0;
  for (const auto& ending : cluster.endings) {
    known += ending.resources;
    soon += ending.soon;
  }
  const double may_be_freed = soon + std::max(0.0, cluster.max_resources - known);
  if (cluster.max_resources > 0) cluster.flood = std::min(cluster.flood, may_be_freed / cluster.max_resources);
}

/// Resource-seconds of the jobs that a pair has done.
double used_by(const grid::PairFacts& pair) {
  const double each = pair.resources_jobs > 0 ? static_cast<double>(pair.resources_sum) / static_cast<double>(pair.resources_jobs)
                                              : pair.resources_per_job.value_or(1);
  return pair.duration_sum * each;
}

/// The planner's picture while it is drawn: what belongs to a campaign or a cluster, by its id.
class Picture {
 public:
  Picture(const grid::PlanningFacts& facts, const process::Config& config, grid::Instant now) : facts_{facts}, config_{config}, now_{now} {}

  planner::Snapshot draw() && {
    double resources = 0.0;
    for (const auto& cluster : facts_.clusters) {
      clusters_.emplace(cluster.id, snapshot_.clusters.size());
      snapshot_.clusters.push_back(view_of(cluster, config_, now_));
      resources += cluster.max_resources;
    }
    for (const auto& campaign : facts_.campaigns) {
      campaigns_.emplace(campaign.id, snapshot_.campaigns.size());
      snapshot_.campaigns.push_back(view_of(campaign, config_));
    }
    for (const auto& affinity : facts_.policies.affinities) affinities_.emplace(affinity.user, affinity.cluster);
    for (const auto& dying : facts_.policies.dying) dying_.emplace(std::pair{dying.campaign, dying.cluster}, dying.jobs);
    for (const auto& tasks : facts_.policies.replicable) replicable_.emplace(std::pair{tasks.campaign, tasks.cluster}, &tasks);
    fill_shares(snapshot_, facts_.policies, config_, resources);
    draw_keeps();
    snapshot_.pairs.reserve(facts_.pairs.size());
    for (const auto& pair : facts_.pairs) add(pair);
    hold_unjudged();
    for (const auto& id : facts_.policies.profiled) {
      if (const auto found = campaigns_.find(id); found != campaigns_.end()) snapshot_.campaigns[found->second].profiled = true;
    }
    for (const auto& ending : facts_.policies.endings) {
      if (const auto found = clusters_.find(ending.cluster); found != clusters_.end())
        snapshot_.clusters[found->second].endings.push_back(ending);
    }
    for (auto& cluster : snapshot_.clusters) bound_queue(cluster);
    snapshot_.limits = facts_.policies.limits;
    snapshot_.held = facts_.policies.held;
    snapshot_.now = now_;
    planner::know_memory(snapshot_);
    leave_asleep(snapshot_, config_);
    snapshot_.seed = static_cast<std::uint64_t>(now_.time_since_epoch().count());
    return std::move(snapshot_);
  }

 private:
  /// Those that are active.
  void draw_keeps() {
    const auto& policies = facts_.policies;
    if (policies.keeps.empty()) return;
    const grid::ShareTree tree{snapshot_.shares};
    std::map<std::string_view, grid::Instant> first;
    for (const auto& campaign : facts_.campaigns) {
      const auto [known, is_new] = first.emplace(campaign.user, campaign.submitted);
      if (!is_new) known->second = std::min(known->second, campaign.submitted);
    }
    for (const auto& known : policies.first_campaigns) {
      if (const auto found = first.find(known.user); found != first.end()) found->second = std::min(found->second, known.submitted);
    }
    for (const auto& keep : policies.keeps) {
      const auto cluster = clusters_.find(keep.cluster);
      if (cluster == clusters_.end() || !grid::is_active(keep, now_)) continue;
      planner::KeepView view{.name = keep.name,
                             .cluster = keep.cluster,
                             .resources = keep.part.of(snapshot_.clusters[cluster->second].max_resources),
                             .whom = grid::whom_text(keep),
                             .until = grid::end_of(keep, now_)};
      for (const auto& campaign : facts_.campaigns) {
        const grid::KeepTarget target{.id = campaign.id,
                                      .user = campaign.user,
                                      .groups = &campaign.groups,
                                      .project = campaign.project,
                                      .type = campaign.type,
                                      .first_of_user = first.at(campaign.user)};
        // A user may name any project, also by an edit.
        const bool is_theirs = !keep.project || tree.is_in_project(campaign.user, campaign.groups, *keep.project);
        if (is_theirs && grid::is_for(keep, target, now_)) view.campaigns.push_back(campaign.id);
      }
      std::ranges::sort(view.campaigns);
      snapshot_.keeps.push_back(std::move(view));
    }
  }

  [[nodiscard]] bool is_barred(const grid::PairFacts& pair) const {
    return std::ranges::any_of(snapshot_.keeps, [&](const planner::KeepView& keep) {
      return keep.cluster == pair.cluster && !planner::is_for(keep, pair.campaign);
    });
  }

  /// Each resource counts in one keep.
  void count_in_keeps(const planner::PairView& pair, const planner::ClusterView& cluster) {
    if (snapshot_.keeps.empty()) return;
    const auto width = planner::width_of(pair, cluster);
    const double each = width.known ? width.resources : planner::job_resources(pair, cluster);
    // Short jobs wait behind each other.
    double left = (pair.live_jobs - pair.waiting_jobs + pair.frozen_jobs) * each + pair.waiting_jobs / planner::usable_ratio(pair, cluster);
    for (auto& keep : snapshot_.keeps) {
      if (keep.cluster == pair.cluster && planner::is_for(keep, pair.campaign)) left -= planner::use(keep.used, keep.resources, left);
    }
  }

  void add(const grid::PairFacts& pair) {
    auto& campaign = campaign_of(pair);
    auto& cluster = snapshot_.clusters[clusters_.at(pair.cluster)];
    const bool barred = is_barred(pair);
    // As with headroom: OAR would start a job that waits on what is kept.
    const double ratio =
        barred ? std::min(ratio_of(pair, cluster), grid::first_ratio(pair.resources_per_job, grid::whole_nodes(pair, cluster)))
               : ratio_of(pair, cluster);
    auto view = view_of(pair, ratio, config_, now_);
    view.barred = barred;
    view.has_affinity = !affinities_.empty() && affinities_.contains({campaign.user, pair.cluster});
    view.min_duration = campaign.min_duration;
    view.before_reservation = before_reservation(pair, config_);
    if (const auto found = dying_.find({pair.campaign, pair.cluster}); found != dying_.end()) view.dying_jobs = found->second;
    if (const auto found = replicable_.find({pair.campaign, pair.cluster}); found != replicable_.end()) {
      view.replicable_tasks = static_cast<int>(found->second->tasks);
      view.expired_tasks = static_cast<int>(found->second->expired);
    }
    campaign.used_resource_seconds += used_by(pair);
    cluster.our_jobs += pair.launching + pair.waiting + pair.running + pair.unknown;
    cluster.waiting_resources += pair.waiting / ratio;
    if (starts_too_late(view, cluster)) cluster.late_resources += pair.waiting / ratio;
    // The resources of a launch of unknown fate are in the cluster's status, unless that is older.
    cluster.unaccounted_resources += (pair.launching + pair.unseen) / ratio;
    cluster.unknown_resources += pair.unseen / ratio;
    cluster.unknown_jobs += pair.unseen;
    count_in_keeps(view, cluster);
    snapshot_.pairs.push_back(std::move(view));
  }

  /// Tasks in the bag that are bound to another cluster, with whose homes this one has its own in common.
  [[nodiscard]] std::int64_t tasks_of_home(const planner::PairView& pair, std::span<const planner::PairView> pairs) const {
    const auto& home = snapshot_.clusters[clusters_.at(pair.cluster)].shared_home;
    std::int64_t tasks = 0;
    if (home.empty()) return tasks;
    for (const auto& other : pairs) {
      if (other.home_tasks > 0 && other.cluster != pair.cluster && snapshot_.clusters[clusters_.at(other.cluster)].shared_home == home)
        tasks += other.home_tasks;
    }
    return tasks;
  }

  /// @param unbound  tasks in the bag that are bound to no cluster
  /// @param of_home  those that are bound to the home of the pair's cluster, by others
  [[nodiscard]] grid::Shown shown_by(const planner::PairView& pair, std::int64_t unbound, std::int64_t of_home, std::int64_t held) const {
    const auto& cluster = snapshot_.clusters[clusters_.at(pair.cluster)];
    // The last start shows nothing of the jobs before it; but an unjudged cluster never has more than probe_jobs of them.
    const bool runs_on = pair.running > config_.probe_jobs ||
                         (pair.running > 0 && pair.last_start_at && cluster.status_at &&
                          std::chrono::duration<double>{*cluster.status_at - *pair.last_start_at}.count() >= grid::kSomeWork);
    const auto ended = pair.concluded_jobs + pair.interruptions;
    const bool ran_on = pair.interruptions > 0 && pair.exposed_seconds >= grid::kSomeWork * static_cast<double>(ended);
    const bool has_tasks = pair.live_jobs > 0 || pair.returned_tasks > 0 || of_home > 0 || unbound > 0;
    const bool may_get = cluster.enabled && !cluster.retired && pair.mapped && grid::takes_tasks(pair) && (has_tasks || held > 0);
    const bool fits = pair.fitting_tasks != 0 && pair.matching_resources != 0 && pair.resources_per_job <= cluster.max_resources;
    const bool gets_none = pair.brake || pair.token_lack || cluster.brake || !cluster.reachable || !fits || !has_tasks;
    using Judge = grid::Shown::Judge;
    return {.done = pair.done,
            .duration_sum = pair.duration_sum,
            .duration_squares = pair.duration_squares,
            .runs_on = runs_on || ran_on,
            .judge = !may_get    ? Judge::never
                     : gets_none ? Judge::later
                                 : Judge::now};
  }

  /// The pairs of a campaign follow each other.
  void hold_unjudged() {
    auto& pairs = snapshot_.pairs;
    for (std::size_t first = 0; first < pairs.size();) {
      auto last = first;
      while (last < pairs.size() && pairs[last].campaign == pairs[first].campaign) ++last;
      if (last - first > 1) hold_unjudged(std::span{pairs}.subspan(first, last - first));
      first = last;
    }
  }

  void hold_unjudged(std::span<planner::PairView> pairs) {
    const auto& campaign = snapshot_.campaigns[campaigns_.at(pairs.front().campaign)];
    auto unbound = campaign.waiting_tasks;
    for (const auto& pair : pairs) unbound -= pair.returned_tasks;
    std::vector<grid::Shown> shown;
    for (const auto& pair : pairs) shown.push_back(shown_by(pair, unbound, tasks_of_home(pair, pairs), campaign.held_tasks));
    for (auto& pair : pairs) {
      const auto here = shown.front();
      shown.erase(shown.begin());
      pair.most_unjudged = grid::most_unjudged(here, shown, config_.probe_jobs, pair.min_duration, pair.walltime);
      shown.push_back(here);
    }
  }

  /// The pairs of a campaign follow each other.
  planner::CampaignView& campaign_of(const grid::PairFacts& pair) {
    if (!last_ || last_->id != pair.campaign) last_ = &snapshot_.campaigns[campaigns_.at(pair.campaign)];
    return *last_;
  }

  const grid::PlanningFacts& facts_;
  const process::Config& config_;
  grid::Instant now_;
  planner::Snapshot snapshot_;
  planner::CampaignView* last_ = nullptr;
  std::map<grid::ClusterId, std::size_t> clusters_;
  std::map<grid::CampaignId, std::size_t> campaigns_;
  std::set<std::pair<std::string, grid::ClusterId>> affinities_;
  std::map<std::pair<grid::CampaignId, grid::ClusterId>, int> dying_;
  std::map<std::pair<grid::CampaignId, grid::ClusterId>, const grid::Replicable*> replicable_;
};

}  // namespace

planner::Snapshot snapshot_of(const grid::PlanningFacts& facts, const process::Config& config, grid::Instant now) {
  return Picture{facts, config, now}.draw();
}

}  // namespace gleaner::metascheduler
