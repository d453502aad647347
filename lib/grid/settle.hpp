#pragma once
#include <chrono>
#include <optional>

#include "lib/grid/id.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"

/// The end of a job, and its consequences for the task. The rules are pure: the updator, the runner, gridsim and the model checker call the
/// same functions. SQL writes what they return, guarded by the state that it leaves.
///
///   record (OAR) + evidence (the job's own files) + deletion (ours?)  --end_of-->  JobEnd
///   JobEnd + task + job + limits                                      --settle-->  Settlement
namespace gleaner::grid {

/// OAR's record of a job that is over.
enum class Record {
  exited,           ///< Terminated, with an exit status
  exited_silently,  ///< Terminated, without an exit status
  preempted,        ///< Error, BESTEFFORT_KILL
  walltime,         ///< Error, WALLTIME
  deleted,          ///< Error, FRAG_JOB_REQUEST
  bad_request,      ///< Error, WORKING_DIRECTORY or OUTPUT_FILES: of the home, as OAR begins each job there
  failed,           ///< Error for any other reason
  forgotten         ///< OAR does not know the job any longer, and is known to have lost it
};
struct RemoteEnd {
  Record record = Record::failed;
  std::optional<int> status = {};  ///< of `exited`, as a shell reports it: 3 after `exit 3`, 137 after SIGKILL
  bool started = false;            ///< OAR assigned resources to it
  bool again = false;              ///< OAR ran the job before, under another id; that run may have continued
};

/// The evidence of a job in its fence's folder. Each file is written by one job.
enum class Witness {
  unread,      ///< not read yet
  unreadable,  ///< the cluster did not list the files within evidence_patience
  nothing,     ///< the job left no file: it never began
  started,     ///< it claimed its attempt, and noted no end
  ended,       ///< its command ended, with `status`
  duplicate,   ///< another job holds the claim (`holder`): it ran nothing
  unclaimed    ///< the claim could not be made: it ran nothing
};
struct Evidence {
  Witness witness = Witness::unread;
  int status = 0;                                          ///< of `ended`, 0 to 255
  bool overran = false;                                    ///< of `ended`: its wrapper ended it after the task's walltime
  bool no_folder = false;                                  ///< of `ended`: its campaign's folder cannot be used there; nothing was run
  JobId holder = JobId{0};                                 ///< of `duplicate`; 0: the claim does not name it
  std::optional<int> holder_status = {};                   ///< of `duplicate`: the status of the holder's command, if it noted one
  std::optional<std::chrono::milliseconds> duration = {};  ///< of `ended`: of the command, if the job noted it
  std::optional<std::chrono::milliseconds> cpu = {};       ///< with a duration: what its processes had of the processors, if noted
  std::optional<std::int64_t> peak_kib = {};               ///< with a duration: the most memory that they took, in KiB, if noted
  std::optional<std::int64_t> moved_kib = {};  ///< with a duration: read from file systems and written to them, in KiB, if noted
  bool earlier = false;                        ///< of `started`, `ended`: in an earlier run of the same job, which OAR has run again since
  bool operator==(const Evidence&) const = default;
};

/// Whether evidence is needed because the record alone does not decide the end of the job. A deletion before OAR assigned resources to any
/// run of the job alone decides. An exit status does not: it may be that of a shell which ended before the job's command (`exit` in
/// ~/.bashrc, which OAR has each job's shell read).
[[nodiscard]] bool needs_evidence(const RemoteEnd& record);

/// Whether we had asked OAR to delete the job; `impatient`: because it did not begin within launch_patience; `overdue`: because OAR kept
/// it in toLaunch or Launching beyond its walltime, which it does not apply to such a job.
enum class Deletion { none, ours, impatient, overdue };

/// The end of a job.
/// - `ended` in the evidence overrides OAR's record, except for a death by a signal that somebody else may have sent (SIGKILL, SIGTERM…):
///   then the job was interrupted, as after `started`. The record then decides who did it, and the task is never charged. If OAR recorded
///   an exit status, nobody interrupted the job.
/// - After `started` in the same run, an exit status that OAR recorded is the wrapper's: it could not note the end.
/// - After `nothing` the job never began, unless the record names a cause that a job may meet before it begins: a preemption, a deletion, a
///   request that cannot be carried out. An exit status is no such cause.
/// - Without evidence (unread, unreadable) the record decides, but an exit status and a walltime prove nothing: the job counts as one that
///   never began, so that nobody pays, and the claim decides once a successor finds it. Files that stay unreadable brake the pair.
[[nodiscard]] JobEnd end_of(const RemoteEnd& record, const Evidence& evidence, Deletion deletion);

/// Whether the job certainly claimed its attempt.
[[nodiscard]] bool has_claimed(const Evidence& evidence);
/// Whether it claimed its attempt or, without evidence, had resources.
[[nodiscard]] bool has_begun(const RemoteEnd& record, const Evidence& evidence);
/// Whether a job without a file may still begin. It was deleted while OAR launched it, and the deletion may reach its node late; or OAR
/// gave up the launch of an earlier run of it.
[[nodiscard]] bool may_begin(const RemoteEnd& record, const Evidence& evidence);

/// The facts of a task at the time when one of its jobs ends.
struct TaskFacts {
  TaskState state = TaskState::running;
  int attempt = 0;                       ///< the current attempt
  std::optional<int> replica = {};       ///< attempt of its replica; empty: it never had one
  bool replica_lives = false;            ///< both attempts are copies that the task waits for
  int charged = 0;                       ///< attempts that were charged
  int counted = 0;                       ///< attempts before this one that count against max_attempts
  std::optional<int> max_attempts = {};  ///< of its campaign's JDL; Limits::attempts is the upper bound
  std::optional<int> retries = {};       ///< of its campaign's JDL; Limits::retries is the upper bound
  bool cancelled = false;                ///< its campaign was cancelled
};

/// The facts of the job that ended, and of the other jobs of its task.
struct JobFacts {
  int attempt = 0;
  bool began = false;                     ///< has_begun
  bool claimed = false;                   ///< has_claimed
  bool may_begin = false;                 ///< may_begin
  bool contender_lives = false;           ///< another job of the same attempt is planned, launching, unknown, waiting or running
  bool orphan_may_come = false;           ///< another job of the same attempt belongs to a void launch, and may still appear
  std::optional<int> holder_status = {};  ///< of a duplicate: the status of the command in the job that holds the claim
  bool claim_taken = false;               ///< another job of the same attempt ended as a duplicate: a job holds the claim
  bool other_copy_runs = false;           ///< the other of two copies runs; false: it waits
  bool retried = true;                    ///< false: its campaign's JDL lists the exit statuses to retry, and this end is none of them
  bool checkpoints = false;               ///< its campaign's tasks write checkpoints
  bool signalled = false;                 ///< OAR passed the signal for a checkpoint on to the job
  bool has_checkpoint = false;            ///< the same of it, or of an earlier job of its task on this cluster
  Seconds walltime{};
  std::optional<Seconds> max_walltime = {};  ///< upper bound of its task's walltime
};

/// The bounds of a task's attempts.
struct Limits {
  int attempts = 1;            ///< max_attempts: all attempts that count
  int charged = 1;             ///< max_charged_attempts, where the JDL states no retries
  int retries = 0;             ///< max_retries
  double walltime_factor = 1;  ///< walltime_retry_factor
};

/// The status with which the task's command ended, as a shell reports it; empty: it is not known, or the command was interrupted.
[[nodiscard]] std::optional<int> status_of(const RemoteEnd& record, const Evidence& evidence);

/// A task with checkpoints may be interrupted for ever without spending its attempts, as each of them continued its work. From this attempt
/// on they count again, so that a task that only seems to continue ends.
inline constexpr int kMostCheckpointedAttempts = 1000;

/// The place in the bag of a task that goes back to it. Those that failed are mixed with new ones, in proportion (planning.launch).
enum class BagPlace : int { last = 0, mixed = 5, before_new = 10, first = 20 };

/// The consequences of a job's end. Unless `moves`, the task is unchanged: another job decides, or has decided.
struct Settlement {
  bool moves = false;
  TaskState state = TaskState::waiting;
  int attempt = 0;  ///< of the task from now on
  bool replica_lives = false;
  bool charged = false;                   ///< the attempt is charged to the task
  bool counted = true;                    ///< the attempt counts against max_attempts
  BagPlace place = BagPlace::before_new;  ///< of `waiting`
  bool bound = false;                     ///< of `waiting`: to the job's cluster, with the same attempt, as the job may still appear there
  bool kept = false;                      ///< of `waiting`: at the job's cluster, where its checkpoint is, until it is released
  std::optional<Seconds> walltime = {};   ///< of the task from now on; empty: unchanged
  bool operator==(const Settlement&) const = default;
};

/// The next state of a task, whether it is charged, and its place in the bag.
/// - The first success settles a task. If one of two live copies ends otherwise, nothing is charged, and the other copy decides.
/// - While a contender lives, a job that is not known to have claimed the attempt changes nothing: the contender may run the task.
/// - never_submitted keeps the attempt and binds the task to the cluster: an orphan and its successor contend for one claim. So does
///   never_began (OAR may run such a job again, or start it late), and any end of a job that may still begin. So does any end of a job that
///   did not claim the attempt while an orphan of a void launch may still claim it. If the claim is taken, the attempt is spent: its
///   successors would run nothing. Any other return raises the attempt. (A launch that was certainly never sent leaves no orphan: unless
///   its jobs have the fence of another launch, its tasks need not be bound.)
/// - duplicate without a contender: the holder of the claim was over before. If its command noted its end, that is the task's end;
///   otherwise the attempt is spent, and nothing is charged.
/// - A job that is not a copy that the task waits for changes nothing.
/// - A task fails with the last attempt that counts, with the last charged one (1 + the JDL's retries, else max_charged_attempts), and with
/// a
///   charged one that is not retried.
/// - A task that wrote a checkpoint, or that ended with kRerunFirst in a campaign with checkpoints, comes back first, and is kept at its
///   cluster. Its attempt does not count if it was signalled, up to kMostCheckpointedAttempts. An end at the walltime is not charged to it,
///   as OAR signals before; the attempt counts, so that a task that never gets further ends with max_attempts.
/// - Attempts do not count if we took them back before they began, or if an administrator declared them lost.
[[nodiscard]] Settlement settle(const TaskFacts& task, const JobFacts& job, JobEnd end, Deletion deletion, const Limits& limits);

/// Whether this end is a failure of the campaign on its cluster, which would repeat for the next jobs: the task was at fault, or the
/// cluster could not start it.
[[nodiscard]] bool is_failure(JobEnd end);
/// Whether this end counts as a failure of the cluster, charged or not. A raised walltime does not count, nor one after which the task
/// continues from its checkpoint, nor the end of a task that failed before, there or elsewhere: that it fails again is no evidence about
/// the cluster.
[[nodiscard]] bool is_failure(JobEnd end, const Settlement& next, const TaskFacts& task);
/// Failures in a row of a campaign on a cluster after more of its jobs ended there. A success among these (shows_beginning) resets the
/// count, whatever their order. The query jobs.settle counts in the same way.
[[nodiscard]] int failures_in_a_row(int before, int done, int failed);

/// Whether a job that was done shows that its cluster begins jobs of its campaign: one that was planned before the last that never began
/// does not. While the login shell of a user is broken, jobs that began before go on, and end well.
[[nodiscard]] bool shows_beginning(JobId done, std::optional<JobId> last_unbegun);

/// Whether a job of this attempt is a copy that the task waits for.
[[nodiscard]] bool is_copy(const TaskFacts& task, int attempt);

/// The walltime after one that killed a job; empty when it may not be raised.
[[nodiscard]] std::optional<Seconds> raised_walltime(Seconds walltime, std::optional<Seconds> most, double factor);

}  // namespace gleaner::grid
