#pragma once
#include <sys/types.h>

#include <optional>
#include <string>

#include "sim/minioar/executor.hpp"

namespace gleaner::minioar {

/// The folder of the files of the jobs of an era.
[[nodiscard]] std::string run_directory(const std::string& state_directory, int era);
/// The supervisor holds a lock on `lock` while it lives, and writes its pid there; at the end it writes `status` atomically. Either it or
/// minioar may die at any moment without the other.
[[nodiscard]] JobFiles job_files(const std::string& run_directory, JobNumber job);
void remove_files(const JobFiles& files);

/// How a job ended, as its supervisor recorded.
[[nodiscard]] std::optional<JobEnding> read_ending(const JobFiles& files);

/// Starts the supervisor of a job: the program minioar-job, beside this one. Empty: it could not be started, for the reason in errno.
[[nodiscard]] std::optional<pid_t> start_supervisor(const Execution& execution);

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
