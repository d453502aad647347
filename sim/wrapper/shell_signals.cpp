#include <algorithm>

#include "lib/grid/checkpoint.hpp"
#include "lib/grid/exit_status.hpp"
#include "sim/wrapper/files.hpp"
#include "sim/wrapper/shell.hpp"

/// Events that a shell waits for, and signals that reach it meanwhile.
namespace gleaner::wrapper {

namespace {

/// The wrapper traps these.
bool is_trapped(int signal) { return signal == SIGHUP || signal == SIGINT || signal == SIGTERM || signal == SIGUSR1 || signal == SIGUSR2; }

}  // namespace

void Shell::sleep(std::coroutine_handle<> waiting, std::optional<Time> until) {
  waiting_ = waiting;
  if (until) timer_ = job_.timeline().at(*until, [this] { resume(); });
}

void Shell::wake() {
  if (timer_) job_.timeline().cancel(*timer_);
  timer_.reset();
  if (stopped_) {
    left_at_stop_ = stopped_at_;
  } else if (waiting_) {
    timer_ = job_.timeline().at(now(), [this] { resume(); });
  }
}

/// The shell may be gone after it.
void Shell::resume() {
  timer_.reset();
  std::exchange(waiting_, {}).resume();
  job_.look_at(*this);
}

void Shell::stop() {
  if (std::exchange(stopped_, true)) return;
  stopped_at_ = now();
  if (timer_) {
    left_at_stop_ = timer_->first;
    job_.timeline().cancel(*timer_);
    timer_.reset();
  }
}

/// The event that it waits for is later by as long as it was stopped.
void Shell::carry_on() {
  if (!std::exchange(stopped_, false)) return;
  const auto pause = now() - stopped_at_;
  if (command_) command_->end += pause;
  if (left_at_stop_) timer_ = job_.timeline().at(*std::exchange(left_at_stop_, std::nullopt) + pause, [this] { resume(); });
}

Shell::Effect Shell::receive(int signal) {
  if (!is_trapped(signal) || phase_ == Phase::ignoring) return Effect::none;
  if (phase_ == Phase::claiming) return Effect::ends_it;
  signalled_ = true;
  const auto forwarded = grid::checkpoint_signal(script_.checkpoint_signal);
  if (!command_) {
    if (waits_for_workers_) wake();
    return Effect::none;
  }
  if (!forwarded || *forwarded != signal) return Effect::none;
  const auto& reaction = command_->plan.at_checkpoint;
  if (!reaction.state.empty()) (void)write_file(campaign_folder() + "/checkpoints/" + words_[0] + "/state", reaction.state, Create::any);
  if (const auto end = now() + reaction.after; reaction.status && end < command_->end) {
    command_->end = end;
    command_->status = *reaction.status;
    command_->by_itself = false;
    wake();
  }
  return Effect::none;
}

void Shell::command_receives(int signal) {
  if (!command_ || !is_trapped(signal) || (signal == SIGTERM && command_->plan.ignores_term)) return;
  command_->end = now();
  command_->status = grid::kSignalled + signal;
  command_->by_itself = false;
  wake();
}

void Shell::worker_ended() {
  if (!job_.has_workers() && waits_for_workers_) wake();
}

}  // namespace gleaner::wrapper
