#include "sim/gridsim/engine/cluster.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace gleaner::gridsim {
Cluster::Cluster(int index, std::vector<LocalJob> local, World& world)
    : index_{index},
      spec_{world.scenario.clusters[static_cast<std::size_t>(index)]},
      local_{std::move(local)},
      world_{world},
      nodes_{spec_.nodes, spec_.cores, spec_.sleep_after, spec_.wake_delay} {
  if (spec_.held == 0 || !nodes_.take({.nodes = 0, .per_node = spec_.held}, {})) return;
  world_.usage.push_back({{}, index_, kLocal, spec_.held});
}

void Cluster::begin() { note_arrival(0); }

bool Cluster::resume(int job) {
  auto& one = world_.jobs[static_cast<std::size_t>(job)];
  auto taken = nodes_.take(pair_of(one).shape, world_.agenda.now());
  if (!taken) return false;
  one.shares = std::move(taken->shares);
  one.state = JobState::running;
  holding_.push_back(job);
  world_.changed.push_back(job);
  world_.usage.push_back({{}, index_, one.campaign, one.width});
  world_.agenda.add(std::max(grid::Instant{}, after(*one.started, one.duration)),
                    {.kind = Event::Kind::job_end, .cluster = index_, .job = job});
  one.most_seconds = walltime_of_task(one);
  world_.file_servers.begin(job, world_.jobs, world_.agenda);
  return true;
}

void Cluster::note_arrival(std::size_t local) {
  if (local < local_.size())
    world_.agenda.add(instant_of(local_[local].at),
                      {.kind = Event::Kind::local_arrival, .cluster = index_, .job = static_cast<int>(local)});
}

const CampaignOnCluster& Cluster::pair_of(const Job& job) const {
  return world_.scenario.campaigns[static_cast<std::size_t>(job.campaign)].clusters[static_cast<std::size_t>(job.pair)];
}

void Cluster::happen(const Event& event) {
  switch (event.kind) {
    case Event::Kind::local_arrival: arrive(event.job); break;
    case Event::Kind::local_end: end_local(event.job); break;
    case Event::Kind::job_queued: queue(event.job); break;
    case Event::Kind::job_runs: run(event.job); break;
    case Event::Kind::job_end: end_task(event.job); break;
    case Event::Kind::job_deleted: finish(event.job, JobEnd::killed_by_us); break;
    case Event::Kind::gave_way: finish(event.job, JobEnd::preempted); break;
    case Event::Kind::freed: release(event.job); break;
    case Event::Kind::pool_closed: give_back_rest(world_.jobs[static_cast<std::size_t>(event.job)]); break;
    case Event::Kind::schedule: next_pass_.reset(); break;
    case Event::Kind::submission:
    case Event::Kind::cycle: return;
  }
  schedule();
}

void Cluster::end_local(int local) {
  const auto found = running_local_.find(local);
  nodes_.give_back(found->second.shares, world_.agenda.now());
  world_.usage.push_back({world_.agenda.now(), index_, kLocal, -found->second.resources});
  running_local_.erase(found);
}

void Cluster::arrive(int local) {
  local_queue_.push_back({.index = local});
  note_arrival(static_cast<std::size_t>(local) + 1);
}

void Cluster::queue(int job) {
  auto& one = world_.jobs[static_cast<std::size_t>(job)];
  one.state = JobState::waiting;
  one.queued = world_.agenda.now();
  world_.changed.push_back(job);
  auto place = queue_.end();
  if (pair_of(one).kind == CampaignOnCluster::Kind::normal) {
    place = std::ranges::find_if(queue_, [&](int other) {
      return pair_of(world_.jobs[static_cast<std::size_t>(other)]).kind == CampaignOnCluster::Kind::best_effort;
    });
  }
  queue_.insert(place, job);
}

void Cluster::run(int job) {
  auto& one = world_.jobs[static_cast<std::size_t>(job)];
  if (one.state != JobState::launching) return;
  one.state = JobState::running;
  begin_command(job);
  if (one.pool != kNone && world_.pools[static_cast<std::size_t>(one.pool)].side_by_side) start_workers(job);
}

void Cluster::begin_command(int job) {
  auto& one = world_.jobs[static_cast<std::size_t>(job)];
  one.started = world_.agenda.now();
  one.most_seconds = walltime_of_task(one);
  world_.agenda.add(after(*one.started, std::min(one.duration, one.most_seconds)),
                    {.kind = Event::Kind::job_end, .cluster = index_, .job = job});
  world_.file_servers.begin(job, world_.jobs, world_.agenda);
}

