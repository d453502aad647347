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

/// Job 1 was run again by OAR under the id 1001; its first run was 999.
struct RunTwice : Turn {
  RunTwice() {
    auto& job = has(1);
    job.walltime = grid::Seconds{3600};
    job.resubmissions = 1;
    job.over_since = kNow - grid::Seconds{6};
    shows(1, RemoteState::terminated, 113);
    lists({"1.0.1.999.s", "1.0.1.1001.d.1"});
  }
  void first_run(RemoteState state, const char* event, std::optional<int> status = {}, const char* name = "tag-1",
                 const char* owner = "alice") {
    auto job = poll.ours.at(grid::RemoteJobId{1001});
    job.id = grid::RemoteJobId{999};
    job.state = state;
    job.exit_status = status ? std::optional{*status << 8} : std::nullopt;
    job.name = name;
    job.owner = owner;
    job.command = "bash -c \"...\" gleaner.7-1 1 0 1 1 -";
    poll.details.insert_or_assign(job.id, oar::JobDetails{.job = job,
                                                          .events = {{.type = event, .description = {}}},
                                                          .resubmitted_as = grid::RemoteJobId{1001},
                                                          .resubmit_of = {},
                                                          .types = {},
                                                          .directory = {},
                                                          .stdout_file = {},
                                                          .stderr_file = {},
                                                          .hosts = {}});
  }
};

/// OAR runs an idempotent job again that it preempted after a minute: the second run finds the claim of the first.
TEST(Judge, AJobThatOarRanAgain_EndsAsTheFirstRun_OnceThisIsKnown) {
  RunTwice turn;
  EXPECT_THAT(turn.errors(), ElementsAre(-1)) << "the run whose file shows the claim";
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "OAR has not told";
  turn.first_run(RemoteState::error, "BESTEFFORT_KILL");
  EXPECT_THAT(ends(turn.judged()), ElementsAre("preempted"));
  turn.first_run(RemoteState::error, "WALLTIME");
  EXPECT_THAT(ends(turn.judged()), ElementsAre("walltime"));
  turn.first_run(RemoteState::error, "FRAG_JOB_REQUEST");
  EXPECT_THAT(ends(turn.judged()), ElementsAre("killed_elsewhere"));
  turn.first_run(RemoteState::terminated, "SWITCH_INTO_TERMINATE_STATE", 99);
  EXPECT_THAT(ends(turn.judged()), ElementsAre("task_error"));
}

TEST(Judge, AJobThatOarRanAgain_HasItsWalltimeAndTheLaunchPatience_WhereTheFirstRunMayGoOn) {
  RunTwice turn;
  for (const auto* event : {"LAUNCHING_OAREXEC_TIMEOUT", "CPUSET_ERROR"}) {
    turn.first_run(RemoteState::error, event);
    EXPECT_THAT(ends(turn.judged()), IsEmpty()) << event;
  }
  turn.first_run(RemoteState::running, "");
  EXPECT_THAT(ends(turn.judged()), IsEmpty());
  turn.first_run(RemoteState::error, "BESTEFFORT_KILL", {}, "cigri.7.2-other");
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "the id is another job's";
  turn.first_run(RemoteState::error, "BESTEFFORT_KILL", {}, "tag-1", "mal");
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "somebody copied our name and command";
  const auto longest = turn.live[0].walltime + kPatience.launch;
  turn.live[0].over_since = kNow - longest + grid::Seconds{1};
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "it may have noted its end";
  turn.live[0].over_since = kNow - longest;
  EXPECT_THAT(ends(turn.judged()), ElementsAre("node_failure"));
}

/// One list that does not come must not undo what the lists before it showed.
TEST(Judge, AJobThatRanNothing_KeepsWaitingForAnotherRun_WhileItsFilesCannotBeRead) {
  RunTwice turn;
  turn.live[0].resubmissions = 0;  // OAR carried out its submission twice
  turn.live[0].over_since = kNow - grid::Seconds{600};
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "the other run goes on";
  turn.cannot_list();
  EXPECT_THAT(ends(turn.judged()), IsEmpty());
  const auto longest = turn.live[0].walltime + kPatience.launch + kPatience.evidence;
  turn.live[0].over_since = kNow - longest + grid::Seconds{1};
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "it may have noted its end";
  turn.live[0].over_since = kNow - longest;
  EXPECT_THAT(ends(turn.judged()), ElementsAre("never_began"));
}

TEST(Judge, AJobWhoseLaunchOarGaveUp_HasItsWalltimeAndBothPatiences_WhileItsFilesCannotBeRead) {
  Turn turn;
  auto& job = turn.has(1);
  job.walltime = grid::Seconds{3600};
  job.over_since = kNow - grid::Seconds{600};
  turn.shows(1, RemoteState::error);
  turn.explains(1, "LAUNCHING_OAREXEC_TIMEOUT");
  turn.lists({"1.0.1.1001.s"});
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "it runs";
  turn.cannot_list();
  EXPECT_THAT(ends(turn.judged()), IsEmpty());
  job.over_since = kNow - job.walltime - kPatience.launch - kPatience.evidence + grid::Seconds{1};
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "it may have noted its end";
  job.over_since = kNow - job.walltime - kPatience.launch - kPatience.evidence;
  EXPECT_THAT(ends(turn.judged()), ElementsAre("node_failure"));
}

TEST(Judge, ACarrierThatOarRanAgain_WasInterruptedAsItsFirstRun) {
  RunTwice turn;
  turn.live[0].carries = true;
  turn.lists({"1.0.1.999.e0.100", "1.0.1.1001.d.1"});
  turn.first_run(RemoteState::error, "BESTEFFORT_KILL");
  const auto judged = turn.judged();
  ASSERT_THAT(ends(judged), ElementsAre("done"));
  EXPECT_EQ(judged.over[0].run_end, grid::JobEnd::preempted);
}

}  // namespace
}  // namespace gleaner::updator
