// The headroom for local jobs that costs the least.
#include <gtest/gtest.h>

#include <cmath>

#include <rapidcheck/gtest.h>

#include "predictor/algorithms/headroom.hpp"

namespace gleaner::prediction::test {
namespace {

using grid::LocalDemand;

/// Watched for 10 hours, with so many arrivals of each size.
LocalDemand demand(std::map<int, double> arrivals) { return {.seconds = 36000, .arrivals = std::move(arrivals)}; }

/// The terms of a cluster of 400 resources, of which two of ours come free every three seconds.
constexpr HeadroomTerms kUsual{.restored_per_second = 0.67, .weight = 50, .most = 80};

TEST(Headroom, WithoutAnyDemand_IsNone) {
  EXPECT_EQ(best_headroom({}, kUsual), 0);
  EXPECT_EQ(best_headroom(demand({}), kUsual), 0);
  EXPECT_EQ(best_headroom(demand({{4, 1}}), kUsual), 0) << "one job in ten hours is not worth four idle resources";
}

TEST(Headroom, HoldsTheJobsThatCome) {
  EXPECT_EQ(best_headroom(demand({{4, 2000}}), {.restored_per_second = 100, .weight = 50, .most = 80}), 4);
  const int both = best_headroom(demand({{1, 2000}, {4, 2000}}), kUsual);
  EXPECT_GE(both, 4);
  EXPECT_LE(both, 20);
}

TEST(Headroom, OfJobsWiderThanItMayBe_IsNone) {
  EXPECT_EQ(best_headroom(demand({{64, 500}}), {.restored_per_second = 1, .weight = 1000, .most = 20}), 0)
      << "half of what a job needs saves it no time";
}

TEST(Headroom, OfADemandThatTakesAllThatComesFree_EndsAndIsWithinItsBound) {
  const int headroom = best_headroom(demand({{1, 1e6}, {200, 1e5}}), kUsual);
  EXPECT_GE(headroom, 0);
  EXPECT_LE(headroom, 80);
}

RC_GTEST_PROP(Headroom, GrowsWithTheWeight_AndStaysWithinItsBound, ()) {
  const auto sizes = *rc::gen::container<std::vector<int>>(4, rc::gen::inRange(1, 20));
  LocalDemand demanded{.seconds = 36000, .arrivals = {}};
  for (const int size : sizes) demanded.arrivals[size] += *rc::gen::inRange(0, 2000);
  HeadroomTerms terms{.restored_per_second = *rc::gen::inRange(1, 200) / 100.0, .weight = 0, .most = *rc::gen::inRange(0, 60)};
  int before = 0;
  for (const double weight : {0.0, 5.0, 20.0, 100.0, 1000.0}) {
    terms.weight = weight;
    const int headroom = best_headroom(demanded, terms);
    RC_ASSERT(headroom <= terms.most);
    RC_ASSERT(headroom >= before);
    before = headroom;
  }
}

TEST(Headroom, StaysAsItIs_WhileAnotherOneSavesLittle) {
  const auto demanded = demand({{1, 2000}, {4, 2000}});
  auto terms = kUsual;
  const int best = best_headroom(demanded, terms);
  terms.current = best + 1;
  EXPECT_EQ(best_headroom(demanded, terms), best + 1) << "one idle resource more";
  terms.current = 40;
  EXPECT_EQ(best_headroom(demanded, terms), best);
  terms.current = 1000;
  EXPECT_EQ(best_headroom(demanded, terms), best) << "more than may be";
}

TEST(Headroom, OfAnHour_FollowsThatHour_AndTheOthersWhileLittleIsKnownOfIt) {
  std::vector<LocalDemand> hours(grid::kHoursOfDay);
  EXPECT_EQ(demand_of_hour(hours, 9), LocalDemand{}) << "nothing was watched";
  hours[9] = {.seconds = 300, .arrivals = {{1, 5}}};
  EXPECT_EQ(demand_of_hour(hours, 9).seconds, 0) << "5 minutes are too few";
  const auto rate = [&](int hour) {
    const auto demand = demand_of_hour(hours, hour);
    return demand.arrivals.contains(1) ? demand.arrivals.at(1) / demand.seconds : 0.0;
  };
  for (auto& hour : hours) hour = {.seconds = 36000, .arrivals = {{1, 10}}};
  hours[9].arrivals[1] = 1000;
  EXPECT_GT(rate(9), 20 * rate(3)) << "mornings are busy";
  hours[3] = {};
  EXPECT_GT(rate(3), 10.0 / 36000) << "the mean of all hours, which the morning raises";
}

}  // namespace
}  // namespace gleaner::prediction::test