bool Cluster::is_due(const Job& job) const {
  return !job.own_end && world_.agenda.now() >= after(*job.started, std::min(job.duration, job.most_seconds));
}

double Cluster::walltime_of_task(const Job& job) const { return pair_of(job).facts.walltime * static_cast<double>(job.tasks); }

double Cluster::walltime_of(const Job& job) const {
  const double pool = job.pool == kNone ? 0.0 : world_.pools[static_cast<std::size_t>(job.pool)].duration;
  return walltime_of_task(job) + pool;
}

JobEnd Cluster::own_end_of(const Job& job) const { return job.duration > walltime_of_task(job) ? JobEnd::walltime : JobEnd::done; }

/// The end of a task; also that of its job, unless the job takes another one. An event of a job that has ended earlier is ignored.
void Cluster::end_task(int job) {
  const auto& one = world_.jobs[static_cast<std::size_t>(job)];
  if (one.state == JobState::ended || !is_due(one)) return;
  world_.file_servers.end(job, world_.jobs, world_.agenda);
  if (one.pool == kNone) end(job, own_end_of(one), spec_.end_delay);
  else end_in_pool(job);
}

/// The end of a job by somebody else. An event of a job that has ended earlier is ignored.
void Cluster::finish(int job, JobEnd why) {
  auto& one = world_.jobs[static_cast<std::size_t>(job)];
  if (one.state == JobState::ended) return;
  if (one.state == JobState::waiting) {
    std::erase(queue_, job);
    one.state = JobState::ended;
    one.end = why;
    one.ended = world_.agenda.now();
    world_.changed.push_back(job);
    give_back_rest(one);
    return;
  }
  for (const int pooled : std::exchange(one.carries, {})) end_pooled(pooled, why);
  // A task that noted its end has done its work, whatever becomes of its job.
  end(job, one.own_end ? one.own_end->end : why, why == JobEnd::preempted ? 0.0 : spec_.end_delay);
}

void Cluster::end(int job, JobEnd why, double free_after) {
  auto& one = world_.jobs[static_cast<std::size_t>(job)];
  world_.file_servers.end(job, world_.jobs, world_.agenda);
  one.state = JobState::ended;
  one.end = why;
  one.ended = world_.agenda.now();
  world_.changed.push_back(job);
  if (free_after > 0) world_.agenda.add(after(one.ended, free_after), {.kind = Event::Kind::freed, .cluster = index_, .job = job});
  else release(job);
  give_back_rest(one);
}

void Cluster::release(int job) {
  auto& one = world_.jobs[static_cast<std::size_t>(job)];
  nodes_.give_back(one.shares, world_.agenda.now());
  one.shares.clear();
  if (one.being_killed) dying_ -= one.width;
  std::erase(holding_, job);
  world_.usage.push_back({world_.agenda.now(), index_, one.campaign, -one.width});
}

void Cluster::schedule() {
  schedule_local();
  schedule_ours();
}

void Cluster::schedule_local() {
  std::deque<Local> still;
  for (auto& local : local_queue_) {
    const int needed = local_[static_cast<std::size_t>(local.index)].resources;
    const bool may_take = local.claims || nodes_.free() - claimed_ >= needed;
    if (may_take && nodes_.free() >= needed) {
      if (local.claims) claimed_ -= needed;
      start_local(local);
      continue;
    }
    if (!local.claims && make_room(needed)) {
      local.claims = true;
      claimed_ += needed;
    }
    still.push_back(local);
  }
  local_queue_ = std::move(still);
}

/// Kills best-effort jobs, the youngest first, until so many resources are free or will be; kills none if that is not possible.
bool Cluster::make_room(int resources) {
  int coming = nodes_.free() + dying_ - claimed_;
  std::vector<int> victims;
  for (auto job = holding_.rbegin(); job != holding_.rend() && coming < resources; ++job) {
    const auto& one = world_.jobs[static_cast<std::size_t>(*job)];
    if (one.being_killed || one.state == JobState::ended || pair_of(one).kind == CampaignOnCluster::Kind::normal) continue;
    victims.push_back(*job);
    coming += one.width;
  }
  if (coming < resources) return false;
  for (const int job : victims) preempt(job);
  return true;
}

