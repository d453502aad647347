#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/judge_turn.hpp"

namespace gleaner::updator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Judge, AJobThatStaysFinishing_IsOver_WhenItsExitStatusIsRecorded) {
  Turn turn;
  turn.has(1);
  turn.has(2);
  turn.has(3);
  turn.shows(1, RemoteState::finishing, 0);
  turn.shows(2, RemoteState::finishing, 3);
  turn.shows(3, RemoteState::finishing);
  turn.lists({"1.0.1.1001.s", "2.0.2.1002.s", "3.0.3.1003.s"});
  EXPECT_THAT(ends(turn.judged()), ElementsAre("done", "task_error"));
}

TEST(Judge, AnAmbiguousEnd_IsFirstNoted_ThenReadAfterItsDelay_ManyOfALaunchAtOnce_TheOldestFirst) {
  Turn turn;
  for (int i = 1; i <= 4; ++i) turn.has(i, grid::JobState::running, i <= 2 ? 1 : 2);
  for (int i = 1; i <= 4; ++i) turn.shows(i, RemoteState::error);
  EXPECT_THAT(turn.fences(), IsEmpty());
  EXPECT_THAT(turn.errors(), IsEmpty()) << "a cause alone is of no use";
  const auto first = turn.judged();
  EXPECT_THAT(ends(first), IsEmpty());
  ASSERT_THAT(first.waits, SizeIs(4));
  EXPECT_EQ(first.waits[0].over, kNow);
  turn.live[0].over_since = turn.live[1].over_since = kNow - grid::Seconds{6};
  turn.live[2].over_since = kLongAgo;
  turn.live[3].over_since = kNow - grid::Seconds{1};
  EXPECT_THAT(turn.fences(), ElementsAre(2, 1));
}

TEST(Judge, WithoutADelay_TheFirstTurnReads) {
  Turn turn;
  turn.has(1);
  turn.shows(1, RemoteState::error);
  EXPECT_THAT(fences_to_read(turn.live, turn.poll, {.delay = grid::Seconds{0}}), SizeIs(1));
}

TEST(Judge, OfTheFolders_TheLoginsTakeTurns_EachWithItsOldestFirst_AndThoseOfJobsInLaunchComeLast) {
  Turn turn;
  for (int i = 1; i <= 6; ++i) {
    auto& job = turn.has(i, grid::JobState::running, i);
    job.login = i <= 4 ? "xavier" : "alice";
    job.over_since = kLongAgo - grid::Seconds{100 - i};
    turn.shows(i, RemoteState::error);
  }
  turn.live[0].over_since = std::nullopt;
  turn.live[0].launching_since = kNow - grid::Seconds{2000};
  turn.shows(1, RemoteState::launching);
  EXPECT_THAT(turn.fences(), ElementsAre(2, 5, 3, 6, 4, 1)) << "most jobs in launch run, and are read in each turn";
}

TEST(Judge, ACarrierThatOarDoesNotList_IsNotOver_ThoughItNotedTheEndOfItsOwnTask) {
  Turn turn;
  auto& carrier = turn.has(1);
  carrier.carries = true;
  carrier.walltime = grid::Seconds{720};
  carrier.absent_since = kLongAgo;
  turn.poll.usable_resources = 16;
  turn.lists({"1.0.1.1001.e0.100"});
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "it may be carrying out another task";
  turn.live[0].absent_since = kNow - turn.live[0].walltime;
  EXPECT_THAT(ends(turn.judged()), ElementsAre("done")) << "OAR would have ended it";
}

