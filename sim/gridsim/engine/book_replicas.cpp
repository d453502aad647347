#include <algorithm>
#include <cmath>

#include "metascheduler/facts_of.hpp"
#include "sim/gridsim/engine/book.hpp"

/// Second copies of running tasks (none of pools, whose jobs say nothing of how long a task has run): which may get one, which got one, and
/// what becomes of the other when one of them ends.
namespace gleaner::gridsim {
namespace {

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
    const auto& campaign = campaigns_[index_of(index)];
    const auto& spec = spec_of(index);
    if (!spec.replicas_allowed || spec.paused) continue;
    const auto expected = expected_duration(campaign.lasted, world_.scenario.config.expired_quantile);
    for (const auto& on_cluster : spec.clusters) {
      grid::Replicable tasks{.campaign = grid::CampaignId{index + 1},
                             .cluster = grid::ClusterId{static_cast<std::int64_t>(on_cluster.cluster) + 1},
                             .expected = expected};
      for (const int running : running_[on_cluster.cluster]) {
        const auto& job = job_of(running);
        if (job.campaign != index || job.pool != kNone || had_copy(campaign, job.task)) continue;
        ++tasks.tasks;
        if (expected && seconds_of(now) - seconds_of(*job.held) >= *expected) ++tasks.expired;
      }
      if (tasks.tasks > 0) facts.policies.replicable.push_back(tasks);
    }
  }
}

std::vector<int> Book::replicate(const planner::Replicas& replicas, std::optional<double> longer_than, grid::Instant now) {
  const auto index = static_cast<int>(replicas.campaign.value() - 1);
  auto& campaign = campaigns_[index_of(index)];
  std::vector<int> chosen;
  for (std::size_t cluster = 0; cluster < running_.size(); ++cluster) {
    if ((cluster == index_of(replicas.cluster)) != (replicas.place == planner::ReplicaPlace::other_node)) continue;
    for (const int running : running_[cluster]) {
      const auto& job = job_of(running);
      if (job.campaign != index || job.pool != kNone || had_copy(campaign, job.task)) continue;
      if (!longer_than || seconds_of(now) - seconds_of(*job.held) >= *longer_than) chosen.push_back(running);
    }
  }
  // The longest running ones first.
  std::ranges::sort(chosen, {}, [&](int job) { return std::pair{*job_of(job).held, job_of(job).task}; });
  if (std::ssize(chosen) > replicas.jobs) chosen.resize(static_cast<std::size_t>(replicas.jobs));
  const auto avoided = nodes_left(index_of(replicas.cluster), replicas.leaves);
  std::vector<int> jobs;
  for (const int first : chosen) {
    const auto task = job_of(first).task;
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
