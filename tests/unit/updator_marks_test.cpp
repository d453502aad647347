#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/judge_turn.hpp"

/// An exit status that OAR recorded counts with the mark of the job's wrapper.
namespace gleaner::updator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Judge, JobsOfALaunchThatEndOneAfterTheOther_AreReadTogetherInTheTurnOfTheirEnds_AndWaitForNothing) {
  Turn turn;
  for (int i = 1; i <= 3; ++i) turn.has(i);
  turn.shows(1, RemoteState::terminated, 0);
  turn.shows(2, RemoteState::terminated, 3);
  turn.shows(3, RemoteState::running);
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "nobody has looked";
  EXPECT_THAT(turn.judged().waits, SizeIs(2));
  EXPECT_THAT(turn.fences(), ElementsAre(1)) << "one list for all of them";
  turn.lists({"1.0.1.1001.e0.250", "2.0.2.1002.s", "3.0.3.1003.s"});
  const auto judged = turn.judged();
  EXPECT_THAT(ends(judged), ElementsAre("done", "task_error"));
  EXPECT_EQ(judged.over[0].evidence.duration, std::chrono::milliseconds{250});
}

/// On a network file system a file may be seen late.
TEST(Judge, AnExitStatusWithoutAMark_IsReadAgainUntilTheDelayIsOver_AndIsThenNobodys) {
  Turn turn;
  turn.has(1);
  turn.has(2);
  for (int i = 1; i <= 2; ++i) turn.shows(i, RemoteState::terminated, i - 1);
  turn.lists({});
  EXPECT_THAT(ends(turn.judged()), IsEmpty());
  EXPECT_THAT(turn.judged().waits, SizeIs(2));
  for (auto& job : turn.live) job.over_since = kNow - grid::Seconds{4};
  EXPECT_THAT(ends(turn.judged()), IsEmpty());
  EXPECT_THAT(turn.fences(), ElementsAre(1));
  for (auto& job : turn.live) job.over_since = kNow - grid::Seconds{5};
  EXPECT_THAT(ends(turn.judged()), ElementsAre("never_began", "never_began"));
  std::vector<std::string> paths;
  for (const auto& tail : tails_to_read(turn.live, turn.poll)) paths.push_back(tail.path);
  EXPECT_THAT(paths, ElementsAre("/home/alice/1", "/home/alice/2")) << "what the shell said";
}

TEST(Judge, AnExitStatusWhoseMarkCannotBeRead_IsWaitedForAsOtherEnds_AndProvesNothing) {
  Turn turn;
  turn.has(1).over_since = kNow - grid::Seconds{119};
  turn.shows(1, RemoteState::terminated, 0);
  turn.cannot_list();
  EXPECT_THAT(ends(turn.judged()), IsEmpty());
  turn.live[0].over_since = kNow - grid::Seconds{120};
  EXPECT_THAT(ends(turn.judged()), ElementsAre("never_began"));
  turn.lists({"1.0.1.1001.s"});
  EXPECT_THAT(ends(turn.judged()), ElementsAre("done"));
}

}  // namespace
}  // namespace gleaner::updator
