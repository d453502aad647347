#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/gridsim/engine/scenario_file.hpp"
#include "sim/gridsim/engine/what_if.hpp"
#include "sim/gridsim/metrics.hpp"

/// Pools in the simulator: jobs that carry out several tasks, one after the other.
namespace gleaner::gridsim {
namespace {

using testing::Each;
using testing::HasSubstr;

tl::expected<Scenario, std::vector<jdl::Problem>> read(const std::string& cluster, const std::string& campaign,
                                                       const std::string& more = "") {
  return read_scenario(
      R"({"clusters": {"alpha": {"nodes": 4, "cores": 4)" + cluster + R"(}}, "campaigns": [{)" + campaign + "}]" + more + "}", ".");
}

struct Run {
  Scenario scenario;
  Outcome outcome;
  Metrics metrics;
};
Run run(const std::string& cluster, const std::string& campaign, const std::string& more = "") {
  auto scenario = read(cluster, campaign, more);
  if (!scenario) throw std::logic_error{jdl::render(scenario.error(), "scenario")};
  auto outcome = simulate(*scenario);
  auto metrics = measure(*scenario, outcome);
  return {std::move(*scenario), std::move(outcome), std::move(metrics)};
}

std::vector<int> times_done(const Outcome& outcome, std::size_t tasks) {
  std::vector<int> done(tasks);
  for (const auto& job : outcome.jobs) done[static_cast<std::size_t>(job.task)] += job.end == JobEnd::done ? 1 : 0;
  return done;
}

TEST(GridsimPools, ShortTasksShareJobs_AndEachIsDoneOnce) {
  const auto pools = run("", R"("tasks": 800, "duration": "1s", "temporal_grouping": true)");
  const auto single = run("", R"("tasks": 800, "duration": "1s", "temporal_grouping": false)");
  EXPECT_EQ(pools.outcome.campaigns.at(0).done, 800);
  EXPECT_THAT(times_done(pools.outcome, 800), Each(1));
  EXPECT_EQ(single.metrics.all.submitted, 800);
  EXPECT_LT(pools.metrics.all.submitted, 100) << "jobs of OAR";
  EXPECT_LT(*pools.metrics.makespan * 3, *single.metrics.makespan);
  EXPECT_NEAR(single.metrics.all.overhead, 800, 8) << "each job is a second in its start";
  EXPECT_LT(pools.metrics.all.overhead, 100);
  EXPECT_NEAR(pools.metrics.all.used, 800, 1);
}

TEST(GridsimPools, SideBySide_AJobOfANodeCarriesOutATaskOnEachOfItsCores) {
  const std::string whole{R"("tasks": 160, "duration": "10s", "resources": "/nodes=1/core=4", "temporal_grouping": true)"};
  const auto pools = run("", whole + R"(, "dimensional_grouping": true)");
  const auto one_by_one = run("", whole);
  EXPECT_EQ(pools.outcome.campaigns.at(0).done, 160);
  EXPECT_THAT(times_done(pools.outcome, 160), Each(1));
  EXPECT_LT(*pools.metrics.makespan * 3, *one_by_one.metrics.makespan);
  EXPECT_GT(*pools.metrics.makespan, 160 * 10 / 16) << "all cores work all the time";
}

TEST(GridsimPools, ACarrierTakesTasksUntilItsTimeIsOver) {
  const auto pools =
      run("", R"("tasks": 3000, "duration": "2s", "temporal_grouping": true)", R"(, "configuration": {"pool_duration": "20s"})");
  EXPECT_EQ(pools.outcome.campaigns.at(0).done, 3000);
  for (const auto& job : pools.outcome.jobs) {
    if (job.started && job.pooled) {
      EXPECT_LE(seconds_of(*job.started) - seconds_of(*pools.outcome.jobs[static_cast<std::size_t>(job.carrier)].started), 20.0);
    } else if (job.started && job.pool != kNone) {
      EXPECT_LE(seconds_of(job.ended) - seconds_of(*job.started), 22.0);
    }
  }
}

TEST(GridsimPools, AutoHasJobsOfTheirOwn_UntilTheTasksAreKnownToBeShort) {
  const auto pools = run("", R"("tasks": 2000, "duration": "1s", "temporal_grouping": "auto")");
  EXPECT_EQ(pools.outcome.campaigns.at(0).done, 2000);
  grid::Instant first_pool = grid::Instant::max(), first_end = grid::Instant::max();
  for (const auto& job : pools.outcome.jobs) {
    if (job.pool != kNone) first_pool = std::min(first_pool, job.planned);
    first_end = std::min(first_end, job.ended);
  }
  EXPECT_GT(first_pool, first_end);
  EXPECT_LT(pools.metrics.all.submitted, 600);
}

TEST(GridsimPools, APreemptedCarrier_GivesBackOneTask_AndTheOthersGoOn) {
  // All 16 cores carry tasks of 10 s when a local job comes for 8 of them.
  const auto pools = run(R"(, "start_rate": 100, "local": {"every": {"list": ["65s", "10d"]}, "duration": "60s", "resources": 8})",
                         R"("tasks": 160, "duration": "10s", "temporal_grouping": true)");
  EXPECT_EQ(pools.metrics.preempted, 8) << "one task for each carrier";
  EXPECT_THAT(times_done(pools.outcome, 160), Each(1));
  EXPECT_LE(pools.metrics.all.wasted, 8 * 10.0 + 1e-6);
  std::vector<int> attempts(160);
  for (const auto& job : pools.outcome.jobs) attempts[static_cast<std::size_t>(job.task)] += job.started ? 1 : 0;
  EXPECT_EQ(std::ranges::count(attempts, 2), 8);
}

/// On alpha, each core is ten times as slow: its last tasks are done by beta first.
TEST(GridsimPools, TheLastTasksOfASlowCluster_GetReplicas_AndTheFirstSuccessCounts) {
  const auto with = [](const std::string& replicas) {
    auto scenario = read_scenario(
        R"({"clusters": {"alpha": {"nodes": 1, "cores": 4, "power": 2, "speed": 0.1}, "beta": {"nodes": 1, "cores": 4, "speed": 1}},
            "campaigns": [{"tasks": 120, "duration": {"uniform": ["8s", "16s"]}, "temporal_grouping": true, "replicas": ")" +
            replicas + R"("}]})",
        ".");
    if (!scenario) throw std::logic_error{jdl::render(scenario.error(), "scenario")};
    return simulate(*scenario);
  };
  const auto copied = with("allowed"), single = with("refused");
  EXPECT_EQ(copied.campaigns.at(0).done, 120);
  EXPECT_LT(copied.campaigns.at(0).ended, single.campaigns.at(0).ended);
  std::vector<int> done(120), replicas(120);
  for (const auto& job : copied.jobs) {
    done[static_cast<std::size_t>(job.task)] += job.end == JobEnd::done && !job.superseded ? 1 : 0;
    replicas[static_cast<std::size_t>(job.task)] += job.attempt > 1 && job.pool == kNone && job.held ? 1 : 0;
  }
  EXPECT_THAT(done, Each(1));
  EXPECT_THAT(replicas, testing::Contains(1));
}

