#include <algorithm>
#include <cmath>
#include <tuple>

#include "sim/gridsim/engine/book.hpp"

/// The part of the grid's knowledge that goes job by job: what runs, what waits, what is to be killed.
namespace gleaner::gridsim {
std::vector<store::WaitingJob> Book::waiting_jobs(int cluster) const {
  std::vector<store::WaitingJob> jobs;
  const auto& waiting = waiting_[index_of(cluster)];
  for (auto index = waiting.rbegin(); index != waiting.rend(); ++index) {
    if (condemned_.contains(id_of(*index))) continue;
    const auto& job = world_.jobs[index_of(*index)];
    const auto& spec = world_.scenario.campaigns[index_of(job.campaign)].clusters[index_of(job.pair)];
    const auto& pair = campaigns_[index_of(job.campaign)].pairs[index_of(job.pair)];
    jobs.push_back({.id = id_of(*index),
                    .campaign = grid::CampaignId{job.campaign + 1},
                    .submitted_at = job.queued,
                    .resources_per_job = spec.facts.resources_per_job,
                    .job_ratio = pair.job_ratio,
                    .last_start_at = pair.last_start_at,
                    .last_accept_at = pair.last_accept_at});
  }
  return jobs;
}

void Book::condemn(std::span<const grid::JobId> jobs) { condemned_.insert(jobs.begin(), jobs.end()); }

std::vector<grid::JobId> Book::to_preempt(const planner::Preemption& preemption) const {
  const auto campaign = static_cast<int>(preemption.campaign.value() - 1);
  const auto cluster = index_of(static_cast<int>(preemption.cluster.value() - 1));
  const auto is_meant = [&](int job) { return world_.jobs[index_of(job)].campaign == campaign && !condemned_.contains(id_of(job)); };
  std::vector<grid::JobId> jobs;
  for (auto job = running_[cluster].rbegin(); job != running_[cluster].rend() && std::ssize(jobs) < preemption.jobs; ++job) {
    if (is_meant(*job)) jobs.push_back(id_of(*job));
  }
  for (const int job : waiting_[cluster]) {
    if (is_meant(job)) jobs.push_back(id_of(job));
  }
  return jobs;
}

grid::PolicyFacts Book::policy_facts(grid::Instant now) const {
  auto facts = world_.scenario.policies;
  const auto days = static_cast<int>(std::chrono::floor<std::chrono::days>(now).time_since_epoch().count());
  for (auto& usage : facts.usage) usage.days_ago += days;
  count_limits(facts, days);
  add_usage(facts, now);
  add_endings(facts, now);
  for (const int index : active_) {
    if (world_.scenario.campaigns[index_of(index)].evidence == "history" && campaigns_[index_of(index)].done == 0) facts.profiled.emplace_back(index + 1);
  }
  for (const auto& [user, shares] : world_.scenario.shares)
    facts.shares.push_back({.id = std::ssize(facts.shares) + 1, .name = user, .is_user = true, .parent = std::nullopt, .shares = shares});
  std::map<std::pair<int, int>, int> dying;
  for (const auto& jobs : running_) {
    for (const int job : jobs) {
      if (condemned_.contains(id_of(job))) ++dying[{world_.jobs[index_of(job)].campaign, world_.jobs[index_of(job)].cluster}];
    }
  }
  for (const auto& [pair, jobs] : dying) facts.dying.push_back({grid::CampaignId{pair.first + 1}, grid::ClusterId{pair.second + 1}, jobs});
  return facts;
}

/// As the query policies.usage: of the jobs that ended, by day, and of those that run.
void Book::add_usage(grid::PolicyFacts& facts, grid::Instant now) const {
  const auto today = std::chrono::floor<std::chrono::days>(now).time_since_epoch().count();
  std::map<std::tuple<std::string, std::string, std::int64_t>, double> usage;
  const auto add = [&](int campaign, std::int64_t day, double seconds) {
    const auto& spec = world_.scenario.campaigns[index_of(campaign)];
    usage[{spec.user, spec.project, day}] += seconds;
  };
  for (const auto& [key, seconds] : usage_) add(std::get<0>(key), std::get<2>(key), seconds);
  for (const auto& jobs : running_) {
    for (const int index : jobs) {
      const auto& job = world_.jobs[index_of(index)];
      add(job.campaign, today, (seconds_of(now) - std::max(0.0, seconds_of(*job.held))) * job.width);
    }
  }
  for (const auto& [key, seconds] : usage)
    facts.usage.push_back({.user = std::get<0>(key), .project = std::get<1>(key), .days_ago = static_cast<int>(today - std::get<2>(key)), .resource_seconds = seconds});
}

/// As known_width of the database: resources of one job, as asked for, or as given on average, or 1.
double Book::width_of(int campaign, int pair) const {
  const auto& known = campaigns_[index_of(campaign)].pairs[index_of(pair)];
  if (const auto& asked = world_.scenario.campaigns[index_of(campaign)].clusters[index_of(pair)].facts.resources_per_job) return *asked;
  return known.resources_jobs > 0 ? static_cast<double>(known.resources_sum) / static_cast<double>(known.resources_jobs) : 1.0;
}

/// What the live jobs of a pair are expected to use in all.
double Book::expected_use(int campaign, int pair) const {
  const auto& known = campaigns_[index_of(campaign)].pairs[index_of(pair)];
  const auto& on_cluster = world_.scenario.campaigns[index_of(campaign)].clusters[index_of(pair)];
  const double each = known.done > 0 ? known.duration_sum / static_cast<double>(known.done) : on_cluster.facts.walltime;
  return (known.waiting + known.running) * width_of(campaign, pair) * each;
}

/// As the query policies.limits; of resource-seconds what was used before the simulation began stays within the window.
void Book::count_limits(grid::PolicyFacts& facts, std::int64_t today) const {
  for (auto& limit : facts.limits) {
    const auto& target = limit;
    const auto holds = [&](std::size_t campaign, std::size_t pair) {
      const auto& spec = world_.scenario.campaigns[campaign];
      return (!target.user || *target.user == spec.user) && (!target.project || *target.project == spec.project) &&
             (!target.campaign || target.campaign->value() == static_cast<std::int64_t>(campaign) + 1) &&
             (!target.cluster || target.cluster->value() == static_cast<std::int64_t>(spec.clusters[pair].cluster) + 1);
    };
    const bool seconds = limit.kind == grid::LimitKind::resource_seconds;
    if (!seconds) limit.used = 0;
    for (std::size_t i = 0; i < campaigns_.size(); ++i) {
      for (std::size_t j = 0; j < campaigns_[i].pairs.size(); ++j) {
        if (!holds(i, j)) continue;
        const auto& pair = campaigns_[i].pairs[j];
        const int live = pair.waiting + pair.running;
        if (seconds) limit.used += expected_use(static_cast<int>(i), static_cast<int>(j));
        else if (limit.kind == grid::LimitKind::resources) limit.used += live * width_of(static_cast<int>(i), static_cast<int>(j));
        else limit.used += limit.kind == grid::LimitKind::waiting_jobs ? pair.waiting : live;
      }
    }
    if (!seconds) continue;
    for (const auto& [key, used] : usage_) {
      const auto& [campaign, pair, day] = key;
      if (day > today - limit.days && holds(index_of(campaign), index_of(pair))) limit.used += used;
    }
  }
}

/// As the query policies.endings: by the pair's mean duration or, while none is known, the walltime.
void Book::add_endings(grid::PolicyFacts& facts, grid::Instant now) const {
  std::map<std::pair<int, double>, double> endings;
  for (const auto& jobs : running_) {
    for (const int index : jobs) {
      const auto& job = world_.jobs[index_of(index)];
      const auto& pair = campaigns_[index_of(job.campaign)].pairs[index_of(job.pair)];
      const double walltime = world_.scenario.campaigns[index_of(job.campaign)].clusters[index_of(job.pair)].facts.walltime;
      const double elapsed = std::max(0.0, seconds_of(now) - seconds_of(*job.held));
      const double most = walltime * static_cast<double>(job.tasks);
      const double expected = pair.done > 0 ? std::max(pair.duration_sum / static_cast<double>(pair.done), elapsed * 1.1) : most;
      const double after = std::ceil(std::max(1.0, std::min(most, expected) - elapsed));
      endings[{job.cluster, after}] += job.width;
    }
  }
  for (const auto& [key, resources] : endings) facts.endings.push_back({.after = key.second, .resources = resources, .cluster = grid::ClusterId{key.first + 1}});
}

}  // namespace gleaner::gridsim
