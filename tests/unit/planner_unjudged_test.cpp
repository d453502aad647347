// The first tasks of a campaign on several clusters: a few on each, until one of them has shown how long tasks take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner_facts.hpp"

namespace gleaner::planner::test {
namespace {

using ::testing::HasSubstr;

/// One campaign of long walltimes on alpha and beta, 16 free resources each.
struct TwoClusters : FactsOfOne {
  TwoClusters() : FactsOfOne{1} {
    facts.campaigns[0].waiting_tasks = 1000;
    facts.clusters.push_back(facts.clusters[0]);
    facts.clusters[1].id = cluster_id(2);
    facts.clusters[1].name = "beta";
    facts.pairs[0].walltime = 3600;
    facts.pairs.push_back(facts.pairs[0]);
    facts.pairs[1].cluster = cluster_id(2);
  }
  void done(std::size_t pair, int jobs, double seconds) {
    facts.pairs[pair].active = true;
    facts.pairs[pair].done += jobs;
    facts.pairs[pair].concluded_jobs += jobs;
    facts.pairs[pair].duration_sum += jobs * seconds;
    facts.pairs[pair].duration_squares += jobs * seconds * seconds;
  }
  [[nodiscard]] int on_alpha() const { return jobs_on(made(), 1, 1); }
  [[nodiscard]] int on_beta() const { return jobs_on(made(), 1, 2); }
  [[nodiscard]] std::string why_on_beta() const { return explain(*decision_on(made(), 1, 2), {{cluster_id(2), "beta"}}); }
};

TEST(UnjudgedClusters, GetAFewTasksEach_UntilAJobHasRunForFiveSeconds) {
  TwoClusters grid;
  EXPECT_EQ(grid.on_alpha(), 3);
  EXPECT_EQ(grid.on_beta(), 3);
  grid.facts.pairs[0].active = true;
  grid.facts.pairs[0].running = 3;
  grid.facts.pairs[0].last_start_at = grid::from_unix(996);
  EXPECT_EQ(grid.on_alpha(), 0);
  grid.facts.pairs[0].last_start_at = grid::from_unix(995);
  EXPECT_GT(grid.on_alpha(), 10) << "it works, and is filled";
  EXPECT_EQ(grid.on_beta(), 3);
}

TEST(UnjudgedClusters, WhereAJobHasRunOn_StayJudged_WhileOthersStart_AndAfterAllArePreempted) {
  TwoClusters grid;
  grid.facts.pairs[0].active = true;
  grid.facts.pairs[0].running = 4;
  grid.facts.pairs[0].last_start_at = grid::from_unix(1000);
  EXPECT_GT(grid.on_alpha(), 0) << "the fourth job came after one of three had run on";
  grid.facts.pairs[0].running = 0;
  grid.facts.pairs[0].interruptions = 4;
  grid.facts.pairs[0].exposed_seconds = 4;
  EXPECT_EQ(grid.on_alpha(), 3) << "a second each shows nothing";
  grid.facts.pairs[0].exposed_seconds = 20;
  EXPECT_GT(grid.on_alpha(), 10);
}

TEST(UnjudgedClusters, ThatEndTasksAtOnce_GetNoMore_AndTheReasonStatesWhatWouldChangeIt) {
  TwoClusters grid;
  grid.done(1, 3, 0.2);
  EXPECT_EQ(grid.on_beta(), 0);
  EXPECT_THAT(grid.why_on_beta(), HasSubstr("beta ended its first 3 tasks without an error after 0.2 s each"));
  EXPECT_THAT(grid.why_on_beta(), HasSubstr("'gridsub --edit ID min_duration=0'"));
  grid.facts.campaigns[0].min_duration = 0;
  EXPECT_GT(grid.on_beta(), 10) << "its user says that this is right";
  grid.facts.campaigns[0].min_duration.reset();
  grid.done(0, 3, 0.3);
  EXPECT_GT(grid.on_beta(), 10) << "they take no longer on alpha";
}

TEST(UnjudgedClusters, WhereTheRestOfTheTasksIsBound_GetItAll_AsNoOtherWillJudgeThem) {
  TwoClusters grid;
  grid.done(1, 3, 0.2);
  grid.facts.campaigns[0].waiting_tasks = 8;
  grid.facts.pairs[1].returned_tasks = 8;
  EXPECT_EQ(grid.on_beta(), 8);
  grid.facts.campaigns[0].held_tasks = 1;
  EXPECT_EQ(grid.on_beta(), 3) << "one that is held may go to alpha one day: a few at a time";
  grid.facts.pairs[0].returned_tasks = 1;
  EXPECT_EQ(grid.on_beta(), 0) << "alpha has one, and will show it";
}

TEST(UnjudgedClusters, BesideOneThatGetsNothing_GoOn_AFewAtATime) {
  const auto on_beta_with = [](auto&& change) {
    TwoClusters grid;
    grid.done(1, 3, 0.2);
    change(grid.facts.pairs[0]);
    return grid.on_beta();
  };
  EXPECT_EQ(on_beta_with([](auto& alpha) { alpha.fitting_tasks = 0; }), 3);
  EXPECT_EQ(on_beta_with([](auto& alpha) { alpha.has_properties = true, alpha.matching_resources = 0; }), 3);
  EXPECT_EQ(on_beta_with([](auto& alpha) { alpha.resources_per_job = 17; }), 3);
  EXPECT_GT(on_beta_with([](auto& alpha) { alpha.preparation = grid::Preparation::prologue_failed; }), 3) << "it never will";
}

TEST(UnjudgedClusters, WhoseTasksTakeMuchLongerElsewhere_GetAProbe_AsBefore) {
  TwoClusters grid;
  grid.done(1, 3, 0.2);
  grid.done(0, 3, 60);
  EXPECT_EQ(grid.on_beta(), 3) << "until its ends are judged, and it is braked";
}

TEST(UnjudgedClusters, GetAFewTasksAtATime_WhileTheOthersAreBraked_AndAllWhereThereIsNoOther) {
  TwoClusters grid;
  grid.done(1, 3, 0.2);
  grid.facts.pairs[0].brake = grid::Brake{"it failed", {}};
  EXPECT_EQ(grid.on_beta(), 3);
  grid.facts.pairs[0].brake.reset();
  grid.facts.pairs[0].max_jobs = 0;
  EXPECT_GT(grid.on_beta(), 10) << "the campaign's only cluster";
}

TEST(UnjudgedClusters, ATestCampaign_HasItsOneJobOnEach) {
  TwoClusters grid;
  grid.facts.campaigns[0].type = grid::CampaignType::test;
  EXPECT_EQ(grid.on_alpha(), 1);
  EXPECT_EQ(grid.on_beta(), 1);
}

/// Three probes once took three quarters of the bag.
TEST(Probes, TakeOneTaskEach_AlsoOfACampaignThatSharesJobs) {
  const auto tasks_on_beta = [](const TwoClusters& grid) {
    int tasks = 0;
    for (const auto& launch : grid.made().launches) {
      if (launch.cluster == cluster_id(2)) tasks += launch.jobs + launch.pooled;
    }
    return tasks;
  };
  TwoClusters grid;
  grid.facts.campaigns[0].grouping = grid::Grouping::on;
  EXPECT_EQ(tasks_on_beta(grid), 3) << "unjudged";
  grid.facts.campaigns[0].scheduler = "prediction";
  grid.facts.clusters[0].enabled = false;
  EXPECT_EQ(tasks_on_beta(grid), 3) << "a profile";
  grid.facts.campaigns[0].scheduler.clear();
  EXPECT_GT(tasks_on_beta(grid), 100) << "neither";
  grid.facts.campaigns[0].min_duration = 10;
  EXPECT_EQ(tasks_on_beta(grid), 3) << "to be compared with min_duration";
  grid.facts.campaigns[0].min_duration.reset();
  grid.done(1, 5, 1);
  EXPECT_GT(tasks_on_beta(grid), 100);
  grid.facts.pairs[1].suspected = true;
  EXPECT_EQ(tasks_on_beta(grid), 3) << "suspected";
  grid.facts.pairs[1].suspected = false;
  grid.facts.pairs[1].failures_in_a_row = 3;
  EXPECT_EQ(tasks_on_beta(grid), 1) << "the trial after a brake";
}

}  // namespace
}  // namespace gleaner::planner::test
