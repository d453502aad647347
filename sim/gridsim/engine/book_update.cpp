#include <algorithm>
#include <cmath>

#include "lib/grid/sink.hpp"
#include "sim/gridsim/engine/book.hpp"

/// The updator: what the grid learns of its jobs, and what it counts.
namespace gleaner::gridsim {

std::int64_t minute_of(grid::Instant instant) { return std::chrono::floor<std::chrono::minutes>(instant).time_since_epoch().count(); }

int bucket_of(double seconds) { return static_cast<int>(std::ceil(std::log(std::max(seconds, 1.0)) / std::log(1.1))); }

namespace {

/// Seconds that its task took: in a pool as its wrapper measured them, else by OAR's times of the job.
double seconds_taken(const Job& job) {
  if (job.own_end) return seconds_of(job.own_end->at) - seconds_of(*job.started);
  return seconds_of(job.ended) - seconds_of(*job.held);
}

/// For a campaign on a cluster: enough jobs of single tasks to know what tasks take (lib/store/launches.cpp).
constexpr std::int64_t kEnoughMeasured = 20;

/// The bytes that its task read and wrote, as its wrapper noted them, where the scenario states how many these are.
void count_io(const Job& job, bool is_stated, grid::PairFacts& facts) {
  if (!is_stated || (job.pool == kNone && facts.io_jobs >= kEnoughMeasured)) return;
  const auto end = job.own_end ? job.own_end->at : job.ended;
  ++facts.io_jobs;
  facts.io_mb += job.io_mb_s * job.work;
  facts.io_seconds += seconds_of(end) - seconds_of(*job.started);
}

}  // namespace

void Book::update(std::span<const Cluster> clusters, grid::Instant now) {
  known_.resize(world_.jobs.size(), JobState::submitting);
  status_at_ = now;
  free_nodes_.resize(clusters.size());
  rests_.resize(clusters.size());
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    read_pools(i, now);
    free_[i] = clusters[i].free();
    if (leaves_nodes(i)) rests_[i] = clusters[i].rests(now);
    if (!names_nodes_) continue;
    const auto nodes = clusters[i].free_nodes();
    free_nodes_[i] = nodes.known() ? nodes.text() : std::string{grid::kNoFreeNode};
  }
  // As the updator writes them: first the jobs that go on, then those that are over.
  auto changed = std::exchange(world_.changed, {});
  const auto over = std::ranges::stable_partition(changed, [&](int job) { return job_of(job).state != JobState::ended; });
  update_jobs({changed.begin(), over.begin()});
  update_jobs({over.begin(), over.end()});
  release_kept();
  finish_campaigns();
}

void Book::finish_campaigns() {
  std::erase_if(active_, [&](int index) {
    auto& campaign = campaigns_[index_of(index)];
    if (campaign.done + campaign.failed < spec_of(index).tasks) return false;
    campaign.ended_at = status_at_;
    ++over_;
    return true;
  });
}

void Book::update_jobs(std::span<const int> jobs) {
  Changes changes;
  for (const int job : jobs) update_job(job, changes);
  for (const auto& [campaign, start] : changes.first_starts) {
    auto& first = campaigns_[index_of(campaign)].first_start_at;
    first = first.value_or(start);
  }
  for (const auto& [place, ends] : changes.ends) {
    auto& facts = campaigns_[index_of(place.first)].pairs[index_of(place.second)].facts;
    const int before = std::exchange(facts.failures_in_a_row, grid::failures_in_a_row(facts.failures_in_a_row, ends.done, ends.failed));
    if (facts.failures_in_a_row > before) facts.last_failure_at = status_at_;
  }
  brake_sinks(changes);
}

/// As updator/sinks.cpp: each cluster of the campaigns of which jobs ended is judged, as their ends show what others did.
void Book::brake_sinks(const Changes& changes) {
  int judged = kNone;
  for (const auto& [place, ends] : changes.ends) {
    if (ends.done == 0 || place.first == judged) continue;
    judged = place.first;
    auto& campaign = campaigns_[index_of(judged)];
    for (std::size_t pair = 0; pair < campaign.pairs.size(); ++pair) brake_if_sink(campaign, pair, spec_of(judged));
  }
}

