// Document 003, array jobs: "use the profiling data of the predictor to see if we can run 1000 jobs on the same cluster without causing
// damage to the NFS server".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kBears = 100;

/// The pair's tasks read and wrote so many MB/s.
PairView measured(PairView pair, double mb_s, std::int64_t jobs = 20) {
  pair.io_jobs = pair.done = jobs;
  pair.io_seconds = 60.0 * static_cast<double>(jobs);
  pair.io_mb = mb_s * pair.io_seconds;
  pair.mean_duration = 60;
  return pair;
}

/// One campaign of 5000 tasks on a cluster of 1000 cores, whose file server bears 100 MB/s; its tasks move so many.
Snapshot a_thousand_cores(double mb_s) {
  auto snapshot = one_of_each();
  snapshot.clusters[0].max_resources = snapshot.clusters[0].free_resources = 1000;
  snapshot.clusters[0].file_server_mb_s = kBears;
  snapshot.campaigns[0].waiting_tasks = 5000;
  snapshot.pairs[0] = measured(snapshot.pairs[0], mb_s);
  return snapshot;
}

/// Another user's campaign, on the first cluster.
void add(Snapshot& snapshot, std::optional<double> mb_s, int live = 0) {
  const auto id = std::ssize(snapshot.campaigns) + 1;
  snapshot.campaigns.push_back(a_campaign(id, 5000));
  snapshot.campaigns.back().user = "bob";
  auto pair = a_pair(id, 1);
  if (mb_s) pair = measured(pair, *mb_s);
  pair.live_jobs = live;
  snapshot.pairs.push_back(pair);
}

std::string sentence_for(const Snapshot& snapshot, std::int64_t campaign) {
  return explain(*decision_on(plan(snapshot), campaign, 1), {{cluster_id(1), "alpha"}});
}

TEST(FileServers, Document003_AThousandJobs_RunIfTheFileServerBearsThem_AndElseAsManyAsItBears) {
  EXPECT_EQ(plan(a_thousand_cores(0.1)), (Expect{.launched = {{1, 1, 1000}}})) << "100 MB/s in all";
  const auto heavy = a_thousand_cores(2.5);
  EXPECT_EQ(plan(heavy), (Expect{.launched = {{1, 1, 40}}}));
  EXPECT_THAT(sentence_for(heavy, 1), AllOf(HasSubstr("bears 100 MB/s"), HasSubstr("a job of the campaign 2.5 MB/s"),
                                            HasSubstr("'gridctl cluster edit NAME --file-server MB/S'")));
  auto undeclared = heavy;
  undeclared.clusters[0].file_server_mb_s = 0;
  EXPECT_EQ(plan(undeclared), (Expect{.launched = {{1, 1, 1000}}}));
}

TEST(FileServers, Document003_LiveJobsOfAllCampaigns_AreItsLoad_AndOnlyWhatIsLeftIsGiven) {
  auto snapshot = a_thousand_cores(2.5);
  snapshot.pairs[0].live_jobs = 12;
  snapshot.pairs[0].frozen_jobs = 4;
  add(snapshot, 5.0, 8);
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 1), 8) << "16 x 2.5 + 8 x 5 = 80 MB/s";
  EXPECT_EQ(reason_on(plan(snapshot), 2, 1), "file_server_full");
  EXPECT_THAT(sentence_for(snapshot, 2), AllOf(HasSubstr("the file server of alpha bears 100 MB/s, live jobs read and write 100 MB/s"),
                                               HasSubstr("(8 live jobs of the campaign there)"), HasSubstr("when jobs end")));
}

TEST(FileServers, ACampaignThatMovesNextToNothing_IsNeverStopped_AndOneThatMovesLittleTakesWhatIsLeft) {
  auto snapshot = a_thousand_cores(2.5);
  add(snapshot, 0.0);
  snapshot.pairs[0].live_jobs = 400;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{2, 1, 1000}}, .stopped = {{1, 1, "file_server_full"}}}));
  snapshot.pairs[0].live_jobs = 39;
  snapshot.campaigns[0].state = grid::CampaignState::paused;
  snapshot.pairs[1] = measured(a_pair(2, 1), 0.5);
  EXPECT_EQ(jobs_on(plan(snapshot), 2, 1), 5) << "2.5 MB/s are left of 100";
}

/// With fair shares it would wait for ever behind the small jobs that take each MB/s that is freed.
TEST(FileServers, ACampaignWithoutAJobThere_GetsOne_WhileTheServerBearsMore) {
  auto snapshot = a_thousand_cores(250);
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 1}}})) << "more than the server bears: one at a time";
  EXPECT_THAT(sentence_for(snapshot, 1), HasSubstr("more start one at a time"));
  snapshot.pairs[0].live_jobs = 1;
  EXPECT_EQ(plan(snapshot), (Expect{.stopped = {{1, 1, "file_server_full"}}}));
  snapshot = a_thousand_cores(50);
  add(snapshot, 10.0, 9);
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 1), 1) << "10 MB/s are left";
  snapshot.pairs[1].live_jobs = 10;
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 1), 0);
}

