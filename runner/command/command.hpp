#pragma once
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lib/grid/id.hpp"

namespace gleaner::runner {

/// The facts that all jobs of a launch share.
struct LaunchFacts {
  std::string grid;  ///< short name of this grid, letters, digits, `-` and `_`: its folder on the cluster
  grid::CampaignId campaign;
  std::string exec_file;  ///< shell text, read by the shell of the job; the arguments are appended to it
  std::string cluster;
  std::string user;
  std::string workdir;    ///< working directory; `$HOME`, `$USER` and `$LOGNAME` in it have the job's values
  std::string resources;  ///< as the JDL requests: `/nodes=1/core=4`
  std::string walltime;   ///< h:m:s
};

/// One job of a launch.
struct TaskFacts {
  grid::TaskNumber task;
  int attempt;
  grid::JobId job;
  grid::LaunchId fence;                ///< the launch in whose folder the attempt is claimed
  std::vector<std::string> arguments;  ///< any bytes but NUL
};

/// The OAR command of a launch: a wrapper that claims the attempt of its task, passes the task its environment and arguments, and notes its
/// start and end. It is ASCII, without quotes that a shell at submission could change; grid::read_command reads the job's identity back
/// from it.
///
/// All files are in `~/.gleaner/<grid>/<campaign>/<fence>/` on the cluster, and each has one writer:
///
///   <task>.<attempt>.<job>.<OAR job>.s    the job's own, from its start on; one line: unix time, host, job, OAR job
///   <task>.<attempt>.claim                a hard link to the file of the job that claimed the attempt
///
/// At its end the job renames its own file, which needs no disk space: `.s` becomes `.e<status>` when the command ended, `.d.<holder>` when
/// another job holds the claim (or another run of this job: then its own id), `.u` when no claim could be made. The job exits with the
/// status of exec_file, or with grid::kRanNothing in the last two cases.
class JobCommand {
 public:
  /// Errors: a name of the grid with other characters, a NUL, an empty exec_file.
  [[nodiscard]] static tl::expected<JobCommand, std::string> create(const LaunchFacts& facts);

  /// The `command` of the submission.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  explicit JobCommand(std::string text) : text_{std::move(text)} {}
  std::string text_;
};

/// The longest parameter line (bytes) that a job's shell takes as one word, with a margin.
inline constexpr std::size_t kLongestLine = 100'000;

/// The parameter line of a job: `<task> <attempt> <job> <fence> <arguments in base64, or ->`.
/// Errors: an argument with a NUL, or too long a line.
[[nodiscard]] tl::expected<std::string, std::string> parameter_line(const TaskFacts& task);

}  // namespace gleaner::runner
