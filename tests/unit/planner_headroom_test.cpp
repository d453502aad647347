// Resources that stay free for local jobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner_facts.hpp"

namespace gleaner::planner::test {
namespace {

using testing::HasSubstr;

/// A plan of one campaign on a cluster of 16 resources with a headroom, of which some are free.
struct Kept : FactsOfOne {
  explicit Kept(std::string_view headroom, int free = 16, int resources_per_job = 1) : FactsOfOne{resources_per_job} {
    facts.clusters[0].headroom = *grid::headroom(headroom);
    facts.clusters[0].free_resources = free;
    facts.clusters[0].flood = 0.5;
  }
};

TEST(Headroom, SoManyResourcesStayFree_AndNothingWaits) {
  EXPECT_EQ(Kept{"0"}.made(), (Expect{.launched = {{1, 1, 24}}})) << "16, and a flood of 8";
  EXPECT_EQ(Kept{"4"}.made(), (Expect{.launched = {{1, 1, 12}}}));
  EXPECT_EQ(Kept{"25%"}.made(), (Expect{.launched = {{1, 1, 12}}}));
  EXPECT_EQ(Kept("4", 5).made(), (Expect{.launched = {{1, 1, 1}}}));
  EXPECT_EQ(Kept("4", 4).made(), (Expect{.stopped = {{1, 1, "kept_for_local_jobs"}}}));
}

TEST(Headroom, IsNotTakenByShortJobs_ThatWouldWaitBehindEachOther) {
  const auto given = [](std::string_view headroom, int resources_per_job, double learnt_ratio) {
    Kept kept{headroom, 16, resources_per_job};
    kept.facts.clusters[0].flood = 0;
    kept.facts.pairs[0].forecast_ratio = learnt_ratio;
    return jobs_on(kept.made(), 1, 1);
  };
  EXPECT_EQ(given("0", 1, 2), 32);
  EXPECT_EQ(given("4", 1, 2), 12);
  EXPECT_EQ(given("4", 4, 0.5), 3) << "not 6 jobs of 4 cores";
  EXPECT_EQ(given("5", 4, 0.5), 2) << "11 are offered";
  EXPECT_EQ(given("4", 1, 0.5), 6) << "a lower ratio holds";
}

TEST(Headroom, JobsThatAreOnTheirWay_CountAsStarted) {
  Kept kept{"4", 8};
  kept.facts.pairs[0].active = true;
  kept.facts.pairs[0].waiting = 3;
  kept.facts.pairs[0].last_accept_at = grid::from_unix(1000);
  EXPECT_EQ(kept.made(), (Expect{.launched = {{1, 1, 1}}}));
}

TEST(Headroom, TakenByLocalJobs_ComesBackAsJobsOfOursEnd_WithoutAKill) {
  for (int free = 0; free <= 4; ++free) {
    const auto made = Kept("4", free).made();
    EXPECT_EQ(jobs_on(made, 1, 1), 0) << free;
    EXPECT_TRUE(made.preemptions.empty());
  }
}

TEST(Headroom, TakenByLocalJobs_IsWholeAgain_BeforeKillsOfTheLowestPriorityBringAnythingToTheGrid) {
  const auto kills = [](int free, int lowest) {
    Kept kept{"4", free};
    kept.facts.campaigns[0].waiting_tasks = 2;
    kept.let_lowest_run(lowest);
    return kept.kills();
  };
  EXPECT_EQ(kills(4, 12), 2);
  EXPECT_EQ(kills(1, 12), 5) << "3 of them stay free";
  EXPECT_EQ(kills(1, 4), 4) << "one comes to the grid";
  EXPECT_EQ(kills(1, 3), 0) << "none would";
}

TEST(Headroom, ThatKeepsAJobWaiting_IsTheReason) {
  const auto made = Kept("4", 3).made();
  EXPECT_EQ(made, (Expect{.stopped = {{1, 1, "kept_for_local_jobs"}}}));
  const auto said = explain(*decision_on(made, 1, 1), {{cluster_id(1), "alpha"}});
  EXPECT_THAT(said, HasSubstr("alpha keeps what is free for jobs of its own users: 3 of 16 resources are free, 4 stay free for local jobs "
                              "(headroom)"));
  EXPECT_EQ(Kept("4", 0).made(), (Expect{.stopped = {{1, 1, "no_free_resources"}}})) << "nothing is free that could be kept";
  EXPECT_EQ(Kept("4", 3, 8).made(), (Expect{.stopped = {{1, 1, "no_free_resources"}}})) << "3 are too few for a job of 8, whatever is kept";
}

TEST(Headroom, NeverTakesAllOfACluster) {
  EXPECT_EQ(Kept{"1000"}.made(), (Expect{.launched = {{1, 1, 1}}}));
  EXPECT_EQ(grid::kept_resources(*grid::headroom("1000"), 0, 0), 0);
  EXPECT_EQ(grid::kept_resources(*grid::headroom("auto"), 1000, 100), 20) << "a fifth, whatever was learnt";
  EXPECT_EQ(grid::kept_resources(*grid::headroom("auto"), 3, 4), 0) << "a fifth of 4";
}

TEST(Headroom, OfAuto_IsWhatWasLearnt) {
  Kept kept{"auto"};
  EXPECT_EQ(kept.made(), (Expect{.launched = {{1, 1, 24}}})) << "nothing was learnt yet: as without a headroom";
  kept.facts.clusters[0].learnt_headroom = 2;
  EXPECT_EQ(kept.made(), (Expect{.launched = {{1, 1, 14}}}));
}

TEST(Headroom, ThatLeavesTooFewForAnyJob_IsTheReason) {
  const auto made = Kept("4", 16, 14).made();
  EXPECT_EQ(made, (Expect{.stopped = {{1, 1, "too_big"}}}));
  EXPECT_THAT(explain(*decision_on(made, 1, 1), {{cluster_id(1), "alpha"}}),
              HasSubstr("a job needs 14 resources, and alpha has 16, of which 4 stay free for local jobs (headroom)"));
}

TEST(Headroom, IsANumber_APart_OrAuto) {
  for (const auto* text : {"0", "8", "5%", "2.5%", "auto"}) EXPECT_EQ(grid::headroom(text)->text(), text);
  for (const auto* text : {"", "-1", "1.5", "95%", "%", "-5%", "Auto", "8 ", "nan%", "1e9"}) EXPECT_FALSE(grid::headroom(text)) << text;
}

}  // namespace
}  // namespace gleaner::planner::test
