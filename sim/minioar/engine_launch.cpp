#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "sim/minioar/engine.hpp"
#include "sim/minioar/job_environment.hpp"

/// Starts a job after the scheduler's decision, until it is supervised.
namespace gleaner::minioar {

namespace {

http::FileDescriptor open_pid(pid_t pid) { return http::FileDescriptor{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))}; }

}  // namespace

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
  launches_.push_back({job.id, Clock::now() + options_.start_delay});
}

void Engine::launch_due(Clock::time_point now, std::vector<SupervisorOrder>& orders) {
  while (!launches_.empty() && launches_.front().not_before <= now && next_launch_ <= now) {
    auto& job = *ledger_->find(launches_.front().job);
    launches_.pop_front();
    if (job.state != JobState::to_launch) continue;
    if (options_.start_rate > 0) {
      next_launch_ = now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>{1 / options_.start_rate});
    }
    job.state = JobState::launching;
    job.start_time = seconds_of(now);
    if (!fates_.empty() && launch_badly(job, now)) continue;
    ledger_->save(job);
    orders.push_back(order_for(job));
  }
}

SupervisorOrder Engine::order_for(const Job& job) const {
  const auto& submission = *job.submission;
  const auto home = home_of(submission.user);
  SupervisorOrder order;
  order.job = job.id;
  order.files = files_of(job);
  order.execution_log = options_.state_directory + "/executions.log";
  order.directory = submission.directory.starts_with("/") ? submission.directory : "/" + submission.directory;  // OAR starts it there
  order.stdout_file = job.file_name(submission.stdout_file);
  order.stderr_file = job.file_name(submission.stderr_file);
  order.command = job.command;
  order.kill_grace = options_.kill_grace;
  order.environment = job_environment(job, home, order);
  write_node_files(job, ledger_->resources(), order.files);
  return order;
}

void Engine::launched(const SupervisorOrder& order, std::optional<pid_t> pid) {
  auto* const known = ledger_->find(order.job);
  if (known == nullptr || files_of(*known).lock != order.files.lock) {  // the job was forgotten meanwhile
    if (pid) add_stray(*pid);
    return;
  }
  auto& job = *known;
  const auto now = Clock::now();
  if (given_up_.erase(order.job) > 0) {
    if (pid) add_stray(*pid);
    give_up(job, "LAUNCHING_OAREXEC_TIMEOUT",
            fmt::format("[bipbip {0}] launching oarexec timeout, exit value = 50; the job {0} is in Error and the node {1} is Suspected",
                        job.id, first_node(job)),
            seconds_of(now));
    return;
  }
  if (!pid) {
    finish_badly(job, "PING_CHECKER_NODE_SUSPECTED", fmt::format("[bipbip {}] cannot start it: {}", job.id, std::strerror(errno)),
                 seconds_of(now));
    return;
  }
  if (job.missed == Missed::nothing) job.state = JobState::running;
  ledger_->save(job);
  watch(job, *pid, now);
  if (job.fragged) send_kill(job);
}

void Engine::watch(Job& job, pid_t pid, Clock::time_point started_at) {
  Running running;
  running.pid = pid;
  running.handle = open_pid(pid);
  if (const auto walltime = job.walltime()) {
    running.walltime_end = started_at + std::chrono::seconds{*walltime};
    if (job.submission->checkpoint > 0) running.checkpoint_at = *running.walltime_end - std::chrono::seconds{job.submission->checkpoint};
  }
  if (running.handle.valid()) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = static_cast<std::uint64_t>(job.id);
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, running.handle.get(), &event);
  } else {
    ended_.push_back(job.id);  // the job is over already
    wake();
  }
  running_.insert_or_assign(job.id, std::move(running));
}

}  // namespace gleaner::minioar
