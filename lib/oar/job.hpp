#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/advance_reservation.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/grid/time.hpp"

namespace gleaner::oar {

/// The states of a job in OAR. `unknown`: a state that is not listed here.
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

/// OAR's name of the state, such as `toLaunch`; empty for unknown.
[[nodiscard]] std::string_view name_of(RemoteState state);
[[nodiscard]] RemoteState remote_state(std::string_view name);

/// Whether the job will never run again: Terminated or Error. No other state is an end; toError only precedes one.
[[nodiscard]] bool is_over(RemoteState state);
/// Whether the job holds resources of the cluster now. A suspended job counts: OAR may lend its resources, but takes them back.
[[nodiscard]] bool holds_resources(RemoteState state);

/// A job as lists describe it, whoever owns it. Values that OAR does not report are empty. Texts have passed text::clean_text, except the
/// command, which is compared and never shown.
struct RemoteJob {
  grid::RemoteJobId id{0};
  std::optional<grid::RemoteJobId> array;
  std::string name;
  std::string owner;
  std::string queue;
  std::string project;
  std::string command;
  std::string message;  ///< `R=1,W=0:5:0,J=B,N=name,T=besteffort (Karma=0.000)`, or why the job waits
  RemoteState state = RemoteState::unknown;
  grid::Instant submitted{};
  std::optional<grid::Instant> started;
  std::optional<grid::Instant> stopped;
  std::optional<int> exit_status;  ///< as wait() returns it: `exit 3` is 768; empty before the end and in Error
  std::optional<int> resources;    ///< R= of the message
  std::optional<grid::Seconds> walltime;
  bool reserved = false;    ///< an advance reservation; while it waits, `started` is when it begins
  std::string stderr_path;  ///< on the cluster; empty when the list does not contain it

  [[nodiscard]] grid::ListedAs as() const { return {name, command, owner}; }
  /// In the queue of best-effort jobs, or of that type: it gives way to a local job.
  [[nodiscard]] bool is_best_effort() const;
};

/// The reservations among these jobs that have not begun, by our clock. One without a begin, a walltime or a number of resources is none.
[[nodiscard]] std::vector<grid::AdvanceReservation> reservations_of(const std::vector<RemoteJob>& jobs, grid::Seconds clock_ahead);

/// Whether the job's end is recorded: Terminated, Error, or Finishing with an exit status. If OAR's server dies at that moment, the job
/// stays Finishing forever.
[[nodiscard]] bool is_over(const RemoteJob& job);

/// The command's exit status as a shell reports it: 3 after `exit 3`, 137 after a SIGKILL.
[[nodiscard]] int shell_status(int wait_status);

struct RemoteEvent {
  std::string type;         ///< WALLTIME, BESTEFFORT_KILL, FRAG_JOB_REQUEST, WORKING_DIRECTORY...
  std::string description;  ///< both by text::clean_text
  grid::Instant date{};
};

/// A job as OAR describes it alone.
struct JobDetails {
  RemoteJob job;
  std::vector<RemoteEvent> events;
  std::optional<grid::RemoteJobId> resubmitted_as;  ///< OAR runs the job again, under this id
  std::optional<grid::RemoteJobId> resubmit_of;     ///< the job is itself such a second run, of this one
  std::vector<std::string> types;
  std::string directory;
  std::string stdout_file;  ///< `%jobid%` replaced; relative to the directory unless it starts with a slash
  std::string stderr_file;
  std::vector<std::string> hosts;  ///< its nodes, each once; empty: none were assigned, or they were not asked for
};

}  // namespace gleaner::oar
