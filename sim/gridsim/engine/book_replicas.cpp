#include <algorithm>
#include <cmath>

#include "metascheduler/facts_of.hpp"
#include "sim/gridsim/engine/book.hpp"

/// Second copies of running tasks: which may get one, which got one, and what becomes of the other when one of them ends.
namespace gleaner::gridsim {
namespace {

/// As the view carried_out.
constexpr double kLeastSeen = 10;

/// A task gets one once in its life.
bool had_copy(const Book::Campaign& campaign, std::int64_t task) {
  const auto known = campaign.tasks.find(task);
  return known != campaign.tasks.end() && known->second.facts.replica.has_value();
}

/// The duration within which this share of the jobs done ended, as the query replicas.candidates reads it; nothing while too few are.
std::optional<double> expected_duration(const std::map<int, std::int64_t>& lasted, double share) {
  std::int64_t jobs = 0, ended = 0;
  for (const auto& [bucket, some] : lasted) jobs += some;
  if (jobs < metascheduler::kMinJobsDone) return std::nullopt;
  for (const auto& [bucket, some] : lasted) {
    ended += some;
    if (static_cast<double>(ended) >= share * static_cast<double>(jobs)) return std::pow(1.1, bucket);
  }
  return std::nullopt;
}

}  // namespace

void Book::add_replicable(grid::PlanningFacts& facts, grid::Instant now) const {
  for (const int index : active_) {
    const auto& spec = spec_of(index);
    if (!spec.replicas_allowed || spec.paused) continue;
    const auto expected = expected_duration(campaigns_[index_of(index)].lasted, world_.scenario.config.expired_quantile);
    for (const auto& on_cluster : spec.clusters) {
      grid::Replicable tasks{.campaign = grid::CampaignId{index + 1},
                             .cluster = grid::ClusterId{static_cast<std::int64_t>(on_cluster.cluster) + 1},
                             .expected = expected};
      for (const auto& one : copyable_on(on_cluster.cluster, index, now)) {
        ++tasks.tasks;
        if (expected && one.seconds >= *expected) ++tasks.expired;
      }
      if (tasks.tasks > 0) facts.policies.replicable.push_back(tasks);
    }
  }
}

void Book::read_pools(std::size_t cluster, grid::Instant now) {
  for (auto& [index, pool] : live_pools_) {
    const auto& carriers = world_.pools[index_of(index)].carriers;
    if (pool.pooled == 0 || index_of(job_of(carriers.front()).cluster) != cluster) continue;
    pool.read_at = now;
    for (const int carrier : carriers) {
      if (job_of(carrier).own_end && known_[index_of(carrier)] != JobState::ended) command_over_.insert(carrier);
    }
  }
}

bool Book::is_known_to_run(int job) const {
  return known_[index_of(job)] == (job_of(job).pooled ? JobState::running : JobState::launching);
}

std::optional<Book::Copyable> Book::copyable(int index, grid::Instant now) const {
  const auto& job = job_of(index);
  if (had_copy(campaigns_[index_of(job.campaign)], job.task)) return std::nullopt;
  if (job.pool == kNone) return Copyable{index, job.task, *job.held, seconds_of(now) - seconds_of(*job.held)};
  const auto& read_at = live_pools_.at(job.pool).read_at;
  if (!read_at || command_over_.contains(index) || (job.pooled && !is_known_to_run(job.carrier))) return std::nullopt;
  const auto began = job.pooled ? claimed_at_.at(index) : *job.held;
  const double seen = seconds_of(*read_at) - seconds_of(began);
  return seen < kLeastSeen ? std::nullopt : std::optional{Copyable{index, job.task, began, seen}};
}

std::vector<Book::Copyable> Book::copyable_on(std::size_t cluster, int campaign, grid::Instant now) const {
  std::vector<Copyable> found;
  const auto add = [&](int index) {
    const auto& job = job_of(index);
    if (job.campaign != campaign || index_of(job.cluster) != cluster) return;
    if (const auto one = copyable(index, now)) found.push_back(*one);
  };
  std::ranges::for_each(running_[cluster], add);
  std::ranges::for_each(carried_, add);
  return found;
}

bool Book::carries_awaited(int carrier) const {
  return std::ranges::any_of(carried_, [&](int pooled) { return job_of(pooled).carrier == carrier && is_awaited(pooled); });
}

/// As the query kills.request_superseded.
std::vector<grid::JobId> Book::take_superseded() {
  std::vector<grid::JobId> kills;
  for (const int index : superseded_) {
    const auto& job = job_of(index);
    const int oar_job = job.pooled ? job.carrier : index;
    const bool over_with_own = command_over_.contains(oar_job);
    const bool does_nothing_else = job.pooled ? over_with_own || !is_awaited(oar_job) : !over_with_own;
    const auto id = id_of(oar_job);
    if (!does_nothing_else || carries_awaited(oar_job) || to_kill_.contains(id) || std::ranges::find(kills, id) != kills.end()) continue;
    kills.push_back(id);
  }
  return kills;
}

std::vector<int> Book::replicate(const planner::Replicas& replicas, std::optional<double> longer_than, grid::Instant now) {
  const auto index = static_cast<int>(replicas.campaign.value() - 1);
  auto& campaign = campaigns_[index_of(index)];
  std::vector<Copyable> chosen;
  for (std::size_t cluster = 0; cluster < running_.size(); ++cluster) {
    if ((cluster == index_of(replicas.cluster)) != (replicas.place == planner::ReplicaPlace::other_node)) continue;
    for (const auto& one : copyable_on(cluster, index, now)) {
      if (!longer_than || one.seconds >= *longer_than) chosen.push_back(one);
    }
  }
  // The longest running ones first.
  std::ranges::sort(chosen, {}, [](const Copyable& one) { return std::pair{one.began, one.task}; });
  chosen.erase(chosen.begin() + std::min<std::ptrdiff_t>(replicas.jobs, std::ssize(chosen)), chosen.end());
  const auto avoided = nodes_left(index_of(replicas.cluster), replicas.leaves);
  std::vector<int> jobs;
  for (const auto& [first, task, began, seconds] : chosen) {
    const int second = make_job({.campaign = replicas.campaign, .cluster = replicas.cluster, .jobs = 1, .resources = 0},
                                pair_index(replicas.campaign, replicas.cluster), task, now);
    auto& copied = campaign.tasks.try_emplace(task, task_of(job_of(first))).first->second;
    copied.facts.replica = copied.facts.attempt + 1;
    copied.facts.replica_lives = true;
    copied.live = {first, second};
    world_.jobs[index_of(second)].avoided = avoided;
    world_.jobs[index_of(second)].attempt = *copied.facts.replica + 1;
    jobs.push_back(second);
  }
  return jobs;
}

}  // namespace gleaner::gridsim
