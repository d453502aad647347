#include <gtest/gtest.h>

#include "lib/grid/settle.hpp"

/// Tasks that continue from a checkpoint.
namespace gleaner::grid {
namespace {

constexpr Limits kThreeAttempts{.attempts = 3, .charged = 1, .retries = 0, .walltime_factor = 2};

/// A job of a campaign with checkpoints.
JobFacts checkpointed_job(int attempt, bool signalled) {
  JobFacts facts;
  facts.attempt = attempt;
  facts.began = facts.claimed = true;
  facts.checkpoints = true;
  facts.signalled = facts.has_checkpoint = signalled;
  facts.walltime = Seconds{3600};
  return facts;
}
Settlement settled_after(JobEnd end, int attempt, bool signalled, int counted = 0) {
  return settle({.state = TaskState::running, .attempt = attempt, .counted = counted}, checkpointed_job(attempt, signalled), end,
                Deletion::none, kThreeAttempts);
}

TEST(SettleCheckpoint, ATaskThatWasInterruptedAfterACheckpoint_GoesFirst_ToItsCluster_AndSpendsNoAttempt) {
  for (const auto end : {JobEnd::preempted, JobEnd::node_failure, JobEnd::killed_elsewhere, JobEnd::rerun_first}) {
    const auto next = settled_after(end, 7, true);
    EXPECT_EQ(next.state, TaskState::waiting) << name_of(end);
    EXPECT_EQ(next.attempt, 8) << name_of(end);
    EXPECT_TRUE(next.kept) << name_of(end);
    EXPECT_FALSE(next.bound) << name_of(end);
    EXPECT_FALSE(next.counted) << name_of(end);
    EXPECT_FALSE(next.charged) << name_of(end);
    EXPECT_EQ(next.place, BagPlace::first) << name_of(end);
  }
}

TEST(SettleCheckpoint, ATaskWithoutACheckpointThere_GoesAnywhere) {
  const auto next = settled_after(JobEnd::preempted, 0, false);
  EXPECT_FALSE(next.kept);
  EXPECT_TRUE(next.counted);
  EXPECT_EQ(next.place, BagPlace::before_new);
}

TEST(SettleCheckpoint, ATaskThatContinuedAnEarlierCheckpoint_IsKept_AndSpendsAnAttempt) {
  auto facts = checkpointed_job(4, false);
  facts.has_checkpoint = true;
  const auto next = settle({.state = TaskState::running, .attempt = 4}, facts, JobEnd::preempted, Deletion::none, kThreeAttempts);
  EXPECT_TRUE(next.kept);
  EXPECT_TRUE(next.counted) << "it was interrupted before it got any further";
}

TEST(SettleCheckpoint, Status66WithoutASignal_IsKept_AndSpendsAnAttempt_SoThatItEnds) {
  const auto next = settled_after(JobEnd::rerun_first, 0, false);
  EXPECT_TRUE(next.kept);
  EXPECT_TRUE(next.counted);
  EXPECT_EQ(settled_after(JobEnd::rerun_first, 2, false, 2).state, TaskState::failed);
}

TEST(SettleCheckpoint, ATaskThatComesBackForEver_EndsAfterVeryManyAttempts) {
  EXPECT_FALSE(settled_after(JobEnd::rerun_first, kMostCheckpointedAttempts - 1, true, 2).counted);
  EXPECT_EQ(settled_after(JobEnd::rerun_first, kMostCheckpointedAttempts, true, 2).state, TaskState::failed);
}

TEST(SettleCheckpoint, AnEndAtTheWalltime_ContinuesUncharged_AndSpendsAnAttempt_SoThatItEnds) {
  for (const bool signalled : {true, false}) {
    const auto next = settled_after(JobEnd::walltime, 0, signalled);
    EXPECT_EQ(next.state, TaskState::waiting);
    EXPECT_TRUE(next.kept);
    EXPECT_FALSE(next.charged);
    EXPECT_TRUE(next.counted);
    EXPECT_FALSE(is_failure(JobEnd::walltime, next, {})) << "it was planned: no event, and no step towards a brake";
  }
  EXPECT_TRUE(is_failure(JobEnd::walltime, settled_after(JobEnd::walltime, 2, true, 2), {}));
  EXPECT_EQ(settled_after(JobEnd::walltime, 2, true, 2).state, TaskState::failed);
}

TEST(SettleCheckpoint, AFailure_IsChargedAsEver) {
  const auto next = settled_after(JobEnd::task_error, 0, true);
  EXPECT_EQ(next.state, TaskState::failed);
  EXPECT_TRUE(next.charged);
  EXPECT_FALSE(next.kept);
}

TEST(SettleCheckpoint, AJobThatMayStillAppear_BindsItsTaskWithItsAttempt) {
  auto facts = checkpointed_job(1, false);
  facts.claimed = facts.began = false;
  facts.has_checkpoint = true;
  const auto next = settle({.state = TaskState::submitted, .attempt = 1}, facts, JobEnd::never_began, Deletion::none, kThreeAttempts);
  EXPECT_TRUE(next.bound);
  EXPECT_FALSE(next.kept);
  EXPECT_EQ(next.attempt, 1);
}

TEST(SettleCheckpoint, WithoutCheckpointsInTheJdl_NothingChanges) {
  auto facts = checkpointed_job(0, false);
  facts.checkpoints = false;
  EXPECT_TRUE(settle({.state = TaskState::running}, facts, JobEnd::walltime, Deletion::none, kThreeAttempts).charged);
  EXPECT_FALSE(settle({.state = TaskState::running}, facts, JobEnd::rerun_first, Deletion::none, kThreeAttempts).kept);
}

}  // namespace
}  // namespace gleaner::grid
