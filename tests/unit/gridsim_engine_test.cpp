#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

#include "sim/gridsim/engine/scenario_file.hpp"
#include "sim/gridsim/engine/settings.hpp"
#include "sim/gridsim/metrics.hpp"
#include "sim/gridsim/plot.hpp"

namespace gleaner::gridsim {
namespace {

Scenario a_scenario(const std::string& clusters, const std::string& campaigns, const std::string& more = "") {
  auto scenario = read_scenario("{" + more + "\"clusters\": {" + clusters + "}, \"campaigns\": [" + campaigns + "]}", ".");
  if (!scenario) throw std::logic_error{jdl::render(scenario.error(), "scenario")};
  return *scenario;
}

constexpr auto kSixteen = R"("alpha": {"nodes": 4, "cores": 4, "start_delay": "1s", "start_rate": 2})";

TEST(GridsimEngine, ACampaign_IsDone_EachTaskOnce) {
  const auto outcome = simulate(a_scenario(kSixteen, R"({"tasks": 100, "duration": {"uniform": ["5s", "60s"]}})"));
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(outcome.campaigns.at(0).done, 100);
  std::vector<int> done(100);
  for (const auto& job : outcome.jobs) done[static_cast<std::size_t>(job.task)] += job.end == JobEnd::done ? 1 : 0;
  EXPECT_THAT(done, testing::Each(1));
}

/// OAR starts a job in 1000 s, so that one of a quarter of an hour waits in its queue for some plans.
TEST(GridsimEngine, Document001_JackAndJill_GetWhatTheyPaidFor_AlsoWhileTheirJobsWaitInTheQueue) {
  const auto scenario = a_scenario(R"("alpha": {"nodes": 4, "cores": 1, "start_rate": 0.001})",
                                   R"({"user": "jack", "tasks": 100, "resources": "/nodes=4", "duration": "15m", "walltime": "0:20:0"},
                                      {"user": "jill", "tasks": 100, "resources": "/nodes=4", "duration": "15m", "walltime": "0:20:0"})",
                                   R"("length": "1d", "shares": {"jack": 25, "jill": 75},
                                      "configuration": {"campaign_order": "fairshare", "cycle_period": "30s", "flood": 0},)");
  const auto outcome = simulate(scenario);
  const auto jobs = [&](std::size_t campaign) { return outcome.campaigns.at(campaign).done; };
  EXPECT_GT(jobs(0) + jobs(1), 75);
  // Half a day of the whole grid: S of jill less that of jack.
  EXPECT_NEAR(static_cast<double>(jobs(1) - jobs(0)), 48, 3);
}

/// Four nodes of 4 that fall asleep after a minute. A bag of an hour on 2 cores comes when they sleep.
std::string sleepers(double wake_minutes) {
  return fmt::format(R"("alpha": {{"nodes": 4, "cores": 4, "sleep_after": "1m", "wake_delay": "100s", "wake_minutes": {}}})", wake_minutes);
}

TEST(GridsimEngine, NodesWithoutAJob_FallAsleep_AndJobsWaitUntilTheyWake) {
  const auto scenario = a_scenario(sleepers(0), R"({"at": "10m", "tasks": 2, "duration": "1h", "walltime": "2:0:0"})");
  const auto outcome = simulate(scenario);
  ASSERT_EQ(outcome.jobs.size(), 2U);
  for (const auto& job : outcome.jobs) EXPECT_NEAR(seconds_of(*job.started) - seconds_of(*job.held), 101, 1) << "all wait for the node";
  // A minute each at first; then one node for the jobs.
  EXPECT_NEAR(measure(scenario, outcome).all.awake, 4 * 60 + 100 + 1 + 3600 + 60, 60);
}

TEST(GridsimEngine, Document000_NodesAreLeftAsleep_WhileAnotherOneIsAwakeForTheWork) {
  const auto campaigns = R"({"at": "10m", "tasks": 3, "duration": "1h", "walltime": "2:0:0"},
                            {"at": "20m", "tasks": 40, "duration": "1m", "walltime": "0:5:0", "user": "ben"})";
  const auto awake = [&](double minutes) {
    const auto scenario = a_scenario(sleepers(minutes), campaigns);
    const auto outcome = simulate(scenario);
    EXPECT_TRUE(outcome.complete);
    return measure(scenario, outcome).all.awake;
  };
  EXPECT_LT(awake(30), 0.9 * awake(0));
}

