#include "sim/minioar/engine.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>

namespace gleaner::minioar {

namespace {

using namespace std::chrono_literals;

constexpr auto kPassInterval = 10ms;  ///< so that simultaneous requests share one pass of the scheduler

}  // namespace

Engine::Engine(EngineOptions options)
    : options_{std::move(options)}, epoll_{::epoll_create1(EPOLL_CLOEXEC)}, wake_event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = 0;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_event_.get(), &event);
}

tl::expected<std::unique_ptr<Engine>, std::string> Engine::start(EngineOptions options) {
  std::unique_ptr<Engine> engine{new Engine{std::move(options)}};
  if (auto opened = engine->open(); !opened) return tl::unexpected{opened.error()};
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  engine->thread_ = std::thread{[&each = *engine] { each.loop(); }};
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return engine;
}

Engine::~Engine() { stop(); }

tl::expected<void, std::string> Engine::open() {
  const auto& directory = options_.state_directory;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return tl::unexpected{fmt::format("cannot make the state directory {}: {}", directory, error.message())};
  auto log = Journal::append_to(directory + "/executions.log");
  if (!log) return tl::unexpected{log.error()};
  log_ = std::make_unique<Journal>(std::move(*log));
  auto ledger = Ledger::open(directory + "/journal", make_resources(options_.shape));
  if (!ledger) return tl::unexpected{ledger.error()};
  ledger_ = std::move(*ledger);
  std::filesystem::create_directories(run_directory(ledger_->era()), error);
  if (error) return tl::unexpected{fmt::format("cannot make the directory {}: {}", run_directory(ledger_->era()), error.message())};
  const auto unfinished = ledger_->unfinished();
  for (const auto id : unfinished) {
    if (auto& job = *ledger_->find(id); started(job.state)) recover(job);
  }
  return {};
}

std::string Engine::run_directory(int era) const { return options_.state_directory + (era == 0 ? "/run" : fmt::format("/run.{}", era)); }

JobFiles Engine::files_of(const Job& job) const { return job_files(run_directory(job.era), job.id); }

void Engine::recover(Job& job) {
  if (job.state == JobState::finishing) return;
  if (job.missed != Missed::nothing && job.missed != Missed::running) return recover_ghost(job);
  const auto files = files_of(job);
  auto trace = find_supervisor(files);
  // The supervisor holds its lock, and writes its pid first.
  for (int look = 0; trace.state == SupervisorState::starting && look < 200; ++look) {
    std::this_thread::sleep_for(10ms);
    trace = find_supervisor(files);
  }
  switch (trace.state) {
    case SupervisorState::alive:
      if (job.missed == Missed::nothing && (job.state == JobState::to_launch || job.state == JobState::launching))
        job.state = JobState::running;
      watch(job, trace.pid, Clock::from_time_t(job.start_time) + 1s);
      ledger_->save(job);
      if (job.fragged && ledger_->server().alive) send_kill(job);
      break;
    case SupervisorState::gone:
    case SupervisorState::starting: {
      const auto ending = read_ending(files).value_or(JobEnding{.time = seconds_of(Clock::now())});
      if (ledger_->server().alive) {
        finish(job, ending, job.fragged);
      } else {
        miss_end(job, ending, job.fragged);
      }
      break;
    }
    case SupervisorState::never_started:
      job.state = JobState::waiting;
      job.start_time = 0;
      job.resources.clear();
      job.moldable.reset();
      ledger_->save(job);
      if (job.fragged) frag(job, job.submission->user, seconds_of(Clock::now()));
  }
}

void Engine::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_event_.get(), &one, sizeof one);
}

void Engine::log(const std::string& line) { log_->add(line); }

void Engine::loop() {
  std::vector<SupervisorOrder> orders;
  int timeout = 0;
  while (true) {
    wait(timeout);
    orders.clear();
    {
      const std::lock_guard lock{mutex_};
      if (stopping_) return;
      step(Clock::now(), orders);
      timeout = timeout_ms(Clock::now());
    }
    for (const auto& order : orders) {
      const auto pid = start_supervisor(order);
      const std::lock_guard lock{mutex_};
      launched(order, pid);
    }
    if (!orders.empty()) timeout = 0;  // their walltimes are not in `timeout` yet
  }
}

