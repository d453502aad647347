#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"

namespace gleaner::oar {

/// The states of a job of OAR. `unknown`: a word that this list does not have.
enum class RemoteState {
  waiting,
  hold,
  to_launch,
  launching,
  running,
  suspended,
  resuming,
  finishing,
  terminated,
  error,
  to_error,
  to_ack_reservation,
  unknown
};

/// OAR's own word, `toLaunch`; empty for unknown.
[[nodiscard]] std::string_view name_of(RemoteState state);
[[nodiscard]] RemoteState remote_state(std::string_view name);

/// It will never run again: Terminated or Error. Nothing else is an end, toError is only near it.
[[nodiscard]] bool is_over(RemoteState state);
/// It has resources of the cluster now. A suspended job keeps none for others to count on: OAR
/// may give them away, but it takes them back, so it counts.
[[nodiscard]] bool holds_resources(RemoteState state);

/// What lists say of a job, whoever owns it. What OAR does not tell is empty. Texts are made by text::clean_text; the command alone is
/// as OAR gives it, because it is compared and never shown.
struct RemoteJob {
  grid::RemoteJobId id{0};
  std::optional<grid::RemoteJobId> array;
  std::string name;
  std::string owner;
  std::string queue;
  std::string project;
  std::string command;
  std::string message;  ///< `R=1,W=0:5:0,J=B,N=name,T=besteffort (Karma=0.000)`, or why it waits
  RemoteState state = RemoteState::unknown;
  grid::Instant submitted{};
  std::optional<grid::Instant> started;
  std::optional<grid::Instant> stopped;
  std::optional<int> exit_status;  ///< as wait() gives it: `exit 3` is 768; none before the end and in Error
  std::optional<int> resources;    ///< R= of the message
  std::optional<grid::Seconds> walltime;
  std::string stderr_path;  ///< on the cluster; empty when the list does not tell it

  /// In the queue of best-effort jobs, or of that type: a local job may take its place.
  [[nodiscard]] bool is_best_effort() const;
};

/// Its end is recorded: Terminated, Error, or Finishing with an exit status. OAR's server, when it dies in that moment, leaves a job
/// Finishing for ever.
[[nodiscard]] bool is_over(const RemoteJob& job);

/// The exit status of the command as a shell says it: 3 after `exit 3`, 137 after a SIGKILL.
[[nodiscard]] int shell_status(int wait_status);

struct RemoteEvent {
  std::string type;         ///< WALLTIME, BESTEFFORT_KILL, FRAG_JOB_REQUEST, WORKING_DIRECTORY...
  std::string description;  ///< both by text::clean_text
  grid::Instant date{};
};

/// What OAR says of one job when asked for it alone.
struct JobDetails {
  RemoteJob job;
  std::vector<RemoteEvent> events;
  std::optional<grid::RemoteJobId> resubmitted_as;  ///< OAR runs it again by itself, under this id
  std::optional<grid::RemoteJobId> resubmit_of;     ///< it is itself such a second run
  std::vector<std::string> types;
  std::string directory;
  std::string stdout_file;  ///< `%jobid%` replaced; relative to the directory unless it starts with a slash
  std::string stderr_file;
};

}  // namespace gleaner::oar
