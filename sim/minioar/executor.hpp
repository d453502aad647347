#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <tl/expected.hpp>

#include "sim/minioar/job.hpp"

namespace gleaner::minioar {

/// The files in the state directory by which minioar and a job's supervisor communicate (supervisor.hpp).
struct JobFiles {
  std::string lock;
  std::string status;
  std::string nodes;
  std::string resources;
};

/// A job for its executor: an id may denote another job in each era (Ledger::era).
struct JobKey {
  int era = 0;
  JobNumber id = 0;
  auto operator<=>(const JobKey&) const = default;
};
[[nodiscard]] inline JobKey key_of(const Job& job) { return {job.era, job.id}; }

/// How the processes of a job ended.
struct JobEnding {
  enum class Kind { exited, no_directory, no_output, lost };
  Kind kind = Kind::lost;  ///< lost: the supervisor was killed
  int wait_status = 0;
  std::int64_t time = 0;
};

/// A job to be executed.
struct Execution {
  JobKey job;
  JobFiles files;
  std::string execution_log;
  std::string directory;
  std::string stdout_file;
  std::string stderr_file;
  std::string command;
  std::chrono::milliseconds kill_grace;
  std::vector<std::string> environment;
  std::string nodes;       ///< the lines of OAR's file of nodes
  std::string properties;  ///< the lines of OAR's file of resources
};

/// The line of the execution log that shows that the command of a job was started.
[[nodiscard]] inline std::string start_line(std::string_view job, std::int64_t time) {
  return fmt::format("{{\"what\":\"start\",\"job\":{},\"time\":{}}}\n", job, time);
}

/// Executes the jobs of an engine: as processes of this machine (process_executor.hpp), or as a caller's model of them. An executor may
/// outlive its engine. The engine calls it with its lock held, except begin().
class Executor {
 public:
  using Time = std::chrono::system_clock::time_point;
  enum class Trace { never_began, alive, over };

  virtual ~Executor() = default;
  /// Executes a job: ended() reports its end. Error: why it cannot be executed.
  [[nodiscard]] virtual tl::expected<void, std::string> begin(const Execution& execution, Time now) = 0;
  /// The trace of a job that an earlier engine on this state directory may have begun. ended() reports its end, if it is alive.
  [[nodiscard]] virtual Trace find(JobKey job) = 0;
  /// Ends the job: SIGTERM to its processes, then SIGKILL after the grace. These three: nothing if it is over.
  virtual void kill(JobKey job, Time now) = 0;
  /// Passes a signal to the first process of the job.
  virtual void signal(JobKey job, int signal, Time now) = 0;
  /// Passes a signal to all the processes of the job.
  virtual void signal_all(JobKey job, int signal, Time now) = 0;
  /// The jobs that are over by `now`, in the order of their ends; each is reported once.
  [[nodiscard]] virtual std::vector<JobKey> ended(Time now) = 0;
  /// When it is next to be asked for ends. Empty: nothing is due, or it wakes its engine itself.
  [[nodiscard]] virtual std::optional<Time> next_event() const = 0;
  /// How a job ended. Empty: it is not over, or that was lost.
  [[nodiscard]] virtual std::optional<JobEnding> ending(JobKey job) = 0;
  /// Removes all of a job that is over.
  virtual void remove(JobKey job) = 0;
};

}  // namespace gleaner::minioar
