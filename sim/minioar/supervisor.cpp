#include "sim/minioar/supervisor.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "lib/process/helper.hpp"
#include "sim/minioar/spawn.hpp"
#include "sim/minioar/supervisor_protocol.hpp"

namespace gleaner::minioar {
namespace {

const std::string& supervisor_program() {
  static const std::string program = process::helper_program("minioar-job");
  return program;
}

}  // namespace

std::string run_directory(const std::string& state_directory, int era) {
  return state_directory + (era == 0 ? "/run" : fmt::format("/run.{}", era));
}

JobFiles job_files(const std::string& run_directory, JobNumber job) {
  const auto base = fmt::format("{}/{}", run_directory, job);
  return {base + ".lock", base + ".status", base + ".nodes", base + ".resources"};
}

void remove_files(const JobFiles& files) {
  for (const auto& path : {files.status, files.nodes, files.resources, files.lock}) ::unlink(path.c_str());
}

std::optional<JobEnding> read_ending(const JobFiles& files) {
  std::ifstream file{files.status};
  int kind = 0;
  JobEnding ending;
  if (!(file >> kind >> ending.wait_status >> ending.time)) return std::nullopt;
  ending.kind = static_cast<JobEnding::Kind>(kind);
  return ending;
}

std::optional<pid_t> start_supervisor(const Execution& execution) {
  const int lock = ::open(execution.files.lock.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (lock < 0) return std::nullopt;
  // The lock belongs to the open file, which the supervisor inherits, so it is held without interruption.
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock);
    return std::nullopt;
  }
  SpawnRequest request;
  request.program = supervisor_program();
  request.arguments = {"minioar-job",          std::to_string(execution.job.id),
                       execution.files.status, execution.execution_log,
                       execution.directory,    execution.stdout_file,
                       execution.stderr_file,  std::to_string(execution.kill_grace.count()),
                       execution.command};
  request.environment = execution.environment;
  request.descriptors = {{lock, kLockDescriptor}};
  request.blocked_signals = {SIGTERM, SIGCHLD, signal_to_first(), signal_to_all()};
  const auto pid = spawn(request);
  ::close(lock);
  return pid;
}

SupervisorTrace find_supervisor(const JobFiles& files) {
  const int lock = ::open(files.lock.c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0) return {SupervisorState::never_started};
  const bool held = ::flock(lock, LOCK_SH | LOCK_NB) != 0;
  char text[32] = "";
  const auto size = ::read(lock, text, sizeof text - 1);
  ::close(lock);
  const auto pid = size > 0 ? static_cast<pid_t>(std::strtol(text, nullptr, 10)) : 0;
  if (held) return pid > 0 ? SupervisorTrace{SupervisorState::alive, pid} : SupervisorTrace{SupervisorState::starting};
  return {pid > 0 ? SupervisorState::gone : SupervisorState::never_started};
}

void ask_to_kill(pid_t supervisor) { ::kill(supervisor, SIGTERM); }

void ask_to_signal(pid_t supervisor, int signal) {
  sigval value{};
  value.sival_int = signal;
  ::sigqueue(supervisor, signal_to_first(), value);
}

void ask_to_signal_all(pid_t supervisor, int signal) {
  sigval value{};
  value.sival_int = signal;
  ::sigqueue(supervisor, signal_to_all(), value);
}

}  // namespace gleaner::minioar
