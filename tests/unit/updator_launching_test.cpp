#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/judge_turn.hpp"

/// Jobs that OAR is about to start, and does not, or does without noting it.
namespace gleaner::updator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Judge, AJobThatDoesNotBegin_IsDeletedAfterItsPatience_WhenItsFilesShowNothing) {
  for (const auto state : {RemoteState::to_launch, RemoteState::launching}) {
    Turn turn;
    turn.has(1);
    turn.shows(1, state);
    EXPECT_EQ(turn.judged().waits.at(0).launching, kNow);
    turn.live[0].launching_since = kNow - grid::Seconds{299};
    turn.lists({});
    EXPECT_THAT(turn.fences(), IsEmpty());
    EXPECT_THAT(turn.judged().impatient, IsEmpty());
    turn.live[0].launching_since = kNow - grid::Seconds{300};
    EXPECT_THAT(turn.fences(), ElementsAre(1));
    EXPECT_THAT(turn.judged().impatient, ElementsAre(grid::JobId{1}));
    turn.lists({"1.0.1.1001.e0"});
    EXPECT_THAT(turn.judged().impatient, ElementsAre(grid::JobId{1})) << "it ended, and OAR has not noted it";
    turn.live[0].walltime = grid::Seconds{600};
    turn.lists({"1.0.1.1001.s"});
    EXPECT_THAT(turn.judged().impatient, IsEmpty()) << "it began";
    turn.lists({"1.0.1.999.s"});
    EXPECT_THAT(turn.judged().impatient, ElementsAre(grid::JobId{1})) << "an earlier run of it began, and this one can claim nothing";
    turn.cannot_list();
    EXPECT_THAT(turn.judged().impatient, IsEmpty()) << "nobody knows";
  }
}

TEST(Judge, AJobThatRuns_ThoughOarKeepsItInLaunching_IsDeletedAfterItsWalltimeAndThePatience) {
  Turn turn;
  turn.has(1).walltime = grid::Seconds{600};
  turn.shows(1, RemoteState::launching);
  turn.live[0].launching_since = kNow - grid::Seconds{899};
  turn.lists({"1.0.1.1001.s"});
  EXPECT_THAT(turn.judged().overdue, IsEmpty());
  turn.live[0].launching_since = kNow - grid::Seconds{900};
  EXPECT_THAT(turn.judged().overdue, ElementsAre(grid::JobId{1}));
  EXPECT_THAT(turn.judged().impatient, IsEmpty());
  turn.lists({});
  EXPECT_THAT(turn.judged().overdue, IsEmpty()) << "it has not begun, and is deleted for that";
  turn.cannot_list();
  EXPECT_THAT(turn.judged().overdue, IsEmpty()) << "nobody knows whether it runs, and it shall not pay";
  EXPECT_THAT(turn.judged().impatient, ElementsAre(grid::JobId{1}));
  turn.lists({"1.0.1.1001.s"});
  turn.live[0].kill_reason = "preempted";
  EXPECT_THAT(turn.judged().overdue, IsEmpty()) << "it is deleted already";
  turn.live[0].kill_reason = "";
  turn.shows(1, RemoteState::running);
  EXPECT_THAT(turn.judged().overdue, IsEmpty()) << "OAR applies its walltime now";
}

TEST(Judge, TheEndOfAJobThatWasDeletedAfterItsWalltime_IsItsWalltimes_UnlessItNotedAnother) {
  Turn turn;
  auto& job = turn.has(1);
  job.kill_sent = true;
  job.kill_reason = "overdue";
  job.over_since = kLongAgo;
  turn.shows(1, RemoteState::error);
  turn.explains(1, "FRAG_JOB_REQUEST");
  turn.lists({"1.0.1.1001.s"});
  EXPECT_THAT(ends(turn.judged()), ElementsAre("walltime"));
  turn.lists({"1.0.1.1001.e0"});
  EXPECT_THAT(ends(turn.judged()), ElementsAre("done"));
  turn.lists({"1.0.1.999.s"});
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "this one ran nothing, and the deletion did not end the earlier run";
  job.over_since = kNow - job.walltime - kPatience.launch;
  EXPECT_THAT(ends(turn.judged()), ElementsAre("node_failure"));
}

TEST(Judge, AJobThatBeganAtLast_HasNoMoreDates) {
  Turn turn;
  turn.has(1).launching_since = kLongAgo;
  turn.live[0].absent_since = kLongAgo;
  turn.shows(1, RemoteState::running);
  const auto judged = turn.judged();
  ASSERT_THAT(judged.waits, SizeIs(1));
  EXPECT_EQ(judged.waits[0].launching, std::nullopt);
  EXPECT_EQ(judged.waits[0].absent, std::nullopt);
}

TEST(Judge, TheEndOfAJobThatWeDeletedForImpatience_IsOne) {
  Turn turn;
  auto& job = turn.has(1);
  job.kill_sent = true;
  job.kill_reason = "impatient";
  job.over_since = kLongAgo;
  turn.shows(1, RemoteState::error);
  turn.explains(1, "FRAG_JOB_REQUEST");
  turn.lists({});
  const auto judged = turn.judged();
  EXPECT_THAT(ends(judged), ElementsAre("never_began"));
  EXPECT_EQ(judged.over[0].deletion, grid::Deletion::impatient);
}

TEST(Judge, AJobThatWasRenamed_IsStillOurs_AndIsReportedUntilItRuns) {
  Turn turn;
  turn.has(1).state = grid::JobState::remote_waiting;
  oar::RemoteJob remote;
  remote.id = grid::RemoteJobId{1001};
  remote.name = "by-a-rule";
  remote.command = "bash -c x gleaner.7-1 1 0 1 1 -";
  recognise(turn.poll, turn.live, {remote});
  EXPECT_TRUE(turn.poll.ours.contains(grid::RemoteJobId{1001}));
  EXPECT_THAT(turn.poll.reused, IsEmpty());
  ASSERT_THAT(turn.judged().renamed, SizeIs(1));
  EXPECT_EQ(turn.judged().renamed[0].name, "by-a-rule");
  turn.live[0].state = grid::JobState::running;
  EXPECT_THAT(turn.judged().renamed, IsEmpty());
}

}  // namespace
}  // namespace gleaner::updator
