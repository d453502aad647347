#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gleaner::wrapper {

using Time = std::chrono::system_clock::time_point;

/// One execution of a task, by what the runner gives its job.
struct TaskRun {
  std::int64_t campaign = 0;
  std::int64_t task = 0;
  int attempt = 0;
  std::int64_t job = 0;         ///< of the grid
  std::int64_t remote_job = 0;  ///< of OAR: the carrier, for a pooled task
  std::string fence;
  std::vector<std::string> arguments;  ///< with params_shell, as they are written
  bool has_checkpoint = false;         ///< its checkpoint folder holds a file
};

/// A file that a task leaves: relative to the folder in which it runs, or absolute.
struct LeftFile {
  std::string path;
  std::string content;
};

/// A task's reaction to the signal of its campaign's checkpoints.
struct Reaction {
  std::string state;                   ///< written into the file `state` of its checkpoint folder; empty: nothing
  std::chrono::milliseconds after{0};  ///< until it ends
  std::optional<int> status;           ///< with this status; empty: it continues
};

/// A task's work. Signals other than that of the campaign's checkpoints leave it alone; SIGTERM, which OAR sends to all processes of a
/// job that it kills, ends it with status 143.
struct TaskPlan {
  std::chrono::milliseconds duration{0};
  int status = 0;
  bool ignores_term = false;
  Reaction at_checkpoint = {};
  std::string output = {};  ///< of stdout
  std::string errors = {};  ///< of stderr
  std::vector<LeftFile> files = {};
  std::string gives = {};                  ///< what it writes into $CIGRI_GIVES, if its campaign gives something; without blanks in it
  std::chrono::milliseconds processor{0};  ///< time of the processors
  std::int64_t memory = 0;                 ///< KiB
};

/// The operations of the wrapper on files, in their order.
enum class Step {
  make_folder,        ///< that of the fence
  start_file,         ///< `.s`
  claim,              ///< the hard link
  note_loss,          ///< `.d`, `.u` or `.f`
  say_why,            ///< the line in stderr that says why nothing was run
  input_file,         ///< one of the task's input files
  checkpoint_folder,  ///< is made
  given_file,         ///< for what the task gives, likewise
  output_folder,      ///< the files of stdout and stderr in it, too
  streams,            ///< stdout and stderr of a task in the folder in which it runs
  output_file,        ///< one is gathered
  memory_file,        ///< of GNU time
  end,                ///< `.e`, `.w`
  clear_checkpoint,   ///< the folder is removed
  pool_claim          ///< of a pooled task
};

enum class Outcome {
  works,
  fails,  ///< the file system refuses it
  killed  ///< SIGKILL ends all processes of the job before it
};
/// How an operation goes.
struct Moment {
  std::chrono::milliseconds pause{0};  ///< before it
  Outcome outcome = Outcome::works;
};

/// How nodes report the memory of a measured task.
enum class MemoryBy { nothing, cgroup, gnu_time };

/// The parts that the model leaves to its caller: the tasks, and the world around them. A seed may decide.
class Fates {
 public:
  virtual ~Fates() = default;
  /// The fate of the task of a job of the grid, when its command starts.
  [[nodiscard]] virtual TaskPlan task(const TaskRun& run) = 0;
  /// The command of a task ended by itself, with this status.
  virtual void ended(const TaskRun& run, int status) {
    (void)run;
    (void)status;
  }
  /// The fate of any other job: its first process. Its files are not written.
  [[nodiscard]] virtual TaskPlan other_job(std::int64_t remote_job, const std::string& command) = 0;
  [[nodiscard]] virtual Moment before(const TaskRun& run, Step step) {
    (void)run;
    (void)step;
    return {};
  }
  /// A status with which the login shell's start files end the shell of a job before the wrapper begins. Empty: they do not.
  [[nodiscard]] virtual std::optional<int> login_shell_ends(std::int64_t remote_job) {
    (void)remote_job;
    return std::nullopt;
  }
  /// How far the clocks of the nodes are ahead.
  [[nodiscard]] virtual std::chrono::seconds clocks_ahead() { return {}; }
  [[nodiscard]] virtual MemoryBy memory_by() { return MemoryBy::nothing; }
};

}  // namespace gleaner::wrapper