void Book::brake_if_sink(Campaign& campaign, std::size_t place, const CampaignSpec& spec) {
  auto& pair = campaign.pairs[place];
  // A sink of gridsim is one from the beginning: the ends before show nothing.
  grid::LastEnds last{.here = {},
                      .running = {},
                      .elsewhere = {},
                      .min_duration = spec.min_duration,
                      .start_cost = start_cost(spec.clusters[place].cluster),
                      .suspected = pair.facts.suspected,
                      .others_may_judge = false,
                      .uncompared_from = {}};
  for (const auto& end : pair.last_ends) {
    if (!end.swallowed || pair.facts.suspected) last.here.push_back(end.seconds);
  }
  for (const auto& other : campaign.pairs) {
    if (&other == &pair || other.last_ends.empty()) continue;
    auto& ends = last.elsewhere.emplace_back();
    for (const auto& end : other.last_ends) ends.push_back(end.seconds);
  }
  const auto sink = grid::find_sink(last);
  if (!sink) {
    if (grid::shows_work(last)) pair.facts.suspected = false;
    return;
  }
  std::int64_t more = 0;
  auto left = sink->ends;
  for (auto& end : pair.last_ends) {
    if (left == 0) break;
    if (end.swallowed && !pair.facts.suspected) continue;
    if (!std::exchange(end.swallowed, true)) ++more;
    --left;
  }
  if (more == 0) return;
  pair.swallowed += more;
  pair.facts.suspected = true;
  if (pair.braked_until && *pair.braked_until > status_at_) return;
  const auto& config = world_.scenario.config;
  const auto brake =
      std::min<std::chrono::duration<double>>(config.brake_time * (1 << std::min(pair.sink_brakes++, 20)), config.brake_time_max);
  pair.braked_until = after(status_at_, brake.count());
}

void Book::update_job(int index, Changes& changes) {
  const auto& job = job_of(index);
  auto& known = known_[index_of(index)];
  if (known == job.state || known == JobState::ended) return;
  if (job.pooled) return update_pooled(index, changes);
  if (job.state == JobState::running && known == JobState::launching) return;
  auto& facts = pair_of(job).facts;
  auto& waiting = waiting_[index_of(job.cluster)];
  auto& running = running_[index_of(job.cluster)];
  if (known == JobState::submitting) {
    ++facts.waiting;
    waiting.push_back(index);
    known = JobState::waiting;
  }
  if (job.state == JobState::waiting) return;
  if (known == JobState::waiting) {
    --facts.waiting;
    std::erase(waiting, index);
    if (job.held) count_start(job, changes);
  } else {
    --facts.running;
    std::erase(running, index);
  }
  if (job.state == JobState::ended) {
    add_use(job);
    settle(index, changes);
    known = JobState::ended;
  } else {
    ++facts.running;
    running.push_back(index);
    known = JobState::launching;
  }
}

/// A pooled job is no job of OAR: it neither waits nor holds resources.
void Book::update_pooled(int index, Changes& changes) {
  const auto& job = job_of(index);
  auto& known = known_[index_of(index)];
  if (job.held && known != JobState::running) {
    auto& start = pair_of(job).facts.last_start_at;
    start = std::max(start, std::optional{status_at_});
    carried_.push_back(index);
    claimed_at_.emplace(index, status_at_);
  }
  if (job.state == JobState::ended) {
    std::erase(carried_, index);
    claimed_at_.erase(index);
    settle(index, changes);
  }
  known = job.state;
}

void Book::count_start(const Job& job, Changes& changes) {
  auto& facts = pair_of(job).facts;
  facts.last_start_at = std::max(facts.last_start_at, job.held);
  facts.resources_sum += job.width;
  ++facts.resources_jobs;
  auto& first = changes.first_starts.try_emplace(job.campaign, *job.held).first->second;
  first = std::min(first, *job.held);
}

void Book::add_use(const Job& job) {
  if (!job.held) return;
  const auto day = std::chrono::floor<std::chrono::days>(job.ended).time_since_epoch().count();
  auto& facts = pair_of(job).facts;
  facts.exposed_seconds += seconds_of(job.ended) - seconds_of(*job.held);
  if ((job.end == JobEnd::preempted && !job.warned) || job.end == JobEnd::node_failure) ++facts.interruptions;
  // A job's usage before the simulation began is in the scenario's usage.
  usage_[{job.campaign, job.pair, day}] += (seconds_of(job.ended) - std::max(0.0, seconds_of(*job.held))) * job.width;
}