/// The others would wait for longer than remote_waiting_timeout, and be taken back. Without that bound, 3.6 jobs are sent for each task.
TEST(GridsimEngine, OfTasksOfTwoHours_OnlyThoseWaitInTheQueue_ThatStartSoon) {
  const auto outcome =
      simulate(a_scenario(kSixteen, R"({"tasks": 160, "duration": {"uniform": ["100m", "140m"]}, "walltime": "4:00:00"})"));
  EXPECT_EQ(outcome.campaigns.at(0).done, 160);
  EXPECT_LT(outcome.jobs.size(), 320U);
}

/// docs/prediction.md has the figures.
TEST(GridsimEngine, Document003_JobsShorterThanACycle_HaveTheNextOnesBehindThem_AndKeepTheirResourcesBusy) {
  const auto minutes = [](std::string_view more) {
    const auto outcome = simulate(a_scenario(R"("alpha": {"nodes": 4, "cores": 4, "start_delay": "1s", "start_rate": 8, "flood": 0.25})",
                                             R"({"tasks": 1600, "duration": "10s", "walltime": "0:2:0"})",
                                             fmt::format(R"("configuration": {{"cycle_period": "30s"{}}}, )", more)));
    EXPECT_EQ(outcome.campaigns.at(0).done, 1600);
    double end = 0;
    for (const auto& job : outcome.jobs) end = std::max(end, seconds_of(job.ended));
    return end / 60;
  };
  const double before = minutes(R"(, "job_ratio_max": 1)"), now = minutes("");
  EXPECT_LT(now, 0.7 * before);
}

TEST(GridsimEngine, WideJobs_StartAmongNarrowOnesOfOthers_WhateverTheOrderOfEachCycle) {
  const auto end_of_wide = [](int width) {
    const auto outcome =
        simulate(a_scenario(R"("alpha": {"nodes": 2, "cores": 8, "start_delay": "1s", "start_rate": 8})",
                            fmt::format(R"({{"name": "ada", "user": "ada", "tasks": 2000, "duration": "60s", "walltime": "0:2:0"}},
                       {{"name": "ben", "user": "ben", "tasks": 2000, "duration": "60s", "walltime": "0:2:0"}},
                       {{"name": "wide", "user": "eva", "tasks": 3, "duration": "60s", "walltime": "0:2:0", "resources": "/core={}"}})",
                                        width),
                            R"("configuration": {"campaign_order": "tickets"}, )"));
    double end = 0;
    for (const auto& job : outcome.jobs) {
      if (job.campaign == 2) end = std::max(end, seconds_of(job.ended));
    }
    EXPECT_EQ(outcome.campaigns.at(2).done, 3) << width;
    return end;
  };
  // Each of three jobs waits for no more than the walltime of the narrow ones, 2 min, and a cycle, then it runs for 1 min.
  EXPECT_LT(end_of_wide(12), 600);
  EXPECT_LT(end_of_wide(16), 600);
}

