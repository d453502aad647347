#include "sim/gridsim/engine/grid_cycle.hpp"

#include <algorithm>

#include "metascheduler/planner/plan.hpp"
#include "metascheduler/snapshot_of.hpp"
#include "metascheduler/submitted_of.hpp"
#include "nikita/excess.hpp"
#include "predictor/forecasts_of.hpp"
#include "predictor/headrooms_of.hpp"

namespace gleaner::gridsim {
grid::Instant GridCycle::run(std::span<const Cluster> clusters, grid::Instant now) {
  book_.update(clusters, now);
  watch_local(now);
  if (!book_.active()) return now;
  predict(now);
  wipe(now);
  return plan(now);
}

/// The updator's work where a headroom is to be learnt.
void GridCycle::watch_local(grid::Instant now) {
  std::map<grid::ClusterId, std::vector<grid::LocalStart>> starts;
  for (; seen_starts_ < world_.local_waits.size(); ++seen_starts_) {
    const auto& one = world_.local_waits[seen_starts_];
    starts[grid::ClusterId{one.cluster + 1}].push_back({instant_of(one.at - one.seconds), instant_of(one.at), one.resources});
  }
  for (std::size_t i = 0; i < world_.scenario.clusters.size(); ++i) {
    const auto headroom = world_.scenario.clusters[i].own_headroom.value_or(world_.scenario.config.headroom);
    if (headroom.kind != grid::Headroom::Kind::automatic) continue;
    const grid::ClusterId cluster{static_cast<std::int64_t>(i) + 1};
    auto& watch = watches_[cluster];
    const auto arrivals = grid::note_poll(watch, starts[cluster], now);
    watch.last_start.reset();  // each start is seen once here, also that of a job that is over
    if (!arrivals) continue;
    local_[cluster].demand.at(static_cast<std::size_t>(grid::hour_of_day(now))).observe(arrivals->seconds, arrivals->resources);
  }
}

void GridCycle::predict(grid::Instant now) {
  const auto& config = world_.scenario.config;
  const auto facts = book_.prediction_facts(now - config.throughput_window);
  for (const auto& outcome : predictor::ratio_outcomes(facts, now)) {
    const auto cluster = static_cast<int>(outcome.cluster.value() - 1);
    ratios_[{cluster, book_.algorithm_of(outcome.campaign, outcome.cluster)}] += store::figures_of(outcome);
  }
  book_.write(predictor::forecasts_of(facts, config, now));
  for (const auto& [cluster, resources] : predictor::headrooms_of(local_, facts, config, now)) {
    local_[cluster].kept_resources = resources;
    book_.learn_headroom(static_cast<std::size_t>(cluster.value() - 1), resources);
  }
}

void GridCycle::wipe(grid::Instant now) {
  const auto& config = world_.scenario.config;
  remove(book_.take_superseded(), now);
  const auto facts = book_.planning_facts(now);
  wiped_.clear();
  for (std::size_t i = 0; i < facts.clusters.size(); ++i) {
    const auto& cluster = facts.clusters[i];
    const nikita::Queue queue{.jobs = book_.waiting_jobs(static_cast<int>(i)),
                              .free_resources = cluster.free_for_grid(),
                              .max_resources = cluster.max_resources,
                              .flood = cluster.flood_for_grid()};
    auto wiped = nikita::to_wipe(queue, {.grace = config.waiting_grace, .timeout = config.remote_waiting_timeout}, now);
    wiped.excess.insert(wiped.excess.end(), wiped.waited_too_long.begin(), wiped.waited_too_long.end());
    remove(wiped.excess, now);
    for (const auto id : wiped.excess) ++wiped_[{world_.jobs[static_cast<std::size_t>(id.value() - 1)].campaign, static_cast<int>(i)}];
  }
}

void GridCycle::remove(std::span<const grid::JobId> jobs, grid::Instant now) {
  book_.request_kills(jobs);
  for (const auto id : jobs) {
    const int job = static_cast<int>(id.value() - 1);
    const int cluster = world_.jobs[static_cast<std::size_t>(job)].cluster;
    const double latency = world_.scenario.clusters[static_cast<std::size_t>(cluster)].api_latency;
    world_.agenda.add(after(now, world_.scenario.cycle_work + latency), {.kind = Event::Kind::job_deleted, .cluster = cluster, .job = job});
  }
}

/// Nikita deletes the jobs in the next cycle; those with checkpoints are signalled then, and deleted when they had the time for one.
void GridCycle::preempt(std::span<const grid::JobId> jobs, grid::Instant at) {
  for (const auto id : jobs) {
    auto& job = world_.jobs[static_cast<std::size_t>(id.value() - 1)];
    const bool writes = job.checkpoints.period > 0 && job.started;
    if (writes) job.warned = at;
    remove(std::span{&id, 1}, writes ? after(at, job.checkpoints.cost) : at);
  }
}

grid::Instant GridCycle::plan(grid::Instant now) {
  const auto& config = world_.scenario.config;
  const auto facts = book_.planning_facts(now);
  const auto plan = planner::plan(metascheduler::snapshot_of(facts, config, now), config);
  const auto begin = after(now, world_.scenario.cycle_work);
  std::map<grid::ClusterId, grid::Instant> free_at;
  auto last = begin;
  for (const auto& launch : plan.launches) {
    auto& at = free_at.emplace(launch.cluster, begin).first->second;
    at = submit(book_.launch({.campaign = launch.campaign,
                              .cluster = launch.cluster,
                              .jobs = launch.jobs,
                              .pooled = launch.pooled,
                              .pool = std::chrono::ceil<grid::Seconds>(config.pool_duration),
                              .resources = launch.resources,
                              .leaves = launch.leaves},
                             at),
                launch.cluster, at);
    last = std::max(last, at);
  }
  for (const auto& replicas : plan.replicas) {
    auto& at = free_at.emplace(replicas.cluster, begin).first->second;
    at = submit(book_.replicate(replicas, metascheduler::longer_than(replicas, facts), at), replicas.cluster, at);
    last = std::max(last, at);
  }
  for (const auto& preemption : plan.preemptions) preempt(book_.to_preempt(preemption), now + config.cycle_period);
  book_.hold(planner::held_by(plan));
  const auto submitted = metascheduler::submitted_of(plan, facts);
  book_.write(submitted);
  record(facts, submitted, now);
  return last;
}

grid::Instant GridCycle::submit(const std::vector<int>& jobs, grid::ClusterId cluster, grid::Instant at) {
  const auto index = static_cast<int>(cluster.value() - 1);
  const auto answered = after(at, world_.scenario.clusters[static_cast<std::size_t>(index)].api_latency);
  for (const int job : jobs) {
    world_.agenda.add(answered, {.kind = Event::Kind::job_queued, .cluster = index, .job = job});
    book_.accept(job, answered);
  }
  return answered;
}

void GridCycle::record(const grid::PlanningFacts& facts, std::span<const store::Submitted> submitted, grid::Instant now) {
  for (const auto& pair : facts.pairs) {
    const auto cluster = static_cast<std::size_t>(pair.cluster.value() - 1);
    PairCycle row{.time = now, .campaign = static_cast<int>(pair.campaign.value() - 1), .cluster = static_cast<int>(cluster)};
    row.job_ratio = metascheduler::ratio_of(pair, facts.clusters[cluster]);
    row.free = facts.clusters[cluster].free_resources;
    row.running = pair.running;
    row.waiting = pair.waiting;
    if (const auto wiped = wiped_.find({row.campaign, row.cluster}); wiped != wiped_.end()) row.wiped = wiped->second;
    for (const auto& one : submitted) {
      if (one.campaign == pair.campaign && one.cluster == pair.cluster) row.submitted = one.jobs;
    }
    const bool quiet = row.submitted == 0 && row.wiped == 0 && row.waiting == 0 && row.running == 0;
    if (!quiet) history_.push_back(row);
  }
}

}  // namespace gleaner::gridsim
