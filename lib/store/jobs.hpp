#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/settle.hpp"
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
  grid::LaunchId launch{0};
  grid::LaunchId fence{0};  ///< in whose folder its attempt is claimed
  std::string tag;          ///< its name in OAR
  std::optional<int> resources;
  int resubmissions = 0;                         ///< by OAR itself
  std::optional<grid::Instant> absent_since;     ///< its cluster does not list it
  std::optional<grid::Instant> over_since;       ///< OAR calls it over, and its evidence is awaited
  std::optional<grid::Instant> launching_since;  ///< OAR is about to start it
  bool kill_sent = false;
  std::string kill_reason;
  std::string login;
  int failures_in_a_row = 0;                  ///< of its campaign on this cluster
  grid::Seconds walltime{};                   ///< that it was launched with
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

/// Since when a job that goes on is somewhere that it should not stay.
struct Waits {
  grid::JobId job{0};
  std::optional<grid::Instant> absent = {}, over = {}, launching = {};
};
void note_waits(Transaction& transaction, std::span<const Waits> waits);

/// Jobs that a cluster does not list.
struct AbsentJobs {
  std::int64_t jobs = 0;
  std::optional<grid::JobId> first;
};
[[nodiscard]] AbsentJobs absent_jobs(Transaction& transaction, grid::ClusterId cluster, grid::Instant since_before);

/// What the rule wants to know of a job that is over, and of its task (`job.began` and `job.claimed` are the caller's).
struct SettlingFacts {
  grid::JobId id{0};
  grid::JobState state = grid::JobState::running;
  grid::CampaignId campaign{0};
  grid::TaskNumber number{0};
  grid::LaunchId launch{0};
  std::optional<grid::LaunchId> fence;  ///< of another launch, in whose folder its attempt is claimed
  grid::TaskFacts task;
  grid::JobFacts job;
};
/// Locks the tasks of these jobs until the transaction ends, then reads the facts, by job. Whoever settles a job calls it first, in the
/// same transaction: two jobs of one attempt that end at once must not each leave the task to the other.
[[nodiscard]] std::vector<SettlingFacts> facts_for_settling(Transaction& transaction, std::span<const grid::JobId> jobs);

/// A job that is over, and what the rule made of its task.
struct Verdict {
  SettlingFacts left = {};                            ///< what the rule saw: what is otherwise by now is not changed
  grid::JobState state = grid::JobState::terminated;  ///< or error, killed
  grid::JobEnd end = grid::JobEnd::done;
  std::optional<int> exit_status = {};  ///< a wait status
  std::optional<grid::Instant> started_at = {};
  std::optional<grid::Instant> ended_at = {};  ///< nothing: now
  std::optional<int> resources = {};
  std::string message = {};
  grid::Settlement settlement = {};
};
/// Ends the jobs and applies the settlements; keeps the counters. No two verdicts of one call may be of one task: the facts of the
/// second are those that the first one leaves. Number of jobs that were as the rule saw them.
int settle_jobs(Transaction& transaction, std::span<const Verdict> verdicts, grid::Instant now);

/// OAR resubmitted the job by itself under another id. A kill that was sent to the old one is sent again.
void follow_job(Transaction& transaction, grid::JobId job, grid::RemoteJobId from, grid::RemoteJobId to);

/// OAR's id of the job is not its own any more: its launch is searched for again by its tag.
void forget_job(Transaction& transaction, grid::JobId job, grid::RemoteJobId remote, std::string_view why);

/// The claim of an attempt was taken by a job of a void launch: that launch is searched for again, and its job lives. False when there
/// is no such launch.
bool reopen_twin(Transaction& transaction, const LiveJob& job);
/// Launches that are searched are accepted, when these jobs were the last of theirs to be found.
void accept_found(Transaction& transaction, std::span<const grid::JobId> jobs, grid::Instant now);
/// A job that was said never to have begun is live again, as `remote`. False when it ended otherwise, or is no job of the attempt of
/// `twin`, which found its claim.
bool revive_job(Transaction& transaction, grid::JobId job, grid::RemoteJobId remote, const LiveJob& twin);

/// Resources that our waiting jobs on the cluster will take.
[[nodiscard]] double waiting_resources(Transaction& transaction, grid::ClusterId cluster);

/// Ends the campaigns of which no task is left to do; cancels tasks that came back to the bag of a
/// campaign just when it was cancelled.
std::vector<grid::CampaignId> finish_campaigns(Transaction& transaction, grid::Instant now);

}  // namespace gleaner::store