TEST(GridsimEngine, ACampaignThatComesAfterAnother_StartsWhenThatIsOver) {
  const auto outcome = simulate(a_scenario(kSixteen, R"({"name": "two", "tasks": 4, "duration": "30s", "after": "one"},
    {"name": "one", "tasks": 20, "duration": "60s"})"));
  ASSERT_TRUE(outcome.complete);
  double first_end = 0, second_start = 1e9;
  for (const auto& job : outcome.jobs) {
    if (job.campaign == 1) first_end = std::max(first_end, seconds_of(job.ended));
    else second_start = std::min(second_start, seconds_of(*job.started));
  }
  EXPECT_GE(second_start, first_end);
  EXPECT_LE(second_start, first_end + 15);
}

TEST(GridsimEngine, ACampaignThatComesAfterAnotherTaskByTask_FollowsIt) {
  const auto outcome = simulate(a_scenario(kSixteen, R"({"name": "one", "tasks": 80, "duration": "60s", "max_jobs": 8},
    {"name": "two", "tasks": 80, "duration": "10s", "after_each": "one"})"));
  ASSERT_TRUE(outcome.complete);
  std::vector<double> ends, starts;
  for (const auto& job : outcome.jobs) {
    if (job.campaign == 0) ends.push_back(seconds_of(job.ended));
    else starts.push_back(seconds_of(*job.started));
  }
  std::ranges::sort(ends);
  std::ranges::sort(starts);
  for (std::size_t i = 0; i < starts.size(); ++i) EXPECT_GE(starts[i], ends[i]);
  EXPECT_LT(starts.front(), ends.back() / 2);
}

TEST(GridsimScenario, DependenciesThatCannotBe_AreSaid) {
  const auto said = [](const std::string& campaigns) {
    const auto scenario = read_scenario("{\"clusters\": {" + std::string{kSixteen} + "}, \"campaigns\": [" + campaigns + "]}", ".");
    return scenario ? std::string{} : jdl::render(scenario.error(), "s");
  };
  EXPECT_THAT(said(R"({"name": "two", "tasks": 4, "duration": "30s", "after": "one"})"),
              testing::HasSubstr("campaign 'two' comes after 'one', and there is none"));
  EXPECT_THAT(
      said(R"({"name": "a", "tasks": 4, "duration": "30s", "after": "b"}, {"name": "b", "tasks": 4, "duration": "30s", "after": "a"})"),
      testing::HasSubstr("campaign 'a' comes after itself: it would never start"));
}

TEST(GridsimEngine, TheSameSeed_GivesTheSameDay) {
  const auto scenario =
      a_scenario(R"("alpha": {"nodes": 4, "cores": 4, "local": {"every": {"exponential": "2m"}, "duration": "5m", "resources": [1, 4]}})",
                 R"({"tasks": 300, "duration": {"lognormal": {"median": "30s", "sigma": 1}}})");
  const auto history = [](const Scenario& of) {
    std::vector<std::tuple<std::int64_t, int, std::optional<grid::Instant>, grid::Instant, std::optional<JobEnd>>> jobs;
    for (const auto& job : simulate(of).jobs) jobs.emplace_back(job.task, job.attempt, job.held, job.ended, job.end);
    return jobs;
  };
  const auto one = history(scenario);
  EXPECT_GE(one.size(), 300U);
  EXPECT_EQ(one, history(scenario));
  auto another = scenario;
  ++another.seed;
  EXPECT_NE(one, history(another));
}

TEST(GridsimEngine, TheClusterStartsSoManyJobsASecond_EachAfterItsDelay) {
  const auto outcome = simulate(a_scenario(kSixteen, R"({"tasks": 16, "duration": "10m"})"));
  std::vector<double> starts;
  for (const auto& job : outcome.jobs) starts.push_back(seconds_of(*job.started));
  std::ranges::sort(starts);
  ASSERT_EQ(starts.size(), 16U);
  for (std::size_t i = 1; i < starts.size(); ++i) EXPECT_NEAR(starts[i] - starts[i - 1], 0.5, 1e-9) << "two a second, no more and no fewer";
  for (const auto& job : outcome.jobs) EXPECT_NEAR(seconds_of(*job.started) - seconds_of(*job.held), 1.0, 1e-9);
}

TEST(GridsimEngine, ALocalJob_KillsTheYoungest_AndTheirTasksAreDoneLater) {
  const auto scenario = a_scenario(
      R"("alpha": {"nodes": 1, "cores": 4, "preemption_delay": "5s", "local": {"every": {"list": ["100s", "10d"]}, "duration": "60s", "resources": 2}})",
      R"({"tasks": 4, "duration": "300s"})");
  const auto outcome = simulate(scenario);
  const auto metrics = measure(scenario, outcome);
  EXPECT_EQ(metrics.preempted, 2);
  EXPECT_EQ(outcome.campaigns.at(0).done, 4);
  grid::Instant youngest_survivor{};
  for (const auto& job : outcome.jobs) {
    if (job.end == JobEnd::done && *job.held < instant_of(90)) youngest_survivor = std::max(youngest_survivor, *job.held);
  }
  for (const auto& job : outcome.jobs) {
    if (job.end == JobEnd::preempted) {
      EXPECT_GT(*job.held, youngest_survivor);
    }
  }
  EXPECT_GT(metrics.all.wasted, 0);
  EXPECT_EQ(metrics.all.local_waits.jobs, 1);
  EXPECT_NEAR(*metrics.all.local_waits.mean(), 5, 1e-6) << "until the killed ones have given way";
}

TEST(GridsimEngine, TheLastTasksOfASlowCluster_GetASecondCopy_AndTheFirstSuccessCounts) {
  const auto with = [](const std::string& replicas) {
    return simulate(a_scenario(
        R"("alpha": {"nodes": 4, "cores": 4, "power": 2, "speed": 1}, "beta": {"nodes": 4, "cores": 4, "power": 1, "speed": 0.2})",
        R"({"tasks": 64, "duration": {"uniform": ["50s", "90s"]}, "replicas": ")" + replicas + "\"}"));
  };
  const auto copied = with("allowed"), single = with("refused");
  EXPECT_EQ(copied.campaigns.at(0).done, 64);
  EXPECT_LT(copied.campaigns.at(0).ended, single.campaigns.at(0).ended);
  std::vector<int> done(64), jobs(64);
  for (const auto& job : copied.jobs) {
    done[static_cast<std::size_t>(job.task)] += job.end == JobEnd::done && !job.superseded ? 1 : 0;
    jobs[static_cast<std::size_t>(job.task)] += job.held ? 1 : 0;
  }
  EXPECT_THAT(done, testing::Each(1)) << "a copy that ends later has done nothing";
  EXPECT_THAT(jobs, testing::Each(testing::AllOf(testing::Ge(1), testing::Le(2))));
  EXPECT_THAT(jobs, testing::Contains(2));
  EXPECT_EQ(single.jobs.size(), 64U);
}

TEST(GridsimEngine, NobodyEverHoldsMoreThanThereIs) {
  const auto scenario = a_scenario(
      R"("alpha": {"nodes": 4, "cores": 4, "local": {"every": {"exponential": "60s"}, "duration": {"uniform": ["10s", "5m"]}, "resources": [1, 3, 8]}})",
      R"({"tasks": 200, "duration": {"uniform": ["5s", "2m"]}}, {"tasks": 50, "resources": "/nodes=1", "duration": "30s"})",
      R"("length": "2h", )");
  const auto outcome = simulate(scenario);
  int used = 0, most = 0, most_local = 0, local = 0;
  for (const auto& change : outcome.usage) {
    used += change.delta;
    local += change.campaign == kLocal ? change.delta : 0;
    ASSERT_GE(used, 0);
    ASSERT_LE(used, 16);
    most = std::max(most, used);
    most_local = std::max(most_local, local);
  }
  EXPECT_EQ(most, 16) << "all there is was held at some time";
  EXPECT_GT(most_local, 0) << "and not by the grid alone";
}

/// When the jobs of a campaign began, in seconds, by their tasks.
std::map<std::int64_t, double> starts_of(const Outcome& outcome, int campaign) {
  std::map<std::int64_t, double> starts;
  for (const auto& job : outcome.jobs) {
    if (job.campaign == campaign && job.held) starts.emplace(job.task, seconds_of(*job.held));
  }
  return starts;
}

TEST(GridsimEngine, AWideJob_IsNotStarvedByTheNarrowOnesBehindIt) {
  // Half of the cluster is busy for ten minutes, half for two; then a job comes that wants all of it, and a stream of short ones behind it.
  const auto hour = [](const std::string& reservations) {
    return simulate(a_scenario(
        kSixteen,
        R"({"name": "long", "tasks": 8, "duration": "10m", "walltime": "0:11:00"},
                                  {"name": "short", "tasks": 8, "duration": "2m", "walltime": "0:03:00"},
                                  {"name": "wide", "at": "1m", "tasks": 1, "resources": "/core=16", "duration": "60s", "walltime": "0:02:00"},
                                  {"name": "narrow", "at": "90s", "tasks": 1000, "duration": "60s", "walltime": "0:02:00"})",
        R"("configuration": {"campaign_order": "fifo", "flood": "0", "reservations": ")" + reservations + R"("}, "length": "1h", )"));
  };
  constexpr int kLong = 0, kWide = 2, kNarrow = 3;
  const auto with = hour("yes"), without = hour("no");
  ASSERT_EQ(with.campaigns.at(kWide).done, 1);
  double last_end = 0;
  for (const auto& job : with.jobs) last_end = job.campaign == kLong ? std::max(last_end, seconds_of(job.ended)) : last_end;
  const double wide = starts_of(with, kWide).at(0);
  EXPECT_GE(wide, last_end) << "it takes all resources";
  EXPECT_LE(wide, 11 * 60 + 30) << "what is held back for it is free when the walltimes are over, and the next cycles see it";
  const auto narrow = starts_of(with, kNarrow);
  EXPECT_GT(std::ranges::count_if(narrow, [&](const auto& start) { return start.second < wide; }), 20)
      << "what ends before its start may fill the gaps";
  EXPECT_GT(with.campaigns.at(kNarrow).done, 500) << "and afterwards all goes on";
  EXPECT_EQ(without.campaigns.at(kWide).done, 0) << "without reservations it is starved, or this test shows nothing";
}

