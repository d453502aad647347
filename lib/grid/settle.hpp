#pragma once
#include <optional>

#include "lib/grid/id.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"

/// What became of a job, and what follows for its task. Pure rules: the updator, the runner, gridsim and the model checker call the same
/// functions; SQL applies what they return, guarded by the state that it leaves.
///
///   record (OAR) + evidence (the job's own files) + deletion (ours?)  --end_of-->  JobEnd
///   JobEnd + task + job + limits                                      --settle-->  Settlement
namespace gleaner::grid {

/// What OAR's record says of a job that OAR calls over.
enum class Record {
  exited,           ///< Terminated, with an exit status
  exited_silently,  ///< Terminated, without an exit status
  preempted,        ///< Error, BESTEFFORT_KILL
  walltime,         ///< Error, WALLTIME
  deleted,          ///< Error, FRAG_JOB_REQUEST
  bad_request,      ///< Error, WORKING_DIRECTORY or OUTPUT_FILES
  failed,           ///< Error for any other reason
  forgotten         ///< OAR does not know the job any longer, and is known to have lost it
};
struct RemoteEnd {
  Record record = Record::failed;
  std::optional<int> status = {};  ///< of `exited`, as a shell reports it: 3 after `exit 3`, 137 after SIGKILL
  bool started = false;            ///< OAR gave it resources
  bool again = false;              ///< OAR ran the job before, under another id: that run may have gone on
};

/// What the files that a job wrote in its fence's folder show. One job writes each of them.
enum class Witness {
  unread,      ///< nobody has looked
  unreadable,  ///< the cluster did not show them within evidence_patience
  nothing,     ///< the job left no file: it never began
  started,     ///< it claimed its attempt, and noted no end
  ended,       ///< its command ended, with `status`
  duplicate,   ///< another job holds the claim (`holder`): it ran nothing
  unclaimed    ///< the claim could not be made: it ran nothing
};
struct Evidence {
  Witness witness = Witness::unread;
  int status = 0;                         ///< of `ended`, 0 to 255
  JobId holder = JobId{0};                ///< of `duplicate`; 0: the claim does not name it
  std::optional<int> holder_status = {};  ///< of `duplicate`: how the holder's command ended, when it noted that
  bool earlier = false;                   ///< of `started`: by an earlier run of the same job, which OAR ran again since
  bool operator==(const Evidence&) const = default;
};

/// Whether the record alone does not decide what became of the job, so that evidence is needed first. An exit status that OAR recorded
/// decides, except kRanNothing; so does a deletion before OAR gave the job resources in any run.
[[nodiscard]] bool needs_evidence(const RemoteEnd& record);

/// Whether we had asked OAR to delete the job; `impatient`: because it did not begin within launch_patience; `overdue`: because OAR kept
/// it in toLaunch or Launching beyond its walltime, which it does not apply to such a job.
enum class Deletion { none, ours, impatient, overdue };

/// Why a job is over. `ended` in the evidence is believed whatever OAR says, except a death by a signal that somebody else can have sent
/// (SIGKILL, SIGTERM…): then the job was interrupted, as after `started`, and the record says by whom; the task is never blamed for it.
/// After `nothing` the job never began, whatever OAR says, unless the record names a cause that a job may meet before it begins: a
/// preemption, a deletion, a request that cannot be carried out. Without evidence (unread, unreadable) the record decides.
[[nodiscard]] JobEnd end_of(const RemoteEnd& record, const Evidence& evidence, Deletion deletion);

/// Whether the job is known to have claimed its attempt: its evidence says so, or its command's exit status was recorded.
[[nodiscard]] bool has_claimed(const RemoteEnd& record, const Evidence& evidence);
/// Whether it claimed its attempt or, without evidence, had resources.
[[nodiscard]] bool has_begun(const RemoteEnd& record, const Evidence& evidence);
/// Whether the job may still begin, as it left no file: deleted while OAR launched it, and a node may be late to hear of the deletion; or
/// an earlier run of it, whose launch OAR gave up.
[[nodiscard]] bool may_begin(const RemoteEnd& record, const Evidence& evidence);

/// What the rules know of a task, at the moment when one of its jobs ends.
struct TaskFacts {
  TaskState state = TaskState::running;
  int attempt = 0;                       ///< the attempt that counts
  std::optional<int> replica = {};       ///< attempt of its replica, when it ever had one
  bool replica_lives = false;            ///< both attempts are copies that the task waits for
  int charged = 0;                       ///< attempts that the task itself failed
  int counted = 0;                       ///< attempts before this one that max_attempts counts
  std::optional<int> max_attempts = {};  ///< that its campaign's JDL asks for; Limits::attempts is the bound
  bool cancelled = false;                ///< its campaign was cancelled
};

/// What the rules know of the job that ended, and of the other jobs of its task.
struct JobFacts {
  int attempt = 0;
  bool began = false;                     ///< has_begun
  bool claimed = false;                   ///< has_claimed
  bool may_begin = false;                 ///< may_begin
  bool contender_lives = false;           ///< another job of the same attempt is planned, launching, unknown, waiting or running
  bool orphan_may_come = false;           ///< another job of the same attempt belongs to a void launch, and may still appear
  std::optional<int> holder_status = {};  ///< of a duplicate: how the command of the attempt ended, in the job that holds the claim
  bool claim_taken = false;               ///< another job of the same attempt ended as a duplicate: somebody holds the claim
  bool other_copy_runs = false;           ///< of two copies, the other one runs (else it waits)
  Seconds walltime{};
  std::optional<Seconds> max_walltime = {};  ///< up to where its task's walltime may grow
};

/// What a task may still cost.
struct Limits {
  int attempts = 1;            ///< max_attempts: in all, except those that do not count
  int charged = 1;             ///< max_charged_attempts
  double walltime_factor = 1;  ///< walltime_retry_factor
};

/// Where in the bag a task goes back to.
enum class BagPlace : int { last = 0, before_new = 10, first = 20 };

/// What the end of a job changes. Unless `moves`, the task stays as it is: another job decides, or decided.
struct Settlement {
  bool moves = false;
  TaskState state = TaskState::waiting;
  int attempt = 0;  ///< of the task from now on
  bool replica_lives = false;
  bool charged = false;                   ///< the task pays
  bool counted = true;                    ///< the attempt counts against max_attempts
  BagPlace place = BagPlace::before_new;  ///< of `waiting`
  bool bound = false;                     ///< of `waiting`: to the job's cluster, with the same attempt, as the job may still appear there
  std::optional<Seconds> walltime = {};   ///< of the task from now on; nothing: unchanged
  bool operator==(const Settlement&) const = default;
};

/// The next state of a task, who pays, its place in the bag.
/// - The first success settles a task. Of two copies that live, one that ends otherwise costs nothing, and the other decides.
/// - While a contender lives, a job that is not known to have claimed the attempt moves nothing: the contender may run the task.
/// - never_submitted keeps the attempt and binds the task to the cluster: an orphan and its successor contend for one claim.
///   So do never_began (OAR may run such a job again, or be late to start it) and any end of a job that may still begin. So does any end
///   of a job that did not claim the attempt while an orphan of a void launch may come and claim it. Where the claim is taken, the attempt
///   is spent: its successors would run nothing. Any other return raises the attempt. (A launch that certainly never was sent leaves no
///   orphan: unless its jobs have a fence of another launch, its tasks need not be bound.)
/// - duplicate without a contender: the holder of the claim was over before. Where its command noted its end, that end is the task's;
///   else the attempt is spent, and nobody pays.
/// - A job that is not a copy that the task waits for moves nothing.
/// - Not counted are attempts that we took back before they began, and those that an administrator declared lost.
[[nodiscard]] Settlement settle(const TaskFacts& task, const JobFacts& job, JobEnd end, Deletion deletion, const Limits& limits);

/// Whether a job that ended so is a failure of its campaign on its cluster, where the next jobs would fail too: it was the task's fault, or
/// the cluster could not start it.
[[nodiscard]] bool is_failure(JobEnd end);
/// Whether it counts as one, whether or not the task pays: a walltime that grows is none.
[[nodiscard]] bool is_failure(JobEnd end, const Settlement& next);
/// Those of a campaign on a cluster after more of its jobs ended there: a success among these ends what was before, whatever their order.
/// The query jobs.settle counts in the same way.
[[nodiscard]] int failures_in_a_row(int before, int done, int failed);

/// Whether a job of this attempt is a copy that the task waits for.
[[nodiscard]] bool is_copy(const TaskFacts& task, int attempt);

/// The walltime that follows one that killed a job; nothing when it may not grow.
[[nodiscard]] std::optional<Seconds> raised_walltime(Seconds walltime, std::optional<Seconds> most, double factor);

}  // namespace gleaner::grid
