#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/grid/settle.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Jobs that OAR has, and their consequences for tasks.
namespace gleaner::store {

struct LiveJob {
  grid::JobId id{0};
  grid::RemoteJobId remote{0};
  grid::JobState state = grid::JobState::remote_waiting;
  grid::CampaignId campaign{0};
  grid::TaskNumber task{0};
  int attempt = 0;
  grid::LaunchId launch{0};
  grid::LaunchId fence{0};  ///< in whose folder its attempt is claimed
  std::string tag;          ///< its name in OAR
  std::optional<int> resources;
  int resubmissions = 0;                         ///< by OAR
  std::optional<grid::Instant> absent_since;     ///< since its cluster does not list it
  std::optional<grid::Instant> over_since;       ///< since OAR records it as over, while its evidence is awaited
  std::optional<grid::Instant> launching_since;  ///< since OAR is about to start it
  bool kill_sent = false;
  std::string kill_reason;
  std::string login;
  int failures_in_a_row = 0;                  ///< of its campaign on this cluster
  std::optional<grid::JobId> last_unbegun;    ///< of its campaign on this cluster: the last job that never began
  grid::Seconds walltime{};                   ///< with which it was launched
  bool carries = false;                       ///< it takes pooled tasks after its own
  std::int64_t pool_files = 0;                ///< in the folder of its launch, if it carries
  bool side_by_side = false;                  ///< several at a time
  std::optional<grid::Seconds> max_walltime;  ///< upper bound of its task's walltime there
  std::string exec_directory;                 ///< macros expanded
  std::string output_directory;               ///< of its stderr; empty: it is in exec_directory (grid::stream_name)
  std::string request;                        ///< of resources, if it may name some that are no cores; else empty
};
[[nodiscard]] std::vector<LiveJob> live_jobs(Transaction& transaction, grid::ClusterId cluster);

/// A job that OAR has or had.
struct SubmittedJob {
  grid::JobIdentity job;
  grid::RemoteJobId remote{0};
  std::string tag;
  std::string login;
};
/// Those of these jobs that were submitted to the cluster.
[[nodiscard]] std::vector<SubmittedJob> submitted_jobs(Transaction& transaction, grid::ClusterId cluster,
                                                       std::span<const grid::JobId> jobs);

/// A job of OAR in a launch with pooled tasks.
struct Carrier {
  std::optional<grid::JobEnd> end = {};  ///< of the job, whatever its own task came to; empty: it is not over
  std::optional<grid::Instant> ended_at = {};
  grid::JobId job{0};
  grid::LaunchId fence{0};
  grid::TaskNumber task{0};  ///< its own
  int attempt = 0;
  bool command_over = false;  ///< its own task is over by its files, as was noted before
};
/// A launch with pooled jobs that are not over.
struct Pool {
  grid::LaunchId launch{0};
  grid::LaunchState state = grid::LaunchState::accepted;
  int live_carriers = 0;
  std::optional<grid::Instant> closed_at = {};  ///< when the live ones stop taking tasks; empty: one has not started
  std::optional<grid::Instant> last_end = {};   ///< of the carriers that are over
  bool may_come = false;                        ///< OAR may start one of these late
  std::int64_t files = 0;                       ///< in its folder, when all its tasks are over
  bool may_be_unseen = false;                   ///< one is over of which nobody knows whether or when it begins
  grid::Seconds walltime{};                     ///< of one task
  grid::Seconds duration{};                     ///< for which a carrier takes tasks
  std::map<grid::RemoteJobId, Carrier> carriers = {};
  std::vector<LiveJob> jobs = {};  ///< the pooled ones; `remote`: the carrier that claimed it, 0 while it is unknown
};
[[nodiscard]] std::vector<Pool> live_pools(Transaction& transaction, grid::ClusterId cluster);

/// A pooled job that a carrier claimed.
struct Claimed {
  grid::JobId job{0};
  grid::RemoteJobId carrier{0};
};
void note_carriers(Transaction& transaction, std::span<const Claimed> claimed, grid::Instant now);

/// The files of pools that were read, which show how long tasks run; kept for campaigns that allow replicas.
struct ReadPools {
  std::vector<grid::LaunchId> launches = {};  ///< those of which all files were read
  std::vector<grid::JobId> carriers = {};     ///< those that are over with their own tasks, and go on
};
/// @param at  no later than they were read
void note_read(Transaction& transaction, const ReadPools& read, grid::Instant at);

/// A poll's observation of a job that continues.
struct Observation {
  grid::JobId job{0};
  grid::JobState state = grid::JobState::remote_waiting;  ///< or running
  std::optional<grid::Instant> started_at;
  std::optional<int> resources;
  std::optional<grid::Instant> seen{};  ///< when the poll began
};
void observe_jobs(Transaction& transaction, std::span<const Observation> observations);

/// The times since when a job that continues is in a state that should be short.
struct Waits {
  grid::JobId job{0};
  std::optional<grid::Instant> absent = {}, over = {}, launching = {};
};
void note_waits(Transaction& transaction, std::span<const Waits> waits, grid::Instant now);

/// Jobs that a cluster does not list.
struct AbsentJobs {
  std::int64_t jobs = 0;
  std::optional<grid::JobId> first;
};
[[nodiscard]] AbsentJobs absent_jobs(Transaction& transaction, grid::ClusterId cluster, grid::Instant since_before);

/// The facts for settling a job that is over (the caller fills in `job.began` and `job.claimed`).
struct SettlingFacts {
  grid::JobId id{0};
  grid::JobState state = grid::JobState::running;
  grid::CampaignId campaign{0};
  grid::TaskNumber number{0};
  grid::LaunchId launch{0};
  std::optional<grid::LaunchId> fence;  ///< the earlier launch in whose folder its attempt is claimed; empty: its own
  grid::TaskFacts task;
  grid::JobFacts job;
  std::vector<int> retry_on;  ///< exit statuses after which its campaign's JDL has a failed task run again; empty: any
};
/// Locks the tasks of these jobs until the transaction ends, then reads the facts, by job. To settle a job, call this function first, in
/// the same transaction: two jobs of one attempt that end at once must not each leave the task to the other.
[[nodiscard]] std::vector<SettlingFacts> facts_for_settling(Transaction& transaction, std::span<const grid::JobId> jobs);

/// A job that is over, and the settlement of its task.
struct Verdict {
  SettlingFacts left = {};                            ///< the facts that the rule used; rows that differ from them now are not changed
  grid::JobState state = grid::JobState::terminated;  ///< or error, killed
  grid::JobEnd end = grid::JobEnd::done;
  bool lacked_program = false;               ///< the grid puts it again (doubt_program): this is no failure of the campaign there
  std::optional<grid::JobEnd> run_end = {};  ///< of the job itself, if its own task had ended before
  std::optional<int> exit_status = {};       ///< a wait status
  std::optional<grid::Instant> started_at = {};
  std::optional<grid::Instant> ended_at = {};         ///< empty: now
  std::optional<grid::Instant> checkpointed_at = {};  ///< when OAR itself sent it the last signal for a checkpoint
  std::optional<int> resources = {};
  std::optional<double> duration = {};  ///< of the task, in seconds, as its job measured it; empty: from start to end
  std::optional<double> command = {};   ///< seconds that the commands of all its tasks took; empty: unknown
  std::optional<double> wall = {};      ///< seconds that the command of its own task took; empty: unknown
  std::optional<double> cpu = {};       ///< seconds of the processors that it had; empty: unknown
  std::optional<int> peak_memory = {};  ///< MB of memory that it took at most; empty: unknown
  std::optional<double> io_mb = {};     ///< MB that it read from file systems and wrote to them; empty: unknown
  std::string message = {};
  std::string given = {};        ///< what its task gives to others, if the task is done by it (grid::read_given); empty: nothing
  std::string stderr_line = {};  ///< that its task left, if the task is failed by it (grid::read_stderr_line); empty: none is known
  grid::Settlement settlement = {};
};
/// Ends the jobs, applies the settlements and updates the counters. All verdicts of one call must be of different tasks, because the facts
/// of a second one would be those that the first one leaves. Returns the number of jobs that matched the rule's facts.
int settle_jobs(Transaction& transaction, std::span<const Verdict> verdicts, grid::Instant now);

/// Follows a job that OAR resubmitted under another id. A kill that was sent for the old id is sent again.
void follow_job(Transaction& transaction, grid::JobId job, grid::RemoteJobId from, grid::RemoteJobId to);

/// Forgets OAR's id of a job because another job has it now: the job's launch is searched for by its tag.
void forget_job(Transaction& transaction, grid::JobId job, grid::RemoteJobId remote, std::string_view why);

/// Searches again for the void launch whose job holds the claim of an attempt; that job is live again. False when there is no such launch.
bool reopen_twin(Transaction& transaction, const LiveJob& job);
/// Accepts launches that are searched for, if these jobs were the last of theirs to be found.
void accept_found(Transaction& transaction, std::span<const grid::JobId> jobs, grid::Instant now);
/// Revives a job that ended as never_began, with the id `remote`. False when it ended otherwise, or is no job of the attempt of `twin`,
/// which found its claim.
bool revive_job(Transaction& transaction, grid::JobId job, grid::RemoteJobId remote, const LiveJob& twin);

/// Resources of our jobs that wait on the cluster.
[[nodiscard]] double waiting_resources(Transaction& transaction, grid::ClusterId cluster);

/// Terminates the campaigns whose tasks are all settled, and cancels tasks that returned to the bag of a campaign while it was being
/// cancelled. Removes the brakes of campaigns that are over, and the requests to kill jobs that are.
std::vector<grid::CampaignId> finish_campaigns(Transaction& transaction, grid::Instant now);

}  // namespace gleaner::store
