#include "metascheduler/snapshot_of.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "metascheduler/shares_of.hpp"

namespace gleaner::metascheduler {
namespace {

std::optional<planner::Brake> brake_of(const std::optional<store::ActiveBrake>& brake) {
  if (!brake) return std::nullopt;
  return planner::Brake{.reason = brake->reason, .until = brake->until};
}

/// OAR keeps only letters, digits and underscores of a name, and would act for somebody else.
bool is_login(const std::string& login) {
  return !login.empty() && std::ranges::all_of(login, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

/// After repeated failures and the end of the brake, one job at a time until one succeeds.
std::optional<int> most_jobs(const store::PlanningPair& pair, const process::Config& config) {
  if (pair.failures_in_a_row >= config.failures_before_brake) return 1;
  return pair.max_jobs;
}

/// A failure halves it, twice at most; an hour restores it.
constexpr double kRestored = 3600.0;

double standing_of(const store::PlanningPair& pair, grid::Instant now) {
  if (!pair.last_failure_at || pair.failures_in_a_row == 0) return 1.0;
  const double age = std::chrono::duration<double>{now - *pair.last_failure_at}.count();
  const double lowest = pair.failures_in_a_row == 1 ? 0.5 : 0.25;
  return std::clamp(lowest + (1.0 - lowest) * age / kRestored, lowest, 1.0);
}

std::optional<planner::LimitKind> limit_kind(std::string_view name) {
  if (name == "running_jobs") return planner::LimitKind::running_jobs;
  if (name == "waiting_jobs") return planner::LimitKind::waiting_jobs;
  if (name == "resources") return planner::LimitKind::resources;
  if (name == "resource_seconds") return planner::LimitKind::resource_seconds;
  return std::nullopt;
}

planner::LimitView view_of(const store::StoredLimit& limit) {
  return {.id = limit.id,
          .kind = limit_kind(limit.kind).value(),
          .most = limit.most,
          .used = limit.used,
          .user = limit.target.user,
          .project = limit.target.project,
          .campaign = limit.target.campaign,
          .cluster = limit.target.cluster};
}

planner::PairView view_of(const store::PlanningPair& pair, const process::Config& config, grid::Instant now) {
  planner::PairView view{.campaign = pair.campaign, .cluster = pair.cluster};
  view.priority = pair.priority;
  view.resources_per_job = pair.resources_per_job;
  if (pair.resources_jobs > 0) view.measured_resources = static_cast<double>(pair.resources_sum) / static_cast<double>(pair.resources_jobs);
  view.job_ratio = ratio_of(pair);
  view.live_jobs = pair.launching + pair.waiting + pair.running;
  view.waiting_jobs = pair.launching + pair.waiting;
  view.starting = grid::starting_of(pair.last_start_at, pair.last_accept_at, now, grid::kSettling);
  view.frozen_jobs = pair.unknown;
  view.concluded_jobs = pair.concluded;
  view.returned_tasks = pair.returned;
  view.fitting_tasks = pair.fitting;
  view.has_properties = pair.has_properties;
  view.matching_resources = pair.matching;
  view.max_jobs = most_jobs(pair, config);
  view.mapped = is_login(pair.login);
  view.brake = brake_of(pair.brake);
  view.walltime = pair.walltime;
  if (pair.done > 0) view.mean_duration = pair.duration_sum / static_cast<double>(pair.done);
  view.standing = standing_of(pair, now);
  view.suspected = pair.suspected;
  return view;
}

planner::ClusterView view_of(const store::PlanningCluster& cluster, const process::Config& config, grid::Instant now) {
  planner::ClusterView view{.id = cluster.id, .name = cluster.name};
  view.power = cluster.power;
  view.cost = cluster.cost;
  view.transfer_mb_s = cluster.transfer_mb_s;
  view.job_limit = cluster.job_limit;
  view.stress_reason = cluster.stress_reason;
  view.max_resources = cluster.max_resources;
  view.max_node_resources = cluster.max_node_resources;
  view.free_resources = cluster.free;
  view.our_resources = cluster.our_running;
  view.flood = cluster.flood;
  view.array_size = cluster.array_size;
  view.unknown_launches = cluster.unknown_launches;
  view.enabled = cluster.enabled;
  view.retired = cluster.retired;
  view.reachable = cluster.reachable;
  view.status_fresh = cluster.status_at && now - *cluster.status_at <= config.status_max_age;
  view.brake = brake_of(cluster.brake);
  return view;
}

}  // namespace

double ratio_of(const store::PlanningPair& pair) {
  if (pair.job_ratio && *pair.job_ratio > 0) return *pair.job_ratio;
  return pair.resources_per_job ? 1.0 / *pair.resources_per_job : 1.0;
}

namespace {

planner::CampaignView view_of(const store::PlanningCampaign& campaign, const process::Config& config) {
  planner::CampaignView view{.id = campaign.id, .user = campaign.user};
  view.type = campaign.type;
  view.state = campaign.state;
  view.submitted = campaign.submitted_at;
  view.waiting_tasks = campaign.waiting;
  view.brake = brake_of(campaign.brake);
  view.project = campaign.project;
  view.priority = campaign.priority;
  view.input_mb = campaign.input_mb;
  view.scheduler = campaign.scheduler.value_or(config.campaign_scheduler);
  return view;
}

/// Resource-seconds of the jobs that a pair has done.
double used_by(const store::PlanningPair& pair) {
  const double each = pair.resources_jobs > 0 ? static_cast<double>(pair.resources_sum) / static_cast<double>(pair.resources_jobs)
                                              : pair.resources_per_job.value_or(1);
  return pair.duration_sum * each;
}

/// The planner's picture while it is drawn: what belongs to a campaign or a cluster, by its id.
class Picture {
 public:
  Picture(const store::PlanningFacts& facts, const process::Config& config, grid::Instant now) : facts_{facts}, config_{config}, now_{now} {}

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
      if (campaign.min_duration) min_durations_.emplace(campaign.id, *campaign.min_duration);
    }
    for (const auto& couple : facts_.policies.couples) couples_.emplace(couple.user, couple.cluster);
    for (const auto& dying : facts_.policies.dying) dying_.emplace(std::pair{dying.campaign, dying.cluster}, dying.jobs);
    for (const auto& tasks : facts_.replicable) replicable_.emplace(std::pair{tasks.campaign, tasks.cluster}, &tasks);
    snapshot_.pairs.reserve(facts_.pairs.size());
    for (const auto& pair : facts_.pairs) add(pair);
    for (const auto& id : facts_.policies.profiled) {
      if (const auto found = campaigns_.find(id); found != campaigns_.end()) snapshot_.campaigns[found->second].profiled = true;
    }
    for (const auto& ending : facts_.policies.endings) {
      if (const auto found = clusters_.find(ending.cluster); found != clusters_.end())
        snapshot_.clusters[found->second].endings.push_back({.after = ending.after, .resources = ending.resources});
    }
    for (const auto& limit : facts_.policies.limits) snapshot_.limits.push_back(view_of(limit));
    fill_shares(snapshot_, facts_.policies, config_, resources);
    snapshot_.now = now_;
    snapshot_.seed = static_cast<std::uint64_t>(now_.time_since_epoch().count());
    return std::move(snapshot_);
  }

 private:
  void add(const store::PlanningPair& pair) {
    auto& campaign = campaign_of(pair);
    auto& cluster = snapshot_.clusters[clusters_.at(pair.cluster)];
    auto view = view_of(pair, config_, now_);
    view.affine = !couples_.empty() && couples_.contains({campaign.user, pair.cluster});
    if (const auto found = min_durations_.find(pair.campaign); found != min_durations_.end()) view.min_duration = found->second;
    if (const auto found = dying_.find({pair.campaign, pair.cluster}); found != dying_.end()) view.dying_jobs = found->second;
    if (const auto found = replicable_.find({pair.campaign, pair.cluster}); found != replicable_.end()) {
      campaign.replicas_allowed = true;
      view.replicable_tasks = static_cast<int>(found->second->tasks);
      view.expired_tasks = static_cast<int>(found->second->expired);
    }
    campaign.used_resource_seconds += used_by(pair);
    cluster.our_jobs += pair.launching + pair.waiting + pair.running + pair.unknown;
    cluster.waiting_resources += pair.waiting / ratio_of(pair);
    // Of a launch of unknown fate, what it takes is in the cluster's status, unless that is older.
    cluster.unaccounted_resources += (pair.launching + pair.unseen) / ratio_of(pair);
    cluster.unknown_resources += pair.unseen / ratio_of(pair);
    cluster.unknown_jobs += pair.unseen;
    snapshot_.pairs.push_back(std::move(view));
  }

  /// The pairs of a campaign follow each other.
  planner::CampaignView& campaign_of(const store::PlanningPair& pair) {
    if (!last_ || last_->id != pair.campaign) last_ = &snapshot_.campaigns[campaigns_.at(pair.campaign)];
    return *last_;
  }

  const store::PlanningFacts& facts_;
  const process::Config& config_;
  grid::Instant now_;
  planner::Snapshot snapshot_;
  planner::CampaignView* last_ = nullptr;
  std::map<grid::ClusterId, std::size_t> clusters_;
  std::map<grid::CampaignId, std::size_t> campaigns_;
  std::map<grid::CampaignId, double> min_durations_;
  std::set<std::pair<std::string, grid::ClusterId>> couples_;
  std::map<std::pair<grid::CampaignId, grid::ClusterId>, int> dying_;
  std::map<std::pair<grid::CampaignId, grid::ClusterId>, const store::Replicable*> replicable_;
};

}  // namespace

planner::Snapshot snapshot_of(const store::PlanningFacts& facts, const process::Config& config, grid::Instant now) {
  return Picture{facts, config, now}.draw();
}

}  // namespace gleaner::metascheduler