/// Nothing of the bag waits in the queue, so that it asks for a reservation of its own in each plan.
TEST(GridsimEngine, WideJobs_AreNotStarvedByABagOfNarrowerOnesBeforeThem) {
  const auto outcome =
      simulate(a_scenario(kSixteen,
                          R"({"name": "bag", "tasks": 1500, "resources": "/core=2", "duration": "100s", "walltime": "0:05:00"},
                                  {"name": "wide", "at": "1m", "tasks": 3, "resources": "/core=16", "duration": "60s", "walltime": "0:02:00"})",
                          R"("configuration": {"campaign_order": "fifo", "flood": "0"}, "length": "3h", )"));
  const auto wide = starts_of(outcome, 1);
  ASSERT_EQ(wide.size(), 3U);
  EXPECT_LT(wide.at(0), 10 * 60) << "within a walltime of the bag, and the cycles around it";
  EXPECT_GT(outcome.campaigns.at(0).done, 500) << "the bag goes on between them";
}

TEST(GridsimEngine, ATaskLongerThanItsWalltime_Fails_AndIsWaste) {
  const auto scenario = a_scenario(kSixteen, R"({"tasks": 2, "duration": "10m", "walltime": "0:01:00"})");
  const auto metrics = measure(scenario, simulate(scenario));
  EXPECT_EQ(metrics.campaigns.at(0).failed, 2);
  EXPECT_EQ(metrics.walltime_kills, 2);
  EXPECT_NEAR(metrics.all.wasted, 120, 1);
}

