#include "updator/pools.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "lib/grid/launch_fate.hpp"

namespace gleaner::updator {
namespace {

using grid::JobEnd;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr grid::Instant kPollTime{std::chrono::hours{1000}};
constexpr grid::Seconds kTaskTime{600};

/// One pool: launch 7, with the carriers 901, 902, … of OAR, and pooled jobs 1, 2, … of the tasks of these numbers.
struct PoolTurn {
  std::vector<store::Pool> pools{1};
  Poll poll{.began = kPollTime};
  std::vector<std::string> names;
  bool has_list = true;  ///< whether the folder shows the list of the pool

  PoolTurn() {
    pools[0].launch = grid::LaunchId{7};
    pools[0].walltime = kTaskTime;
  }
  void carrier_runs(int id) {
    pools[0].carriers[grid::RemoteJobId{id}] = {};
    ++pools[0].live_carriers;
  }
  void carrier_ended(int id, JobEnd end, grid::Instant at = kPollTime - grid::Seconds{60}) {
    pools[0].carriers[grid::RemoteJobId{id}] = {end, at};
    pools[0].last_end = std::max(pools[0].last_end.value_or(at), at);
  }
  void has(int job) {
    store::LiveJob one;
    one.id = grid::JobId{job};
    one.campaign = grid::CampaignId{3};
    one.task = grid::TaskNumber{job};
    one.launch = one.fence = grid::LaunchId{7};
    one.state = grid::JobState::pooled;
    pools[0].jobs.push_back(one);
  }
  void lists(int fence, std::vector<std::string> files) {
    poll.evidence.insert_or_assign(grid::LaunchId{fence}, grid::EvidenceIndex{files});
  }
  JudgedPools judged() {
    auto files = names;
    if (has_list) files.emplace_back("pool");
    lists(7, files);
    return judge_pools(pools, poll, {});
  }
  std::map<int, std::string> ends() {
    std::map<int, std::string> ends;
    for (const auto& over : judged().over) ends[static_cast<int>(over.job.value())] = grid::name_of(over.end);
    return ends;
  }
};

TEST(Pools, AnEndThatWasNoted_CountsAtOnce_WhileTheCarrierGoesOn) {
  PoolTurn turn;
  turn.carrier_runs(901);
  for (const int job : {1, 2, 3, 4}) turn.has(job);
  turn.names = {"1.0.1.901.e0.120", "2.0.2.901.e3.90", "3.0.3.901.w.600000", "4.0.4.901.s"};
  EXPECT_THAT(turn.ends(), ElementsAre(Pair(1, "done"), Pair(2, "task_error"), Pair(3, "walltime")));
  const auto judged = turn.judged();
  EXPECT_EQ(judged.over[0].evidence.duration, std::chrono::milliseconds{120});
  ASSERT_THAT(judged.claimed, SizeIs(4));
  EXPECT_EQ(judged.claimed[0].carrier, grid::RemoteJobId{901});
}

TEST(Pools, WhatTheirFilesShowOfRunningTasks_IsNoted_WhereAllWereRead) {
  PoolTurn turn;
  for (const int id : {901, 902, 903, 904}) {
    turn.carrier_runs(id);
    auto& carrier = turn.pools[0].carriers[grid::RemoteJobId{id}];
    carrier.job = grid::JobId{id - 880};
    carrier.fence = grid::LaunchId{7};
    carrier.task = grid::TaskNumber{id - 880};
  }
  turn.pools[0].carriers[grid::RemoteJobId{904}].command_over = true;
  turn.has(1);
  turn.names = {"21.0.21.901.e0.120", "22.0.22.902.s", "24.0.24.904.e0.10"};
  const auto read = turn.judged().read;
  EXPECT_THAT(read.launches, ElementsAre(grid::LaunchId{7}));
  EXPECT_THAT(read.carriers, ElementsAre(grid::JobId{21})) << "one runs, one has not begun, and one was noted before";
  turn.has(2);
  turn.pools[0].jobs[1].fence = grid::LaunchId{5};
  EXPECT_THAT(turn.judged().read.launches, IsEmpty()) << "a folder is missing";
  turn.lists(5, {});
  EXPECT_THAT(turn.judged().read.launches, ElementsAre(grid::LaunchId{7}));
}

TEST(Pools, ACarrierThatIsKnown_IsNotWrittenAgain) {
  PoolTurn turn;
  turn.carrier_runs(901);
  turn.has(1);
  turn.pools[0].jobs[0].remote = grid::RemoteJobId{901};
  turn.names = {"1.0.1.901.s"};
  EXPECT_THAT(turn.judged().claimed, IsEmpty());
}

TEST(Pools, WhatACarrierWasCarryingOut_EndsAsTheCarrier) {
  const std::map<JobEnd, std::string> expected{{JobEnd::preempted, "preempted"},       {JobEnd::killed_by_us, "killed_by_us"},
                                               {JobEnd::walltime, "walltime"},         {JobEnd::killed_elsewhere, "killed_elsewhere"},
                                               {JobEnd::node_failure, "node_failure"}, {JobEnd::done, "node_failure"},
                                               {JobEnd::task_error, "node_failure"}};
  for (const auto& [carrier, end] : expected) {
    PoolTurn turn;
    turn.carrier_runs(902);
    turn.carrier_ended(901, carrier);
    turn.has(1);
    turn.names = {"1.0.1.901.s"};
    EXPECT_THAT(turn.ends(), ElementsAre(Pair(1, end))) << grid::name_of(carrier);
  }
}

TEST(Pools, TheFilesOfACarrierThatHasJustEnded_AreAwaited) {
  PoolTurn turn;
  turn.carrier_ended(901, JobEnd::done, kPollTime - grid::Seconds{2});
  for (const int job : {1, 2}) turn.has(job);
  turn.names = {"1.0.1.901.s"};
  EXPECT_THAT(turn.ends(), IsEmpty());
}

TEST(Pools, ASignal_IsTheTasksFault_WhenItsCarrierEndedByItself) {
  PoolTurn turn;
  turn.carrier_runs(901);
  turn.carrier_ended(902, JobEnd::done);
  turn.carrier_ended(903, JobEnd::preempted);
  for (const int job : {1, 2, 3, 4}) turn.has(job);
  turn.names = {"1.0.1.901.e137.9", "2.0.2.902.e137.9", "3.0.3.903.e137.9", "4.0.4.901.e139.9"};
  EXPECT_THAT(turn.ends(), ElementsAre(Pair(2, "task_error"), Pair(3, "preempted"), Pair(4, "task_error")));
}

TEST(Pools, WhatNobodyTook_GoesBack_WhenAllCarriersAreOver) {
  PoolTurn turn;
  turn.has(1);
  turn.carrier_runs(901);
  turn.carrier_ended(902, JobEnd::done);
  EXPECT_THAT(turn.ends(), IsEmpty());
  turn.pools[0].live_carriers = 0;
  EXPECT_THAT(turn.ends(), ElementsAre(Pair(1, "not_reached")));
  const auto judged = turn.judged();
  EXPECT_FALSE(grid::may_begin(judged.over[0].record, judged.over[0].evidence)) << "it may go to any cluster";
}

TEST(Pools, WhatACarrierMayStillTake_StaysBoundToItsCluster) {
  PoolTurn turn;
  turn.has(1);
  turn.carrier_ended(901, JobEnd::never_began);
  turn.pools[0].may_come = true;
  const auto judged = turn.judged();
  ASSERT_THAT(judged.over, SizeIs(1));
  EXPECT_TRUE(grid::may_begin(judged.over[0].record, judged.over[0].evidence));
}

TEST(Pools, WhenTheTimeOfAllCarriersIsOver_TheRestGoesBack_ThoughTheyStillRun) {
  PoolTurn turn;
  turn.has(1);
  turn.carrier_runs(901);
  turn.pools[0].closed_at = kPollTime - grid::Seconds{5};
  EXPECT_THAT(turn.ends(), IsEmpty()) << "their clocks differ from OAR's";
  turn.pools[0].closed_at = kPollTime - grid::Seconds{60};
  const auto judged = turn.judged();
  ASSERT_THAT(judged.over, SizeIs(1));
  EXPECT_EQ(judged.over[0].end, JobEnd::not_reached);
  EXPECT_TRUE(grid::may_begin(judged.over[0].record, judged.over[0].evidence));
}

TEST(Pools, OfALaunchWhoseFateIsUnknown_NothingMoves) {
  PoolTurn turn;
  turn.has(1);
  turn.has(2);
  turn.carrier_ended(901, JobEnd::done);
  turn.names = {"2.0.2.901.e0.5"};
  for (const auto state : {grid::LaunchState::launching, grid::LaunchState::unknown}) {
    turn.pools[0].state = state;
    EXPECT_THAT(turn.ends(), IsEmpty());
    EXPECT_THAT(turn.judged().claimed, IsEmpty());
  }
}

TEST(Pools, WhatACarrierTook_ThatNeverBeganByOarsReport_GetsItsWalltime) {
  PoolTurn turn;
  turn.has(1);
  turn.carrier_ended(901, JobEnd::never_began);
  turn.names = {"1.0.1.901.s"};
  EXPECT_THAT(turn.ends(), IsEmpty());
  turn.carrier_ended(901, JobEnd::never_began, kPollTime - kTaskTime - grid::Seconds{30} - grid::kOrphanWatch);
  EXPECT_THAT(turn.ends(), ElementsAre(Pair(1, "node_failure")));
}

/// Its first run began before the end of the second one.
TEST(Pools, WhatACarrierTook_ThatOarRanAgainUnderAnotherId_IsAwaitedForTheTimeOfOneRun) {
  PoolTurn turn;
  turn.pools[0].duration = grid::Seconds{900};
  turn.pools[0].may_come = true;  // OAR ran it again
  turn.has(1);
  constexpr auto kRun = kTaskTime + grid::Seconds{900 + 30};
  turn.carrier_ended(902, JobEnd::done, kPollTime - kRun + grid::Seconds{1});
  turn.names = {"1.0.1.901.s"};
  EXPECT_THAT(turn.ends(), IsEmpty());
  turn.pools[0].last_end = kPollTime - kRun;
  EXPECT_THAT(turn.ends(), ElementsAre(Pair(1, "node_failure"))) << "no hour more";
}

TEST(Pools, WhatACarrierTook_WhoseIdOarNeverReported_IsAwaitedLonger_AsItMayHaveBegunLate) {
  PoolTurn turn;
  turn.pools[0].may_be_unseen = true;
  turn.has(1);
  turn.names = {"1.0.1.901.s"};
  turn.pools[0].last_end = kPollTime - kTaskTime - grid::Seconds{30};
  EXPECT_THAT(turn.ends(), IsEmpty());
  turn.pools[0].last_end = kPollTime - kTaskTime - grid::Seconds{30} - grid::kOrphanWatch;
  EXPECT_THAT(turn.ends(), ElementsAre(Pair(1, "node_failure")));
}

TEST(Pools, WithoutFiles_AJobKeepsItsState_UntilItsCarriersHaveBeenOverForEvidencePatience) {
  PoolTurn turn;
  turn.has(1);
  turn.carrier_ended(901, JobEnd::done);
  EXPECT_THAT(judge_pools(turn.pools, turn.poll, {}).over, IsEmpty()) << "not read";
  turn.poll.evidence.emplace(grid::LaunchId{7}, tl::unexpected{std::string{"the home stalls"}});
  Patience patience{.evidence = grid::Seconds{61}};
  EXPECT_THAT(judge_pools(turn.pools, turn.poll, patience).over, IsEmpty()) << "not readable";
  patience.evidence = grid::Seconds{60};
  const auto over = judge_pools(turn.pools, turn.poll, patience).over;
  ASSERT_THAT(over, SizeIs(1));
  EXPECT_EQ(over[0].end, JobEnd::never_began) << "it keeps its attempt, and is bound to the cluster of its claim";
  EXPECT_EQ(over[0].evidence.witness, grid::Witness::unreadable);
  turn.carrier_runs(902);
  EXPECT_THAT(judge_pools(turn.pools, turn.poll, patience).over, IsEmpty()) << "a carrier may still take it";
}

/// OAR answers "not found" for a folder whatever keeps it from looking there, and the tasks may have run.
TEST(Pools, OfAFolderWithoutTheListOfThePool_TheFilesProve_AndTheirAbsenceDoesNot) {
  PoolTurn turn;
  for (const int job : {1, 2, 3}) turn.has(job);
  turn.carrier_ended(901, JobEnd::done, kPollTime - grid::Seconds{119});
  turn.has_list = false;
  turn.names = {"1.0.1.901.e0.120", "3.0.30.901.s"};
  EXPECT_THAT(turn.ends(), ElementsAre(Pair(1, "done"), Pair(3, "duplicate"))) << "nobody knows what became of task 2";
  turn.pools[0].last_end = kPollTime - grid::Seconds{120};
  const auto judged = turn.judged();
  ASSERT_THAT(judged.over, SizeIs(3));
  EXPECT_EQ(judged.over[1].end, JobEnd::never_began) << "it keeps its attempt, and is bound to the cluster";
  EXPECT_EQ(judged.over[1].evidence.witness, grid::Witness::unreadable);
  turn.has_list = true;
  EXPECT_THAT(turn.ends(), ElementsAre(Pair(1, "done"), Pair(2, "not_reached"), Pair(3, "duplicate")));
}

TEST(Pools, OfATaskThatIsClaimedInAnEarlierLaunch_TheListInItsOwnLaunchShowsThatTheHomeCanBeSeen) {
  PoolTurn turn;
  turn.has(1);
  turn.pools[0].jobs[0].fence = grid::LaunchId{5};
  turn.carrier_ended(901, JobEnd::done);
  turn.lists(5, {});
  EXPECT_THAT(judge_pools(turn.pools, turn.poll, {}).over, IsEmpty()) << "its own launch's was not read";
  turn.has_list = false;
  EXPECT_THAT(turn.ends(), IsEmpty());
  turn.has_list = true;
  EXPECT_THAT(turn.ends(), ElementsAre(Pair(1, "not_reached")));
}

TEST(Pools, TheStderrOfTheFirstFewFailures_IsReadBesideItsCarriers_OrInTheOutputDirectory) {
  PoolTurn turn;
  turn.carrier_runs(901);
  for (int job = 1; job <= 8; ++job) turn.has(job);
  turn.names = {"1.0.1.901.e0.5", "2.0.2.901.e3.5", "3.0.3.901.w.600000", "4.0.4.901.e143.5",
                "5.0.5.901.e1.5", "6.0.6.902.e1.5", "7.0.7.901.e1.5",     "8.0.8.901.e1.5"};
  turn.poll.evidence.insert_or_assign(grid::LaunchId{7}, grid::EvidenceIndex{turn.names});
  for (auto& job : turn.pools[0].jobs) job.login = "alice", job.exec_directory = "$HOME";
  std::vector<std::string> paths;
  for (const auto& tail : pooled_tails_to_read(turn.pools, turn.poll)) paths.push_back(tail.path);
  EXPECT_THAT(paths, ElementsAre("~/OAR.cigri.3.901.2.stderr", "~/OAR.cigri.3.901.5.stderr", "~/OAR.cigri.3.902.6.stderr"))
      << "a signal may have been meant for the carrier";
  for (auto& job : turn.pools[0].jobs) job.exec_directory = "/scratch/$USER";
  EXPECT_EQ(pooled_tails_to_read(turn.pools, turn.poll)[0].path, "/scratch/alice/OAR.cigri.3.901.2.stderr");
  for (auto& job : turn.pools[0].jobs) job.output_directory = "$HOME/results";
  EXPECT_EQ(pooled_tails_to_read(turn.pools, turn.poll)[0].path, "~/results/2.err");
}

TEST(Pools, TheFencesOfAllPooledJobsAreRead) {
  PoolTurn turn;
  for (const int job : {1, 2, 3}) turn.has(job);
  const auto fences = [&] {
    std::vector<grid::LaunchId> all;
    for (const auto& fence : fences_of(turn.pools)) all.push_back(fence.fence);
    return all;
  };
  turn.pools[0].jobs[2].fence = grid::LaunchId{5};
  EXPECT_THAT(fences(), UnorderedElementsAre(grid::LaunchId{7}, grid::LaunchId{5}));
  for (auto& job : turn.pools[0].jobs) job.fence = grid::LaunchId{5};
  EXPECT_THAT(fences(), UnorderedElementsAre(grid::LaunchId{7}, grid::LaunchId{5})) << "the list of the pool";
}

}  // namespace
}  // namespace gleaner::updator
