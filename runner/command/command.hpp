#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"

namespace gleaner::runner {

/// A launch whose jobs, the carriers, also take pooled tasks: those of the file `pool` in the launch's folder.
struct PoolFacts {
  std::string folder;           ///< the name of the launch's folder in the campaign's (grid::fence_name)
  grid::Seconds duration;       ///< for which a carrier takes tasks
  grid::Seconds task_walltime;  ///< after which the wrapper ends a task
  grid::JobId first_job;        ///< the least id of its carriers
  int jobs;                     ///< its carriers
  bool side_by_side = false;    ///< a carrier carries out as many tasks at a time as it has cores on its first node
};

/// The facts that all jobs of a launch share.
struct LaunchFacts {
  std::string grid;  ///< the token of the campaign's epoch, letters, digits, `-` and `_`: the grid's folder on the cluster
  grid::CampaignId campaign;
  std::string exec_file;  ///< shell text, read by the shell of the job; the arguments are appended to it, unless it has placeholders
  std::string cluster;
  std::string user;
  std::string workdir;    ///< in which tasks run, absolute; `$HOME`, `$USER` and `$LOGNAME` in it have the job's values
  std::string resources;  ///< as the JDL requests: `/nodes=1/core=4`
  std::string walltime;   ///< of a task, h:m:s
  std::optional<PoolFacts> pool = {};
  bool measured = false;               ///< its jobs note how long their commands took, and what of processors and memory
  std::string output_directory = {};   ///< of stdout and stderr, variables as in workdir; empty: OAR's own files
  std::string output_files = {};       ///< patterns, one a line
  std::string input_files = {};        ///< patterns, one a line
  bool placeholders = false;           ///< the braces of exec_file may be placeholders (lib/text/placeholders.hpp)
  std::string checkpoint_signal = {};  ///< forwarded to the command; empty: the campaign has no checkpoints
  bool params_shell = false;           ///< the arguments are shell text, which the job's shell expands
  bool streams_in_workdir =
      false;                ///< stdout and stderr are files of workdir, which is not the home; false: the output_directory's, or OAR's
  std::string folder = {};  ///< of claims and ends; empty: the campaign's, in the home of the job's user
  bool noted = false;       ///< each job writes its end into its claim too, for a cluster whose API lists no folder
  bool gives = false;       ///< its tasks may give numbers to others, in $CIGRI_GIVES (lib/grid/given.hpp)
  std::string epoch = {};   ///< the token of the launch's epoch, likewise; empty: it is the campaign's
};

/// One job of a launch.
struct TaskFacts {
  grid::TaskNumber task;
  int attempt;
  grid::JobId job;
  std::string fence;                   ///< the name of the folder in which the attempt is claimed (grid::fence_name)
  std::vector<std::string> arguments;  ///< any bytes but NUL; with params_shell, words as a shell reads them
};

/// A program of jobs as a file in a home on a cluster (grid::program_path).
struct ProgramFile {
  std::string sha256;   ///< of the content, and the name of the file
  std::string content;  ///< one group of bash, of which nothing is carried out unless it is whole
};

/// The OAR command of a launch: a wrapper that claims the attempt of its task, passes the task its environment and arguments, and notes its
/// start and end. It is ASCII, without quotes that a shell at submission could change; grid::read_command reads the job's identity back
/// from it.
///
/// It is the facts of the launch, as shell assignments, and the program in runner/wrapper, which leaves out what the launch does not need.
/// The head of runner/wrapper/wrapper.bash says what each file means that it leaves on the cluster. The command has one of two forms: it
/// has the program in it, or calls the file that has it.
class JobCommand {
 public:
  /// Errors: a name of the grid with other characters, a NUL, an empty exec_file.
  [[nodiscard]] static tl::expected<JobCommand, std::string> create(const LaunchFacts& facts);

  /// The `command` of the submission, with the program in it.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// The `command` that calls the file program(): shorter than text().
  [[nodiscard]] const std::string& call() const { return call_; }
  /// Empty: the launch's facts are of a kind or size that only text() can have.
  [[nodiscard]] const std::optional<ProgramFile>& program() const { return program_; }
  /// The same without OAR between: `bash -c SCRIPT MARK <words of a parameter line>`. The mark is the name of the task's shell.
  [[nodiscard]] const std::string& script() const { return script_; }
  [[nodiscard]] const std::string& mark() const { return mark_; }

 private:
  JobCommand(const LaunchFacts& facts, std::string mark);
  std::string script_;
  std::string mark_;
  std::string text_;
  std::string call_;
  std::optional<ProgramFile> program_;
};

/// The longest parameter line (bytes) that a job's shell takes as one word, with a margin.
inline constexpr std::size_t kLongestLine = 100'000;

/// The parameter line of a job: `<task> <attempt> <job> <fence> <arguments in base64, or ->`.
/// Errors: an argument with a NUL, or too long a line.
[[nodiscard]] tl::expected<std::string, std::string> parameter_line(const TaskFacts& task);

/// The line of a pooled task: as parameter_line(), or `<task> <attempt> <job> <fence> = <words>`, which needs no process to be read, if
/// there are arguments and all of them are plain words.
[[nodiscard]] tl::expected<std::string, std::string> pool_line(const TaskFacts& task);

/// The content of a launch's file `pool`: the lines of its pooled tasks, and the line that shows that none is missing.
[[nodiscard]] std::string pool_list(std::span<const std::string> lines);

}  // namespace gleaner::runner
