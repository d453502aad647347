#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/minioar/job.hpp"

namespace gleaner::minioar {

/// The files in the state directory by which minioar and a job's supervisor communicate. The supervisor holds a lock on `lock` while it
/// lives, and writes its pid there; at the end it writes `status` atomically. Either may die at any moment without the other.
struct JobFiles {
  std::string lock;
  std::string status;
  std::string nodes;
  std::string resources;
};
[[nodiscard]] JobFiles job_files(const std::string& run_directory, JobNumber job);
void remove_files(const JobFiles& files);

/// How a job ended, as its supervisor recorded.
struct JobEnding {
  enum class Kind { exited, no_directory, no_output, lost };
  Kind kind = Kind::lost;  ///< lost: the supervisor was killed
  int wait_status = 0;
  std::int64_t time = 0;
};
[[nodiscard]] std::optional<JobEnding> read_ending(const JobFiles& files);

struct SupervisorOrder {
  JobNumber job;
  JobFiles files;
  std::string execution_log;
  std::string directory;
  std::string stdout_file;
  std::string stderr_file;
  std::string command;
  std::chrono::milliseconds kill_grace;
  std::vector<std::string> environment;
};

/// Starts the supervisor of a job: the program minioar-job, beside this one. Empty: it could not be started.
[[nodiscard]] std::optional<pid_t> start_supervisor(const SupervisorOrder& order);

enum class SupervisorState { never_started, starting, alive, gone };
struct SupervisorTrace {
  SupervisorState state;
  pid_t pid = 0;  ///< when alive
};
/// The state of a job's supervisor, by its lock.
[[nodiscard]] SupervisorTrace find_supervisor(const JobFiles& files);

/// Makes the supervisor end the job: SIGTERM to the job's processes, then SIGKILL after the grace.
void ask_to_kill(pid_t supervisor);
/// Passes a signal to the first process of the job.
void ask_to_signal(pid_t supervisor, int signal);
/// Passes a signal to all the processes of the job.
void ask_to_signal_all(pid_t supervisor, int signal);

}  // namespace gleaner::minioar
