#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/id.hpp"

/// How a job of ours is known on its cluster: OAR's ids may be given to somebody else's job (a restored or reinstalled OAR), the name
/// and the command of a job are what we gave it.
namespace gleaner::grid {

/// The name of a launch's jobs in OAR, unique to this grid and launch.
[[nodiscard]] std::string launch_tag(std::string_view grid_token, CampaignId campaign, LaunchId launch);

/// Whether a job of this name is of a launch of this grid.
[[nodiscard]] bool is_launch_tag(std::string_view name, std::string_view grid_token);

/// Which attempt of which task a job runs.
struct JobIdentity {
  CampaignId campaign;
  TaskNumber task;
  int attempt;
  JobId job;

  bool operator==(const JobIdentity&) const = default;
};

/// The word of a command that the facts of a job follow: `gleaner.<campaign> <task> <attempt> <job> <fence> <arguments>`.
inline constexpr std::string_view kCommandMark{"gleaner."};

/// Read from the command of a job, as OAR lists it; also from one without a fence, of an older version. Nothing when the grid did not
/// make it.
[[nodiscard]] std::optional<JobIdentity> read_command(std::string_view command);

/// Whether what OAR lists under this name and command is that job of the launch with this tag.
[[nodiscard]] bool is_same_job(std::string_view name, std::string_view command, std::string_view tag, const JobIdentity& job);

}  // namespace gleaner::grid
