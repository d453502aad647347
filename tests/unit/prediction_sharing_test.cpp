#include "predictor/algorithms/sharing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "predictor/algorithms/spread.hpp"

// The resources that campaigns will get of clusters that they share.
namespace gleaner::prediction {
namespace {

constexpr double kCycle = 5;

/// A campaign whose tasks take 60 s of one core on the first cluster.
Sharer sharer(double waiting, double running = 0, std::size_t user = 0) {
  return {.rank = 0, .user = user, .waiting = waiting, .claims = {{.cluster = 0, .seconds = 60, .running = running, .is_open = true}}};
}

/// Seconds until each bag is empty, without the allowance for what is left out; below 0: it does not become empty.
std::vector<double> emptied(const std::vector<Sharer>& sharers, const std::vector<SharedCluster>& clusters, Sharing sharing) {
  constexpr double kNever = -1;
  const double others = std::min(4.0, static_cast<double>(sharers.size()) - 1.0);
  const double allowance = 1.0 + (sharing == Sharing::in_order ? 0.1 : 0.25) * others / 4.0;
  std::vector<double> times;
  for (const auto& one : empty_bags(sharers, clusters, sharing, kCycle)) times.push_back(one ? one->seconds / allowance : kNever);
  return times;
}

TEST(Sharing, InOrder_TheSecondGetsTheCores_WhenTheBagOfTheFirstIsEmpty) {
  const auto times = emptied({sharer(1000), sharer(1000)}, {{.free = 100}}, Sharing::in_order);
  EXPECT_NEAR(times[0], 600, 60) << "1000 tasks of a minute on 100 cores";
  EXPECT_NEAR(times[1], 1200, 120);
}

TEST(Sharing, InOrder_TheFirstTakesTheCoresOfTheSecond_AsTheJobsOfThisOneEnd) {
  const auto times = emptied({sharer(1000), sharer(1000, 100)}, {{}}, Sharing::in_order);
  EXPECT_NEAR(times[0], 660, 90) << "it has them after a minute";
  EXPECT_NEAR(times[1], 1200, 120);
}

TEST(Sharing, AmongUsers_EachHasHalf_UntilOneHasNoTasks) {
  const auto times = emptied({sharer(500, 0, 1), sharer(1500, 0, 2)}, {{.free = 100}}, Sharing::among_users);
  EXPECT_NEAR(times[0], 600, 60) << "on 50 cores";
  EXPECT_NEAR(times[1], 1200, 120) << "on 50 cores for ten minutes, then on 100";
}

TEST(Sharing, AmongUsers_TheCampaignsOfOneUser_TakeTurnsInTheirOrder) {
  const auto times = emptied({sharer(500, 0, 1), sharer(500, 0, 1), sharer(1000, 0, 2)}, {{.free = 100}}, Sharing::among_users);
  EXPECT_NEAR(times[0], 600, 60);
  EXPECT_NEAR(times[1], 1200, 120);
  EXPECT_NEAR(times[2], 1200, 120);
}

TEST(Sharing, AmongUsers_WhoHoldsLeast_IsRaisedFirst) {
  const auto times = emptied({sharer(600, 60, 1), sharer(600, 0, 2), sharer(600, 0, 3)}, {{.free = 30}}, Sharing::among_users);
  EXPECT_NEAR(times[1], times[2], 1);
  EXPECT_NEAR(times[1], 1200, 150) << "each soon has 30 of 90 cores";
  EXPECT_NEAR(times[0], 1200, 150);
}

TEST(Sharing, OnesOfALowerRank_GetWhatTheOthersLeave) {
  auto lowest = sharer(1000, 0, 1);
  lowest.rank = 1;
  const auto times = emptied({lowest, sharer(1000, 0, 2)}, {{.free = 100}}, Sharing::among_users);
  EXPECT_NEAR(times[1], 600, 60);
  EXPECT_NEAR(times[0], 1200, 120);
}

TEST(Sharing, ABoundOnItsJobs_LeavesCoresToOthers) {
  auto bounded = sharer(500);
  bounded.claims[0].most = 50;
  const auto times = emptied({bounded, sharer(500)}, {{.free = 100}}, Sharing::in_order);
  EXPECT_NEAR(times[0], 600, 60);
  EXPECT_NEAR(times[1], 600, 60);
}

/// Both have one limit of 20 licences, of which a job takes two.
TEST(Sharing, ALimitThatTwoHaveTogether_IsHeldByBoth_AndLeavesCoresToOthers) {
  auto first = sharer(100), second = sharer(50);
  for (auto* one : {&first, &second}) {
    one->claims[0].limit = 0;
    one->claims[0].part = 2;
  }
  const auto emptied_within = [&](std::vector<double> limits) {
    std::vector<double> times;
    for (const auto& one : empty_bags({first, second, sharer(90)}, {{.free = 100}}, Sharing::in_order, kCycle, limits))
      times.push_back(one->seconds / 1.05);
    return times;
  };
  const auto times = emptied_within({20});
  EXPECT_NEAR(times[0], 9 * 60, 60) << "10 at a time; the last ten begin when the bag is empty";
  EXPECT_NEAR(times[1], 14 * 60, 90) << "when those of the first are over";
  EXPECT_LT(times[2], 1) << "90 of 100 cores are left";
}

TEST(Sharing, WhereNothingOfItGoes_ItsBagDoesNotBecomeEmpty) {
  auto closed = sharer(500);
  closed.claims[0].is_open = false;
  EXPECT_LT(emptied({closed, sharer(500)}, {{.free = 100}}, Sharing::in_order)[0], 0);
}

TEST(Sharing, OnUnknownDurations_TheEndIsLessCertain) {
  auto known = sharer(1000);
  known.error = 0.02;
  auto guessed = known;
  guessed.is_bound = true;
  const auto of = [&](const Sharer& first) { return *empty_bags({first, known}, {{.free = 100}}, Sharing::in_order, kCycle)[1]; };
  EXPECT_GT(of(guessed).earlier / of(guessed).seconds, 1.1 * of(known).earlier / of(known).seconds);
}

RC_GTEST_PROP(Sharing, NoBagIsEmpty_BeforeItsWorkCanBeDone_AndAllAreWhenAllWorkCan, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 6);
  const double cores = *rc::gen::inRange(8, 200);
  std::vector<Sharer> sharers;
  double work = 0, longest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    auto one = sharer(*rc::gen::inRange(1, 3000), 0, *rc::gen::inRange<std::size_t>(0, 3));
    one.claims[0].width = *rc::gen::element(1, 2, 4);
    one.claims[0].seconds = *rc::gen::inRange(10, 2000);
    one.rank = *rc::gen::inRange(0, 2);
    work += one.waiting * one.claims[0].width * one.claims[0].seconds;
    longest = std::max(longest, one.claims[0].seconds);
    sharers.push_back(one);
  }
  const auto sharing = *rc::gen::element(Sharing::in_order, Sharing::among_users);
  const auto times = emptied(sharers, {{.free = cores}}, sharing);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& claim = sharers[i].claims[0];
    RC_ASSERT(times[i] >= 0.0);
    // Its last tasks begin when the bag is empty.
    const double least = sharers[i].waiting * claim.width * claim.seconds / cores - claim.seconds;
    RC_ASSERT(times[i] >= 0.9 * least - kCycle);
  }
  RC_ASSERT(*std::ranges::max_element(times) <= 1.25 * (work / cores + 2.0 * longest) + 2.0 * kCycle);
}

