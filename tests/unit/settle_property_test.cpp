#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "lib/grid/settle.hpp"

namespace gleaner::grid {
namespace {

struct Any {
  TaskFacts task;
  JobFacts job;
  JobEnd end;
  Deletion deletion;
  Limits limits;
};

Any any_end() {
  Any any;
  any.task.state = *rc::gen::element(TaskState::waiting, TaskState::launching, TaskState::submitted, TaskState::running, TaskState::done,
                                     TaskState::failed, TaskState::cancelled);
  const int spent = *rc::gen::element(0, kMostCheckpointedAttempts - 2);
  any.task.attempt = spent + *rc::gen::inRange(0, 5);
  if (*rc::gen::arbitrary<bool>()) {
    any.task.replica = any.task.attempt + *rc::gen::element(-1, 1);
    any.task.replica_lives = *rc::gen::arbitrary<bool>();
  }
  any.task.charged = *rc::gen::inRange(0, 4);
  any.task.counted = *rc::gen::inRange(0, 5);
  any.task.cancelled = *rc::gen::arbitrary<bool>();
  any.job.attempt = spent + *rc::gen::inRange(-1, 7);
  any.job.began = *rc::gen::arbitrary<bool>();
  any.job.claimed = *rc::gen::arbitrary<bool>();
  any.job.contender_lives = *rc::gen::arbitrary<bool>();
  any.job.claim_taken = *rc::gen::arbitrary<bool>();
  any.job.orphan_may_come = *rc::gen::arbitrary<bool>();
  any.job.may_begin = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) any.job.holder_status = *rc::gen::inRange(0, 256);
  any.job.other_copy_runs = *rc::gen::arbitrary<bool>();
  any.job.walltime = Seconds{*rc::gen::inRange(1, 1000)};
  if (*rc::gen::arbitrary<bool>()) any.job.max_walltime = Seconds{*rc::gen::inRange(1, 2000)};
  any.job.checkpoints = *rc::gen::arbitrary<bool>();
  any.job.signalled = any.job.checkpoints && *rc::gen::arbitrary<bool>();
  any.job.has_checkpoint = any.job.signalled || (any.job.checkpoints && *rc::gen::arbitrary<bool>());
  any.end = static_cast<JobEnd>(*rc::gen::inRange(0, static_cast<int>(JobEnd::not_reached) + 1));
  any.deletion = *rc::gen::element(Deletion::none, Deletion::ours, Deletion::impatient, Deletion::overdue);
  any.job.retried = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) any.task.retries = *rc::gen::inRange(0, 4);
  any.limits = {*rc::gen::inRange(1, 6), *rc::gen::inRange(1, 4), *rc::gen::inRange(0, 4), 1.5};
  return any;
}

/// Whether the end is the task's own failure: of this job, or of the one that holds the claim of its attempt.
bool is_own_failure(const Any& any) {
  if (charge_of(any.end) == Charge::task) return true;
  const auto status = any.end == JobEnd::duplicate ? any.job.holder_status.value_or(0) : 0;
  return status != 0 && status != 66 && status != 67;
}

RC_GTEST_PROP(Settlements, AreMadeOfTransitionsOfTheTable_AndDoneIsNeverLeft, ()) {
  const auto any = any_end();
  const auto next = settle(any.task, any.job, any.end, any.deletion, any.limits);
  if (!next.moves) {
    RC_ASSERT(next == Settlement{});
    return;
  }
  RC_ASSERT(any.task.state != TaskState::done && any.task.state != TaskState::cancelled && any.task.state != TaskState::failed &&
            any.task.state != TaskState::waiting);
  RC_ASSERT(is_copy(any.task, any.job.attempt));
  RC_ASSERT((next.state == TaskState::done) == (any.end == JobEnd::done || (any.end == JobEnd::duplicate && any.job.holder_status == 0)));
  RC_ASSERT(next.state != TaskState::launching);
}

RC_GTEST_PROP(Settlements, NeverReuseANumber_AndKeepItOnlyWhereTheClaimDecides, ()) {
  const auto any = any_end();
  const auto next = settle(any.task, any.job, any.end, any.deletion, any.limits);
  if (!next.moves || next.state != TaskState::waiting) return;
  if (next.bound) {
    RC_ASSERT(next.attempt == any.task.attempt);
    RC_ASSERT(any.end == JobEnd::never_submitted || any.end == JobEnd::never_began || any.job.orphan_may_come || any.job.may_begin);
  } else {
    RC_ASSERT(next.attempt > any.task.attempt);
    RC_ASSERT(next.attempt > any.task.replica.value_or(0));
  }
}

int most_charged(const Any& any) { return any.task.retries ? std::min(*any.task.retries, any.limits.retries) + 1 : any.limits.charged; }