TEST(GridsimMetrics, ResourceSeconds_AddUp) {
  const auto scenario =
      a_scenario(R"("alpha": {"nodes": 4, "cores": 4, "local": {"every": {"exponential": "3m"}, "duration": "5m", "resources": [1, 4]}})",
                 R"({"tasks": 300, "duration": "45s"})");
  const auto metrics = measure(scenario, simulate(scenario));
  const auto& all = metrics.all;
  EXPECT_NEAR(all.local + all.used + all.wasted + all.overhead + all.idle, all.capacity, 1e-3 * all.capacity);
  EXPECT_NEAR(all.used, 300 * 45, 1);
  EXPECT_LE(metrics.efficiency(), 1.0);
}

TEST(GridsimMetrics, JainsIndex_IsOneForEquals_AndOneInNForOneWhoGetsAll) {
  EXPECT_DOUBLE_EQ(*jain({2, 2, 2}), 1.0);
  EXPECT_DOUBLE_EQ(*jain({6, 0, 0}), 1.0 / 3);
  EXPECT_EQ(jain({}), std::nullopt);
}

TEST(GridsimOmniscient, PacksWholeJobs) {
  const std::vector<Width> fours{{4, 100}};
  const std::vector<Width> mixed{{4, 1}, {3, 100}};
  EXPECT_EQ(packed(7, fours), 4);
  EXPECT_EQ(packed(8, mixed), 7);
  EXPECT_EQ(packed(9, mixed), 9);
  EXPECT_EQ(packed(3, fours), 0);
}

TEST(GridsimOmniscient, IsWhatTheFreeResourcesGive_CutToTheWork) {
  const auto scenario =
      a_scenario(R"("alpha": {"nodes": 1, "cores": 10, "local": {"every": {"list": ["100s", "10d"]}, "duration": "100s", "resources": 4}})",
                 R"({"tasks": 10, "resources": 3, "duration": "60s"})");
  const auto usage = simulate_local(scenario, 1000).usage;
  const auto whole = omniscient(scenario, usage, std::vector<double>{1800.0}, 1000);
  EXPECT_TRUE(whole.complete);
  EXPECT_NEAR(whole.until, 100 + 100 + 300 / 9.0, 0.01);  // 9 of 10, then 6 of 6, then 9 of 10 again
  EXPECT_NEAR(omniscient(scenario, usage, std::vector<double>{1800.0}, 150).work, 900 + 300, 1);
}

TEST(GridsimPlot, TheMeansOfTheParts_AreTheUse) {
  Variant variant;
  variant.scenario = a_scenario(kSixteen, R"({"tasks": 16, "duration": "100s"})");
  variant.outcome = simulate(variant.scenario);
  variant.metrics = measure(variant.scenario, variant.outcome);
  const auto use = use_over_time(variant, 0, 50);
  double sum = 0;
  for (const double mean : use.means.at(1)) sum += mean * use.step;
  EXPECT_NEAR(sum, variant.metrics.all.used, 1);
  double starts = 0;
  for (const double mean : use.means.at(3)) starts += mean * use.step;
  EXPECT_NEAR(starts, variant.metrics.all.overhead, 1);
}

}  // namespace
}  // namespace gleaner::gridsim
