#include "sim/wrapper/job.hpp"

#include <algorithm>
#include <utility>

#include "sim/wrapper/files.hpp"
#include "sim/wrapper/shell.hpp"

namespace gleaner::wrapper {
namespace {

constexpr int kExited = 256;  // a wait status has the exit status there

std::string path_in(const std::string& folder, const std::string& file) { return file.starts_with('/') ? file : folder + "/" + file; }

/// The default of these signals ends a process.
bool is_fatal(int signal) {
  return signal == SIGHUP || signal == SIGINT || signal == SIGTERM || signal == SIGUSR1 || signal == SIGUSR2 || signal == SIGKILL;
}

}  // namespace

Job::Job(const minioar::Execution& execution, std::optional<Command> command, Fates& fates, Timeline& timeline,
         std::function<void()> on_end)
    : execution_{execution}, command_{std::move(command)}, fates_{fates}, timeline_{timeline}, on_end_{std::move(on_end)} {
  for (std::size_t at = 0; at < execution_.nodes.size();) {
    const auto end = std::min(execution_.nodes.find('\n', at), execution_.nodes.size());
    const auto node = execution_.nodes.substr(at, end - at);
    if (host_.empty()) host_ = node;
    if (node == host_) ++cores_;
    at = end + 1;
  }
}

Job::~Job() {
  if (timer_) timeline_.cancel(*timer_);
  if (grace_) timeline_.cancel(*grace_);
}

std::string Job::variable(std::string_view name) const {
  for (const auto& each : execution_.environment) {
    if (each.starts_with(name) && each.size() > name.size() && each[name.size()] == '=') return each.substr(name.size() + 1);
  }
  return {};
}

std::int64_t Job::date() const { return minioar::seconds_of(timeline_.now() + fates_.clocks_ahead()); }

std::int64_t Job::seconds() const { return date() - began_; }

bool Job::open_outputs() {
  return append_file(path_in(execution_.directory, execution_.stdout_file), {}) &&
         append_file(path_in(execution_.directory, execution_.stderr_file), {});
}

void Job::begin() {
  began_ = date();
  using Kind = minioar::JobEnding::Kind;
  if (!is_folder(execution_.directory)) return end(Kind::no_directory, 0);
  if (!open_outputs()) return end(Kind::no_output, 0);
  if (const auto status = fates_.login_shell_ends(id())) return end(Kind::exited, *status * kExited);
  if (!command_) {
    other_ = fates_.other_job(id(), execution_.command);
    return begin_other(other_.duration);
  }
  if (command_->status) return end(Kind::exited, *command_->status * kExited);
  main_ = std::make_unique<Shell>(*this, 0, command_->words, execution_.directory, path_in(execution_.directory, execution_.stdout_file),
                                  path_in(execution_.directory, execution_.stderr_file));
  main_->begin();
}

void Job::begin_other(Time::duration left) {
  timer_ = timeline_.at(timeline_.now() + left, [this] { end(minioar::JobEnding::Kind::exited, other_.status * kExited); });
}

/// Ends all its processes.
void Job::end(minioar::JobEnding::Kind kind, int wait_status) {
  if (ending_) return;
  main_.reset();
  workers_.clear();
  if (timer_) timeline_.cancel(*timer_);
  if (grace_) timeline_.cancel(*grace_);
  ending_ = minioar::JobEnding{kind, wait_status, minioar::seconds_of(timeline_.now())};
  on_end_();
}

void Job::look_at(Shell& shell) {
  if (!shell.is_over()) return;
  int status = 0;
  try {
    status = shell.status();
  } catch (const Killed&) {
    return end(minioar::JobEnding::Kind::exited, SIGKILL);
  }
  if (shell.worker() == 0) return end(minioar::JobEnding::Kind::exited, status * kExited);
  std::erase_if(workers_, [&](const auto& each) { return each.get() == &shell; });
  main_->worker_ended();
}

void Job::signal(int signal) {
  if (ending_) return;
  if (signal == SIGKILL || (!main_ && is_fatal(signal))) return end(minioar::JobEnding::Kind::exited, signal);
  if (main_ && main_->receive(signal) == Shell::Effect::ends_it) end(minioar::JobEnding::Kind::exited, signal);
}

void Job::signal_all(int signal) {
  if (ending_) return;
  const auto each = [&](auto call) {
    if (main_) call(*main_);
    for (const auto& worker : workers_) call(*worker);
  };
  if (signal == SIGSTOP && timer_ && !left_at_stop_) {
    left_at_stop_ = timer_->first - timeline_.now();
    timeline_.cancel(*timer_);
  }
  if (signal == SIGCONT && left_at_stop_) begin_other(*std::exchange(left_at_stop_, std::nullopt));
  if (signal == SIGSTOP) return each([](Shell& shell) { shell.stop(); });
  if (signal == SIGCONT) return each([](Shell& shell) { shell.carry_on(); });
  each([&](Shell& shell) { shell.command_receives(signal); });
  signal_workers(signal);
  if (main_ || signal != SIGTERM || !other_.ignores_term) this->signal(signal);
}

void Job::kill() {
  if (ending_) return;
  signal_all(SIGCONT);
  signal_all(SIGTERM);
  if (ending_ || grace_) return;
  grace_ = timeline_.at(timeline_.now() + execution_.kill_grace, [this] { end(minioar::JobEnding::Kind::exited, SIGKILL); });
}

void Job::start_workers(int count) {
  for (int worker = 1; worker <= count; ++worker) {
    ++started_workers_;
    workers_.push_back(main_->make_worker(worker));
    workers_.back()->begin();
  }
}

bool Job::has_workers() const { return !workers_.empty(); }

void Job::signal_workers(int signal) {
  for (const auto& worker : workers_) (void)worker->receive(signal);
}

}  // namespace gleaner::wrapper
