#include "sim/gridsim/engine/book.hpp"

#include <algorithm>
#include <cmath>

namespace gleaner::gridsim {
namespace {

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

/// MB/s of a task, as the scenario states, or as its campaign's tasks were measured there before.
std::optional<double> io_of(const CampaignSpec& spec, const CampaignOnCluster& on_cluster) {
  const auto& facts = on_cluster.facts;
  if (spec.io_mb_s || facts.io_jobs <= 0 || facts.io_seconds <= 0) return spec.io_mb_s;
  return facts.io_mb / facts.io_seconds;
}

/// How long its jobs took before.
std::map<int, std::int64_t> lasted_before(const CampaignSpec& spec) {
  std::map<int, std::int64_t> lasted;
  const auto* seen = std::get_if<Seen>(&spec.duration);
  if (seen == nullptr || spec.evidence != "own") return lasted;
  for (const auto& bucket : seen->buckets) lasted[bucket_of(bucket.seconds * static_cast<double>(spec.group))] += std::llround(bucket.jobs);
  return lasted;
}

/// The campaign's request to a cluster, and the facts known there before.
grid::PairFacts first_facts(grid::CampaignId campaign, const CampaignSpec& spec, const CampaignOnCluster& on_cluster) {
  const auto& before = on_cluster.facts;
  auto facts = before;
  facts.campaign = campaign;
  facts.cluster = grid::ClusterId{static_cast<std::int64_t>(on_cluster.cluster) + 1};
  // A job that does several tasks takes as long as all of them.
  facts.walltime *= static_cast<double>(spec.group);
  facts.login = spec.user;
  facts.active = before.forecast_ratio || before.concluded_jobs > 0 || before.resources_jobs > 0;
  facts.done = before.done > 0 ? std::max<std::int64_t>(1, before.done / spec.group) : 0;
  facts.duration_sum =
      before.done > 0 ? before.duration_sum / static_cast<double>(before.done) * static_cast<double>(facts.done * spec.group) : 0;
  return facts;
}

}  // namespace

Book::Book(World& world)
    : world_{world},
      waiting_(world.scenario.clusters.size()),
      running_(world.scenario.clusters.size()),
      free_(world.scenario.clusters.size()),
      learnt_headroom_(world.scenario.clusters.size()) {
  const auto& scenario = world.scenario;
  for (std::size_t i = 0; i < scenario.campaigns.size(); ++i) {
    const auto& spec = scenario.campaigns[i];
    durations_.push_back(draw_durations(scenario, i));
    auto& campaign = campaigns_.emplace_back();
    campaign.next_task = spec.live;
    if (spec.replicas_allowed) campaign.lasted = lasted_before(spec);
    for (const auto& on_cluster : spec.clusters) names_nodes_ = names_nodes_ || on_cluster.facts.nodes_per_job;
    for (const auto& on_cluster : spec.clusters) names_nodes_ = names_nodes_ || leaves_nodes(on_cluster.cluster);
    for (const auto& on_cluster : spec.clusters)
      campaign.pairs.push_back(
          {.facts = first_facts(grid::CampaignId{static_cast<std::int64_t>(i) + 1}, spec, on_cluster), .ended_in_minute = {}});
  }
}

void Book::submit(int campaign, grid::Instant now) {
  auto& one = campaigns_[index_of(campaign)];
  one.submitted = true;
  one.submitted_at = std::min(now, instant_of(spec_of(campaign).at));
  active_.push_back(campaign);
}

int Book::pair_index(grid::CampaignId campaign, grid::ClusterId cluster) const {
  const auto& clusters = world_.scenario.campaigns[index_of(campaign)].clusters;
  return static_cast<int>(std::ranges::find(clusters, index_of(cluster), &CampaignOnCluster::cluster) - clusters.begin());
}

void Book::write(std::span<const store::StoredForecast> forecasts) {
  for (const auto& forecast : forecasts) {
    for (const auto& pair : forecast.pairs) {
      auto& known = pair_of(forecast.campaign, pair.cluster);
      known.facts.forecast_ratio = pair.job_ratio;
      known.algorithm = pair.algorithm;
      known.trials = pair.trials;
    }
    if (forecast.is_kept && forecast.end)
      campaigns_[index_of(forecast.campaign)].forecasts.push_back(
          {.made = status_at_, .end = *forecast.end, .end_between = forecast.end_between, .method = forecast.method});
  }
}

void Book::write(std::span<const store::Submitted> submitted) {
  for (const auto& one : submitted) {
    auto& facts = pair_of(one.campaign, one.cluster).facts;
    facts.last_submitted = one.jobs;
    facts.last_offered = one.offered;
    if (!facts.forecast_ratio) facts.forecast_ratio = one.first_ratio;
  }
}

std::vector<std::int64_t> Book::take_tasks(int index, int cluster, std::int64_t most) {
  auto& campaign = campaigns_[index_of(index)];
  const auto end = released(index);
  std::vector<std::int64_t> tasks;
  for (auto kept = campaign.kept.begin(); kept != campaign.kept.end() && std::ssize(tasks) < most;) {
    if (!have_one_home(kept->second.cluster, cluster)) {
      ++kept;
      continue;
    }
    tasks.push_back(kept->first);
    kept = campaign.kept.erase(kept);
  }
  while (std::ssize(tasks) < most && !campaign.returned.empty())
    tasks.push_back(campaign.returned.extract(campaign.returned.begin()).value());
  const auto take_failed = [&](std::int64_t count) {
    for (; count > 0 && !campaign.failed_once.empty(); --count) {
      tasks.push_back(campaign.failed_once.extract(campaign.failed_once.begin()).value().second);
    }
  };
  const auto untaken = std::max<std::int64_t>(0, end - campaign.next_task);
  const auto failed = std::ssize(campaign.failed_once);
  take_failed((most - std::ssize(tasks)) * failed / std::max<std::int64_t>(1, failed + untaken));
  while (std::ssize(tasks) < most && campaign.next_task < end) tasks.push_back(campaign.next_task++);
  take_failed(most - std::ssize(tasks));
  return tasks;
}

std::vector<int> Book::launch(const store::PlannedLaunch& launch, grid::Instant now) {
  auto& campaign = campaigns_[index_of(launch.campaign)];
  const auto pair = pair_index(launch.campaign, launch.cluster);
  const auto tasks = take_tasks(static_cast<int>(index_of(launch.campaign)), static_cast<int>(index_of(launch.cluster)),
                                std::int64_t{launch.jobs} + launch.pooled);
  const bool is_pool = std::ssize(tasks) > launch.jobs;
  const auto& spec = spec_of(static_cast<int>(index_of(launch.campaign)));
  if (is_pool)
    world_.pools.push_back({.duration = static_cast<double>(launch.pool.count()),
                            .side_by_side = spec.side_by_side && spec.group == 1,
                            .carriers = {},
                            .tasks = {}});
  const auto avoided = nodes_left(index_of(launch.cluster), launch.leaves);
  std::vector<int> jobs;
  for (const auto task : tasks) {
    if (const auto known = campaign.tasks.find(task); known != campaign.tasks.end()) known->second.facts.state = grid::TaskState::running;
    const int job = make_job(launch, pair, task, now);
    world_.jobs[index_of(job)].avoided = avoided;
    const bool pooled = std::ssize(jobs) == launch.jobs;
    if (!pooled) jobs.push_back(job);
    if (!is_pool) continue;
    auto& one = world_.jobs[index_of(job)];
    one.pool = static_cast<int>(world_.pools.size()) - 1;
    one.pooled = pooled;
    if (pooled) one.state = JobState::pooled;
    if (pooled) world_.pools.back().tasks.push_back(job);
    else world_.pools.back().carriers.push_back(job);
  }
  if (is_pool)
    live_pools_.emplace(static_cast<int>(world_.pools.size()) - 1, LivePool{.campaign = static_cast<int>(index_of(launch.campaign)),
                                                                            .pair = pair,
                                                                            .duration = world_.pools.back().duration,
                                                                            .carriers = static_cast<int>(jobs.size()),
                                                                            .pooled = static_cast<int>(tasks.size() - jobs.size())});
  return jobs;
}

bool Book::leaves_nodes(std::size_t cluster) const {
  return grid::packs_nodes(world_.scenario.config) || world_.scenario.clusters[cluster].wake_minutes > 0;
}

/// As many nodes as a launch leaves empty: those that sleep first, then the last ones (grid::NamedNodes::condition_leaving).
Avoided Book::nodes_left(std::size_t cluster, const std::string& leaves) const {
  if (leaves.empty()) return {};
  int left = grid::NodeSizes::parse(leaves).value_or(grid::NodeSizes{}).nodes();
  const auto& rests = rests_[cluster];
  auto avoided = std::make_shared<std::vector<bool>>(rests.size());
  for (const auto rest : {Nodes::Rest::asleep, Nodes::Rest::empty}) {
    for (auto node = rests.size(); node-- > 0 && left > 0;) {
      if (rests[node] != rest) continue;
      (*avoided)[node] = true;
      --left;
    }
  }
  return avoided;
}

int Book::make_job(const store::PlannedLaunch& launch, int pair, std::int64_t task, grid::Instant now) {
  auto& campaign = campaigns_[index_of(launch.campaign)];
  const auto& spec = world_.scenario.campaigns[index_of(launch.campaign)];
  const auto& on_cluster = spec.clusters[index_of(pair)];
  const auto known = campaign.tasks.find(task);
  Job job;
  job.campaign = static_cast<int>(index_of(launch.campaign));
  job.pair = pair;
  job.cluster = static_cast<int>(on_cluster.cluster);
  job.task = task;
  job.attempt = known == campaign.tasks.end() ? 1 : known->second.facts.attempt + 1;
  job.planned = now;
  job.duration = durations_[index_of(launch.campaign)][static_cast<std::size_t>(task)] /
                 on_cluster.speed.value_or(world_.scenario.clusters[on_cluster.cluster].speed);
  if (task >= spec.live) {
    job.tasks = spec.group;
    job.starts = spec.starts;
    if (spec.side_by_side && spec.group > 1) job.duration /= std::max(1, on_cluster.width);
    job.duration += (spec.starts - 1) * world_.scenario.clusters[on_cluster.cluster].start_delay;
  }
  job.width = on_cluster.width;
  job.io_mb_s = io_of(spec, on_cluster).value_or(0.0);
  job.algorithm = campaign.pairs[index_of(pair)].algorithm;
  continue_task(job, known == campaign.tasks.end() ? nullptr : &known->second);
  campaign.pairs[index_of(pair)].facts.active = true;
  world_.jobs.push_back(std::move(job));
  return static_cast<int>(world_.jobs.size()) - 1;
}

void Book::accept(int index, grid::Instant at) {
  auto& facts = pair_of(job_of(index)).facts;
  facts.last_accept_at = std::max(facts.last_accept_at, std::optional{at});
}

void Book::request_kills(std::span<const grid::JobId> jobs) { to_kill_.insert(jobs.begin(), jobs.end()); }

}  // namespace gleaner::gridsim
