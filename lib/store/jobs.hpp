#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Jobs that OAR has, and what becomes of their tasks.
namespace gleaner::store {

struct LiveJob {
  grid::JobId id{0};
  grid::RemoteJobId remote{0};
  grid::JobState state = grid::JobState::remote_waiting;
  grid::CampaignId campaign{0};
  grid::TaskNumber task{0};
  int attempt = 0;
  int earlier = 0;        ///< attempts of its task before this one that max_attempts counts
  std::optional<int> resources;
  int resubmissions = 0;  ///< by OAR itself
  int charged = 0;        ///< of its task, before this job
  bool kill_sent = false;
  std::string kill_reason;
  std::string login;
  int failures_in_a_row = 0;  ///< of its campaign on this cluster
  grid::Seconds walltime{};   ///< that it was launched with
  std::optional<grid::Seconds> max_walltime;  ///< up to where its task's may grow there
};
[[nodiscard]] std::vector<LiveJob> live_jobs(Transaction& transaction, grid::ClusterId cluster);

/// What a poll saw of a job that goes on.
struct Observation {
  grid::JobId job{0};
  grid::JobState state = grid::JobState::remote_waiting;  ///< or running
  std::optional<grid::Instant> started_at;
  std::optional<int> resources;
};
void observe_jobs(Transaction& transaction, std::span<const Observation> observations);

/// What an end does to the task: it is done, it failed for good, it goes back to the bag, or
/// another job of the same attempt decides.
enum class Outcome { done, failed, goes_back, keep };

/// Where in the bag a task goes back to.
enum class BagPlace : int { last = 0, before_new = 10, first = 20 };

struct Ending {
  grid::JobId job{0};
  grid::JobState state = grid::JobState::terminated;  ///< or error, killed
  grid::JobEnd end = grid::JobEnd::done;
  std::optional<int> exit_status;  ///< a wait status
  std::optional<grid::Instant> started_at;
  std::optional<grid::Instant> ended_at;
  std::optional<int> resources;
  Outcome outcome = Outcome::done;
  BagPlace place = BagPlace::before_new;
  std::string message;
  std::optional<grid::Seconds> walltime;  ///< that the task gets from now on; nothing: as before
};
/// Ends the jobs and settles their tasks, each guarded by state and attempt; charges what the
/// task pays for. Number of jobs that were still alive.
int end_jobs(Transaction& transaction, std::span<const Ending> endings, grid::Instant now);

/// OAR resubmitted the job by itself under another id.
void follow_job(Transaction& transaction, grid::JobId job, grid::RemoteJobId from, grid::RemoteJobId to);

struct Twin {
  grid::JobId id{0};
  grid::JobState state = grid::JobState::unknown;
  std::optional<grid::JobEnd> end;
};
/// The other jobs of the same attempt of a task.
[[nodiscard]] std::vector<Twin> twins(Transaction& transaction, const LiveJob& job);
/// The claim of an attempt was taken, and a job of a void launch is the only one that can hold
/// it: its launch is searched for again. False when there is no such launch.
bool reopen_twin(Transaction& transaction, const LiveJob& job);

/// Those of the ids that are jobs of ours.
[[nodiscard]] std::vector<grid::RemoteJobId> known_remotes(Transaction& transaction, grid::ClusterId cluster,
                                                           std::span<const grid::RemoteJobId> remotes);

/// Resources that our waiting jobs on the cluster will take.
[[nodiscard]] double waiting_resources(Transaction& transaction, grid::ClusterId cluster);

/// Ends the campaigns of which no task is left to do; cancels tasks that came back to the bag of a
/// campaign just when it was cancelled.
std::vector<grid::CampaignId> finish_campaigns(Transaction& transaction, grid::Instant now);

}  // namespace gleaner::store