int Engine::timeout_ms(Clock::time_point now) {
  if (!ledger_->server().alive) return -1;
  std::optional<Clock::time_point> next;
  const auto at = [&](Clock::time_point time) { next = std::min(next.value_or(time), time); };
  if (dirty_ && !draining_) at(last_pass_ + kPassInterval);
  if (!launches_.empty()) at(std::max(launches_.front().not_before, next_launch_));
  for (const auto& [id, running] : running_) {
    if (running.walltime_end && !running.kill_sent) at(*running.walltime_end);
    if (running.checkpoint_at) at(*running.checkpoint_at);
    if (running.preempt_at) at(*running.preempt_at);
  }
  for (const auto& [id, ghost] : ghosts_) {
    if (ghost.reports_at) at(*ghost.reports_at);
    if (ghost.walltime_end && !ghost.killed_at) at(*ghost.walltime_end);
    if (ghost.killed_at) at(*ghost.killed_at + options_.exterminate_after * ghost.kills / 2);
  }
  for (const auto id : ledger_->unfinished()) {
    const auto& job = *ledger_->find(id);
    if (job.state == JobState::waiting && job.submission->not_before > seconds_of(now)) at(Clock::from_time_t(job.submission->not_before));
  }
  if (!next) return -1;
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(*next - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(rest, 0, 3'600'000));
}

void Engine::wait(int timeout) {
  std::array<epoll_event, 64> events{};
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout);
  const std::lock_guard lock{mutex_};
  for (int i = 0; i < count; ++i) {
    const auto id = static_cast<JobNumber>(events.at(static_cast<std::size_t>(i)).data.u64);
    if (id != 0) {
      ended_.push_back(id);
      continue;
    }
    std::uint64_t ignored = 0;
    [[maybe_unused]] const auto got = ::read(wake_event_.get(), &ignored, sizeof ignored);
  }
}

void Engine::step(Clock::time_point now, std::vector<SupervisorOrder>& orders) {
  for (const auto id : std::exchange(ended_, {})) reap(id);
  if (!ledger_->server().alive) return;
  enforce_times(now);
  step_ghosts(now);
  const auto second = seconds_of(now);
  for (const auto id : ledger_->unfinished()) {
    const auto& job = *ledger_->find(id);
    const auto not_before = job.submission->not_before;
    if (not_before > seconds_of(last_pass_) && not_before <= second && job.state == JobState::waiting) dirty_ = true;
  }
  if (dirty_ && !draining_ && now - last_pass_ >= kPassInterval) {
    dirty_ = false;
    last_pass_ = now;
    schedule_pass(second);
  }
  launch_due(now, orders);
}

void Engine::note_walltime(Job& job, std::int64_t now) {
  ledger_->add_event(job, "WALLTIME",
                     words(dialect().over_walltime, fmt::arg("job", job.id), fmt::arg("start", job.start_time),
                           fmt::arg("walltime", job.walltime().value_or(0)), fmt::arg("now", now)),
                     now);
}

void Engine::note_kill(Job& job, std::int64_t now) {
  ledger_->add_event(job, "SEND_KILL_JOB", words(dialect().kill_sent, fmt::arg("node", first_node(job)), fmt::arg("job", job.id)), now);
}

void Engine::expire(Job& job, std::int64_t now) {
  ledger_->add_event(job, "FRAG_JOB_REQUEST", fmt::format("User root requested to frag the job {}", job.id), now);
  note_walltime(job, now);
  job.fragged = true;
  ledger_->save(job);
  carry_out_deletions();
}

void Engine::enforce_times(Clock::time_point now) {
  const auto second = seconds_of(now);
  for (auto& [id, running] : running_) {
    auto& job = *ledger_->find(id);
    if (running.checkpoint_at && *running.checkpoint_at <= now) {
      running.checkpoint_at.reset();
      signal_checkpoint(job, "sarko", second);
    }
    if (running.preempt_at && *running.preempt_at <= now) {
      running.preempt_at.reset();
      dirty_ = true;
    }
    // OAR does not enforce the walltime of a job that is still Launching.
    const bool watched = job.missed != Missed::running;
    if (watched && running.walltime_end && *running.walltime_end <= now && !running.kill_sent) expire(job, second);
  }
}

