#include <fmt/format.h>

#include <algorithm>

#include "sim/minioar/engine.hpp"
#include "sim/minioar/job_environment.hpp"
#include "sim/minioar/supervisor.hpp"

/// Starts a job after the scheduler's decision, until it is supervised.
namespace gleaner::minioar {

void Engine::begin(const Start& start, std::int64_t now) {
  auto& job = *ledger_->find(start.job);
  job.state = JobState::to_launch;
  job.resources = start.resources;
  job.moldable = start.moldable;
  job.scheduled_start = now;
  job.message = job.submission->message + " (Karma=0.000,quota_ok)";
  ledger_->save(job);
  if (job.submission->best_effort()) {
    ledger_->add_event(job, "SCHEDULER_PRIORITY_UPDATED_START",
                       fmt::format("Scheduler priority for job {} updated (network_address/resource_id)", job.id), now);
  }
  const auto sleeps = [&](int place) { return ledger_->resources()[static_cast<std::size_t>(place)].state == ResourceState::absent; };
  const bool wakes = std::ranges::any_of(job.resources, sleeps);
  const auto delay =
      options_.start_delay + (wakes ? options_.wake_delay.value_or(std::chrono::milliseconds{0}) : std::chrono::milliseconds{0});
  const Launch launch{job.id, this->now() + delay};
  launches_.insert(std::ranges::upper_bound(launches_, launch.not_before, {}, &Launch::not_before), launch);
}

/// The nodes of a job that slept are awake.
void Engine::wake_nodes(const Job& job) {
  for (const int place : job.resources) {
    const auto& resource = ledger_->resources()[static_cast<std::size_t>(place)];
    if (resource.state != ResourceState::absent) continue;
    const auto host = resource.host;
    for (std::size_t i = 0; i < ledger_->resources().size(); ++i) {
      auto& each = ledger_->resource(static_cast<int>(i));
      if (each.host == host) ledger_->set_state(each, ResourceState::alive);
    }
  }
}

void Engine::launch_due(Clock::time_point now, std::vector<Execution>& orders) {
  while (!launches_.empty() && launches_.front().not_before <= now && next_launch_ <= now) {
    auto& job = *ledger_->find(launches_.front().job);
    launches_.pop_front();
    if (job.state != JobState::to_launch) continue;
    if (options_.start_rate > 0) {
      next_launch_ = now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>{1 / options_.start_rate});
    }
    wake_nodes(job);
    job.state = JobState::launching;
    job.start_time = date_at(now);
    if (!fates_.empty() && launch_badly(job, now)) continue;
    ledger_->save(job);
    orders.push_back(order_for(job));
  }
}

Execution Engine::order_for(const Job& job) const {
  const auto& submission = *job.submission;
  const auto home = home_of(submission.user);
  Execution order;
  order.job = key_of(job);
  order.files = job_files(run_directory(options_.state_directory, job.era), job.id);
  order.execution_log = options_.state_directory + "/executions.log";
  order.directory = submission.directory.starts_with("/") ? submission.directory : "/" + submission.directory;  // OAR starts it there
  order.stdout_file = job.file_name(submission.stdout_file);
  order.stderr_file = job.file_name(submission.stderr_file);
  order.command = job.command;
  order.kill_grace = options_.kill_grace;
  order.environment = job_environment(job, home, order);
  fill_node_files(job, ledger_->resources(), order);
  return order;
}

/// Without the lock, as this takes a while.
void Engine::launch(const Execution& order) {
  const auto begun = executor_.begin(order, now());
  const std::lock_guard lock{mutex_};
  launched(order, begun);
}

void Engine::launched(const Execution& order, const tl::expected<void, std::string>& begun) {
  auto* const known = ledger_->find(order.job.id);
  const auto is_stray = [&] {
    if (begun) strays_.insert(order.job);
  };
  if (known == nullptr || key_of(*known) != order.job) return is_stray();  // the job was forgotten meanwhile
  auto& job = *known;
  const auto now = this->now();
  if (given_up_.erase(job.id) > 0) {
    is_stray();
    give_up(job, "LAUNCHING_OAREXEC_TIMEOUT",
            fmt::format("[bipbip {0}] launching oarexec timeout, exit value = 50; the job {0} is in Error and the node {1} is Suspected",
                        job.id, first_node(job)),
            date_at(now));
    return;
  }
  if (!begun) {
    finish_badly(job, "PING_CHECKER_NODE_SUSPECTED", fmt::format("[bipbip {}] cannot start it: {}", job.id, begun.error()), date_at(now));
    return;
  }
  if (job.missed == Missed::nothing) job.state = JobState::running;
  ledger_->save(job);
  watch(job, now);
  if (job.fragged) send_kill(job);
}

void Engine::watch(const Job& job, Clock::time_point started_at) {
  Running running;
  running.unseen = job.missed == Missed::running;
  if (const auto walltime = job.walltime()) {
    running.walltime_end = started_at + std::chrono::seconds{*walltime};
    if (job.submission->checkpoint > 0) running.checkpoint_at = *running.walltime_end - std::chrono::seconds{job.submission->checkpoint};
  }
  running_.insert_or_assign(job.id, running);
}

}  // namespace gleaner::minioar
