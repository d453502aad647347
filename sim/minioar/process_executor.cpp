#include "sim/minioar/process_executor.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <thread>

#include "sim/minioar/supervisor.hpp"

namespace gleaner::minioar {

namespace {

http::FileDescriptor open_pid(pid_t pid) { return http::FileDescriptor{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))}; }

void poll_for_input(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

}  // namespace

ProcessExecutor::ProcessExecutor(std::string state_directory)
    : state_directory_{std::move(state_directory)},
      epoll_{::epoll_create1(EPOLL_CLOEXEC)},
      wake_event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
  poll_for_input(epoll_.get(), wake_event_.get());
}

JobFiles ProcessExecutor::files_of(JobKey job) const { return job_files(run_directory(state_directory_, job.era), job.id); }

tl::expected<void, std::string> ProcessExecutor::begin(const Execution& execution, Time) {
  std::ofstream{execution.files.nodes} << execution.nodes;
  std::ofstream{execution.files.resources} << execution.properties;
  const auto pid = start_supervisor(execution);
  if (!pid) return tl::unexpected{std::string{std::strerror(errno)}};
  watch(execution.job, *pid);
  return {};
}

void ProcessExecutor::watch(JobKey job, pid_t pid) {
  const std::lock_guard lock{mutex_};
  Process process{pid, open_pid(pid)};
  if (process.handle.valid()) {
    by_handle_.insert_or_assign(process.handle.get(), job);
    poll_for_input(epoll_.get(), process.handle.get());
  } else {
    ended_.push_back(job);  // it is over already
    wake();
  }
  processes_.insert_or_assign(job, std::move(process));
}

Executor::Trace ProcessExecutor::find(JobKey job) {
  const auto files = files_of(job);
  auto trace = find_supervisor(files);
  // The supervisor holds its lock, and writes its pid first.
  for (int look = 0; trace.state == SupervisorState::starting && look < 200; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
    trace = find_supervisor(files);
  }
  if (trace.state == SupervisorState::never_started) return Trace::never_began;
  if (trace.state != SupervisorState::alive) return Trace::over;
  watch(job, trace.pid);
  return Trace::alive;
}

/// 0: it is over.
pid_t ProcessExecutor::pid_of(JobKey job) {
  const std::lock_guard lock{mutex_};
  const auto found = processes_.find(job);
  return found == processes_.end() ? 0 : found->second.pid;
}

void ProcessExecutor::kill(JobKey job, Time) {
  if (const auto pid = pid_of(job); pid != 0) ask_to_kill(pid);
}

void ProcessExecutor::signal(JobKey job, int signal, Time) {
  if (const auto pid = pid_of(job); pid != 0) ask_to_signal(pid, signal);
}

void ProcessExecutor::signal_all(JobKey job, int signal, Time) {
  if (const auto pid = pid_of(job); pid != 0) ask_to_signal_all(pid, signal);
}

std::vector<JobKey> ProcessExecutor::ended(Time) {
  const std::lock_guard lock{mutex_};
  for (const auto job : ended_) {
    const auto found = processes_.find(job);
    if (found == processes_.end()) continue;
    ::waitpid(found->second.pid, nullptr, WNOHANG);
    const int handle = found->second.handle.get();
    // To close it is not enough: a process that another thread is starting has a copy until its exec, and the event of this end would be
    // taken for that of the next job, whose handle has the same number.
    if (handle >= 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, handle, nullptr);
    by_handle_.erase(handle);
    processes_.erase(found);
  }
  return std::exchange(ended_, {});
}

std::optional<JobEnding> ProcessExecutor::ending(JobKey job) { return read_ending(files_of(job)); }

void ProcessExecutor::remove(JobKey job) { remove_files(files_of(job)); }

void ProcessExecutor::wait(int timeout_ms) {
  std::array<epoll_event, 64> events{};
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout_ms);
  const std::lock_guard lock{mutex_};
  for (int i = 0; i < count; ++i) {
    const int fd = events.at(static_cast<std::size_t>(i)).data.fd;
    if (const auto job = by_handle_.find(fd); job != by_handle_.end()) {
      ended_.push_back(job->second);
    } else if (fd == wake_event_.get()) {
      std::uint64_t ignored = 0;
      [[maybe_unused]] const auto got = ::read(fd, &ignored, sizeof ignored);
    }
  }
}

void ProcessExecutor::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_event_.get(), &one, sizeof one);
}

}  // namespace gleaner::minioar
