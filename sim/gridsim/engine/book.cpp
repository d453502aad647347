#include "sim/gridsim/engine/book.hpp"

#include <algorithm>
#include <cmath>

namespace gleaner::gridsim {
namespace {

std::size_t index_of(grid::CampaignId id) { return static_cast<std::size_t>(id.value() - 1); }
std::size_t index_of(grid::ClusterId id) { return static_cast<std::size_t>(id.value() - 1); }
std::int64_t minute_of(grid::Instant instant) { return std::chrono::floor<std::chrono::minutes>(instant).time_since_epoch().count(); }

std::optional<grid::Brake> brake_of(double seconds, grid::Instant now) {
  const auto until = instant_of(seconds);
  if (until <= now) return std::nullopt;
  return grid::Brake{"as when the simulation began", until};
}

grid::JobEnd rule_end_of(JobEnd end) {
  switch (end) {
    case JobEnd::done: return grid::JobEnd::done;
    case JobEnd::walltime: return grid::JobEnd::walltime;
    case JobEnd::preempted: return grid::JobEnd::preempted;
    default: return grid::JobEnd::killed_by_us;
  }
}

/// The durations of all tasks are drawn at the beginning: in every variant a task lasts as long. Where one
/// job does several tasks, theirs are added up.
std::vector<double> draw_durations(const Scenario& scenario, std::size_t campaign) {
  constexpr std::uint64_t kStream = 1'000'000;
  const auto& spec = scenario.campaigns[campaign];
  Draws draws{spec.duration, Random{scenario.seed, kStream + campaign}};
  std::vector<double> durations(static_cast<std::size_t>(spec.tasks));
  for (std::size_t task = 0; task < durations.size(); ++task) {
    const auto tasks = static_cast<std::int64_t>(task) < spec.live ? 1 : spec.group;
    for (std::int64_t i = 0; i < tasks; ++i) durations[task] += draws.next();
  }
  return durations;
}

/// How long its jobs took before, a thousand of them at most.
std::vector<double> lasted_before(const CampaignSpec& spec) {
  const auto* seen = std::get_if<Seen>(&spec.duration);
  if (seen == nullptr || spec.evidence != "own") return {};
  double jobs = 0;
  for (const auto& bucket : seen->buckets) jobs += bucket.jobs;
  const double part = std::min(1.0, 1000.0 / jobs);
  std::vector<double> lasted;
  for (const auto& bucket : seen->buckets)
    lasted.insert(lasted.end(), static_cast<std::size_t>(std::ceil(bucket.jobs * part)), bucket.seconds * static_cast<double>(spec.group));
  return lasted;
}

/// What was known of it before.
void begin_campaign(const CampaignSpec& spec, Book::Campaign& campaign) {
  campaign.next_task = spec.live;
  if (spec.replicas_allowed) campaign.lasted = lasted_before(spec);
  for (const auto& on_cluster : spec.clusters) {
    const auto& state = on_cluster.facts;
    auto& pair = campaign.pairs.emplace_back();
    pair.job_ratio = state.forecast_ratio;
    // A job that does several tasks takes as long as all of them.
    pair.done = state.done > 0 ? std::max<std::int64_t>(1, state.done / spec.group) : 0;
    pair.duration_sum = state.done > 0 ? state.duration_sum / static_cast<double>(state.done) * static_cast<double>(pair.done * spec.group) : 0;
    pair.concluded = state.concluded_jobs;
    pair.resources_sum = state.resources_sum;
    pair.resources_jobs = state.resources_jobs;
    pair.failures_in_a_row = state.failures_in_a_row;
  }
}

}  // namespace

Book::Book(World& world) : world_{world}, waiting_(world.scenario.clusters.size()), running_(world.scenario.clusters.size()), free_(world.scenario.clusters.size()) {
  const auto& scenario = world.scenario;
  for (std::size_t i = 0; i < scenario.campaigns.size(); ++i) {
    durations_.push_back(draw_durations(scenario, i));
    begin_campaign(scenario.campaigns[i], campaigns_.emplace_back());
  }
}

void Book::submit(int campaign, grid::Instant now) {
  auto& one = campaigns_[index_of(campaign)];
  one.submitted = true;
  one.submitted_at = std::min(now, instant_of(world_.scenario.campaigns[index_of(campaign)].at));
  active_.push_back(campaign);
}

void Book::look(std::span<const Cluster> clusters, grid::Instant now) {
  known_.resize(world_.jobs.size(), JobState::submitting);
  status_at_ = now;
  for (std::size_t i = 0; i < clusters.size(); ++i) free_[i] = clusters[i].free();
  for (const int job : world_.changed) hear_of(job);
  world_.changed.clear();
  std::erase_if(active_, [&](int index) {
    auto& campaign = campaigns_[index_of(index)];
    if (campaign.done + campaign.failed < world_.scenario.campaigns[index_of(index)].tasks) return false;
    campaign.ended_at = now;
    ++over_;
    return true;
  });
}

void Book::hear_of(int index) {
  const auto& job = world_.jobs[index_of(index)];
  auto& known = known_[index_of(index)];
  if (known == job.state || known == JobState::ended) return;
  if (job.state == JobState::running && known == JobState::launching) return;
  auto& campaign = campaigns_[index_of(job.campaign)];
  auto& pair = campaign.pairs[index_of(job.pair)];
  auto& waiting = waiting_[index_of(job.cluster)];
  if (known == JobState::submitting) {
    ++pair.waiting;
    waiting.push_back(index);
    known = JobState::waiting;
  }
  if (job.state == JobState::waiting) return;
  if (known == JobState::waiting) {
    --pair.waiting;
    std::erase(waiting, index);
    if (job.held) hear_start(job, campaign, pair);
  } else {
    --pair.running;
    std::erase(running_[index_of(job.cluster)], index);
  }
  if (job.state == JobState::ended) {
    add_use(job);
    settle(index, campaign, pair);
    known = JobState::ended;
  } else {
    ++pair.running;
    running_[index_of(job.cluster)].push_back(index);
    known = JobState::launching;
  }
}

void Book::hear_start(const Job& job, Campaign& campaign, Pair& pair) {
  pair.last_start_at = std::max(pair.last_start_at, job.held);
  pair.resources_sum += job.width;
  ++pair.resources_jobs;
  campaign.first_start_at = std::min(campaign.first_start_at.value_or(*job.held), *job.held);
}

void Book::add_use(const Job& job) {
  if (!job.held) return;
  const auto day = std::chrono::floor<std::chrono::days>(job.ended).time_since_epoch().count();
  // What a job had used before the simulation began is in the scenario's usage.
  usage_[{job.campaign, job.pair, day}] += (seconds_of(job.ended) - std::max(0.0, seconds_of(*job.held))) * job.width;
}

grid::JobFacts Book::facts_of(int index, const Task& task) const {
  const auto& job = world_.jobs[index_of(index)];
  grid::JobFacts facts;
  facts.attempt = job.attempt - 1;
  facts.began = facts.claimed = job.held.has_value();
  facts.other_copy_runs = std::ranges::any_of(task.live, [&](int other) { return other != index && known_[index_of(other)] == JobState::launching; });
  facts.walltime = grid::Seconds{static_cast<std::int64_t>(world_.scenario.campaigns[index_of(job.campaign)].clusters[index_of(job.pair)].facts.walltime)};
  return facts;
}

/// What follows from an end is production's rule.
void Book::settle(int index, Campaign& campaign, Pair& pair) {
  const auto& config = world_.scenario.config;
  auto& job = world_.jobs[index_of(index)];
  const auto known = campaign.tasks.find(job.task);
  Task task = known == campaign.tasks.end() ? Task{.facts = {.attempt = job.attempt - 1}, .live = {}} : known->second;
  task.facts.state = grid::TaskState::running;
  if (known != campaign.tasks.end() && known->second.facts.state == grid::TaskState::done) task.facts.state = grid::TaskState::done;
  task.facts.counted = task.facts.attempt - task.uncounted;
  task.facts.max_attempts = world_.scenario.campaigns[index_of(job.campaign)].max_attempts;
  const auto end = rule_end_of(job.end);
  const auto next = grid::settle(task.facts, facts_of(index, task), end, job.end == JobEnd::wiped ? grid::Deletion::ours : grid::Deletion::none,
                                 {.attempts = config.max_attempts, .charged = config.max_charged_attempts, .walltime_factor = config.walltime_retry_factor});
  std::erase(task.live, index);
  if (grid::charge_of(end) == grid::Charge::task && !next.walltime) {
    ++pair.failures_in_a_row;
    pair.last_failure_at = job.ended;
  }
  if (next.moves) {
    task.facts.state = next.state;
    task.facts.attempt = next.attempt;
    task.facts.replica_lives = next.replica_lives;
    task.facts.charged += next.charged ? 1 : 0;
    task.uncounted += next.counted ? 0 : 1;
    conclude(job, next, campaign, pair);
  } else {
    job.end = JobEnd::superseded;
  }
  if (next.state == grid::TaskState::done) {
    for (const int other : task.live) losers_.push_back(grid::JobId{other + 1});
  }
  if (known != campaign.tasks.end()) known->second = std::move(task);
  else if (next.state != grid::TaskState::done) campaign.tasks.emplace(job.task, std::move(task));
}

void Book::conclude(const Job& job, const grid::Settlement& next, Campaign& campaign, Pair& pair) {
  if (next.state == grid::TaskState::waiting) campaign.returned.insert(job.task);
  if (next.state != grid::TaskState::done && next.state != grid::TaskState::failed) return;
  ++pair.concluded;
  ++pair.ended_in_minute[minute_of(job.ended)];
  if (next.state == grid::TaskState::failed) {
    ++campaign.failed;
    return;
  }
  const double seconds = seconds_of(job.ended) - seconds_of(*job.held);
  ++pair.done;
  ++campaign.done;
  pair.duration_sum += seconds;
  pair.duration_squares += seconds * seconds;
  pair.failures_in_a_row = 0;
  if (world_.scenario.campaigns[index_of(job.campaign)].replicas_allowed) campaign.lasted.push_back(seconds);
}

grid::PairFacts Book::planning_pair(int index, std::size_t pair) const {
  const auto& spec = world_.scenario.campaigns[index_of(index)];
  const auto& on_cluster = spec.clusters[pair];
  const auto& known = campaigns_[index_of(index)].pairs[pair];
  auto facts = on_cluster.facts;
  facts.campaign = grid::CampaignId{index + 1};
  facts.cluster = grid::ClusterId{static_cast<std::int64_t>(on_cluster.cluster) + 1};
  facts.forecast_ratio = known.job_ratio;
  facts.waiting = known.waiting;
  facts.running = known.running;
  facts.concluded_jobs = known.concluded;
  facts.failures_in_a_row = known.failures_in_a_row;
  facts.last_failure_at = known.last_failure_at;
  facts.walltime *= static_cast<double>(spec.group);
  facts.brake = brake_of(on_cluster.state.braked, status_at_);
  facts.done = known.done;
  facts.duration_sum = known.duration_sum;
  facts.resources_sum = known.resources_sum;
  facts.resources_jobs = known.resources_jobs;
  facts.last_start_at = known.last_start_at;
  facts.last_accept_at = known.last_accept_at;
  facts.login = spec.user;
  return facts;
}

grid::PlanningFacts Book::planning_facts(grid::Instant now) const {
  const auto& scenario = world_.scenario;
  grid::PlanningFacts facts;
  facts.policies = policy_facts(now);
  for (std::size_t i = 0; i < scenario.clusters.size(); ++i) {
    const auto& spec = scenario.clusters[i];
    grid::ClusterFacts cluster = spec;
    cluster.id = grid::ClusterId{static_cast<std::int64_t>(i) + 1};
    cluster.flood = spec.own_flood.value_or(scenario.config.flood);
    cluster.array_size = spec.own_array_size.value_or(scenario.config.array_size);
    cluster.max_resources = spec.resources();
    cluster.free_resources = free_[i];
    cluster.status_at = status_at_;
    cluster.brake = brake_of(spec.braked, now);
    facts.clusters.push_back(std::move(cluster));
  }
  for (const int index : active_) {
    const auto& spec = scenario.campaigns[index_of(index)];
    const auto& known = campaigns_[index_of(index)];
    grid::CampaignFacts campaign = spec;
    campaign.id = grid::CampaignId{index + 1};
    campaign.submitted = known.submitted_at;
    campaign.brake = brake_of(spec.braked, now);
    if (spec.paused) campaign.state = grid::CampaignState::paused;
    campaign.waiting_tasks = spec.tasks - known.next_task + static_cast<std::int64_t>(known.returned.size());
    facts.campaigns.push_back(std::move(campaign));
    for (std::size_t pair = 0; pair < known.pairs.size(); ++pair) facts.pairs.push_back(planning_pair(index, pair));
  }
  add_replicable(facts, now);
  return facts;
}

store::PredictionFacts Book::prediction_facts(grid::Instant window_begin) {
  const auto& scenario = world_.scenario;
  store::PredictionFacts facts;
  for (const int index : active_) {
    const auto& spec = scenario.campaigns[index_of(index)];
    auto& known = campaigns_[index_of(index)];
    store::PredictionCampaign campaign;
    campaign.id = grid::CampaignId{index + 1};
    campaign.submitted_at = known.submitted_at;
    campaign.first_start_at = known.first_start_at;
    campaign.remaining = spec.tasks - known.done - known.failed;
    for (std::size_t i = 0; i < known.pairs.size(); ++i) {
      auto& counters = known.pairs[i];
      const auto& on_cluster = spec.clusters[i];
      const auto& cluster = scenario.clusters[on_cluster.cluster];
      auto& minutes = counters.ended_in_minute;
      minutes.erase(minutes.begin(), minutes.lower_bound(minute_of(window_begin)));
      store::PredictionPair pair;
      pair.campaign = campaign.id;
      pair.cluster = grid::ClusterId{static_cast<std::int64_t>(on_cluster.cluster) + 1};
      pair.resources_per_job = on_cluster.facts.resources_per_job;
      pair.running = counters.running;
      pair.waiting = counters.waiting;
      pair.resources_sum = counters.resources_sum;
      pair.resources_jobs = counters.resources_jobs;
      pair.done = counters.done;
      pair.duration_sum = counters.duration_sum;
      pair.duration_squares = counters.duration_squares;
      pair.last_start_at = counters.last_start_at;
      pair.last_accept_at = counters.last_accept_at;
      pair.job_ratio = counters.job_ratio;
      pair.nsub = counters.nsub;
      pair.offered = counters.offered;
      pair.flood = cluster.own_flood.value_or(scenario.config.flood);
      pair.max_resources = cluster.resources();
      pair.free = free_[on_cluster.cluster];
      pair.reachable = true;
      pair.walltime = on_cluster.facts.walltime * static_cast<double>(spec.group);
      pair.max_jobs = on_cluster.facts.max_jobs;
      for (const auto& [minute, jobs] : minutes) pair.ended_in_window += jobs;
      campaign.running += counters.running;
      campaign.ended_in_window += pair.ended_in_window;
      facts.pairs.push_back(pair);
    }
    facts.campaigns.push_back(campaign);
  }
  return facts;
}

int Book::pair_index(grid::CampaignId campaign, grid::ClusterId cluster) const {
  const auto& clusters = world_.scenario.campaigns[index_of(campaign)].clusters;
  return static_cast<int>(std::ranges::find(clusters, index_of(cluster), &CampaignOnCluster::cluster) - clusters.begin());
}

Book::Pair& Book::pair_of(grid::CampaignId campaign, grid::ClusterId cluster) {
  return campaigns_[index_of(campaign)].pairs[index_of(pair_index(campaign, cluster))];
}

void Book::write(std::span<const store::StoredForecast> forecasts) {
  for (const auto& forecast : forecasts) {
    for (const auto& pair : forecast.pairs) pair_of(forecast.campaign, pair.cluster).job_ratio = pair.job_ratio;
  }
}

void Book::write(std::span<const store::Submitted> submitted) {
  for (const int index : active_) {
    for (auto& pair : campaigns_[index_of(index)].pairs) {
      pair.nsub = 0;
      pair.offered = 0;
    }
  }
  for (const auto& one : submitted) {
    auto& pair = pair_of(one.campaign, one.cluster);
    pair.nsub = one.jobs;
    pair.offered = one.offered;
    if (!pair.job_ratio) pair.job_ratio = one.first_ratio;
  }
}

std::vector<int> Book::launch(const store::PlannedLaunch& launch, grid::Instant now) {
  auto& campaign = campaigns_[index_of(launch.campaign)];
  const auto& spec = world_.scenario.campaigns[index_of(launch.campaign)];
  const auto pair = pair_index(launch.campaign, launch.cluster);
  std::vector<int> jobs;
  for (int i = 0; i < launch.jobs; ++i) {
    std::int64_t task = 0;
    if (!campaign.returned.empty()) task = campaign.returned.extract(campaign.returned.begin()).value();
    else if (campaign.next_task < spec.tasks) task = campaign.next_task++;
    else break;
    jobs.push_back(make_job(launch, pair, task, now));
  }
  return jobs;
}

int Book::make_job(const store::PlannedLaunch& launch, int pair, std::int64_t task, grid::Instant now) {
  const auto& campaign = campaigns_[index_of(launch.campaign)];
  const auto& on_cluster = world_.scenario.campaigns[index_of(launch.campaign)].clusters[index_of(pair)];
  const auto known = campaign.tasks.find(task);
  Job job;
  job.campaign = static_cast<int>(index_of(launch.campaign));
  job.pair = pair;
  job.cluster = static_cast<int>(on_cluster.cluster);
  job.task = task;
  job.attempt = known == campaign.tasks.end() ? 1 : known->second.facts.attempt + 1;
  job.planned = now;
  const auto& spec = world_.scenario.campaigns[index_of(launch.campaign)];
  job.duration = durations_[index_of(launch.campaign)][static_cast<std::size_t>(task)] / on_cluster.speed.value_or(world_.scenario.clusters[on_cluster.cluster].speed);
  if (task >= spec.live) {
    job.tasks = spec.group;
    job.duration += static_cast<double>(spec.group - 1) * world_.scenario.clusters[on_cluster.cluster].start_delay;
  }
  job.width = on_cluster.width;
  world_.jobs.push_back(std::move(job));
  return static_cast<int>(world_.jobs.size()) - 1;
}

void Book::accept(int index, grid::Instant at) {
  const auto& job = world_.jobs[index_of(index)];
  auto& pair = campaigns_[index_of(job.campaign)].pairs[index_of(job.pair)];
  pair.last_accept_at = std::max(pair.last_accept_at, std::optional{at});
}

}  // namespace gleaner::gridsim
