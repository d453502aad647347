#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

#include "tests/unit/prediction_model.hpp"

// Document 003, "Prediction Algorithms": every free resource used, nothing waiting beyond the flood,
// from any start.
namespace gleaner::prediction::test {
namespace {

constexpr int kCores = 64;
constexpr int kFlood = 16;
constexpr std::size_t kSettled = 60;

enum class Start { too_small, too_big };

Scenario a_scenario(int resources_per_job, Start start) {
  Scenario scenario{.cores = kCores, .flood = double(kFlood) / kCores, .resources_per_job = resources_per_job};
  const double too_big = resources_per_job == 1 ? 4.0 : 1.0;
  scenario.first_ratio = start == Start::too_small ? 1.0 / kCores : too_big;
  scenario.upper = std::max(1.0, scenario.first_ratio);
  return scenario;
}

class Document003 : public testing::TestWithParam<std::tuple<std::string, int, Start>> {
 protected:
  [[nodiscard]] const Algorithm& algorithm() const { return **find_algorithm(std::get<0>(GetParam())); }
  [[nodiscard]] int resources_per_job() const { return std::get<1>(GetParam()); }
  [[nodiscard]] Scenario scenario() const { return a_scenario(resources_per_job(), std::get<2>(GetParam())); }
};

TEST_P(Document003, LongJobs_FillTheClusterAndWaitWithinTheFlood) {
  const auto seen = run(algorithm(), scenario());
  EXPECT_EQ(idle_share(seen, kSettled), 0.0);
  EXPECT_LE(most_waiting(seen, kSettled) * resources_per_job(), kFlood);
  for (std::size_t i = kSettled; i < seen.size(); ++i) EXPECT_EQ(seen[i].wiped, 0) << "cycle " << i;
}

TEST_P(Document003, JobsOfAMinute_FillTheClusterAndWaitWithinTheFlood) {
  auto its = scenario();
  its.duration = 60;
  const auto seen = run(algorithm(), its);
  // Slow-start falls back to one job on the cluster whenever it went too far: a part stays idle.
  EXPECT_LE(idle_share(seen, kSettled), algorithm().name() == "slow-start" ? 0.10 : 0.01);
  for (std::size_t i = kSettled; i < seen.size(); ++i) EXPECT_EQ(seen[i].wiped, 0) << "cycle " << i;
  // Waiting jobs are counted at the ratio, and only `measured` knows how wide a job is.
  const int counted_width = algorithm().name() == "measured" ? resources_per_job() : 1;
  EXPECT_LE(most_wanted_beyond_free(seen, kSettled, counted_width), kFlood);
}

TEST_P(Document003, LocalUsersWhoComeAndGo_LeaveNoRatioStuck) {
  auto its = scenario();
  its.duration = 60;
  its.others = [](int second) { return second / 100 % 2 == 1 ? 24 : 8; };
  const auto seen = run(algorithm(), its);
  EXPECT_LE(idle_share(seen, kSettled), algorithm().name() == "slow-start" ? 0.10 : 0.01);
}

// Here the cluster's start rate is the limit; for the widest jobs its size is, and what waits within
// the flood does not bridge a whole cycle.
TEST_P(Document003, JobsOfAFewSeconds_AreStartedAsFastAsTheClusterCan) {
  auto its = scenario();
  its.duration = 4;
  const auto seen = run(algorithm(), its);
  const int by_rate = its.starts_a_second * 5 * its.cycles;
  const int by_size = kCores / resources_per_job() * 5 * its.cycles / its.duration;
  EXPECT_GE(started(seen), by_rate <= by_size ? by_rate * 95 / 100 : by_size * 60 / 100);
}

/// Jobs of two seconds, of which the cluster starts all that fit at once.
Scenario short_jobs(double upper) { return {.cores = 16, .flood = 0.25, .duration = 2, .starts_a_second = 100, .upper = upper}; }

TEST(MoreJobsThanResources, OfShortJobs_KeepTheResourcesInUse_WhereTheBoundAllowsThem) {
  for (const auto* name : {"slow-start", "adaptive-down-exponential-up"}) {
    const auto& algorithm = **find_algorithm(name);
    const auto one = run(algorithm, short_jobs(1.0));
    const auto two = run(algorithm, short_jobs(2.0));
    EXPECT_EQ(std::ranges::max(one, {}, &Observation::ratio).ratio, 1.0) << name;
    EXPECT_EQ(std::ranges::max(two, {}, &Observation::ratio).ratio, 2.0) << name;
    EXPECT_GE(started(two), started(one) * 14 / 10) << name;
    EXPECT_LT(idle_share(two, kSettled), idle_share(one, kSettled) - 0.2) << name;
    EXPECT_LE(most_waiting(two, kSettled), 4 * 2) << name << ": the flood, counted at the ratio";
  }
}

TEST(MoreJobsThanResources, OfLongJobs_ComeBackToWhatTheResourcesTake) {
  for (const auto* name : {"slow-start", "adaptive-down-exponential-up"}) {
    auto its = short_jobs(4.0);
    its.first_ratio = 4.0;
    its.duration = 600;
    its.cycles = 100;
    const auto seen = run(**find_algorithm(name), its);
    for (std::size_t i = kSettled; i < seen.size(); ++i) EXPECT_EQ(seen[i].running, 16) << name;
    EXPECT_LE(seen.back().ratio, 1.0) << name;
    EXPECT_LE(most_waiting(seen, kSettled), 4) << name;
  }
}

/// Idle cores, and cores for which jobs waited beyond the free ones, summed up over the cycles.
double wasted(const std::vector<Observation>& seen, const Scenario& its) {
  double waste = 0;
  for (std::size_t i = kSettled; i < seen.size(); ++i) waste += seen[i].idle / 5.0 + std::max(0, seen[i].wiped) * its.resources_per_job;
  return waste;
}

/// Wide jobs whose width only OAR knows, long and short ones, with local users and without.
TEST(ByWaste, Document003_WastesHardlyMoreThanTheBestAlgorithmOfEachKindOfClusterAndJobs) {
  for (const int width : {1, 4, 16}) {
    for (const int duration : {20, 600}) {
      for (const bool is_shared : {false, true}) {
        auto its = a_scenario(width, Start::too_big);
        its.duration = duration;
        its.cycles = 240;
        if (is_shared) its.others = [](int second) { return second / 100 % 2 == 1 ? 24 : 8; };
        double least = std::numeric_limits<double>::infinity();
        for (const auto name : algorithm_names()) least = std::min(least, wasted(run(**find_algorithm(name), its), its));
        const auto chosen = wasted(run_by_waste(its), its);
        EXPECT_LE(chosen, 1.1 * least + its.cores) << width << " resources, " << duration << " s";
      }
    }
  }
}

std::string name_of_case(const testing::TestParamInfo<Document003::ParamType>& tested) {
  auto name = std::get<0>(tested.param);
  std::ranges::replace(name, '-', '_');
  return fmt::format("{}_{}_resources_{}", name, std::get<1>(tested.param),
                     std::get<2>(tested.param) == Start::too_small ? "from_too_small" : "from_too_big");
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Document003,
                         testing::Combine(testing::Values("slow-start", "two-way-adaptive", "adaptive-down-exponential-up", "measured",
                                                          "control"),
                                          testing::Values(1, 2, 4, 16), testing::Values(Start::too_small, Start::too_big)),
                         name_of_case);

TEST(Measured, JobsOfThree_NeverPingPongBetweenThePlannerAndTheWipe) {
  auto its = a_scenario(3, Start::too_big);
  its.others = [](int second) { return second / 100 % 2 == 1 ? 24 : 8; };
  const auto seen = run(**find_algorithm("measured"), its);
  for (std::size_t i = kSettled; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].wiped, 0) << "cycle " << i;
    EXPECT_LE(seen[i].waiting * 3 - seen[i].free, kFlood) << "cycle " << i;
  }
  EXPECT_LE(idle_share(seen, kSettled), 0.01) << "and not because it sends nothing";
}

}  // namespace
}  // namespace gleaner::prediction::test