TEST(GridsimPools, TasksThatNoCarrierComesTo_GoBack_AndAreNotCounted) {
  // One attempt is all that a task has. The first tasks are short, the others so long that the carriers' time ends.
  const auto pools = run("", R"("tasks": 200, "duration": {"list": ["1s", "90s"]}, "temporal_grouping": true, "max_attempts": 1)",
                         R"(, "configuration": {"pool_duration": "30s"})");
  const auto back = std::ranges::count(pools.outcome.jobs, std::optional{JobEnd::not_reached}, &Job::end);
  EXPECT_GT(back, 0);
  EXPECT_EQ(pools.outcome.campaigns.at(0).done, 200);
  EXPECT_EQ(pools.outcome.campaigns.at(0).failed, 0);
}

TEST(GridsimPools, TheWalltimeIsThatOfATask_AndThreeFailuresInARowEndACarrier) {
  const auto pools = run("", R"("tasks": 200, "duration": "30s", "walltime": "0:00:10", "temporal_grouping": true)");
  EXPECT_EQ(pools.outcome.campaigns.at(0).failed, 200);
  std::vector<int> carried(pools.outcome.jobs.size());
  for (const auto& job : pools.outcome.jobs) {
    if (job.pooled && job.started) ++carried[static_cast<std::size_t>(job.carrier)];
    if (job.end == JobEnd::walltime && !job.pooled && job.own_end) {
      EXPECT_NEAR(seconds_of(job.own_end->at) - seconds_of(*job.started), 10.0, 1e-6);
    }
  }
  EXPECT_EQ(std::ranges::max(carried), 2) << "its own task, and two more";
}

TEST(GridsimPools, ACampaignInTheGrid_IsForecastWithItsPools) {
  const auto end_of = [](const std::string& grouping) {
    const auto prospects = what_if(
        R"({"clusters": {"alpha": {"nodes": 1, "cores": 16, "start_delay": "3s"}}, "live": [{"user": "ada", "waiting": 2000, "durations": [[1, 400]],
            "evidence": "own", "seen": 400, "temporal_grouping": )" +
            grouping +
            R"(, "clusters": [{"name": "alpha", "resources_per_job": 1, "walltime": 3600, "done": 400, "duration_sum": 400}]}]})",
        {.most_runs = 5, .least_runs = 5});
    if (!prospects) throw std::logic_error{prospects.error()};
    return prospects->campaigns.at(0).end->expected;
  };
  EXPECT_LT(end_of("true") * 3, end_of("false"));
  EXPECT_NEAR(end_of("\"auto\""), end_of("true"), 10);
}

TEST(GridsimPools, ABagTooBigToBeSimulatedTaskByTask_HasTheStartsOfItsPools) {
  const auto end_of = [](const std::string& grouping) {
    const auto prospects = what_if(
        R"({"clusters": {"alpha": {"nodes": 1, "cores": 16, "start_delay": "3s", "start_rate": 4}}, "live": [{"user": "ada", "waiting": 50000, "durations": [[1, 400]],
            "evidence": "own", "seen": 400, "temporal_grouping": )" +
            grouping +
            R"(, "clusters": [{"name": "alpha", "resources_per_job": 1, "walltime": 3600, "done": 400, "duration_sum": 400}]}]})",
        {.most_runs = 3, .least_runs = 3});
    if (!prospects) throw std::logic_error{prospects.error()};
    EXPECT_GT(prospects->campaigns.at(0).group, 1);
    return prospects->campaigns.at(0).end->expected;
  };
  const double ideal = 50'000 * 0.95 / 16;
  EXPECT_NEAR(end_of("true"), ideal, 0.25 * ideal);
  EXPECT_GT(end_of("false"), 3 * ideal);
}

TEST(GridsimPools, AWrongValue_IsReported) {
  const auto wrong = read("", R"("tasks": 2, "duration": "1s", "temporal_grouping": "yes")");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(jdl::render(wrong.error(), "scenario"), HasSubstr("'yes' is not right here; write true"));
}

}  // namespace
}  // namespace gleaner::gridsim
