#include <algorithm>

#include "sim/gridsim/engine/cluster.hpp"

/// Pools on a cluster: what the wrapper of a carrier does, and what the grid concludes of the tasks that no carrier took.
namespace gleaner::gridsim {
namespace {

/// Failures in a row after which a carrier takes no other task.
constexpr int kMostFailures = 3;

}  // namespace

/// A carrier's own task ended, or one that it carries out: it takes the next one, or ends when it has no other.
void Cluster::end_in_pool(int job) {
  const auto& one = world_.jobs[static_cast<std::size_t>(job)];
  const int carrier = one.pooled ? one.carrier : job;
  const auto why = own_end_of(one);
  auto& job_of_oar = world_.jobs[static_cast<std::size_t>(carrier)];
  if (one.pooled) {
    std::erase(job_of_oar.carries, job);
    end_pooled(job, why);
  } else {
    job_of_oar.own_end = {world_.agenda.now(), why};
  }
  job_of_oar.failures = why == JobEnd::done ? 0 : job_of_oar.failures + 1;
  if (const auto next = next_pooled(job_of_oar)) carry(carrier, *next);
  else if (job_of_oar.own_end && job_of_oar.carries.empty()) end(carrier, job_of_oar.own_end->end, spec_.end_delay);
}

/// Tasks run beside the carrier's own, one on each of its other cores.
void Cluster::start_workers(int carrier) {
  for (int worker = 1; worker < world_.jobs[static_cast<std::size_t>(carrier)].width; ++worker) {
    const auto next = next_pooled(world_.jobs[static_cast<std::size_t>(carrier)]);
    if (!next) return;
    carry(carrier, *next);
  }
}

std::optional<int> Cluster::next_pooled(const Job& carrier) {
  auto& pool = world_.pools[static_cast<std::size_t>(carrier.pool)];
  const bool is_late = world_.agenda.now() >= after(*carrier.started, pool.duration);
  if (is_late || carrier.being_killed || carrier.failures >= kMostFailures || pool.tasks.empty()) return std::nullopt;
  const int next = pool.tasks.front();
  pool.tasks.pop_front();
  return next;
}

void Cluster::carry(int carrier, int pooled) {
  auto& one = world_.jobs[static_cast<std::size_t>(pooled)];
  world_.jobs[static_cast<std::size_t>(carrier)].carries.push_back(pooled);
  one.carrier = carrier;
  one.state = JobState::running;
  one.held = world_.agenda.now();
  world_.changed.push_back(pooled);
  begin_command(pooled);
}

void Cluster::end_pooled(int job, JobEnd end) {
  auto& one = world_.jobs[static_cast<std::size_t>(job)];
  world_.file_servers.end(job, world_.jobs, world_.agenda);
  one.state = JobState::ended;
  one.end = end;
  one.ended = world_.agenda.now();
  world_.changed.push_back(job);
}

/// The tasks that no carrier has begun go back to the bag when all carriers are over, or their time is.
void Cluster::give_back_rest(const Job& carrier) {
  if (carrier.pool == kNone) return;
  auto& pool = world_.pools[static_cast<std::size_t>(carrier.pool)];
  const auto may_take = [&](int job) {
    const auto& one = world_.jobs[static_cast<std::size_t>(job)];
    return one.state != JobState::ended && (!one.held || world_.agenda.now() < after(*one.held, pool.duration + kLateClaim));
  };
  if (std::ranges::any_of(pool.carriers, may_take)) return;
  for (const int job : pool.tasks) end_pooled(job, JobEnd::not_reached);
  pool.tasks.clear();
}

}  // namespace gleaner::gridsim
