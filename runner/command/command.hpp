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

/// The OAR command of a launch: a wrapper that claims the attempt of its task, passes the task its environment and arguments, and notes its
/// start and end. It is ASCII, without quotes that a shell at submission could change; grid::read_command reads the job's identity back
/// from it.
///
/// All files are in grid::fence_folder on the cluster, and each has one writer:
///
///   <task>.<attempt>.<job>.<OAR job>.s    the job's own, from its start on; one line: unix time, host, job, OAR job
///   <task>.<attempt>.claim                a hard link to the file of the job that claimed the attempt
///
/// At its end the job renames its own file, which needs no disk space: `.s` becomes `.e<status>` when the command ended, `.d.<holder>` when
/// another job holds the claim (or another run of this job: then its own id), `.u` when no claim could be made, `.f` when workdir cannot
/// be used. The job exits with the status of exec_file, or with grid::kRanNothing in the last three cases.
///
/// OAR begins the job in the home. The wrapper goes to workdir after the claim, once for all tasks of a pool. Its own words, as long as no
/// file of the task's is open, are in OAR's stderr.
///
/// In a pool and in a measured launch, the ends are `.e<status>.<milliseconds>.c<milliseconds of the processors>`; in a measured launch
/// `.m<KiB of memory>` follows, where the node can tell it; in a pool there is also `.w.<milliseconds>` after the task's walltime; the job
/// exits with the status of its own task, or with grid::kRanNothing after that task's walltime. In a pool, the end is a file of its own,
/// and `.s` stays beside it. The stdout and stderr of pooled tasks are `OAR.cigri.<campaign>.<OAR job>.<task>.stdout` and
/// `.stderr` in workdir, as the carrier's are (grid::stream_name).
///
/// With checkpoints (lib/grid/checkpoint.hpp), CIGRI_CHECKPOINT names the folder `checkpoints/<task>` of the campaign's folder. The wrapper
/// forwards the signal to the first process of the command, and removes the folder when the command ended with status 0.
///
/// With input_files, the files of the task are below `inputs/f` in the campaign's folder, CIGRI_INPUTS, before its command runs
/// (lib/grid/input_files.hpp). If one cannot be used, the job ends as when no claim could be made.
///
/// With an output_directory, stdout, stderr and the output files of each task are there (lib/grid/task_outputs.hpp).
class JobCommand {
 public:
  /// Errors: a name of the grid with other characters, a NUL, an empty exec_file.
  [[nodiscard]] static tl::expected<JobCommand, std::string> create(const LaunchFacts& facts);

  /// The `command` of the submission.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// The same without OAR between: `bash -c SCRIPT MARK <words of a parameter line>`. The mark is the name of the task's shell.
  [[nodiscard]] const std::string& script() const { return script_; }
  [[nodiscard]] const std::string& mark() const { return mark_; }

 private:
  JobCommand(std::string script, std::string mark);
  std::string script_;
  std::string mark_;
  std::string text_;
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
