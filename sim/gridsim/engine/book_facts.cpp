#include <algorithm>
#include <ranges>

#include "sim/gridsim/engine/book.hpp"

/// Facts that production's modules read from the database.
namespace gleaner::gridsim {
namespace {

std::optional<grid::Brake> brake_of(double seconds, grid::Instant now) {
  const auto until = instant_of(seconds);
  if (until <= now) return std::nullopt;
  return grid::Brake{"as when the simulation began", until};
}

}  // namespace

/// For a pair that never had a job, only the campaign's request is read.
grid::PairFacts Book::planning_pair(int campaign, int pair) const {
  auto facts = campaigns_[index_of(campaign)].pairs[index_of(pair)].facts;
  if (!facts.active) {
    facts.forecast_ratio.reset();
    facts.last_submitted = 0;
    facts.last_offered = 0;
  }
  facts.brake = brake_of(spec_of(campaign).clusters[index_of(pair)].state.braked, status_at_);
  const auto& sink = campaigns_[index_of(campaign)].pairs[index_of(pair)].braked_until;
  if (sink && *sink > status_at_) facts.brake = grid::Brake{"its jobs may have done nothing", sink};
  const auto cluster = static_cast<int>(index_of(facts.cluster));
  facts.returned_tasks =
      std::ranges::count_if(campaigns_[index_of(campaign)].kept, [&](const auto& kept) { return kept.second.cluster == cluster; });
  facts.home_tasks = facts.returned_tasks;
  return facts;
}

double Book::start_cost(std::size_t cluster) const {
  const auto& spec = world_.scenario.clusters[cluster];
  return spec.start_cost.value_or(spec.start_delay + spec.end_delay);
}

grid::ClusterFacts Book::cluster_facts(std::size_t cluster, grid::Instant now) const {
  const auto& spec = world_.scenario.clusters[cluster];
  grid::ClusterFacts facts = spec;
  facts.id = grid::ClusterId{static_cast<std::int64_t>(cluster) + 1};
  facts.flood = spec.own_flood.value_or(world_.scenario.config.flood);
  facts.array_size = spec.own_array_size.value_or(world_.scenario.config.array_size);
  facts.headroom = spec.own_headroom.value_or(world_.scenario.config.headroom);
  facts.learnt_headroom = learnt_headroom_[cluster];
  facts.max_resources = spec.resources();
  facts.max_node_resources = spec.cores;
  facts.min_node_resources = spec.cores;
  facts.start_cost = start_cost(cluster);
  facts.free_resources = free_[cluster];
  if (cluster < free_nodes_.size()) facts.free_nodes = free_nodes_[cluster];
  if (cluster < rests_.size()) {
    const auto sizes = [&](Nodes::Rest rest) {
      grid::NodeSizes nodes;
      nodes.add(spec.cores, static_cast<int>(std::ranges::count(rests_[cluster], rest)));
      return nodes.text();
    };
    facts.open_nodes = sizes(Nodes::Rest::open);
    facts.empty_nodes = sizes(Nodes::Rest::empty);
    facts.asleep_nodes = sizes(Nodes::Rest::asleep);
  }
  facts.status_at = status_at_;
  facts.brake = brake_of(spec.braked, now);
  return facts;
}

grid::CampaignFacts Book::campaign_facts(int index, grid::Instant now) const {
  const auto& spec = spec_of(index);
  const auto& known = campaigns_[index_of(index)];
  grid::CampaignFacts campaign = spec;
  campaign.id = grid::CampaignId{index + 1};
  if (campaign.grouping == grid::Grouping::advise) campaign.grouping = world_.scenario.config.temporal_grouping;
  campaign.submitted = known.submitted_at;
  campaign.brake = brake_of(spec.braked, now);
  if (spec.paused || spec.stuck) campaign.state = grid::CampaignState::paused;
  const auto free = std::max(released(index), known.next_task);
  campaign.waiting_tasks =
      free - known.next_task + static_cast<std::int64_t>(known.returned.size() + known.failed_once.size() + known.kept.size());
  campaign.held_tasks = spec.tasks - free;
  campaign.unsettled_tasks = spec.tasks - known.done - known.failed;
  campaign.settled_tasks = spec.settled_tasks + known.done + known.failed;
  note_first(index, campaign);
  return campaign;
}

/// The simulated part of a campaign that gets nothing is over at once.
bool Book::is_over(std::size_t campaign) const {
  const auto& spec = world_.scenario.campaigns[campaign];
  return campaigns_[campaign].ended_at && !spec.paused && !spec.stuck && spec.on_hold_tasks == 0;
}

std::int64_t Book::released(int index) const {
  const auto& spec = spec_of(index);
  if (spec.first.empty()) return spec.tasks;
  // Bags that are too big are simulated in groups.
  const auto held = std::min(spec.tasks, (spec.held_tasks + spec.group - 1) / spec.group);
  double part = 1;
  for (const auto& first : spec.first) {
    if (first.kind != grid::DependencyKind::after_each || is_over(first.place)) continue;
    const auto tasks = std::max<std::int64_t>(1, world_.scenario.campaigns[first.place].tasks);
    part = std::min(part, static_cast<double>(campaigns_[first.place].done) / static_cast<double>(tasks));
  }
  return spec.tasks - held + static_cast<std::int64_t>(part * static_cast<double>(held));
}

/// That tasks of a simulated campaign fail is not foreseen: it is done when it is over.
void Book::note_first(int index, grid::CampaignFacts& facts) const {
  for (const auto& first : spec_of(index).first) {
    if (is_over(first.place)) continue;
    const auto& other = campaigns_[first.place];
    const auto tasks = world_.scenario.campaigns[first.place].tasks;
    const grid::Awaited awaited{.campaign = grid::CampaignId{static_cast<std::int64_t>(first.place) + 1},
                                .kind = first.kind,
                                .state = grid::CampaignState::in_treatment,
                                .tasks = tasks,
                                .left = tasks - other.done - other.failed,
                                .first_failed = {}};
    (first.kind == grid::DependencyKind::after_each ? facts.holds_tasks : facts.awaits) = awaited;
  }
}

grid::PlanningFacts Book::planning_facts(grid::Instant now) const {
  grid::PlanningFacts facts;
  facts.policies = policy_facts(now);
  for (std::size_t i = 0; i < free_.size(); ++i) facts.clusters.push_back(cluster_facts(i, now));
  for (const int index : active_) {
    facts.campaigns.push_back(campaign_facts(index, now));
    for (std::size_t pair = 0; pair < campaigns_[index_of(index)].pairs.size(); ++pair)
      facts.pairs.push_back(planning_pair(index, static_cast<int>(pair)));
  }
  add_replicable(facts, now);
  return facts;
}

/// By campaign; of two copies that run, one counts. A carrier's own task counts until the carrier is over.
std::map<int, std::int64_t> Book::running_tasks() const {
  std::map<int, std::int64_t> running;
  for (const auto& jobs : running_) {
    for (const int index : jobs) {
      const auto& job = job_of(index);
      const auto task = task_of(job);
      const bool is_second = task.live.size() > 1 && task.live.back() == index && is_known_to_run(task.live.front());
      if (task.facts.state != grid::TaskState::done && !is_second) ++running[job.campaign];
    }
  }
  for (const int index : carried_) running[job_of(index).campaign] += is_awaited(index) ? 1 : 0;
  return running;
}

std::map<int, double> Book::running_seconds() const {
  std::map<int, double> seconds;
  for (const auto& jobs : running_) {
    for (const int index : jobs) {
      const auto& job = job_of(index);
      if (job.started) seconds[job.campaign] += std::max(0.0, std::chrono::duration<double>{status_at_ - *job.started}.count());
    }
  }
  return seconds;
}

store::PredictionFacts Book::prediction_facts(grid::Instant window_begin) {
  const auto running = running_tasks();
  const auto running_for = running_seconds();
  store::PredictionFacts facts;
  for (const int index : active_) {
    auto& known = campaigns_[index_of(index)];
    auto campaign = store::prediction_campaign(campaign_facts(index, status_at_));
    campaign.first_start_at = known.first_start_at;
    if (!known.forecasts.empty())
      campaign.last_kept = store::KeptForecast{.made = known.forecasts.back().made, .end = known.forecasts.back().end};
    campaign.remaining = spec_of(index).tasks - known.done - known.failed;
    if (const auto found = running.find(index); found != running.end()) campaign.running = found->second;
    if (const auto found = running_for.find(index); found != running_for.end()) campaign.running_seconds = found->second;
    for (std::size_t i = 0; i < known.pairs.size(); ++i) {
      auto& minutes = known.pairs[i].ended_in_minute;
      minutes.erase(minutes.begin(), minutes.lower_bound(minute_of(window_begin)));
      const auto its = planning_pair(index, static_cast<int>(i));
      auto pair = store::prediction_pair(its, cluster_facts(index_of(its.cluster), status_at_));
      for (const auto& [minute, jobs] : minutes) pair.ended_in_window += jobs;
      pair.trials = known.pairs[i].trials;
      campaign.ended_in_window += pair.ended_in_window;
      facts.pairs.push_back(pair);
    }
    facts.campaigns.push_back(campaign);
  }
  return facts;
}

std::vector<store::WaitingJob> Book::waiting_jobs(int cluster) const {
  std::vector<store::WaitingJob> jobs;
  const auto& waiting = waiting_[index_of(cluster)];
  for (const auto index : std::views::reverse(waiting)) {
    if (to_kill_.contains(id_of(index))) continue;
    const auto& job = job_of(index);
    if (spec_of(job.campaign).type == grid::CampaignType::test) continue;
    const auto& facts = pair_of(job).facts;
    jobs.push_back({.id = id_of(index),
                    .campaign = facts.campaign,
                    .submitted_at = job.planned,
                    .resources_per_job = facts.resources_per_job,
                    .job_ratio = facts.forecast_ratio,
                    .last_start_at = facts.last_start_at,
                    .last_accept_at = facts.last_accept_at});
  }
  return jobs;
}

std::vector<grid::JobId> Book::to_preempt(const planner::Preemption& preemption) const {
  const auto cluster = index_of(preemption.cluster);
  const auto is_meant = [&](int job) {
    return index_of(job_of(job).campaign) == index_of(preemption.campaign) && !to_kill_.contains(id_of(job));
  };
  std::vector<grid::JobId> jobs;
  for (auto job = running_[cluster].rbegin(); job != running_[cluster].rend() && std::ssize(jobs) < preemption.jobs; ++job) {
    if (is_meant(*job)) jobs.push_back(id_of(*job));
  }
  for (const int job : waiting_[cluster]) {
    if (is_meant(job)) jobs.push_back(id_of(job));
  }
  return jobs;
}

}  // namespace gleaner::gridsim
