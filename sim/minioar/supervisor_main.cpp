#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "sim/minioar/supervisor.hpp"
#include "sim/minioar/supervisor_protocol.hpp"

namespace gleaner::minioar {

namespace {

using Kind = JobEnding::Kind;

struct Order {
  const char* job;
  const char* status;
  const char* log;
  const char* directory;
  const char* stdout_file;
  const char* stderr_file;
  long kill_grace_ms;
  const char* command;
};

void write_all(int fd, const std::string& text) { [[maybe_unused]] const auto written = ::write(fd, text.data(), text.size()); }

[[noreturn]] void end(const Order& order, Kind kind, int wait_status) {
  const auto temporary = fmt::format("{}.new", order.status);
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd >= 0) {
    write_all(fd, fmt::format("{} {} {}\n", static_cast<int>(kind), wait_status, std::time(nullptr)));
    ::close(fd);
    ::rename(temporary.c_str(), order.status);
  }
  ::_exit(0);
}

/// One line, in one write: the proof that the job was started.
void log_start(const Order& order) {
  const int fd = ::open(order.log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  write_all(fd, start_line(order.job, std::time(nullptr)));
  ::close(fd);
}

[[noreturn]] void become_job(const Order& order, pid_t supervisor, int out, int err) {
  ::setsid();
  // If the supervisor is killed, nothing else enforces the walltime.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != supervisor) ::_exit(127);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(out, 1);
  ::dup2(err, 2);
  ::execl("/bin/bash", "/bin/bash", "-c", order.command, nullptr);
  ::_exit(127);
}

std::vector<pid_t> children_of(pid_t parent) {
  std::ifstream list{fmt::format("/proc/{0}/task/{0}/children", parent)};
  return {std::istream_iterator<pid_t>{list}, {}};
}

/// Sends a signal to a process and its descendants as oarexec does: to all at once, from the top, whatever their process groups. No command
/// sees another one of its job die first.
void signal_tree(pid_t root, int signal) {
  std::vector<pid_t> tree{root};
  for (std::size_t at = 0; at < tree.size(); ++at) {
    for (const pid_t child : children_of(tree[at])) tree.push_back(child);
  }
  for (const pid_t one : tree) ::kill(one, signal);
}

/// Ends the job's remaining processes, which are our children now.
void kill_leftovers(pid_t group) {
  ::kill(-group, SIGKILL);
  while (true) {
    for (const pid_t child : children_of(::getpid())) ::kill(child, SIGKILL);
    pid_t reaped = 0;
    do {
      reaped = ::waitpid(-1, nullptr, 0);
    } while (reaped < 0 && errno == EINTR);
    if (reaped < 0) return;
  }
}

class Watch {
 public:
  Watch(const Order& order, pid_t job) : order_{order}, job_{job} {
    sigemptyset(&signals_);
    for (const int signal : {SIGTERM, SIGCHLD, signal_to_first(), signal_to_all()}) sigaddset(&signals_, signal);
  }

  /// Waits until the job's first process is over; its wait status.
  int run() {
    int status = 0;
    while (true) {
      // The zombie is kept, so that its pid and process group are not reused.
      siginfo_t exited{};
      if (::waitid(P_PID, static_cast<id_t>(job_), &exited, WEXITED | WNOHANG | WNOWAIT) == 0 && exited.si_pid == job_) break;
      handle_signal();
    }
    ::kill(-job_, SIGKILL);
    while (::waitpid(job_, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

 private:
  void handle_signal() {
    siginfo_t info{};
    const timespec grace{order_.kill_grace_ms / 1000, order_.kill_grace_ms % 1000 * 1'000'000};
    const int signal = terminating_ ? ::sigtimedwait(&signals_, &info, &grace) : ::sigwaitinfo(&signals_, &info);
    if (signal == SIGTERM) {
      terminating_ = true;
      signal_tree(job_, SIGTERM);
      ::kill(-job_, SIGCONT);
    } else if (signal == signal_to_first()) {
      ::kill(job_, info.si_value.sival_int);
    } else if (signal == signal_to_all()) {
      ::kill(-job_, info.si_value.sival_int);
    } else if (signal < 0 && errno == EAGAIN) {
      signal_tree(job_, SIGKILL);
    }
  }

  const Order& order_;
  pid_t job_;
  sigset_t signals_{};
  bool terminating_ = false;
};

}  // namespace

}  // namespace gleaner::minioar

/// The supervisor of one job, as minioar starts it (supervisor.hpp): a program of its own, because one as small as this starts in a third
/// of the time that minioar's takes, and each job has one.
int main(int argc, char** argv) {
  using namespace gleaner::minioar;  // NOLINT: the names of this file
  constexpr int kArguments = 9;
  if (argc != kArguments) ::_exit(2);
  const Order order{argv[1], argv[2], argv[3], argv[4], argv[5], argv[6], std::strtol(argv[7], nullptr, 10), argv[8]};
  ::fcntl(kLockDescriptor, F_SETFD, FD_CLOEXEC);
  write_all(kLockDescriptor, fmt::format("{}\n", ::getpid()));
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (::chdir(order.directory) != 0) end(order, Kind::no_directory, 0);
  constexpr int kAppend = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
  const int out = ::open(order.stdout_file, kAppend, 0644);
  const int err = ::open(order.stderr_file, kAppend, 0644);
  if (out < 0 || err < 0) end(order, Kind::no_output, 0);
  log_start(order);
  const pid_t supervisor = ::getpid();
  const pid_t job = ::fork();
  if (job == 0) become_job(order, supervisor, out, err);
  if (job < 0) end(order, Kind::lost, 0);
  const int status = Watch{order, job}.run();
  kill_leftovers(job);
  end(order, Kind::exited, status);
}
