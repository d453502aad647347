// The availability stage of document 004: resources that jobs hold, that load keeps busy, or either.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner_facts.hpp"

namespace gleaner::planner::test {
namespace {

using testing::HasSubstr;

/// A plan of one campaign on a cluster of 16 resources, of which 10 are free, and some of these busy without a job; a flood of 8.
struct Loaded : FactsOfOne {
  explicit Loaded(int loaded, int resources_per_job = 1) : FactsOfOne{resources_per_job} {
    auto& cluster = facts.clusters[0];
    cluster.max_resources = 16;
    cluster.free_resources = 10;
    cluster.flood = 0.5;
    cluster.loaded_resources = loaded;
  }
  [[nodiscard]] std::string said() const { return explain(*decision_on(made(), 1, 1), {{cluster_id(1), "alpha"}}); }
};

TEST(Document004, ResourceAvailability_IsWhatNeitherAJobHoldsNorLoadKeepsBusy) {
  EXPECT_EQ(Loaded(0).made(), (Expect{.launched = {{1, 1, 18}}})) << "10, and a flood of 8";
  EXPECT_EQ(Loaded(4).made(), (Expect{.launched = {{1, 1, 6}}})) << "and nothing waits: OAR would start it on the busy ones";
  EXPECT_EQ(Loaded(10).made(), (Expect{.stopped = {{1, 1, "busy_without_job"}}}));
}

TEST(Document004, ResourceAvailability_OnceGiven_IsNotGivenAgain_UntilTheLoadIsRead) {
  Loaded loaded{4};
  for (const int started : {3, 5, 6}) {
    loaded.facts.clusters[0].free_resources = 10 - started;
    EXPECT_EQ(jobs_on(loaded.made(), 1, 1), 6 - started);
  }
  loaded.facts.clusters[0].free_resources = 2;
  EXPECT_EQ(loaded.made(), (Expect{.stopped = {{1, 1, "busy_without_job"}}})) << "local jobs run on busy ones, and still nothing waits";
  loaded.facts.clusters[0].free_resources = 12;
  EXPECT_EQ(loaded.made(), (Expect{.launched = {{1, 1, 8}}})) << "what jobs that end leave is available at once";
}

TEST(Document004, ResourceAvailability_ThatLoadTakes_IsTheReason) {
  const Loaded full{10};
  EXPECT_EQ(full.made(), (Expect{.stopped = {{1, 1, "busy_without_job"}}}));
  EXPECT_THAT(full.said(),
              HasSubstr("what is free on alpha is busy without a job: 10 of 16 resources are free, 10 of these are busy without "
                        "a job (load), 0 may wait; a job needs 1, and starts when the load falls"));
  EXPECT_EQ(Loaded(4, 12).made(), (Expect{.stopped = {{1, 1, "not_enough_resources"}}}))
      << "10 are too few for a job of 12, whatever the load";
}

TEST(Document004, ResourceAvailability_ThatLoadTakes_IsMadeByKills_WhereTheyHelp) {
  const auto kills = [](int free, int loaded) {
    Loaded cluster{loaded};
    cluster.facts.clusters[0].free_resources = free;
    cluster.let_lowest_run(6);
    return cluster.kills();
  };
  EXPECT_EQ(kills(0, 0), 6);
  EXPECT_EQ(kills(4, 4), 6) << "they stay busy, and what is killed is available";
  EXPECT_EQ(kills(0, 4), 0) << "jobs have taken the busy ones since the load was read";
}

TEST(Document004, ResourceAvailability_AndAHeadroom_AddUp) {
  Loaded both{4};
  both.facts.clusters[0].headroom = *grid::headroom("4");
  EXPECT_EQ(both.made(), (Expect{.launched = {{1, 1, 2}}})) << "4 of the 6 that are available stay free";
  both.facts.clusters[0].loaded_resources = 7;
  EXPECT_EQ(both.made(), (Expect{.stopped = {{1, 1, "busy_without_job"}}})) << "without the load, 6 would be left";
  both.facts.clusters[0].free_resources = both.facts.clusters[0].loaded_resources = 4;
  EXPECT_EQ(both.made(), (Expect{.stopped = {{1, 1, "kept_for_local_jobs"}}})) << "without the load, they would stay free";
  both.facts.clusters[0].loaded_resources = 0;
  EXPECT_EQ(both.made(), (Expect{.stopped = {{1, 1, "kept_for_local_jobs"}}}));
}

}  // namespace
}  // namespace gleaner::planner::test
