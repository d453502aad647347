#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "lib/grid/id.hpp"

namespace gleaner::runner {

/// What all the jobs of a launch have in common.
struct LaunchFacts {
  std::string grid;  ///< short name of this grid, letters, digits, `-` and `_`: its folder on the cluster
  grid::CampaignId campaign;
  std::string tag;        ///< the launch's tag: letters, digits, `-`, `_`, `.`
  std::string exec_file;  ///< shell text, read by the shell of the job; the arguments are appended to it
  std::string cluster;
  std::string user;
  std::string workdir;
  std::string resources;  ///< what the JDL asked: `/nodes=1/core=4`
  std::string walltime;   ///< h:m:s
};

/// One job of a launch.
struct TaskFacts {
  grid::TaskNumber task;
  int attempt;
  grid::JobId job;
  std::vector<std::string> arguments;  ///< any bytes but NUL
};

/// The OAR command of a launch: a wrapper that claims the attempt of its task, gives the task its
/// environment and arguments, and notes its start and its end in the launch's journal. It is
/// plain ASCII without quotes that a shell at submission could change.
///
/// On the cluster, in the user's home, all is under `.gleaner/<grid>/<campaign>/`:
/// `claims/<task>.<attempt>` is the folder whose creation is the claim, `journal.<tag>` the journal.
/// The job exits with the status of exec_file, or with grid::kRanNothing.
class JobCommand {
 public:
  /// Errors: a grid or tag with other letters, a NUL, an empty exec_file.
  [[nodiscard]] static tl::expected<JobCommand, std::string> create(const LaunchFacts& facts);

  /// The `command` of the submission.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  explicit JobCommand(std::string text) : text_{std::move(text)} {}
  std::string text_;
};

/// The longest parameter line that a job's shell takes as one word, with room to spare.
inline constexpr std::size_t kLongestLine = 100'000;

/// The parameter line of a job: `<task> <attempt> <job> <arguments in base64, or ->`.
/// Errors: an argument with a NUL, or too long a line.
[[nodiscard]] tl::expected<std::string, std::string> parameter_line(const TaskFacts& task);

/// Which task a job of OAR runs, read back from its command.
struct CommandIdentity {
  grid::CampaignId campaign;
  grid::TaskNumber task;
  int attempt;
  grid::JobId job;

  bool operator==(const CommandIdentity&) const = default;
};

/// Nothing when the command is not one that JobCommand made.
[[nodiscard]] std::optional<CommandIdentity> read_command(std::string_view command);

/// `~/.gleaner/<grid>/<campaign>`: to clean up when the campaign has ended.
[[nodiscard]] std::string campaign_folder(std::string_view grid, grid::CampaignId campaign);

/// The journal of a launch, to read through the API.
[[nodiscard]] std::string journal_path(std::string_view grid, grid::CampaignId campaign, std::string_view tag);

}  // namespace gleaner::runner
