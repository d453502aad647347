#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <numeric>

#include <rapidcheck/gtest.h>

#include "tests/unit/stress_model.hpp"

namespace gleaner::prediction::test {
namespace {

using testing::HasSubstr;

/// A cluster of 100 resources, polled every 5 s.
class Stress : public testing::Test {
 protected:
  void poll(int times = 1) {
    for (int i = 0; i < times; ++i) {
      reading.time += grid::Seconds{5};
      state = judge_stress(state, reading, {}, rules);
      lowest = std::min(lowest, state.job_limit.value_or(reading.max_resources));
    }
  }
  /// As many jobs as the cluster takes.
  void poll_full(int times) {
    for (int i = 0; i < times; ++i) {
      reading.live_jobs = reading.running_jobs = state.job_limit.value_or(reading.max_resources);
      poll();
    }
  }
  StressRules rules;
  StressReading reading{
      .time = grid::from_unix(0), .factor = 0.1, .latency_ms = 200, .max_resources = 100, .live_jobs = 80, .running_jobs = 80};
  StressState state;
  int lowest = 100;
};

TEST_F(Stress, ACalmCluster_HasNoLimit) {
  poll_full(1000);
  EXPECT_FALSE(state.job_limit);
  EXPECT_EQ(lowest, 100);
  EXPECT_NEAR(*state.calm_latency_ms, 200, 1);
}

TEST_F(Stress, AFactorThatStaysTooBig_HalvesTheLimit_OnceTheJobsAreDown_ToAFloor) {
  poll(10);
  reading.factor = 0.9;
  poll(2);
  EXPECT_FALSE(state.job_limit) << "one or two readings are no stress";
  poll();
  EXPECT_EQ(state.job_limit, 40) << "half of those that live";
  EXPECT_EQ(state.signal, StressSignal::factor);
  EXPECT_THAT(state.reason, HasSubstr("its stress factor is 0.9, and 0.8 is too much"));
  poll(100);
  EXPECT_EQ(state.job_limit, 40) << "80 run still";
  reading.live_jobs = 40;
  poll();
  EXPECT_EQ(state.job_limit, 20);
  poll_full(1000);
  EXPECT_EQ(state.job_limit, 2) << "a fiftieth of the cluster goes on";
}

TEST_F(Stress, ACalmFactor_RaisesTheLimitStepByStep_UntilItIsLifted) {
  poll(10);
  reading.factor = 1;
  poll(3);
  reading.factor = 0.2;
  reading.live_jobs = 40;
  poll(7);
  EXPECT_EQ(state.job_limit, 42);
  poll_full(2000);
  EXPECT_FALSE(state.job_limit);
  EXPECT_EQ(state.signal, StressSignal::none);
  EXPECT_EQ(state.reason, "");
}

TEST_F(Stress, ALoadAverage_IsStressOnlyFarAboveWhatIsUsualThere) {
  reading.factor = 3.0;
  poll(200);
  reading.factor = 4.5;
  poll(50);
  EXPECT_FALSE(state.job_limit);
  reading.factor = 20;
  poll(3);
  EXPECT_TRUE(state.job_limit);
}

TEST_F(Stress, AnApiManyTimesSlowerThanWhenCalm_LowersTheLimit) {
  poll(100);
  reading.latency_ms = 900;
  poll(100);
  EXPECT_FALSE(state.job_limit) << "under a second nothing is slow";
  reading.latency_ms = 2900;
  poll(3);
  EXPECT_EQ(state.signal, StressSignal::latency);
  EXPECT_THAT(state.reason, HasSubstr("its API takes 2900 ms for a small question"));
}

TEST_F(Stress, AFactorThatIsNotReported_HasNoEffect_NorHasASignalSwitchedOff) {
  reading.factor.reset();
  reading.latency_ms.reset();
  poll(100);
  EXPECT_FALSE(state.job_limit);
  rules.factor_max = rules.latency_factor = 0;
  reading.factor = 9;
  reading.latency_ms = 3000;
  poll(100);
  EXPECT_FALSE(state.job_limit);
}

TEST_F(Stress, WithEverySignalSwitchedOff_ALimitIsLiftedAtOnce) {
  poll();
  reading.factor = 0.9;
  poll(4);
  ASSERT_TRUE(state.job_limit);
  rules = {.factor_max = 0, .latency_factor = 0, .durations = false};
  poll();
  EXPECT_FALSE(state.job_limit);
}

TEST_F(Stress, AReadingThatWasJudged_IsNotJudgedTwice) {
  reading.factor = 0.9;
  poll();
  for (int i = 0; i < 10; ++i) state = judge_stress(state, reading, {}, rules);
  EXPECT_EQ(state.stressed_polls, 1);
}

RC_GTEST_PROP(StressProperties, TheLimit_IsWithinTheFloorAndTheCluster_AndGoesWhenTheClusterIsCalm, ()) {
  StressReading reading{.time = grid::from_unix(0), .factor = {}, .latency_ms = {}, .max_resources = *rc::gen::inRange(1, 2000)};
  StressState state;
  const auto next = [&] {
    reading.time += grid::Seconds{5};
    state = judge_stress(state, reading, {}, {});
    if (state.job_limit) RC_ASSERT(*state.job_limit >= std::max(1, reading.max_resources / 50) && *state.job_limit < reading.max_resources);
  };
  for (int i = 0; i < 200; ++i) {
    reading.factor = *rc::gen::inRange(0, 40) / 10.0;
    reading.latency_ms = *rc::gen::inRange(1, 3000);
    reading.running_jobs = *rc::gen::inRange(0, reading.max_resources + 1);
    reading.live_jobs = reading.running_jobs + *rc::gen::inRange(0, 50);
    next();
  }
  reading.factor = 0;
  reading.latency_ms = 1;
  reading.live_jobs = 0;
  for (int i = 0; i < 500; ++i) next();
  RC_ASSERT(!state.job_limit);
}

std::function<double(std::mt19937&)> exactly(double seconds) {
  return [=](std::mt19937&) { return seconds; };
}
std::function<double(std::mt19937&)> lognormal(double median, double sigma) {
  return [=](std::mt19937& random) { return std::max(1.0, std::lognormal_distribution<double>(std::log(median), sigma)(random)); };
}
std::function<double(std::mt19937&)> exponential(double mean) {
  return [=](std::mt19937& random) { return std::max(1.0, std::exponential_distribution<double>(1 / mean)(random)); };
}

double mean_of(const std::vector<int>& limits) {
  return std::accumulate(limits.begin(), limits.end(), 0.0) / static_cast<double>(limits.size());
}

TEST(Durations, ThatDoNotDependOnTheNumberOfJobs_NeverLimitACluster) {
  const unsigned seeds = std::getenv("GLEANER_TEST_LONG") != nullptr ? 6 : 2;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    for (const auto& work : {exactly(60), lognormal(60, 0.5), exponential(60), lognormal(600, 1.0)}) {
      FileServer healthy{.work = work, .seed = seed};
      if (seed % 2 == 0) healthy.others = [](int now) { return now / 900 % 2 == 1 ? 250 : 30; };
      FileServerModel model{healthy};
      model.run(10'000);
      const auto limits = model.take_limits();
      EXPECT_EQ(*std::ranges::min_element(limits), healthy.cores) << "seed " << seed;
    }
  }
}

TEST(Samples, OfEveryNumberOfJobs_SomeAreKept_TheYoungOnesFirst) {
  const std::vector<int> running{50, 50, 100, 100, 100, 100, 100};
  EXPECT_TRUE(samples_to_forget(running, 7).empty());
  EXPECT_EQ(samples_to_forget(running, 6, 2), (std::vector<std::size_t>{2})) << "the oldest of the many";
  EXPECT_EQ(samples_to_forget(running, 2).size(), 5U);
}

/// Jobs of a minute on a cluster of 400, whose file server serves 100 at full speed, and later four times as many.
class Saturated : public testing::TestWithParam<int> {};

TEST_P(Saturated, AFileServer_LeadsTheLimitToWhatItServes_AndUpAgainWhenItGetsFaster) {
  constexpr int kFaster = 20'000;
  const std::array works{exactly(60), lognormal(60, 0.3)};
  FileServerModel model{
      {.serves = [](int now) { return now < kFaster ? 100.0 : 400.0; }, .work = works[static_cast<std::size_t>(GetParam())]}};
  model.run(8'000);
  static_cast<void>(model.take_limits());
  model.run(kFaster - 8'000);
  const auto limits = model.take_limits();
  EXPECT_GT(mean_of(limits), 70);
  EXPECT_LT(mean_of(limits), 200);
  EXPECT_EQ(model.state().signal, StressSignal::durations);
  EXPECT_THAT(model.state().reason, HasSubstr("of our jobs running, jobs take"));
  model.run(20'000);
  EXPECT_FALSE(model.state().job_limit);
}

INSTANTIATE_TEST_SUITE_P(OfEachKindOfJob, Saturated, testing::Values(0, 1));

DurationSample a_sample(std::int64_t campaign, int running, double seconds) {
  return {.campaign = grid::CampaignId{campaign}, .started = grid::from_unix(0), .running = running, .seconds = seconds, .horizon = 1e6};
}

TEST(Elasticity, OfTwiceTheDurationWithTwiceTheJobs_IsOne) {
  std::vector<DurationSample> more, fewer;
  for (int i = 0; i < 40; ++i) {
    more.push_back(a_sample(1, 200, 100 + i));
    fewer.push_back(a_sample(1, 100, 50 + i / 2.0));
  }
  const auto found = elasticity(more, fewer);
  EXPECT_TRUE(found.is_saturated());
  EXPECT_NEAR(found.slope, 1, 0.1);
  EXPECT_NEAR(found.ratio, 2, 0.2);
  EXPECT_TRUE(elasticity(fewer, more).is_saturated()) << "whichever is here";
}

TEST(Elasticity, OfJobsOfAFewSeconds_IsNone) {
  std::vector<DurationSample> more, fewer;
  for (int i = 0; i < 40; ++i) {
    more.push_back(a_sample(1, 14, 2 + i % 3));
    fewer.push_back(a_sample(1, 4, 1));
  }
  EXPECT_FALSE(elasticity(more, fewer).is_suspicious()) << "OAR starts and ends many jobs more slowly than a few";
}

TEST(Elasticity, OfAnotherMixOfCampaigns_IsNone) {
  std::vector<DurationSample> more, fewer;
  for (int i = 0; i < 100; ++i) {
    more.push_back(a_sample(i < 90 ? 1 : 2, 200, (i < 90 ? 1000 : 10) + i % 7));
    fewer.push_back(a_sample(i < 10 ? 1 : 2, 100, (i < 10 ? 1000 : 10) + i % 7));
  }
  EXPECT_FALSE(elasticity(more, fewer).is_suspicious());
}

TEST(Elasticity, OfAFewJobs_ProvesNothing) {
  std::vector<DurationSample> more, fewer;
  for (int i = 0; i < 11; ++i) {
    more.push_back(a_sample(1, 200, 1000));
    fewer.push_back(a_sample(1, 100, 10));
  }
  EXPECT_FALSE(elasticity(more, fewer).is_suspicious());
}

TEST(Elasticity, OfJobsThatCouldOnlyBeSeenShortSoFar_IsNone) {
  std::mt19937 random{7};
  std::exponential_distribution<double> length{1.0 / 600};
  std::vector<DurationSample> more, fewer;
  for (int i = 0; i < 200; ++i) {
    // The jobs beside fewer others are the young ones: of them only the short ones have ended.
    const double old_job = length(random), young_job = length(random);
    more.push_back({.campaign = grid::CampaignId{1},
                    .started = grid::from_unix(0),
                    .running = 200,
                    .seconds = std::min(old_job, 3000.0),
                    .horizon = 3000});
    fewer.push_back({.campaign = grid::CampaignId{1},
                     .started = grid::from_unix(0),
                     .running = 100,
                     .seconds = std::min(young_job, 300.0),
                     .horizon = 300});
  }
  EXPECT_FALSE(elasticity(more, fewer).is_suspicious());
}

}  // namespace
}  // namespace gleaner::prediction::test
