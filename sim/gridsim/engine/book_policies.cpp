#include <algorithm>
#include <cmath>
#include <tuple>

#include "sim/gridsim/engine/book.hpp"

/// Facts for the policies of the planner, as sql/queries/policies.sql reads them.
namespace gleaner::gridsim {
namespace {

/// Resources of one job: as asked for, or as given on average, or, while nothing is known, those of a node.
double width_of(const grid::PairFacts& pair, int node) {
  if (pair.resources_per_job) return *pair.resources_per_job;
  return pair.resources_jobs > 0 ? static_cast<double>(pair.resources_sum) / static_cast<double>(pair.resources_jobs) : node;
}

std::optional<double> mean_duration(const grid::PairFacts& pair) {
  return pair.done > 0 ? std::optional{pair.duration_sum / static_cast<double>(pair.done)} : std::nullopt;
}

/// The present count of a pair for a limit of this kind; of resource-seconds, what its live jobs are expected to use in all.
/// @param pooled  seconds of these jobs for the tasks that they take beside their own
double counted(const grid::Limit& limit, const grid::CampaignFacts& campaign, const grid::PairFacts& pair, int node, double pooled) {
  const auto kind = limit.kind;
  const int live = pair.waiting + pair.running;
  if (kind == grid::LimitKind::waiting_jobs) return pair.waiting;
  if (kind == grid::LimitKind::running_jobs) return live;
  if (kind == grid::LimitKind::consumable)
    return live * grid::need_of(campaign.needs, limit.consumable) *
           (campaign.side_by_side ? std::max(1.0, std::floor(width_of(pair, node))) : 1.0);
  if (kind == grid::LimitKind::nodes)
    return live * (pair.nodes_per_job ? *pair.nodes_per_job : std::max(1.0, std::ceil(width_of(pair, node) / std::max(1, node))));
  if (kind == grid::LimitKind::resources || live == 0) return live * width_of(pair, node);
  return width_of(pair, node) * (live * mean_duration(pair).value_or(pair.walltime) + pooled);
}

}  // namespace

grid::PolicyFacts Book::policy_facts(grid::Instant now) const {
  auto facts = world_.scenario.policies;
  const auto days = static_cast<int>(std::chrono::floor<std::chrono::days>(now).time_since_epoch().count());
  for (auto& usage : facts.usage) usage.days_ago += days;
  count_limits(facts, days);
  add_usage(facts, now);
  add_endings(facts, now);
  facts.held = held_;
  for (const int index : active_) {
    if (spec_of(index).evidence == "history" && campaigns_[index_of(index)].done == 0) facts.profiled.emplace_back(index + 1);
  }
  for (const auto& [user, shares] : world_.scenario.shares)
    facts.shares.push_back({.id = std::ssize(facts.shares) + 1, .name = user, .is_user = true, .parent = std::nullopt, .shares = shares});
  std::map<std::pair<int, int>, int> dying;
  for (const auto& jobs : running_) {
    for (const int job : jobs) {
      if (to_kill_.contains(id_of(job))) ++dying[{job_of(job).campaign, job_of(job).cluster}];
    }
  }
  for (const auto& [pair, jobs] : dying) facts.dying.push_back({grid::CampaignId{pair.first + 1}, grid::ClusterId{pair.second + 1}, jobs});
  return facts;
}

/// As the query policies.usage: of the jobs that ended, by day, and of those that run.
void Book::add_usage(grid::PolicyFacts& facts, grid::Instant now) const {
  const auto today = std::chrono::floor<std::chrono::days>(now).time_since_epoch().count();
  std::map<std::tuple<std::string, std::string, std::int64_t, std::vector<std::string>>, double> usage;
  const bool groups_share = std::ranges::any_of(facts.shares, &grid::Share::is_group);
  const auto add = [&](int campaign, std::int64_t day, double seconds) {
    const auto& spec = spec_of(campaign);
    usage[{spec.user, spec.project, day, groups_share ? spec.groups : std::vector<std::string>{}}] += seconds;
  };
  for (const auto& [key, seconds] : usage_) add(std::get<0>(key), std::get<2>(key), seconds);
  for (const auto& jobs : running_) {
    for (const int index : jobs) {
      const auto& job = job_of(index);
      add(job.campaign, today, (seconds_of(now) - std::max(0.0, seconds_of(*job.held))) * job.width);
    }
  }
  for (const auto& [key, seconds] : usage)
    facts.usage.push_back({.user = std::get<0>(key),
                           .project = std::get<1>(key),
                           .days_ago = static_cast<int>(today - std::get<2>(key)),
                           .resource_seconds = seconds,
                           .groups = std::get<3>(key)});
}

/// Seconds that the jobs of a pair are expected to spend on the tasks that they take beside their own, until their time for that is over.
double Book::pooled_seconds(int campaign, int pair) const {
  const auto& spec = spec_of(campaign);
  const auto& facts = campaigns_[index_of(campaign)].pairs[index_of(pair)].facts;
  const int node = world_.scenario.clusters[spec.clusters[index_of(pair)].cluster].cores;
  const double at_a_time = spec.side_by_side ? std::max(1.0, std::floor(width_of(facts, node))) : 1.0;
  double seconds = 0;
  for (const auto& [_, pool] : live_pools_) {
    if (pool.campaign == campaign && pool.pair == pair)
      seconds += std::min(pool.pooled * mean_duration(facts).value_or(facts.walltime) / at_a_time, pool.carriers * pool.duration);
  }
  return seconds;
}

/// The name under which a limit for each counts a campaign, as in the database.
std::string Book::name_in(grid::LimitEach each, int campaign) const {
  if (each == grid::LimitEach::user) return spec_of(campaign).user;
  return each == grid::LimitEach::project ? spec_of(campaign).project : std::to_string(campaign + 1);
}

/// As the query policies.limits; of resource-seconds what was used before the simulation began stays within the window.
void Book::count_limits(grid::PolicyFacts& facts, std::int64_t today) const {
  for (auto& limit : facts.limits) {
    const auto& target = limit;
    const auto holds = [&](std::size_t campaign, std::size_t pair) {
      const auto& spec = world_.scenario.campaigns[campaign];
      return (!target.user || *target.user == spec.user) &&
             (!target.group || std::ranges::find(spec.groups, *target.group) != spec.groups.end()) &&
             (!target.project || *target.project == spec.project) &&
             (!target.campaign || target.campaign->value() == static_cast<std::int64_t>(campaign) + 1) &&
             (!target.cluster || target.cluster->value() == static_cast<std::int64_t>(spec.clusters[pair].cluster) + 1);
    };
    const bool seconds = limit.kind == grid::LimitKind::resource_seconds;
    if (!seconds) limit.used = 0;
    if (!seconds) limit.used_by.clear();
    const auto count = [&](std::size_t campaign, double used) {
      (limit.each ? limit.used_by[name_in(*limit.each, static_cast<int>(campaign))] : limit.used) += used;
    };
    for (std::size_t i = 0; i < campaigns_.size(); ++i) {
      for (std::size_t j = 0; j < campaigns_[i].pairs.size(); ++j) {
        if (holds(i, j))
          count(i, counted(limit, spec_of(static_cast<int>(i)), campaigns_[i].pairs[j].facts,
                           world_.scenario.clusters[spec_of(static_cast<int>(i)).clusters[j].cluster].cores,
                           seconds ? pooled_seconds(static_cast<int>(i), static_cast<int>(j)) : 0.0));
      }
    }
    if (!seconds) continue;
    for (const auto& [key, used] : usage_) {
      const auto& [campaign, pair, day] = key;
      if (day > today - limit.days && holds(index_of(campaign), index_of(pair))) count(index_of(campaign), used);
    }
  }
}

/// As the query policies.endings: by the pair's mean duration or, while none is known, the walltime.
void Book::add_endings(grid::PolicyFacts& facts, grid::Instant now) const {
  const double most_wait = std::chrono::duration<double>{world_.scenario.config.remote_waiting_timeout}.count();
  struct Freed {
    double resources = 0.0, soon = 0.0;
  };
  std::map<std::pair<int, double>, Freed> endings;
  for (const auto& jobs : running_) {
    for (const int index : jobs) {
      const auto& job = job_of(index);
      const double elapsed = std::max(0.0, seconds_of(now) - seconds_of(*job.held));
      const double most = spec_of(job).facts.walltime * static_cast<double>(job.tasks);
      const auto mean = mean_duration(pair_of(job).facts);
      const double expected = mean ? std::max(*mean, elapsed * 1.1) : most;
      const double after = std::ceil(std::max(1.0, std::min(most, expected) - elapsed));
      auto& freed = endings[{job.cluster, after}];
      freed.resources += job.width;
      if ((mean ? after : elapsed) <= most_wait) freed.soon += job.width;
    }
  }
  for (const auto& [key, freed] : endings)
    facts.endings.push_back(
        {.after = key.second, .resources = freed.resources, .cluster = grid::ClusterId{key.first + 1}, .soon = freed.soon});
}

}  // namespace gleaner::gridsim
