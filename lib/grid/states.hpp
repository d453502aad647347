#pragma once
#include <array>
#include <optional>
#include <span>
#include <string_view>

/// The state machines of the grid. Each is one table of transitions. A test compares the drawings of ARCHITECTURE.md with these tables, and
/// every UPDATE of a state is guarded by the state that it leaves.
namespace gleaner::grid {

enum class CampaignState { in_treatment, paused, terminated, cancelled };
enum class TaskState { waiting, launching, submitted, running, done, failed, cancelled };
enum class JobState { planned, launching, remote_waiting, running, terminated, error, killed, unknown, pooled };
enum class LaunchState { planned, launching, accepted, refused, unknown, void_ };

/// The end of a job, classified once, from its record and its evidence.
enum class JobEnd {
  done,              ///< exit status 0
  task_error,        ///< the task's own non-zero exit
  rerun_first,       ///< exit status 66: requests another run, before the other tasks
  rerun_last,        ///< exit status 67: requests another run, after the other tasks
  preempted,         ///< a best-effort job that gave way
  walltime,          ///< killed by its walltime
  killed_by_us,      ///< we sent the DELETE
  killed_elsewhere,  ///< deleted on the cluster by somebody else
  node_failure,      ///< the node or the cluster could not run it
  cannot_start,      ///< it could not claim its attempt (in a full home, for example), and ran nothing
  never_began,       ///< it had resources or waited for them, and ran nothing: the cluster's fault
  lost,              ///< an administrator declared it lost
  bad_request,       ///< its working directory or output cannot be used
  duplicate,         ///< found its attempt claimed by a twin, ran nothing
  never_submitted,   ///< its launch was refused or is void
  not_reached        ///< pooled, and the jobs of its launch ended before they came to it
};

/// The party that is charged for an end: a charged attempt counts against max_charged_attempts.
enum class Charge { nobody, task };
[[nodiscard]] Charge charge_of(JobEnd end);

template <class State>
struct Transition {
  State from;
  State to;
};

[[nodiscard]] std::span<const Transition<CampaignState>> campaign_transitions();
[[nodiscard]] std::span<const Transition<TaskState>> task_transitions();
[[nodiscard]] std::span<const Transition<JobState>> job_transitions();
[[nodiscard]] std::span<const Transition<LaunchState>> launch_transitions();

[[nodiscard]] std::string_view name_of(CampaignState state);
[[nodiscard]] std::string_view name_of(TaskState state);
[[nodiscard]] std::string_view name_of(JobState state);
[[nodiscard]] std::string_view name_of(LaunchState state);
[[nodiscard]] std::string_view name_of(JobEnd end);

[[nodiscard]] std::optional<CampaignState> campaign_state(std::string_view name);
[[nodiscard]] std::optional<TaskState> task_state(std::string_view name);
[[nodiscard]] std::optional<JobState> job_state(std::string_view name);
[[nodiscard]] std::optional<LaunchState> launch_state(std::string_view name);
[[nodiscard]] std::optional<JobEnd> job_end(std::string_view name);

}  // namespace gleaner::grid