RC_GTEST_PROP(Settlements, ChargeTheTaskForItsOwnFaultAlone_AndOnlyItsLastCopy, ()) {
  const auto any = any_end();
  const auto next = settle(any.task, any.job, any.end, any.deletion, any.limits);
  if (next.charged) RC_ASSERT(is_own_failure(any) && !any.task.replica_lives && !next.walltime);
  const bool failed = next.moves && next.state == TaskState::failed;
  if (failed)
    RC_ASSERT((next.charged && (!any.job.retried || any.task.charged + 1 >= most_charged(any))) ||
              (next.counted && any.task.counted + 1 >= any.limits.attempts));
  if (!next.counted)
    RC_ASSERT(any.end == JobEnd::lost || any.end == JobEnd::not_reached || (any.end == JobEnd::killed_by_us && !any.job.began) ||
              (any.job.signalled && any.task.attempt < kMostCheckpointedAttempts && !next.charged));
  if (next.walltime) RC_ASSERT(*next.walltime > any.job.walltime && *next.walltime <= any.job.max_walltime.value());
}

RC_GTEST_PROP(Settlements, KeepATaskAtItsCheckpoint_OnlyWhereItMayHaveOne_AndWithANewAttempt, ()) {
  const auto any = any_end();
  const auto next = settle(any.task, any.job, any.end, any.deletion, any.limits);
  if (!next.kept) return;
  RC_ASSERT(any.job.checkpoints && next.moves && next.state == TaskState::waiting && !next.bound && !any.task.replica_lives);
  RC_ASSERT(next.attempt > any.task.attempt);
}

RC_GTEST_PROP(Settlements, LeaveATaskToWhomMayRunIt, ()) {
  const auto any = any_end();
  const auto next = settle(any.task, any.job, any.end, any.deletion, any.limits);
  if (any.job.contender_lives && !any.job.claimed && charge_of(any.end) != Charge::task && any.end != JobEnd::done &&
      any.end != JobEnd::rerun_first && any.end != JobEnd::rerun_last)
    RC_ASSERT(!next.moves);
  if (next.moves && any.task.replica_lives && next.state != TaskState::done) {
    RC_ASSERT(next.state == (any.job.other_copy_runs ? TaskState::running : TaskState::submitted));
    RC_ASSERT(next.attempt != any.job.attempt);
    RC_ASSERT(!next.replica_lives);
  }
}

RC_GTEST_PROP(Settlements, OfTheOnlyCopyWithoutAContender_AlwaysMove, ()) {
  auto any = any_end();
  any.task.state = *rc::gen::element(TaskState::launching, TaskState::submitted, TaskState::running);
  any.task.replica_lives = false;
  any.job.attempt = any.task.attempt;
  any.job.contender_lives = false;
  const auto next = settle(any.task, any.job, any.end, any.deletion, any.limits);
  RC_ASSERT(next.moves);
  RC_ASSERT(next.state == TaskState::waiting || next.state == TaskState::done || next.state == TaskState::failed ||
            next.state == TaskState::cancelled);
  if (any.task.cancelled) RC_ASSERT(next.state == TaskState::cancelled || next.state == TaskState::done);
}

RC_GTEST_PROP(Ends, NeverBlameATask_ForAnythingButItsOwnStatusItsWalltimeOrItsRequest, ()) {
  const RemoteEnd record{static_cast<Record>(*rc::gen::inRange(0, 8)),
                         *rc::gen::arbitrary<bool>() ? std::optional{*rc::gen::inRange(0, 256)} : std::nullopt,
                         *rc::gen::arbitrary<bool>()};
  const Evidence evidence{.witness = static_cast<Witness>(*rc::gen::inRange(0, 7)),
                          .status = *rc::gen::inRange(0, 256),
                          .holder = JobId{*rc::gen::inRange<std::int64_t>(0, 9)}};
  const auto deletion = *rc::gen::element(Deletion::none, Deletion::ours, Deletion::impatient, Deletion::overdue);
  const auto end = end_of(record, evidence, deletion);
  const bool own_status = record.record == Record::exited && record.status && record.status != 113 && evidence.witness == Witness::started;
  if (end == JobEnd::task_error) RC_ASSERT(own_status || evidence.witness == Witness::ended);
  if (end == JobEnd::done) RC_ASSERT(own_status || evidence.witness == Witness::ended);
  const bool beyond_its_walltime = record.record == Record::walltime || (record.record == Record::deleted && deletion == Deletion::overdue);
  if (end == JobEnd::walltime) RC_ASSERT(beyond_its_walltime && evidence.witness != Witness::nothing);
  if (end == JobEnd::killed_by_us) RC_ASSERT(deletion != Deletion::none && record.record == Record::deleted);
  if (evidence.witness == Witness::nothing) RC_ASSERT(!has_claimed(evidence) && !has_begun(record, evidence));
}

}  // namespace
}  // namespace gleaner::grid