TEST(Judge, ACarrierWhoseLaunchOarGaveUp_HasItsWalltimeAndTheLaunchPatience_ThoughItNotedTheEndOfItsOwnTask) {
  Turn turn;
  auto& carrier = turn.has(1);
  carrier.carries = true;
  carrier.walltime = grid::Seconds{720};
  const auto longest = carrier.walltime + kPatience.launch;
  carrier.over_since = kNow - longest + grid::Seconds{1};
  turn.shows(1, RemoteState::error);
  turn.lists({"1.0.1.1001.e0.100"});
  EXPECT_THAT(turn.errors(), ElementsAre(1)) << "OAR alone knows whether it went on";
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "the cause of its error is not known";
  turn.explains(1, "LAUNCHING_OAREXEC_TIMEOUT");
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "it may be carrying out another task";
  turn.live[0].over_since = kNow - longest;
  EXPECT_THAT(ends(turn.judged()), ElementsAre("done"));
}

/// OAR's server died while the job ended.
TEST(Judge, AJobThatOarHoldsInFinishing_WithoutAnExitStatus_IsOverAfterItsWalltime) {
  Turn turn;
  auto& job = turn.has(1);
  job.walltime = grid::Seconds{720};
  turn.shows(1, RemoteState::finishing);
  turn.poll.ours.begin()->second.stopped = kLongAgo;
  turn.lists({"1.0.1.1001.s"});
  const auto first = turn.judged();
  ASSERT_THAT(first.waits, SizeIs(1));
  EXPECT_EQ(first.waits[0].over, kNow);
  turn.live[0].over_since = kNow - grid::Seconds{719};
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "its node may not answer, and its processes run on";
  EXPECT_THAT(turn.errors(), IsEmpty());
  turn.live[0].over_since = kNow - grid::Seconds{720};
  EXPECT_THAT(turn.fences(), ElementsAre(1));
  EXPECT_THAT(turn.errors(), ElementsAre(1));
  turn.explains(1, "BESTEFFORT_KILL");
  EXPECT_THAT(ends(turn.judged()), ElementsAre("preempted"));
  turn.poll.ours.begin()->second.stopped = {};
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "it has not stopped";
}

TEST(Judge, ACarrierThatNotedTheEndOfItsOwnTask_EndsByItself_OrIsInterrupted) {
  Turn turn;
  for (int i = 1; i <= 3; ++i) {
    auto& carrier = turn.has(i);
    carrier.carries = i < 3;
    carrier.over_since = kLongAgo;
  }
  turn.shows(1, RemoteState::error);
  turn.explains(1, "BESTEFFORT_KILL");
  turn.shows(2, RemoteState::terminated, 0);
  turn.shows(3, RemoteState::error);
  turn.lists({"1.0.1.1001.e0.100", "2.0.2.1002.e0.100", "3.0.3.1003.e0"});
  const auto judged = turn.judged();
  EXPECT_THAT(ends(judged), ElementsAre("done", "done", "done"));
  EXPECT_EQ(judged.over[0].run_end, grid::JobEnd::preempted) << "the task that it was carrying out was";
  EXPECT_EQ(judged.over[1].run_end, grid::JobEnd::done);
  EXPECT_EQ(judged.over[2].run_end, std::nullopt) << "it has no other task";
}

TEST(Judge, ACarrierThatOarRanAgain_HasItsWalltimeAndTheLaunchPatience_WhenItsSecondRunFoundItsClaim) {
  Turn turn;
  auto& carrier = turn.has(1);
  carrier.carries = true;
  carrier.walltime = grid::Seconds{720};
  const auto longest = carrier.walltime + kPatience.launch;
  carrier.over_since = kNow - longest + grid::Seconds{1};
  turn.shows(1, RemoteState::terminated, 113);
  turn.lists({"1.0.1.999.e0.100"});
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "the first run may be carrying out another task";
  turn.live[0].over_since = kNow - longest;
  EXPECT_THAT(ends(turn.judged()), ElementsAre("done"));
}

