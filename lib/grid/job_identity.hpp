#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/id.hpp"

/// The identity of our jobs on a cluster. A restored or reinstalled OAR may assign a known id to another user's job; a job's name and
/// command are ours.
namespace gleaner::grid {

/// The name of a launch's jobs in OAR, unique to this grid and launch.
[[nodiscard]] std::string launch_tag(std::string_view grid_token, CampaignId campaign, LaunchId launch);

/// Whether the name is the tag of a launch of this grid.
[[nodiscard]] bool is_launch_tag(std::string_view name, std::string_view grid_token);

/// The attempt of a task that a job runs.
struct JobIdentity {
  CampaignId campaign;
  TaskNumber task;
  int attempt;
  JobId job;

  bool operator==(const JobIdentity&) const = default;
};

/// The mark in a command that precedes the job's facts: `gleaner.<campaign> <task> <attempt> <job> <fence> <arguments>`.
inline constexpr std::string_view kCommandMark{"gleaner."};

/// Reads a job's identity from its command, as OAR lists it. Older versions wrote commands without a fence; these are read too. Empty when
/// the command is not one of this grid's.
[[nodiscard]] std::optional<JobIdentity> read_command(std::string_view command);

/// Whether a job that OAR lists under this name and command is that job of the launch with this tag.
[[nodiscard]] bool is_same_job(std::string_view name, std::string_view command, std::string_view tag, const JobIdentity& job);

}  // namespace gleaner::grid
