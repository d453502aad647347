#include <gmock/gmock.h>

#include <algorithm>

#include "lib/store/headroom.hpp"
#include "lib/store/views_grid.hpp"
#include "predictor/predictor.hpp"
#include "tests/db/ends_fixture.hpp"

namespace gleaner::tests {
namespace {

/// The grid's observations of alpha's local jobs, and how many of its 100 resources it learns to keep free.
class LearntHeadroom : public Ends {
 protected:
  LearntHeadroom() {
    config.predictor_algorithm = "measured";
    config.throughput_window = std::chrono::hours{2};
    config.headroom_weight = 50;
    poll.usable_resources = 100;
    execute("UPDATE clusters SET headroom = 'auto', reachable = true WHERE name = 'alpha'");
  }
  /// A campaign of tasks of 10 s, some of which are done.
  void a_campaign_of_short_tasks() {
    launched(a_campaign(1000, {"alpha"}), alpha, 1);
    execute("UPDATE campaign_clusters SET done = 10, duration_sum = 100, duration_squares = 1000");
  }
  void a_local_job(int resources) {
    oar::RemoteJob job;
    job.id = grid::RemoteJobId{next_remote++};
    job.queue = "default";
    job.state = oar::RemoteState::running;
    job.submitted = now - grid::Seconds{2};
    job.started = now - grid::Seconds{1};
    job.resources = resources;
    poll.occupying.push_back(job);
  }
  /// So many minutes of polls, in each of which a local job of two resources comes and another one goes.
  void watch(int minutes) {
    for (int i = 0; i < 12 * minutes; ++i) {
      now += grid::Seconds{5};
      if (i % 12 == 0) {
        poll.occupying.clear();
        a_local_job(2);
      }
      apply({});
    }
    static_cast<void>(predictor::run_once(config, database, term, now));
  }
  grid::ClusterFacts facts() {
    std::vector<grid::ClusterFacts> clusters;
    transact([&](store::Transaction& t) { clusters = store::planning_clusters(t, {0.5, 500}); });
    return *std::ranges::find(clusters, alpha, &grid::ClusterFacts::id);
  }
};

TEST_F(LearntHeadroom, FollowsTheLocalJobsThatCome) {
  a_campaign_of_short_tasks();
  watch(5);
  EXPECT_EQ(facts().kept_resources(), 0) << "5 minutes are too few";
  watch(25);
  EXPECT_GE(facts().kept_resources(), 2);
  EXPECT_LE(facts().kept_resources(), 4);
  EXPECT_EQ(facts().free_for_grid(), facts().free_resources - facts().kept_resources());
  std::vector<store::views::ClusterView> shown;
  transact([&](store::Transaction& t) { shown = store::views::clusters(t, now); });
  EXPECT_EQ(shown.at(0).learnt_headroom, facts().learnt_headroom);
  EXPECT_EQ(shown.at(0).cluster.headroom->text(), "auto");
}

TEST_F(LearntHeadroom, IsKeptForTheNextProcess_AndOneRowForEachHour) {
  a_campaign_of_short_tasks();
  watch(30);
  std::map<grid::ClusterId, store::LocalFacts> local;
  transact([&](store::Transaction& t) { local = store::local_facts(t, {}); });
  const auto& demand = local.at(alpha).demand.at(static_cast<std::size_t>(grid::hour_of_day(now - grid::Seconds{600})));
  EXPECT_NEAR(demand.seconds, 30 * 60, 10);
  EXPECT_NEAR(demand.arrivals.at(2), 30, 1);
  EXPECT_LE(std::stoi(value("SELECT count(*) FROM local_demand")), 2);
  EXPECT_EQ(value("SELECT count(*) FROM learnt_headroom"), "1");
}

TEST_F(LearntHeadroom, OfAClusterWithANumber_IsNotWatched_AndTheNumberHolds) {
  execute("UPDATE clusters SET headroom = '7' WHERE name = 'alpha'");
  a_campaign_of_short_tasks();
  watch(30);
  EXPECT_EQ(value("SELECT count(*) FROM local_demand"), "0");
  EXPECT_EQ(facts().kept_resources(), 7);
  EXPECT_EQ(facts().flood_for_grid(), 0);
}

TEST_F(LearntHeadroom, AfterTheGridStoodStill_TheTimeIsNotWatched) {
  watch(1);
  now += std::chrono::hours{5};
  watch(1);
  EXPECT_NEAR(std::stod(value("SELECT sum(seconds) FROM local_demand")), 2 * 55, 6);
}

TEST_F(LearntHeadroom, WhoseStoredDemandIsDamaged_IsLearntAnew) {
  a_campaign_of_short_tasks();
  watch(30);
  execute("UPDATE local_demand SET arrivals = 'nonsense'");
  watch(1);
  EXPECT_EQ(facts().kept_resources(), 0);
  watch(30);
  EXPECT_GE(facts().kept_resources(), 2);
}

TEST_F(LearntHeadroom, LeavesRoomForTheWidestJobThatWaits) {
  a_campaign_of_short_tasks();
  execute("UPDATE campaign_clusters SET resources_sum = 990, resources_jobs = 10");
  watch(30);
  EXPECT_LE(facts().kept_resources(), 1) << "a job takes 99 of 100 resources";
}

}  // namespace
}  // namespace gleaner::tests