TEST(FileServers, FirstJobsOfACampaign_AreFew_UntilOneShowsWhatItMoves_OrNoneCan) {
  auto snapshot = a_thousand_cores(0);
  snapshot.pairs[0] = a_pair(1, 1);
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 3}}})) << "probe_jobs";
  EXPECT_THAT(sentence_for(snapshot, 1), HasSubstr("these are the first, which show how much a task reads and writes"));
  snapshot.pairs[0].live_jobs = 3;
  EXPECT_EQ(plan(snapshot), (Expect{.stopped = {{1, 1, "file_server_full"}}}));
  EXPECT_THAT(sentence_for(snapshot, 1), HasSubstr("3 of at most 3 first jobs are out; more start when one has ended"));
  snapshot.pairs[0].live_jobs = 0;
  snapshot.pairs[0].done = 3;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 1000}}})) << "the nodes cannot tell";
}

TEST(FileServers, WhatItsTasksMovedElsewhere_CountsWhereNoneIsMeasured) {
  auto snapshot = two_clusters(5000);
  for (auto& cluster : snapshot.clusters) cluster.max_resources = cluster.free_resources = 1000;
  snapshot.clusters[0].file_server_mb_s = kBears;
  for (auto& pair : snapshot.pairs) pair = measured(pair, 20);
  snapshot.pairs[0].io_jobs = 0;
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 1), 5);
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 2), 1000) << "it declares none";
}

TEST(FileServers, ClustersOfOneHome_ShareTheirServer_WhichBearsTheLeastThatTheyDeclare) {
  for (const auto* placement : {"power", "balanced", "packed"}) {
    auto snapshot = two_clusters(5000);
    for (auto& cluster : snapshot.clusters) {
      cluster.max_resources = cluster.free_resources = 1000;
      cluster.shared_home = "site";
    }
    snapshot.clusters[0].file_server_mb_s = kBears;
    for (auto& pair : snapshot.pairs) pair = measured(pair, 2);
    const auto both = plan(snapshot, {.placement = placement});
    EXPECT_EQ(jobs_on(both, 1, 1) + jobs_on(both, 1, 2), 50) << placement << ": beta declares none";
    snapshot.clusters[1].file_server_mb_s = 30;
    const auto least = plan(snapshot, {.placement = placement});
    EXPECT_EQ(jobs_on(least, 1, 1) + jobs_on(least, 1, 2), 15) << placement;
    snapshot.clusters[1].retired = true;
    EXPECT_EQ(jobs_on(plan(snapshot, {.placement = placement}), 1, 1), 50) << placement;
    snapshot.clusters[1].retired = false;
    snapshot.clusters[1].shared_home = "";
    EXPECT_EQ(jobs_on(plan(snapshot, {.placement = placement}), 1, 2), 15) << placement << ": its own server";
  }
  auto snapshot = a_thousand_cores(2.5);
  snapshot.clusters[0].shared_home = "site";
  EXPECT_THAT(sentence_for(snapshot, 1), HasSubstr("(shared home 'site') bears 100 MB/s"));
}

TEST(FileServers, AJobThatCarriesOutTasksSideBySide_MovesWhatTheyMove) {
  auto snapshot = a_thousand_cores(2);
  snapshot.campaigns[0].side_by_side = true;
  snapshot.campaigns[0].grouping = grid::Grouping::on;
  auto wide = measured(a_pair(1, 1, 10), 2);
  snapshot.pairs[0] = wide;
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 1), 5) << "10 tasks at a time, 20 MB/s";
  snapshot.campaigns[0].side_by_side = false;
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 1), 50) << "one after the other";
}

TEST(FileServers, Replicas_AreJobsLikeOthers) {
  auto snapshot = two_clusters(0);
  snapshot.campaigns[0].replicas_allowed = true;
  for (auto& pair : snapshot.pairs) pair = measured(pair, 40);
  snapshot.pairs[0].live_jobs = snapshot.pairs[0].replicable_tasks = 8;
  snapshot.clusters[1].file_server_mb_s = kBears;
  EXPECT_EQ(plan(snapshot).replicas.size(), 1U);
  EXPECT_EQ(plan(snapshot).replicas.at(0).jobs, 2);
}

/// From gridstat --why of another version, from users' files: no figure of a profile breaks a plan.
TEST(FileServers, AProfileThatMakesNoSense_StopsItsOwnCampaignAtMost) {
  for (const double mb : {-1.0, 1e18, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    auto snapshot = a_thousand_cores(1);
    add(snapshot, 0.0);
    snapshot.pairs[0].io_mb = mb;
    snapshot.pairs[0].io_seconds = mb;
    EXPECT_EQ(jobs_on(plan(snapshot), 2, 1) + jobs_on(plan(snapshot), 1, 1), 1000) << mb;
  }
}

}  // namespace
}  // namespace gleaner::planner::test
