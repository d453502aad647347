#include "lib/grid/settle.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/walltime.hpp"

namespace gleaner::grid {
namespace {

constexpr int kLastSignal = 64;

/// Whether a shell reports this status for a command that somebody else may have killed. The other signals come from a program's own
/// faults.
bool may_be_killed(int status) {
  const int signal = status - kSignalled;
  if (signal <= 0 || signal > kLastSignal) return false;
  switch (signal) {
    case SIGILL:
    case SIGTRAP:
    case SIGABRT:
    case SIGBUS:
    case SIGFPE:
    case SIGSEGV:
    case SIGSYS: return false;
    default: return true;
  }
}

bool has_own_status(const RemoteEnd& record) { return record.record == Record::exited && record.status && *record.status != kRanNothing; }

/// Whether the status that OAR recorded is the wrapper's word: its mark shows that it began, in this very run. It could not note the end.
bool has_proven_status(const RemoteEnd& record, const Evidence& evidence) {
  return has_own_status(record) && evidence.witness == Witness::started && !evidence.earlier;
}

bool ran_nothing(const RemoteEnd& record) { return record.record == Record::exited && record.status == kRanNothing; }

JobEnd end_of_status(int status) {
  if (status == 0) return JobEnd::done;
  if (status == kRerunFirst) return JobEnd::rerun_first;
  if (status == kRerunLast) return JobEnd::rerun_last;
  return JobEnd::task_error;
}

JobEnd end_of_deletion(Deletion deletion) { return deletion == Deletion::none ? JobEnd::killed_elsewhere : JobEnd::killed_by_us; }

/// Whether the job was deleted because OAR had kept it in launch for too long: it may have been about to begin.
bool left_launching(Deletion deletion) { return deletion == Deletion::impatient || deletion == Deletion::overdue; }

/// A job that claimed its attempt and was interrupted.
JobEnd end_of_interrupted(const RemoteEnd& record, Deletion deletion) {
  switch (record.record) {
    case Record::preempted: return JobEnd::preempted;
    case Record::walltime: return JobEnd::walltime;
    case Record::deleted: return deletion == Deletion::overdue ? JobEnd::walltime : end_of_deletion(deletion);
    default: return JobEnd::node_failure;
  }
}

/// A job without a file.
JobEnd end_of_unseen(const RemoteEnd& record, Deletion deletion) {
  if (ran_nothing(record)) return JobEnd::cannot_start;  // the wrapper ran, and could not even make its own file
  switch (record.record) {
    case Record::preempted: return JobEnd::preempted;
    case Record::bad_request: return JobEnd::bad_request;
    case Record::deleted: return left_launching(deletion) ? JobEnd::never_began : end_of_deletion(deletion);
    default: return JobEnd::never_began;
  }
}

JobEnd end_of_record(const RemoteEnd& record, Deletion deletion) {
  switch (record.record) {
    // The task keeps its attempt, and the claim decides. Nobody knows whose status it is: a shell may have ended before the wrapper. A job
    // that OAR stopped at its walltime may have noted an end just before, and OAR's clock may have stepped.
    case Record::exited:
    case Record::walltime: return JobEnd::never_began;
    case Record::bad_request: return JobEnd::bad_request;
    // A job that may have been about to begin keeps its attempt, so that the claim decides.
    case Record::deleted: return left_launching(deletion) ? JobEnd::never_began : end_of_deletion(deletion);
    default: return end_of_interrupted(record, deletion);
  }
}

bool awaits_jobs(TaskState state) { return state == TaskState::launching || state == TaskState::submitted || state == TaskState::running; }

/// Whether the task's command certainly ran in the job.
bool surely_ran(JobEnd end, const JobFacts& job) {
  return job.claimed || end == JobEnd::task_error || end == JobEnd::rerun_first || end == JobEnd::rerun_last;
}

Settlement moved_to(TaskState state, int attempt) {
  Settlement next;
  next.moves = true;
  next.state = state;
  next.attempt = attempt;
  return next;
}

/// The other of two copies is the only one from now on.
Settlement left_to_other_copy(const TaskFacts& task, const JobFacts& job) {
  return moved_to(job.other_copy_runs ? TaskState::running : TaskState::submitted,
                  job.attempt == task.attempt ? task.replica.value_or(task.attempt) : task.attempt);
}

BagPlace place_of(JobEnd end) {
  if (end == JobEnd::rerun_first) return BagPlace::first;
  if (end == JobEnd::rerun_last) return BagPlace::last;
  return charge_of(end) == Charge::task ? BagPlace::mixed : BagPlace::before_new;
}

/// Whether the task has a checkpoint on the job's cluster from which its next attempt continues. OAR signals before the walltime.
bool leaves_checkpoint(const JobFacts& job, JobEnd end) {
  return job.checkpoints && (job.has_checkpoint || job.signalled || end == JobEnd::rerun_first || end == JobEnd::walltime);
}

/// The end of the only copy that a task waits for, when its attempt is spent.
Settlement spent(const TaskFacts& task, const JobFacts& job, JobEnd end, const Limits& limits) {
  Settlement next = moved_to(TaskState::waiting, std::max(task.attempt, task.replica.value_or(0)) + 1);
  next.place = place_of(end);
  next.counted = end != JobEnd::lost && end != JobEnd::not_reached && (end != JobEnd::killed_by_us || job.began);
  const bool continues = leaves_checkpoint(job, end);
  if (continues && job.signalled && charge_of(end) == Charge::nobody && task.attempt < kMostCheckpointedAttempts) next.counted = false;
  const int attempts = std::min(limits.attempts, task.max_attempts.value_or(limits.attempts));
  const bool is_last = next.counted && task.counted + 1 >= attempts;
  // A task whose walltime may be raised is not charged: the JDL's limit bounds it.
  if (end == JobEnd::walltime && !is_last) next.walltime = raised_walltime(job.walltime, job.max_walltime, limits.walltime_factor);
  next.charged = charge_of(end) == Charge::task && !next.walltime && !(continues && end == JobEnd::walltime);
  const int most_charged = task.retries ? std::min(*task.retries, limits.retries) + 1 : limits.charged;
  const bool is_last_charged = next.charged && (!job.retried || task.charged + 1 >= most_charged);
  if (is_last || is_last_charged) next.state = TaskState::failed;
  if (task.cancelled) next.state = TaskState::cancelled;
  if (next.state != TaskState::waiting) next.attempt = task.attempt;
  if (next.walltime || next.state != TaskState::waiting) next.place = BagPlace::before_new;
  next.kept = continues && next.state == TaskState::waiting;
  if (next.kept && end != JobEnd::rerun_last) next.place = BagPlace::first;
  return next;
}

}  // namespace

bool needs_evidence(const RemoteEnd& record) { return record.record != Record::deleted || record.started || record.again; }

JobEnd end_of(const RemoteEnd& record, const Evidence& evidence, Deletion deletion) {
  switch (evidence.witness) {
    case Witness::ended:
      if (evidence.overran) return JobEnd::walltime;
      if (evidence.no_folder) return JobEnd::bad_request;
      // OAR interrupts no job to which it gives an exit status.
      if (may_be_killed(evidence.status) && !(has_own_status(record) && !evidence.earlier)) return end_of_interrupted(record, deletion);
      return end_of_status(evidence.status);
    // An earlier run was interrupted, and this one ran nothing: the task is not charged.
    case Witness::started: {
      if (has_proven_status(record, evidence)) return end_of_status(*record.status);
      const auto end = end_of_interrupted(record, deletion);
      return evidence.earlier && end == JobEnd::walltime ? JobEnd::node_failure : end;
    }
    case Witness::duplicate: return JobEnd::duplicate;
    case Witness::unclaimed: return JobEnd::cannot_start;
    case Witness::nothing: return end_of_unseen(record, deletion);
    case Witness::unread:
    case Witness::unreadable: break;
  }
  return end_of_record(record, deletion);
}

std::optional<int> status_of(const RemoteEnd& record, const Evidence& evidence) {
  if (has_proven_status(record, evidence)) return record.status;
  if (evidence.witness == Witness::duplicate) return evidence.holder_status;
  return evidence.witness == Witness::ended && !evidence.overran && !evidence.no_folder ? std::optional{evidence.status} : std::nullopt;
}

bool has_claimed(const Evidence& evidence) { return evidence.witness == Witness::started || evidence.witness == Witness::ended; }

bool has_begun(const RemoteEnd& record, const Evidence& evidence) {
  const bool nobody_looked = evidence.witness == Witness::unread || evidence.witness == Witness::unreadable;
  return has_claimed(evidence) || (nobody_looked && record.started);
}

bool may_begin(const RemoteEnd& record, const Evidence& evidence) {
  return evidence.witness == Witness::nothing && (record.again || (record.record == Record::deleted && record.started));
}

bool is_failure(JobEnd end) { return charge_of(end) == Charge::task || end == JobEnd::cannot_start || end == JobEnd::never_began; }

bool is_failure(JobEnd end, const Settlement& next, const TaskFacts& task) {
  const bool continues_from_checkpoint = end == JobEnd::walltime && next.kept;
  const bool is_the_tasks_own = task.charged > 0 && (end == JobEnd::task_error || end == JobEnd::walltime);
  return is_failure(end) && !next.walltime && !continues_from_checkpoint && !is_the_tasks_own;
}

bool shows_beginning(JobId done, std::optional<JobId> last_unbegun) { return !last_unbegun || done > *last_unbegun; }

int failures_in_a_row(int before, int done, int failed) { return (done > 0 ? 0 : before) + failed; }

bool is_copy(const TaskFacts& task, int attempt) { return attempt == task.attempt || (task.replica_lives && attempt == task.replica); }

std::optional<Seconds> raised_walltime(Seconds walltime, std::optional<Seconds> most, double factor) {
  if (!most || walltime >= *most) return std::nullopt;
  const Seconds wanted{static_cast<std::int64_t>(std::ceil(static_cast<double>(walltime.count()) * factor))};
  return std::min(round_up_walltime(std::max(wanted, walltime + Seconds{1})), *most);
}

Settlement settle(const TaskFacts& task, const JobFacts& job, JobEnd end, Deletion deletion, const Limits& limits) {
  if (!awaits_jobs(task.state) || !is_copy(task, job.attempt)) return {};
  if (end == JobEnd::done) return moved_to(TaskState::done, task.attempt);
  if (job.contender_lives && !surely_ran(end, job)) return {};
  if (end == JobEnd::duplicate && job.holder_status) {
    JobFacts holder = job;
    holder.claimed = true;
    holder.holder_status.reset();
    const bool was_killed = may_be_killed(*job.holder_status);
    return settle(task, holder, was_killed ? JobEnd::node_failure : end_of_status(*job.holder_status), deletion, limits);
  }
  if (task.replica_lives) return left_to_other_copy(task, job);
  const bool may_still_come =
      end == JobEnd::never_submitted || end == JobEnd::never_began || ((job.orphan_may_come || job.may_begin) && !surely_ran(end, job));
  if (!may_still_come || job.claim_taken) return spent(task, job, end, limits);
  if (task.cancelled) return moved_to(TaskState::cancelled, task.attempt);
  Settlement next = moved_to(TaskState::waiting, task.attempt);
  next.bound = true;
  return next;
}

}  // namespace gleaner::grid