Book::Task Book::task_of(const Job& job) const {
  const auto& tasks = campaigns_[index_of(job.campaign)].tasks;
  if (const auto known = tasks.find(job.task); known != tasks.end()) return known->second;
  return {.facts = {.attempt = job.attempt - 1, .max_attempts = spec_of(job.campaign).max_attempts}, .live = {}};
}

grid::JobFacts Book::facts_of(int index, const Task& task) const {
  const auto& job = job_of(index);
  grid::JobFacts facts;
  facts.attempt = job.attempt - 1;
  facts.began = facts.claimed = job.held.has_value();
  facts.other_copy_runs = std::ranges::any_of(task.live, [&](int other) { return other != index && is_known_to_run(other); });
  if (job.checkpoints.period > 0) {
    facts.checkpoints = true;
    facts.signalled = saved_by(job) > job.continues_from;
    facts.has_checkpoint = facts.signalled || have_one_home(task.saved.cluster, job.cluster);
  }
  facts.walltime = grid::Seconds{static_cast<std::int64_t>(spec_of(job).facts.walltime)};
  return facts;
}

void Book::settle(int index, Changes& changes) {
  const auto& config = world_.scenario.config;
  auto& job = world_.jobs[index_of(index)];
  if (const auto pool = live_pools_.find(job.pool); pool != live_pools_.end()) {
    --(job.pooled ? pool->second.pooled : pool->second.carriers);
    if (pool->second.carriers + pool->second.pooled == 0) live_pools_.erase(pool);
  }
  auto task = task_of(job);
  auto& facts = task.facts;
  const auto next = grid::settle(
      facts, facts_of(index, task), *job.end, job.end == JobEnd::killed_by_us ? grid::Deletion::ours : grid::Deletion::none,
      {.attempts = config.max_attempts, .charged = config.max_charged_attempts, .walltime_factor = config.walltime_retry_factor});
  auto& ends = changes.ends[{job.campaign, job.pair}];
  ends.done += job.end == JobEnd::done ? 1 : 0;
  ends.failed += grid::is_failure(*job.end, next, facts) ? 1 : 0;
  std::erase(task.live, index);
  job.superseded = !next.moves;
  if (next.moves) {
    facts.counted += next.attempt - facts.attempt - (next.counted ? 0 : 1);
    facts.state = next.state;
    facts.attempt = next.attempt;
    facts.replica_lives = next.replica_lives;
    facts.charged += next.charged ? 1 : 0;
    if (const double saved = saved_by(job); next.kept && saved > 0) task.saved = {.cluster = job.cluster, .work = saved};
    conclude(job, next);
  }
  if (next.state == grid::TaskState::done) {
    superseded_.insert(task.live.begin(), task.live.end());
  }
  superseded_.erase(index);
  auto& tasks = campaign_of(job).tasks;
  if (tasks.contains(job.task) || next.state != grid::TaskState::done) tasks.insert_or_assign(job.task, std::move(task));
}

void Book::conclude(const Job& job, const grid::Settlement& next) {
  const auto state = next.state;
  auto& campaign = campaign_of(job);
  auto& pair = pair_of(job);
  if (next.kept) campaign.kept.insert_or_assign(job.task, Campaign::Kept{.cluster = job.cluster, .since = status_at_});
  else if (state == grid::TaskState::waiting && next.place == grid::BagPlace::mixed) campaign.failed_once.emplace(status_at_, job.task);
  else if (state == grid::TaskState::waiting) campaign.returned.insert(job.task);
  if (state != grid::TaskState::done && state != grid::TaskState::failed) return;
  ++pair.facts.concluded_jobs;
  // OAR knows no end of a pooled job: the grid's clock counts.
  ++pair.ended_in_minute[minute_of(job.pooled ? status_at_ : job.ended)];
  if (state == grid::TaskState::failed) {
    ++campaign.failed;
    return;
  }
  const double seconds = seconds_taken(job);
  ++pair.facts.done;
  count_io(job, spec_of(job.campaign).io_mb_s || pair.facts.io_jobs > 0, pair.facts);
  ++campaign.done;
  pair.facts.duration_sum += seconds;
  pair.facts.duration_squares += seconds * seconds;
  pair.last_ends.push_front({.seconds = seconds, .swallowed = false});
  if (std::ssize(pair.last_ends) > grid::kLastEnds) pair.last_ends.pop_back();
  if (spec_of(job.campaign).replicas_allowed) ++campaign.lasted[bucket_of(seconds)];
}

}  // namespace gleaner::gridsim
