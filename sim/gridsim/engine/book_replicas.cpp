#include <algorithm>
#include <cmath>

#include "metascheduler/facts_of.hpp"
#include "sim/gridsim/engine/book.hpp"

/// Second copies of running tasks: which may get one, which got one, and what becomes of the other when one of them ends.
namespace gleaner::gridsim {
namespace {

/// A task gets one once in its life.
bool had_copy(const Book::Campaign& campaign, std::int64_t task) {
  const auto known = campaign.tasks.find(task);
  return known != campaign.tasks.end() && known->second.facts.replica.has_value();
}

/// Production reads it from buckets of a tenth (sql/queries/planning.sql).
double quantile(std::vector<double> values, double share) {
  const auto place = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()))) - 1;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(place));
  return values[place];
}

}  // namespace

void Book::add_replicable(grid::PlanningFacts& facts, grid::Instant now) const {
  for (const int index : active_) {
    const auto& campaign = campaigns_[index_of(index)];
    const auto& spec = world_.scenario.campaigns[index_of(index)];
    if (!spec.replicas_allowed) continue;
    std::optional<double> expected;
    if (std::ssize(campaign.lasted) >= metascheduler::kTellingEnds) expected = quantile(campaign.lasted, world_.scenario.config.expired_quantile);
    for (const auto& on_cluster : spec.clusters) {
      grid::Replicable tasks{.campaign = grid::CampaignId{index + 1}, .cluster = grid::ClusterId{static_cast<std::int64_t>(on_cluster.cluster) + 1}, .expected = expected};
      for (const int running : running_[on_cluster.cluster]) {
        const auto& job = world_.jobs[index_of(running)];
        if (job.campaign != index || had_copy(campaign, job.task)) continue;
        ++tasks.tasks;
        if (expected && seconds_of(now) - seconds_of(*job.held) > *expected) ++tasks.expired;
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
    if (static_cast<std::int64_t>(cluster) + 1 == replicas.cluster.value()) continue;
    for (const int running : running_[cluster]) {
      const auto& job = world_.jobs[index_of(running)];
      if (job.campaign != index || had_copy(campaign, job.task) || condemned_.contains(id_of(running))) continue;
      if (!longer_than || seconds_of(now) - seconds_of(*job.held) > *longer_than) chosen.push_back(running);
    }
  }
  // The longest running ones first.
  std::ranges::stable_sort(chosen, {}, [&](int job) { return *world_.jobs[index_of(job)].held; });
  if (std::ssize(chosen) > replicas.jobs) chosen.resize(static_cast<std::size_t>(replicas.jobs));
  std::vector<int> jobs;
  for (const int first : chosen) {
    const auto task = world_.jobs[index_of(first)].task;
    const int second = make_job({.campaign = replicas.campaign, .cluster = replicas.cluster, .jobs = 1, .resources = 0}, pair_index(replicas.campaign, replicas.cluster), task, now);
    auto& copied = campaign.tasks.try_emplace(task, Task{.facts = {.attempt = world_.jobs[index_of(first)].attempt - 1}, .live = {}}).first->second;
    copied.facts.replica = copied.facts.attempt + 1;
    copied.facts.replica_lives = true;
    copied.live = {first, second};
    world_.jobs[index_of(second)].attempt = *copied.facts.replica + 1;
    jobs.push_back(second);
  }
  return jobs;
}

std::vector<grid::JobId> Book::take_losers() { return std::exchange(losers_, {}); }

}  // namespace gleaner::gridsim