TEST(Judge, TheFilesDecideWhatARecordLeavesOpen) {
  Turn turn;
  for (int i = 1; i <= 6; ++i) turn.has(i).over_since = kLongAgo;
  for (int i = 1; i <= 4; ++i) turn.shows(i, RemoteState::error);
  turn.shows(5, RemoteState::terminated);
  turn.shows(6, RemoteState::terminated, 113);
  turn.lists({"1.0.1.1001.e0", "2.0.2.1002.e3", "3.0.3.1003.s", "5.0.5.1005.e0", "6.0.6.1006.d.99"});
  EXPECT_THAT(turn.errors(), ElementsAre(3, 4)) << "the other two noted their ends";
  turn.explains(3, "BESTEFFORT_KILL");
  turn.explains(4, "WALLTIME");
  EXPECT_THAT(ends(turn.judged()), ElementsAre("done", "task_error", "preempted", "never_began", "done", "duplicate"));
}

TEST(Judge, AJobThatWasDeletedWhileItWaited_NeedsItsCauseAlone) {
  Turn turn;
  auto& job = turn.has(1, grid::JobState::remote_waiting);
  job.kill_sent = true;
  job.kill_reason = "excess";
  turn.shows(1, RemoteState::error).started = std::nullopt;
  EXPECT_THAT(turn.fences(), IsEmpty());
  EXPECT_THAT(turn.errors(), ElementsAre(1));
  turn.explains(1, "FRAG_JOB_REQUEST");
  EXPECT_THAT(ends(turn.judged()), ElementsAre("killed_by_us"));
}

/// OAR applies no walltime to a run that it gave up: such a run may take longer.
TEST(Judge, AJobThatFoundItsOwnClaim_IsOver_WhenItsFirstRunNotedItsEnd_OrHadItsWalltimeAndTheLaunchPatience) {
  Turn turn;
  auto& job = turn.has(1);
  job.walltime = grid::Seconds{600};
  const auto longest = job.walltime + kPatience.launch;
  job.over_since = kNow - longest + grid::Seconds{1};
  turn.shows(1, RemoteState::terminated, 113);
  turn.lists({"1.0.1.999.s", "1.0.1.1001.d.1"});
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "OAR may have given up a launch that began";
  EXPECT_THAT(turn.fences(), ElementsAre(1)) << "and it is looked at in each turn";
  turn.lists({"1.0.1.999.e0", "1.0.1.1001.d.1"});
  EXPECT_THAT(ends(turn.judged()), ElementsAre("done"));
  turn.lists({"1.0.1.999.s", "1.0.1.1001.d.1"});
  turn.live[0].over_since = kNow - longest;
  EXPECT_THAT(ends(turn.judged()), ElementsAre("node_failure"));
}

TEST(Judge, AJobWhoseLaunchOarGaveUp_ThoughItBegan_HasItsWalltimeAndTheLaunchPatience) {
  Turn turn;
  auto& job = turn.has(1);
  job.walltime = grid::Seconds{600};
  const auto longest = job.walltime + kPatience.launch;
  job.over_since = kNow - longest + grid::Seconds{1};
  turn.shows(1, RemoteState::error);
  turn.explains(1, "LAUNCHING_OAREXEC_TIMEOUT");
  turn.lists({"1.0.1.1001.s"});
  EXPECT_THAT(ends(turn.judged()), IsEmpty());
  turn.live[0].over_since = kNow - longest;
  EXPECT_THAT(ends(turn.judged()), ElementsAre("node_failure"));
  turn.live[0].over_since = kLongAgo;
  turn.lists({});
  EXPECT_THAT(ends(turn.judged()), ElementsAre("never_began"));
}

TEST(Judge, FilesThatCannotBeRead_AreWaitedFor_ThenTheRecordCounts) {
  Turn turn;
  turn.has(1).over_since = kNow - grid::Seconds{119};
  turn.shows(1, RemoteState::terminated);
  turn.cannot_list();
  EXPECT_THAT(ends(turn.judged()), IsEmpty());
  EXPECT_THAT(turn.judged().waits, IsEmpty()) << "it has its date";
  turn.live[0].over_since = kNow - grid::Seconds{120};
  const auto judged = turn.judged();
  EXPECT_THAT(ends(judged), ElementsAre("node_failure"));
  EXPECT_EQ(judged.over[0].evidence.witness, grid::Witness::unreadable);
}