TEST(MeanOfAll, CountsTheLongTasksThatStillRun) {
  // Those of 200 exponential durations with a mean of 1000 s that end within 200 s are seen.
  std::mt19937_64 draws{7};
  std::exponential_distribution<> duration{1.0 / 1000};
  grid::Durations seen;
  double running = 0;
  for (int i = 0; i < 200; ++i) {
    const double one = duration(draws);
    if (one > 200) ++running;
    else seen.add({.count = 1, .sum = one, .squares = one * one});
  }
  const auto mean = mean_of_all(seen, running, 200 * running);
  EXPECT_LT(*seen.mean(), 120);
  EXPECT_GT(mean.seconds, 400);
  EXPECT_GT(mean.seconds * std::exp(1.28 * mean.error), 800) << "how little is known is said";
}

TEST(MeanOfAll, OfManyThatAreDone_IsTheirMean) {
  grid::Durations seen;
  for (int i = 0; i < 10'000; ++i) {
    const double one = 80 + i % 41;
    seen.add({.count = 1, .sum = one, .squares = one * one});
  }
  const auto mean = mean_of_all(seen, 20, 20 * 50);
  EXPECT_NEAR(mean.seconds, 100, 1);
  EXPECT_LT(mean.error, 0.02);
}

}  // namespace
}  // namespace gleaner::prediction
