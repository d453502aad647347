#pragma once
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "lib/store/planning.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {

/// Pools in the database: launches with more tasks than jobs.
class PoolsInDatabase : public GridFixture {
 protected:
  /// Plans a launch of alpha's, and has OAR accept it.
  grid::LaunchId a_pool(grid::CampaignId campaign, int jobs, int pooled, bool accepted = true) {
    grid::LaunchId launch{0};
    transact([&](store::Transaction& transaction) {
      EXPECT_EQ(
          store::plan_launch(
              transaction,
              {.campaign = campaign, .cluster = alpha, .jobs = jobs, .pooled = pooled, .pool = grid::Seconds{60}, .resources = 1.0 * jobs},
              term, now),
          jobs);
      const auto planned = store::planned_launches(transaction, alpha);
      launch = planned.back().id;
      EXPECT_EQ(planned.back().pool.has_value(), pooled > 0);
      EXPECT_TRUE(store::begin_launch(transaction, {launch, fmt::format("tag-{}", launch.value()), "alice"}, term, now));
      if (!accepted) return;
      std::vector<store::AcceptedJob> ids;
      for (const auto& line : store::launch_lines(transaction, launch)) {
        if (!line.pooled) ids.push_back({line.job, grid::RemoteJobId{next_remote++}});
      }
      EXPECT_THAT(ids, ::testing::SizeIs(jobs));
      store::accept_launch(transaction, launch, ids, {}, now);
    });
    return launch;
  }
  /// Whether the jobs of the next launch of alpha's are to show what a start costs.
  bool is_to_measure(grid::CampaignId campaign) {
    bool measured = false;
    transact([&](store::Transaction& transaction) {
      EXPECT_EQ(store::plan_launch(transaction, {.campaign = campaign, .cluster = alpha, .jobs = 1, .resources = 1.0}, term, now), 1);
      measured = store::planned_launches(transaction, alpha).back().to_measure;
    });
    return measured;
  }
  std::vector<store::Pool> pools() {
    std::vector<store::Pool> found;
    transact([&](store::Transaction& transaction) { found = store::live_pools(transaction, alpha); });
    return found;
  }
  std::string pair(const std::string& columns) {
    return value(fmt::format("SELECT {} FROM campaign_clusters WHERE cluster_id = 1", columns));
  }
};

}  // namespace gleaner::tests