TEST(Judge, FilesThatTheClusterShowsNobodyWithoutAToken_AreWaitedForAWeek) {
  Turn turn;
  turn.has(1).over_since = kNow - std::chrono::days{7} + grid::Seconds{1};
  turn.has(2).over_since = kNow - grid::Seconds{120};
  turn.live[0].login = turn.live[1].login = "ada";
  turn.live[1].kill_reason = "cancelled";
  for (int i = 1; i <= 2; ++i) turn.shows(i, RemoteState::terminated);
  turn.cannot_list();
  turn.poll.without_identity = {"ada"};
  auto judged = turn.judged();
  ASSERT_THAT(ends(judged), ElementsAre("node_failure")) << "that of the job that is to be killed, as for any other user";
  EXPECT_EQ(judged.over[0].job, grid::JobId{2});
  turn.live[0].over_since = kNow - std::chrono::days{7};
  judged = turn.judged();
  ASSERT_THAT(judged.over, SizeIs(2));
  EXPECT_TRUE(judged.over[0].without_identity);
}

TEST(Judge, FilesThatDidNotFitInTheTurn_AreWaitedForHoweverLong) {
  Turn turn;
  turn.has(1).over_since = kNow - grid::Seconds{10'000};
  turn.shows(1, RemoteState::terminated);
  EXPECT_THAT(ends(turn.judged()), IsEmpty());
}

TEST(Judge, AnErrorWhoseDetailsDoNotCome_IsAFailureAfterThePatience_AndOneThatWasNotAskedForWaits) {
  Turn turn;
  turn.has(1).over_since = kNow - grid::Seconds{119};
  turn.has(2).over_since = kNow - grid::Seconds{10'000};
  for (int i = 1; i <= 2; ++i) turn.shows(i, RemoteState::error);
  turn.lists({"1.0.1.1001.s", "2.0.2.1002.s"});
  turn.poll.unexplained = {grid::RemoteJobId{1001}};
  EXPECT_THAT(ends(turn.judged()), IsEmpty());
  turn.live[0].over_since = kNow - grid::Seconds{120};
  const auto judged = turn.judged();
  ASSERT_THAT(ends(judged), ElementsAre("node_failure"));
  EXPECT_EQ(judged.over[0].job, grid::JobId{1});
}

/// OAR may have submitted such a job again, under another id, and that run may be under way.
TEST(Judge, AnErrorWithoutFiles_WhoseDetailsDoNotCome_IsAFailureAfterTwiceThePatience) {
  Turn turn;
  turn.has(1).over_since = kNow - grid::Seconds{239};
  turn.shows(1, RemoteState::error);
  turn.cannot_list();
  turn.poll.unexplained = {grid::RemoteJobId{1001}};
  EXPECT_THAT(ends(turn.judged()), IsEmpty()) << "one request that failed is no answer";
  turn.live[0].over_since = kNow - grid::Seconds{240};
  EXPECT_THAT(ends(turn.judged()), ElementsAre("node_failure"));
}

TEST(Judge, AListingThatWasMadeTooEarlyForAJob_ShowsItsEndOnly) {
  Turn turn;
  turn.has(1);
  turn.has(2);
  turn.shows(1, RemoteState::terminated);
  turn.shows(2, RemoteState::terminated);
  turn.lists({"1.0.1.1001.e0", "2.0.2.1002.s"});
  EXPECT_THAT(ends(turn.judged()), ElementsAre("done"));
}

TEST(Judge, AResubmission_IsFollowed_AlsoWhenWeHadAskedToDeleteTheJob_UnlessItHadEnded) {
  Turn turn;
  for (int i = 1; i <= 2; ++i) {
    auto& job = turn.has(i);
    job.kill_sent = true;
    job.kill_reason = "cancelled";
    job.over_since = kLongAgo;
    turn.shows(i, RemoteState::error);
    turn.explains(i, "BESTEFFORT_KILL", 2000 + i);
  }
  turn.lists({"1.0.1.1001.s", "2.0.2.1002.e0"});
  const auto judged = turn.judged();
  ASSERT_THAT(judged.followed, SizeIs(1));
  EXPECT_EQ(judged.followed[0].to, grid::RemoteJobId{2001});
  EXPECT_THAT(ends(judged), ElementsAre("done"));
}

oar::RemoteJob listed(std::int64_t id, std::string name, std::string command, std::string owner = "alice") {
  oar::RemoteJob remote;
  remote.id = grid::RemoteJobId{id};
  remote.name = std::move(name);
  remote.command = std::move(command);
  remote.owner = std::move(owner);
  remote.state = RemoteState::terminated;
  remote.exit_status = 0;
  return remote;
}

TEST(Recognise, AJobsResources_AreItsCores_WithoutTheLicencesThatOarCountsToo) {
  Turn turn;
  turn.has(1);
  turn.has(2);
  turn.live[0].request = "/core=2+{type = 'licence'}/licence=3";
  const auto command = [](int job) { return fmt::format("bash -c \"...\" gleaner.7-1 {0} 0 {0} 1 -", job); };
  auto both = listed(1001, "tag-1", command(1)), cores = listed(1002, "tag-1", command(2));
  both.resources = 5;
  cores.resources = 4;
  recognise(turn.poll, turn.live, {both, cores});
  EXPECT_EQ(turn.poll.ours.at(grid::RemoteJobId{1001}).resources, 2);
  EXPECT_EQ(turn.poll.ours.at(grid::RemoteJobId{1002}).resources, 4);
}

TEST(Recognise, AnIdIsBelieved_OnlyWithTheOwnerTheNameAndTheCommandThatWeGave) {
  Turn turn;
  for (int i = 1; i <= 6; ++i) turn.has(i);
  const auto command = [](int job) { return fmt::format("bash -c \"...\" gleaner.7-1 {0} 0 {0} 1 -", job); };
  recognise(turn.poll, turn.live,
            {listed(1001, "tag-1", command(1)), listed(1002, "simulation", "./simulate"), listed(1003, "cigri.7.2-grid", command(3)),
             listed(1004, "tag-1", command(5)), listed(1006, "tag-1", command(6), "mal"), listed(4711, "somebody", "else")});
  EXPECT_EQ(turn.poll.ours.size(), 1U);
  EXPECT_TRUE(turn.poll.ours.contains(grid::RemoteJobId{1001}));
  EXPECT_THAT(turn.poll.reused,
              ElementsAre(grid::RemoteJobId{1002}, grid::RemoteJobId{1003}, grid::RemoteJobId{1004}, grid::RemoteJobId{1006}));
  turn.lists({"1.0.1.1001.s"});
  EXPECT_THAT(ends(turn.judged()), ElementsAre("done"));
}

TEST(Judge, AJobWhoseIdIsSomebodyElses_IsWhatItsFilesSay_OrForgotten) {
  Turn turn;
  turn.has(1);
  turn.has(2);
  turn.poll.reused = {grid::RemoteJobId{1001}, grid::RemoteJobId{1002}};
  EXPECT_THAT(turn.fences(), ElementsAre(1));
  EXPECT_THAT(turn.judged().reused, IsEmpty()) << "nobody has looked yet";
  EXPECT_THAT(turn.judged().waits, SizeIs(2));
  turn.lists({"1.0.1.1001.e0", "2.0.2.1002.s"});
  const auto judged = turn.judged();
  EXPECT_THAT(ends(judged), ElementsAre("done"));
  EXPECT_EQ(judged.over[0].remote, nullptr);
  ASSERT_THAT(judged.reused, SizeIs(1));
  EXPECT_EQ(judged.reused[0].job, grid::JobId{2});
}

TEST(Judge, AJobThatItsClusterDoesNotList_Stays_UnlessItsFilesShowItsEnd) {
  Turn turn;
  turn.has(1);
  EXPECT_EQ(turn.judged().waits.at(0).absent, kNow);
  turn.live[0].absent_since = kLongAgo;
  EXPECT_THAT(turn.fences(), IsEmpty());
  turn.poll.usable_resources = 8;  // once a minute
  EXPECT_THAT(turn.fences(), ElementsAre(1));
  turn.lists({"1.0.1.1001.s"});
  EXPECT_THAT(ends(turn.judged()), IsEmpty());
  EXPECT_EQ(turn.judged().absent, 1);
  turn.lists({"1.0.1.1001.e3"});
  EXPECT_THAT(ends(turn.judged()), ElementsAre("task_error"));
}

TEST(Tails, AreReadOfTheFirstFewFailures_OfTheWrappersToo_AndNotOfDuplicates) {
  Turn turn;
  for (int i = 1; i <= 8; ++i) turn.has(i);
  for (int i = 1; i <= 5; ++i) turn.shows(i, RemoteState::terminated, i <= 2 ? 113 : 3);
  turn.shows(6, RemoteState::terminated, 0);
  turn.shows(7, RemoteState::running);
  turn.lists({"1.0.1.1001.d.99", "2.0.2.1002.u", "3.0.3.1003.s", "4.0.4.1004.e3", "5.0.5.1005.s", "6.0.6.1006.s"});
  turn.poll.ours.at(grid::RemoteJobId{1003}).state = RemoteState::finishing;  // with its exit status
  std::vector<std::string> paths;
  for (const auto& tail : tails_to_read(turn.live, turn.poll)) paths.push_back(tail.path);
  EXPECT_THAT(paths, ElementsAre("/home/alice/2", "/home/alice/3", "/home/alice/4"));
}

TEST(Tails, OfACampaignWithAnOutputDirectory_AreTheTasksStderr_AndOarsFileWhereNothingBegan) {
  Turn turn;
  for (int i = 1; i <= 2; ++i) turn.has(i);
  for (auto& job : turn.live) job.output_directory = "$HOME/results/12";
  turn.shows(1, RemoteState::terminated, 113);
  turn.shows(2, RemoteState::terminated, 3);
  turn.lists({"1.0.1.1001.u", "2.0.2.1002.s"});
  std::vector<std::string> paths;
  for (const auto& tail : tails_to_read(turn.live, turn.poll)) paths.push_back(tail.path);
  EXPECT_THAT(paths, ElementsAre("/home/alice/1", "~/results/12/2.err"));
}

TEST(Tails, OfACampaignWithAFolder_AreTheTasksStderrThere_AndOarsFileWhereNothingBegan) {
  Turn turn;
  for (int i = 1; i <= 3; ++i) turn.has(i);
  for (auto& job : turn.live) job.exec_directory = "/scratch/$USER/run";
  turn.shows(1, RemoteState::terminated, 113);
  turn.shows(2, RemoteState::terminated, 3);
  turn.shows(3, RemoteState::terminated, 113);
  turn.lists({"1.0.1.1001.f", "2.0.2.1002.s", "3.0.3.1003.u"});
  std::vector<std::string> paths;
  for (const auto& tail : tails_to_read(turn.live, turn.poll)) paths.push_back(tail.path);
  EXPECT_THAT(paths, ElementsAre("/home/alice/1", "/scratch/alice/run/OAR.cigri.7.1002.stderr", "/home/alice/3"));
  EXPECT_THAT(ends(turn.judged()), ElementsAre("bad_request", "task_error", "cannot_start"));
}

TEST(Occupation, HoldsWhatEitherListShowsToHoldResources) {
  Poll poll;
  poll.occupying.push_back(listed(1, "a", ""));
  auto started = listed(2, "b", "");
  started.state = RemoteState::to_launch;
  auto waits = listed(3, "c", "");
  waits.state = RemoteState::waiting;
  join_occupying(poll, std::vector{listed(1, "a", ""), started, waits, listed(4, "d", "")});
  std::vector<std::int64_t> ids;
  for (const auto& job : poll.occupying) ids.push_back(job.id.value());
  EXPECT_THAT(ids, ElementsAre(1, 2));
}

}  // namespace
}  // namespace gleaner::updator
