#include <algorithm>
#include <csignal>

#include "sim/minioar/engine.hpp"
#include "sim/minioar/process_executor.hpp"

/// The driver of the engine: a thread of its own, or a caller.
namespace gleaner::minioar {

namespace {

using namespace std::chrono_literals;

int milliseconds_until(std::optional<Engine::Clock::time_point> next, Engine::Clock::time_point now) {
  if (!next) return -1;
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(*next - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(rest, 0, 3'600'000));
}

}  // namespace

Engine::Engine(EngineOptions options, std::unique_ptr<ProcessExecutor> processes, Executor& executor)
    : options_{std::move(options)}, processes_{std::move(processes)}, executor_{executor} {
  if (processes_) suffixes_.seed(std::random_device{}());
}

std::string Engine::random_suffix() {
  const std::lock_guard lock{mutex_};
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::string out;
  for (int i = 0; i < 5; ++i) out += kLetters[suffixes_() % kLetters.size()];
  return out;
}

tl::expected<std::unique_ptr<Engine>, std::string> Engine::start(EngineOptions options) {
  auto processes = std::make_unique<ProcessExecutor>(options.state_directory);
  auto& executor = *processes;
  std::unique_ptr<Engine> engine{new Engine{std::move(options), std::move(processes), executor}};
  if (auto opened = engine->open(); !opened) return tl::unexpected{opened.error()};
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  engine->thread_ = std::thread{[&each = *engine] { each.loop(); }};
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return engine;
}

tl::expected<std::unique_ptr<Engine>, std::string> Engine::start_driven(EngineOptions options, Executor& executor) {
  std::unique_ptr<Engine> engine{new Engine{std::move(options), nullptr, executor}};
  engine->wake();
  if (auto opened = engine->open(); !opened) return tl::unexpected{opened.error()};
  return engine;
}

Engine::~Engine() { stop(); }

Engine::Clock::time_point Engine::now() {
  if (processes_) return options_.clock();
  if (!stepping_) at_ = std::max(at_, options_.clock());
  return at_;
}

/// A driven engine has no thread to be woken, and what happens by itself happens after this moment.
void Engine::wake() {
  if (processes_) return processes_->wake();
  (void)now();
}

void Engine::loop() {
  std::vector<Execution> orders;
  int timeout = 0;
  while (true) {
    processes_->wait(timeout);
    orders.clear();
    {
      const std::lock_guard lock{mutex_};
      if (stopping_) return;
      step(now(), orders);
      timeout = milliseconds_until(next_due(), now());
    }
    for (const auto& order : orders) launch(order);
    if (!orders.empty()) timeout = 0;  // their walltimes are not in `timeout` yet
  }
}

/// By the engine's own times, not the executor's.
std::optional<Engine::Clock::time_point> Engine::next_due() const {
  if (!ledger_->server().alive) return std::nullopt;
  std::optional<Clock::time_point> next;
  const auto at = [&](Clock::time_point time) { next = std::min(next.value_or(time), time); };
  if (dirty_ && !draining_) at(last_pass_ + kPassInterval);
  if (!launches_.empty()) at(std::max(launches_.front().not_before, next_launch_));
  for (const auto& [id, running] : running_) {
    if (running.walltime_end && !running.kill_sent && !running.unseen) at(*running.walltime_end);
    if (running.checkpoint_at) at(*running.checkpoint_at);
    if (running.preempt_at) at(*running.preempt_at);
  }
  for (const auto& [id, ghost] : ghosts_) {
    if (ghost.reports_at) at(*ghost.reports_at);
    if (ghost.walltime_end && !ghost.killed_at) at(*ghost.walltime_end);
    if (ghost.killed_at) at(*ghost.killed_at + options_.exterminate_after * ghost.kills / 2);
  }
  if (draining_) return next;
  for (const auto id : ledger_->unfinished()) {
    const auto& job = *ledger_->find(id);
    const auto not_before = job.submission->not_before;
    if (job.state == JobState::waiting && not_before > date_at(last_pass_)) at(moment_of(not_before));
  }
  return next;
}

std::optional<Engine::Clock::time_point> Engine::next_event() {
  const std::lock_guard lock{mutex_};
  auto next = executor_.next_event();
  if (const auto due = next_due(); due && (!next || *due < *next)) next = due;
  if (next) next = std::max(*next, at_);
  return next;
}

void Engine::step_to(Clock::time_point now) {
  stepping_ = true;
  for (auto next = next_event(); next && *next <= now; next = next_event()) {
    at_ = *next;
    std::vector<Execution> orders;
    {
      const std::lock_guard lock{mutex_};
      step(at_, orders);
    }
    for (const auto& order : orders) launch(order);
  }
  at_ = std::max(at_, now);
  stepping_ = false;
}

void Engine::stop() {
  if (!thread_.joinable()) return;
  if (options_.kill_jobs_on_exit) {
    const auto deadline = now() + options_.kill_grace + 5s;
    std::unique_lock lock{mutex_};
    draining_ = true;
    for (const auto& launch : std::exchange(launches_, {})) frag(*ledger_->find(launch.job), "root", date());
    for (const auto& [id, running] : running_) frag(*ledger_->find(id), "root", date());
    for (const auto stray : strays_) executor_.kill(stray, now());
    while ((!running_.empty() || !strays_.empty()) && now() < deadline) {
      lock.unlock();
      std::this_thread::sleep_for(10ms);
      lock.lock();
    }
  }
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  wake();
  thread_.join();
}

}  // namespace gleaner::minioar
