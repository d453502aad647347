#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/id.hpp"

/// The identity of our jobs on a cluster. A restored or reinstalled OAR may assign a known id to another user's job; a job's owner, name
/// and command show whether it is ours.
namespace gleaner::grid {

/// The name of a launch's jobs in OAR, unique to this grid, epoch and launch. `token`: of the epoch that planned the launch.
[[nodiscard]] std::string launch_tag(std::string_view token, CampaignId campaign, LaunchId launch);

/// The parts of a launch's tag.
struct LaunchName {
  CampaignId campaign;
  LaunchId launch;
  std::string_view token;  ///< of the epoch that planned it
};
/// Empty when the name is no tag of a launch.
[[nodiscard]] std::optional<LaunchName> read_tag(std::string_view name);

/// The attempt of a task that a job runs.
struct JobIdentity {
  CampaignId campaign;
  TaskNumber task;
  int attempt;
  JobId job;

  bool operator==(const JobIdentity&) const = default;
};

/// The mark in a command that precedes the job's facts: `gleaner.<campaign>-<token> <task> <attempt> <job> <fence> <arguments>`. The token
/// is that of the launch's tag.
inline constexpr std::string_view kCommandMark{"gleaner."};
[[nodiscard]] std::string command_mark(std::string_view token, CampaignId campaign);

/// Reads a job's identity from its command, as OAR lists it. Older versions wrote commands without a token or a fence; these are read too.
/// Empty when the command is not one of a grid's.
[[nodiscard]] std::optional<JobIdentity> read_command(std::string_view command);

/// The word of a command, or of a line of a pool, that names the folder in which the attempt is claimed. Empty: it has none.
[[nodiscard]] std::optional<std::string_view> read_fence(std::string_view command);

/// The facts of a line `<task> <attempt> <job> <fence> …` of a pool of this campaign.
[[nodiscard]] std::optional<JobIdentity> read_pool_line(CampaignId campaign, std::string_view line);

/// Whether a job that was submitted under this tag has another name in OAR now, because an admission rule of the cluster renames jobs. No
/// launch of any grid has such a name.
[[nodiscard]] bool is_renamed(std::string_view name, std::string_view tag);

/// How OAR lists a job. Everybody can read names and commands there, and give them to jobs of their own; the owner is OAR's own word.
struct ListedAs {
  std::string_view name;
  std::string_view command;
  std::string_view owner;  ///< empty: OAR does not say
};

/// How the jobs of a launch were submitted.
struct SubmittedAs {
  std::string_view tag;    ///< their name
  std::string_view login;  ///< their user
};

/// Which job of this launch it is, if it is one: its owner is the launch's login, its name the launch's tag, and the token in its command
/// that of the tag. A renamed one is known by its command, which must have the token: other grids with the same login give the same
/// numbers. Empty: it is none, or its command is nobody's.
[[nodiscard]] std::optional<JobIdentity> identity_in(const ListedAs& listed, const SubmittedAs& launch);

/// Whether it is that job of this launch.
[[nodiscard]] inline bool is_same_job(const ListedAs& listed, const SubmittedAs& launch, const JobIdentity& job) {
  return identity_in(listed, launch) == job;
}

}  // namespace gleaner::grid