void Engine::schedule_pass(std::int64_t now) {
  std::vector<Holder> holders;
  std::vector<Candidate> normal;
  std::vector<Candidate> best_effort;
  for (const auto id : ledger_->unfinished()) {
    const auto& job = *ledger_->find(id);
    const auto& submission = *job.submission;
    if (started(job.state)) {
      holders.push_back({id, job.resources, job.start_time == 0 ? now : job.start_time,
                         std::max(now + 1, (job.start_time == 0 ? now : job.start_time) + job.walltime().value_or(0)),
                         submission.best_effort(), job.fragged});
      continue;
    }
    const bool blocked = std::any_of(submission.after.begin(), submission.after.end(), [&](JobNumber before) {
      const auto* other = ledger_->find(before);
      return other != nullptr && !over(other->state);
    });
    if (job.state != JobState::waiting || blocked || submission.not_before > now || is_held(submission)) continue;
    (submission.best_effort() ? best_effort : normal)
        .push_back({id, &submission.moldables, &submission.condition, submission.best_effort()});
  }
  for (const auto id : std::exchange(predicted_, {})) {
    if (auto& job = *ledger_->find(id); queued(job.state)) job.scheduled_start.reset();
  }
  normal.insert(normal.end(), best_effort.begin(), best_effort.end());
  const auto plan = schedule(now, ledger_->resources(), holders, normal);
  for (const auto& start : plan.starts) begin(start, now);
  for (const auto& [id, time] : plan.predictions) {
    auto& job = *ledger_->find(id);
    job.scheduled_start = time;
    job.message = job.submission->message + " (Karma=0.000,quota_ok)";
    predicted_.push_back(id);
  }
  for (const auto id : plan.kills) preempt_for_local(*ledger_->find(id), now);
}

void Engine::reap(JobNumber id) {
  const auto found = running_.find(id);
  if (found == running_.end()) return;
  const bool kill_sent = found->second.kill_sent;
  ::waitpid(found->second.pid, nullptr, WNOHANG);
  running_.erase(found);
  const auto ending = read_ending(files_of(*ledger_->find(id))).value_or(JobEnding{.time = seconds_of(Clock::now())});
  if (ledger_->server().alive) {
    finish(*ledger_->find(id), ending, kill_sent);
  } else {
    miss_end(*ledger_->find(id), ending, kill_sent);
  }
}

void Engine::send_kill(Job& job) {
  if (const auto ghost = ghosts_.find(job.id); ghost != ghosts_.end()) {
    if (!ghost->second.killed_at) kill_ghost(job, ghost->second, Clock::now());
    return;
  }
  const auto found = running_.find(job.id);
  if (found == running_.end() || found->second.kill_sent) return;
  found->second.kill_sent = true;
  note_kill(job, seconds_of(Clock::now()));
  ask_to_kill(found->second.pid);
}

std::string Engine::first_node(const Job& job) const {
  return job.resources.empty() ? std::string{} : ledger_->resources()[static_cast<std::size_t>(job.resources.front())].host;
}

void Engine::stop() {
  if (!thread_.joinable()) return;
  if (options_.kill_jobs_on_exit) {
    const auto deadline = Clock::now() + options_.kill_grace + 5s;
    std::unique_lock lock{mutex_};
    draining_ = true;
    for (const auto& launch : std::exchange(launches_, {})) frag(*ledger_->find(launch.job), "root", seconds_of(Clock::now()));
    for (const auto& [id, running] : running_) frag(*ledger_->find(id), "root", seconds_of(Clock::now()));
    while (!running_.empty() && Clock::now() < deadline) {
      lock.unlock();
      std::this_thread::sleep_for(10ms);
      lock.lock();
    }
    end_strays(deadline);
  }
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  wake();
  thread_.join();
}

}  // namespace gleaner::minioar
