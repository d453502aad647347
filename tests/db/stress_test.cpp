#include <gmock/gmock.h>

#include <fmt/format.h>

#include "lib/store/events.hpp"
#include "lib/store/stress.hpp"
#include "lib/store/views_grid.hpp"
#include "predictor/predictor.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {
namespace {

/// The predictor's memory and decisions of a cluster under stress.
class Stress : public GridFixture {
 protected:
  Stress() {
    config.predictor_algorithm = "measured";
    config.throughput_window = std::chrono::hours{2};
    config.stress_max = 0.8;
    config.stress_latency = 5;
    config.stress_durations = true;
    config.stress_pause = std::chrono::seconds{30};
    execute("UPDATE clusters SET reachable = true");
  }
  void poll(std::optional<double> factor, int times = 1) {
    for (int i = 0; i < times; ++i) {
      now += grid::Seconds{5};
      transact([&](store::Transaction& t) {
        store::GridStatus status;
        status.cluster = alpha;
        status.time = now;
        status.max_resources = 100;
        status.free = 100;
        status.reachable = true;
        status.stress = factor;
        status.response_ms = 20;
        store::record_status(t, status);
      });
      static_cast<void>(predictor::run_once(config, database, term, now));
    }
  }
  std::string limit() { return value("SELECT coalesce(max(job_limit)::text, 'none') FROM cluster_stress"); }
  std::string open_events() { return value("SELECT count(*) FROM events WHERE code = 'UNDER_STRESS' AND state = 'open'"); }
  store::StressFacts facts() {
    store::StressFacts found;
    transact([&](store::Transaction& t) { found = store::stress_facts(t); });
    return found;
  }
  void sample(const std::vector<store::LiveJob>& jobs, int running) {
    std::vector<grid::JobId> ids;
    for (const auto& job : jobs) ids.push_back(job.id);
    execute("UPDATE jobs SET state = 'running', started_at = instant(1800000000000000) WHERE state = 'remote_waiting'");
    transact([&](store::Transaction& t) { store::sample_durations(t, alpha, ids, running); });
  }

  process::Config config;
};

TEST_F(Stress, AFactorThatStays_LowersTheLimit_OpensAnEvent_AndBothGoWhenItIsCalm) {
  poll(0.1, 3);
  EXPECT_EQ(limit(), "none");
  poll(0.9, 3);
  EXPECT_EQ(limit(), "50");
  EXPECT_EQ(open_events(), "1");
  EXPECT_EQ(stored.event("UNDER_STRESS").message, "its stress factor is 0.9, and 0.8 is too much: it gets at most 50 of our jobs");
  poll(0.9, 8);
  EXPECT_EQ(limit(), "25");
  EXPECT_EQ(stored.event("UNDER_STRESS").occurrences, 2);
  poll(0.2, 300);
  EXPECT_EQ(limit(), "none");
  EXPECT_EQ(open_events(), "0");
}

TEST_F(Stress, IsShown_WithItsFigures) {
  poll(0.1, 3);
  poll(0.9, 3);
  std::vector<store::views::ClusterView> shown;
  transact([&](store::Transaction& t) { shown = store::views::clusters(t, now); });
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].stress.factor, 0.9);
  EXPECT_EQ(shown[0].stress.response_ms, 20);
  EXPECT_EQ(shown[0].stress.job_limit, 50);
  EXPECT_EQ(shown[0].stress.signal, "stress_factor");
  EXPECT_TRUE(shown[0].stress.since);
  EXPECT_FALSE(shown[1].stress.job_limit);
  grid::PlanningFacts planning;
  transact([&](store::Transaction& t) { planning = store::planning_facts(t, {0.5, 500}, now); });
  EXPECT_EQ(planning.clusters.at(0).job_limit, 50);
  EXPECT_THAT(planning.clusters.at(0).stress_reason, testing::HasSubstr("0.8 is too much"));
}

TEST_F(Stress, AClusterThatIsGone_TakesItsMemoryWithIt) {
  poll(0.1, 3);
  execute("DELETE FROM clusters WHERE id = " + std::to_string(alpha.value()));
  EXPECT_EQ(value("SELECT count(*) FROM cluster_stress"), "0");
}

TEST_F(Stress, ASample_GetsItsDuration_OnceItsJobIsOver) {
  const auto jobs = launched(a_campaign(5), alpha, 3);
  sample(jobs, 7);
  auto samples = facts().samples;
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples[0].running, 7);
  EXPECT_FALSE(samples[0].seconds);
  execute(
      fmt::format("UPDATE jobs SET state = 'terminated', ending = 'done', ended_at = started_at + interval '12 seconds' WHERE id = {};"
                  "UPDATE jobs SET state = 'error', ending = 'preempted', ended_at = started_at + interval '5 seconds' WHERE id = {};"
                  "UPDATE jobs SET state = 'remote_waiting' WHERE id = {}",
                  jobs[0].id.value(), jobs[1].id.value(), jobs[2].id.value()));
  samples = facts().samples;
  ASSERT_EQ(samples.size(), 2U) << "a job that OAR resubmitted starts again";
  EXPECT_DOUBLE_EQ(samples[0].seconds.value_or(0), 12);
  EXPECT_TRUE(samples[0].done);
  EXPECT_DOUBLE_EQ(samples[1].seconds.value_or(0), 5);
  EXPECT_FALSE(samples[1].done);
}

TEST_F(Stress, Samples_AreNoMoreThanSoMany_HoweverManyJobsEnd) {
  execute(fmt::format(
      "INSERT INTO duration_samples SELECT i, {}, 1, now() + i * interval '1 second', 5, 10, true FROM generate_series(1, 3000) i",
      alpha.value()));
  poll(0.1, 8);
  EXPECT_LE(std::stoi(value("SELECT count(*) FROM duration_samples")), 512);
  EXPECT_EQ(value("SELECT max(job_id) FROM duration_samples"), "3000") << "the newest ones stay";
}

TEST_F(Stress, JobsThatTakeTwiceAsLong_WithTwiceAsMany_LowerTheLimit) {
  const auto campaign = a_campaign(10);
  launched(campaign, alpha, 6);
  execute(fmt::format(
      "UPDATE campaign_clusters SET waiting = 0, running = 80 WHERE campaign_id = {} AND cluster_id = {};"
      "INSERT INTO duration_samples SELECT i, {}, {}, instant(1800000000000000) - interval '1 hour', CASE WHEN i <= 40 THEN 80 ELSE 40 END,"
      "  CASE WHEN i <= 40 THEN 200 ELSE 100 END + i % 10, true FROM generate_series(1, 80) i",
      campaign.value(), alpha.value(), alpha.value(), campaign.value()));
  poll(0.1);
  EXPECT_EQ(limit(), "40");
  EXPECT_EQ(value("SELECT signal FROM cluster_stress WHERE job_limit IS NOT NULL"), "durations");
  config.stress_durations = false;
  config.stress_max = config.stress_latency = 0;
  poll(0.1);
  EXPECT_EQ(limit(), "none") << "nothing is looked at any more";
}

}  // namespace
}  // namespace gleaner::tests