/// As OAR 2.5.9 does: it signals a job whose submission asks for checkpoints, and kills it when the time that this asks for is over.
void Cluster::preempt(int job) {
  auto& one = world_.jobs[static_cast<std::size_t>(job)];
  one.being_killed = true;
  dying_ += one.width;
  double runs_on = 0;
  if (one.signal_margin > 0 && spec_.preemption_signal) {
    one.warned = world_.agenda.now();
    runs_on = one.signal_margin;
  }
  world_.agenda.add(after(world_.agenda.now(), runs_on + spec_.preemption_delay),
                    {.kind = Event::Kind::gave_way, .cluster = index_, .job = job});
}

void Cluster::start_local(const Local& local) {
  const auto& job = local_[static_cast<std::size_t>(local.index)];
  auto taken = *nodes_.take({.nodes = 0, .per_node = job.resources}, world_.agenda.now());
  const double woke = taken.wakes;
  RunningLocal running{
      .shares = std::move(taken.shares), .end = after(world_.agenda.now(), woke + job.duration), .resources = job.resources};
  world_.agenda.add(running.end, {.kind = Event::Kind::local_end, .cluster = index_, .job = local.index});
  world_.usage.push_back({world_.agenda.now(), index_, kLocal, job.resources});
  const double at = seconds_of(world_.agenda.now()) + woke;
  world_.local_waits.push_back({index_, at - job.at, at, job.resources});
  running_local_.emplace(local.index, std::move(running));
}

void Cluster::schedule_ours() {
  if (queue_.empty() || next_pass_) return;
  const auto now = world_.agenda.now();
  if (now >= next_start_) {
    const auto place = next_to_start();
    if (!place) return;
    const double starts = world_.jobs[static_cast<std::size_t>(queue_[*place])].starts;
    start(*place);
    next_start_ = after(now, starts / spec_.start_rate);
    if (queue_.empty()) return;
  }
  next_pass_ = next_start_;
  world_.agenda.add(next_start_, {.kind = Event::Kind::schedule, .cluster = index_});
}

std::optional<std::size_t> Cluster::next_to_start() {
  const int available = nodes_.free() - claimed_;
  if (available <= 0) return std::nullopt;
  std::optional<Reservation> reservation;
  std::set<std::tuple<int, int, const void*>> too_big;  // campaigns with a job that does not fit, so that their other jobs are not tried
  for (std::size_t place = 0; place < queue_.size(); ++place) {
    const auto& job = world_.jobs[static_cast<std::size_t>(queue_[place])];
    if (too_big.contains({job.campaign, job.pair, job.avoided.get()})) continue;
    const auto end = after(world_.agenda.now(), spec_.start_delay + walltime_of(job));
    const bool in_nobodys_way = !reservation || end <= reservation->time || job.width <= reservation->spare;
    if (job.width <= available && in_nobodys_way && (taken_ = nodes_.take(pair_of(job).shape, world_.agenda.now(), job.avoided)))
      return place;
    too_big.insert({job.campaign, job.pair, job.avoided.get()});
    if (!reservation) reservation = reservation_for(job.width, available);
  }
  return std::nullopt;
}

/// The time at which so many resources are free, if each job runs to its walltime, and no job starts meanwhile.
Cluster::Reservation Cluster::reservation_for(int width, int available) const {
  std::vector<std::pair<grid::Instant, int>> ends;
  for (const int job : holding_) {
    const auto& one = world_.jobs[static_cast<std::size_t>(job)];
    ends.emplace_back(after(*one.held, spec_.start_delay + walltime_of(one)), one.width);
  }
  for (const auto& [index, local] : running_local_) ends.emplace_back(local.end, local.resources);
  std::ranges::sort(ends);
  for (const auto& [time, resources] : ends) {
    available += resources;
    if (available >= width) return {time, available - width};
  }
  return {grid::Instant::max(), 0};
}

void Cluster::start(std::size_t place) {
  const int job = queue_[place];
  queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(place));
  auto& one = world_.jobs[static_cast<std::size_t>(job)];
  one.state = JobState::launching;
  one.held = world_.agenda.now();
  world_.changed.push_back(job);
  one.shares = std::move(taken_->shares);
  one.woke = taken_->wakes;
  taken_.reset();
  holding_.push_back(job);
  world_.usage.push_back({world_.agenda.now(), index_, one.campaign, one.width});
  world_.agenda.add(after(world_.agenda.now(), one.woke + spec_.start_delay),
                    {.kind = Event::Kind::job_runs, .cluster = index_, .job = job});
  if (one.pool == kNone) return;
  const auto& pool = world_.pools[static_cast<std::size_t>(one.pool)];
  world_.agenda.add(after(*one.held, pool.duration + kLateClaim), {.kind = Event::Kind::pool_closed, .cluster = index_, .job = job});
}

}  // namespace gleaner::gridsim
