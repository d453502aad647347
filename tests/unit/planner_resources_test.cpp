// Clusters with resources out of use: what each sentence states holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner_facts.hpp"

namespace gleaner::planner::test {
namespace {

using testing::HasSubstr;

/// All resources of alpha are suspected since 1000, but for `usable`.
struct Suspected : FactsOfOne {
  explicit Suspected(int usable, int resources_per_job = 1) : FactsOfOne{resources_per_job} {
    auto& cluster = facts.clusters[0];
    cluster.max_resources = cluster.free_resources = usable;
    cluster.suspected_resources = 14 - usable;
    cluster.dead_resources = 2;
    if (usable == 0) cluster.no_resources_since = grid::from_unix(1000);
  }
};

TEST(Resources, WhenNoneIsLive_AreTheReason_SinceWhen_WhateverTheRequest) {
  EXPECT_EQ(Suspected{0}.why(),
            "no jobs on alpha for now: alpha has had no live resources since 1970-01-01 00:16:40 UTC (14 suspected, 2 dead); its "
            "administrators can bring some back, and jobs start there then");
  for (const std::optional<int> request : {std::optional<int>{}, std::optional{1}, std::optional{16}, std::optional{1000}}) {
    Suspected none{0};
    none.facts.pairs[0].resources_per_job = request;
    EXPECT_EQ(none.jobs(), 0) << "no smaller request would fit";
    EXPECT_EQ(none.made(), (Expect{.stopped = {{1, 1, "no_resources"}}}));
  }
  EXPECT_EQ(Suspected{4}.jobs(), 4) << "some are back";
  Suspected braked{0};
  braked.facts.pairs[0].brake = Brake{"3 jobs in a row failed there", {}};
  EXPECT_EQ(braked.made(), (Expect{.stopped = {{1, 1, "no_resources"}}})) << "the end of the brake would start nothing";
  Suspected empty{0};
  empty.facts.clusters[0].suspected_resources = empty.facts.clusters[0].dead_resources = 0;
  empty.facts.clusters[0].no_resources_since.reset();
  EXPECT_THAT(empty.why(), HasSubstr("alpha has no live resources; its administrators"));
}

/// The alternative that the sentence offers is one that the planner takes.
TEST(Resources, TooFewForAJob_AreNamed_WithTheBiggestRequestThatFits) {
  const FactsOfOne never{17};
  EXPECT_THAT(never.why(), HasSubstr("a job needs 17 resources, and alpha has 16; a request of at most 16 in the JDL fits"));
  EXPECT_EQ(FactsOfOne{16}.jobs(), 1);
  const Suspected now{4, 12};
  EXPECT_THAT(now.why(),
              HasSubstr("a job needs 12 resources, and alpha now has 4, as 12 are out of use (10 suspected, 2 dead); it starts when "
                        "enough of these are back, or with a request of at most 4 in the JDL"));
  EXPECT_EQ(Suspected(4, 4).jobs(), 1);
  EXPECT_EQ(Suspected(4, 5).made(), (Expect{.stopped = {{1, 1, "too_big"}}}));
  EXPECT_EQ(Suspected(12, 12).jobs(), 1) << "enough are back";
  EXPECT_THAT(Suspected(4, 17).why(), HasSubstr("alpha has 4; a request of at most 4 in the JDL fits")) << "even all would be too few";
}

TEST(Resources, ThatStayFree_AreNotOfferedToASmallerRequest_NorCountedAsBack) {
  Suspected kept{4, 13};
  kept.facts.clusters[0].headroom = *grid::headroom("25%");
  EXPECT_THAT(kept.why(), HasSubstr("alpha has 4, of which 1 stay free for local jobs (headroom); a request of at most 3 in the JDL fits"))
      << "of all 16, 4 stay free";
  kept.facts.pairs[0].resources_per_job = 12;
  EXPECT_THAT(kept.why(), HasSubstr("it starts when enough of these are back, or with a request of at most 3"));
  kept.facts.pairs[0].resources_per_job = 3;
  EXPECT_EQ(kept.jobs(), 1);
}

}  // namespace
}  // namespace gleaner::planner::test
