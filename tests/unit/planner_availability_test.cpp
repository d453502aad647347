// The availability stage of document 004: resources that jobs hold, that load keeps busy, or either.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner_facts.hpp"

namespace gleaner::planner::test {
namespace {

using grid::Availability;
using testing::HasSubstr;

/// A plan of one campaign on a cluster of 16 resources, of which 10 are free; a flood of 8.
struct Loaded : FactsOfOne {
  explicit Loaded(Availability policy, grid::ClusterLoad load, int resources_per_job = 1) : FactsOfOne{resources_per_job} {
    auto& cluster = facts.clusters[0];
    cluster.max_resources = 16;
    cluster.free_resources = 10;
    cluster.flood = 0.5;
    cluster.availability = policy;
    cluster.utilized_resources = load.utilized;
    cluster.loaded_resources = load.loaded;
  }
  [[nodiscard]] std::string said() const { return explain(*decision_on(made(), 1, 1), {{cluster_id(1), "alpha"}}); }
};

TEST(Document004, ResourceAvailability_Dedicated_CountsWhatJobsHoldAlone) {
  EXPECT_EQ(jobs_on(Loaded(Availability::dedicated, {16, 10}).made(), 1, 1), 18) << "10, and a flood of 8";
}

TEST(Document004, ResourceAvailability_Combined_TakesTheGreaterOfDedicatedAndUtilized) {
  EXPECT_EQ(jobs_on(Loaded(Availability::combined, {6, 0}).made(), 1, 1), 18) << "the load is that of the jobs";
  EXPECT_EQ(jobs_on(Loaded(Availability::combined, {10, 4}).made(), 1, 1), 6) << "and nothing waits: OAR would start it on the busy ones";
  EXPECT_EQ(jobs_on(Loaded(Availability::combined, {16, 10}).made(), 1, 1), 0);
}

TEST(Document004, ResourceAvailability_Utilized_IsNeverMoreThanOarHasFree) {
  EXPECT_EQ(jobs_on(Loaded(Availability::utilized, {0, 0}).made(), 1, 1), 18) << "idle jobs hold 6: for these, only the flood";
  EXPECT_EQ(jobs_on(Loaded(Availability::utilized, {6, 3}).made(), 1, 1), 18) << "over the cluster, the load is that of the jobs";
  EXPECT_EQ(jobs_on(Loaded(Availability::utilized, {13, 7}).made(), 1, 1), 3);
  EXPECT_EQ(jobs_on(Loaded(Availability::utilized, {16, 10}).made(), 1, 1), 0);
}

TEST(Document004, ResourceAvailability_ThatLoadTakes_IsTheReason) {
  const Loaded full{Availability::combined, {16, 10}};
  EXPECT_EQ(reason_on(full.made(), 1, 1), "busy_without_job");
  EXPECT_THAT(full.said(),
              HasSubstr("what is free on alpha is busy without a job: 10 of 16 resources are free, 10 of these are busy without "
                        "a job (load), 0 may wait; a job needs 1, and starts when the load falls"));
  EXPECT_EQ(reason_on(Loaded(Availability::combined, {10, 4}, 12).made(), 1, 1), "not_enough_resources")
      << "10 are too few for a job of 12, whatever the load";
}

TEST(Document004, ResourceAvailability_AndAHeadroom_AddUp) {
  Loaded both{Availability::combined, {10, 4}};
  both.facts.clusters[0].headroom = *grid::headroom("4");
  EXPECT_EQ(jobs_on(both.made(), 1, 1), 2) << "4 of the 6 that are available stay free";
  both.facts.clusters[0].loaded_resources = 7;
  EXPECT_EQ(reason_on(both.made(), 1, 1), "busy_without_job") << "without the load, 6 would be left";
  both.facts.clusters[0].loaded_resources = 0;
  both.facts.clusters[0].free_resources = 4;
  EXPECT_EQ(reason_on(both.made(), 1, 1), "kept_for_local_jobs");
}

}  // namespace
}  // namespace gleaner::planner::test
