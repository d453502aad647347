#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "predictor/algorithms/trials.hpp"

namespace gleaner::prediction {
namespace {

const Algorithm& named(std::string_view name) { return **find_algorithm(name); }
double next(std::string_view name, double old, const LastCycle& last, const QueueState& queue) {
  return named(name).next(old, last, queue, kDefaultUpperBound);
}

// Document 003, with the figures of spec/README: old 0.25, 5 of 25 jobs in excess.
TEST(TwoWayAdaptive, Document003_FiveOfTwentyFiveInExcess_ScaleTheOldRatio) {
  const LastCycle last{.free_offered = 100, .nsub = 25};
  const QueueState queue{.running = 20, .waiting = 5, .free_resources = 0, .max_resources = 400, .flood = 0.0};
  EXPECT_DOUBLE_EQ(next("two-way-adaptive", 0.25, last, queue), 0.25 * (25 - 5) / 25);
  EXPECT_DOUBLE_EQ(next("adaptive-down-exponential-up", 0.25, last, queue), 0.2);
}

TEST(SlowStart, Document003_Excess_LeavesOneJobOnTheCluster_NoneDoubles) {
  const LastCycle last{.free_offered = 100, .nsub = 25};
  QueueState queue{.running = 20, .waiting = 5, .free_resources = 0, .max_resources = 400, .flood = 0.0};
  EXPECT_DOUBLE_EQ(next("slow-start", 0.25, last, queue), 1.0 / 400);
  queue = {.running = 25, .waiting = 0, .free_resources = 75, .max_resources = 400};
  EXPECT_DOUBLE_EQ(next("slow-start", 0.25, last, queue), 0.5);
}

TEST(TwoWayAdaptive, NothingWaits_GrowsToWhatTheJobsTook) {
  const LastCycle last{.free_offered = 100, .nsub = 25};
  const QueueState queue{.running = 25, .waiting = 0, .free_resources = 25, .max_resources = 400};
  EXPECT_DOUBLE_EQ(next("two-way-adaptive", 0.25, last, queue), 25.0 / 75);
  EXPECT_DOUBLE_EQ(next("adaptive-down-exponential-up", 0.25, last, queue), 0.5);
}

class Growth : public testing::TestWithParam<const char*> {};

TEST_P(Growth, NothingSubmitted_IsNoEvidence) {
  EXPECT_DOUBLE_EQ(next(GetParam(), 0.25, {}, {.free_resources = 50, .max_resources = 64}), 0.25);
}
TEST_P(Growth, BagThatWasSmallerThanTheOffer_IsNoEvidence) {
  EXPECT_DOUBLE_EQ(next(GetParam(), 0.25, {.free_offered = 64, .nsub = 3}, {.running = 3, .free_resources = 50, .max_resources = 64}),
                   0.25);
}
TEST_P(Growth, FullCluster_IsNoEvidence) {
  EXPECT_DOUBLE_EQ(next(GetParam(), 0.25, {.free_offered = 64, .nsub = 16}, {.running = 16, .free_resources = 0, .max_resources = 64}),
                   0.25);
}
TEST_P(Growth, OneWaitingJobWithinTheFlood_IsNoEvidence) {
  const QueueState queue{.running = 15, .waiting = 1, .free_resources = 30, .max_resources = 64, .flood = 0.5};
  EXPECT_DOUBLE_EQ(next(GetParam(), 0.25, {.free_offered = 64, .nsub = 16}, queue), 0.25);
}
TEST_P(Growth, StopsAtTheUpperBound) {
  const QueueState queue{.running = 16, .free_resources = 48, .max_resources = 64};
  EXPECT_DOUBLE_EQ(next(GetParam(), 0.9, {.free_offered = 64, .nsub = 57}, queue), kDefaultUpperBound) << "it grows until there";
  EXPECT_DOUBLE_EQ(next(GetParam(), 1.0, {.free_offered = 64, .nsub = 64}, queue), kDefaultUpperBound);
}
TEST_P(Growth, JobsThatTheClusterIsAboutToStart_AreNoExcess) {
  QueueState queue{.running = 4, .waiting = 12, .free_resources = 12, .max_resources = 16, .starting = grid::Starting::still};
  EXPECT_DOUBLE_EQ(next(GetParam(), 1.0, {.free_offered = 16, .nsub = 16}, queue), 1.0);
  queue.starting = grid::Starting::stuck;
  EXPECT_LT(next(GetParam(), 1.0, {.free_offered = 16, .nsub = 16}, queue), 1.0);
}
TEST_P(Growth, ExcessNeverRaisesTheRatio) {
  const QueueState queue{.running = 60, .waiting = 40, .free_resources = 0, .max_resources = 64, .flood = 0.1};
  EXPECT_LE(next(GetParam(), 0.1, {.free_offered = 4, .nsub = 6}, queue), 0.1);
}
INSTANTIATE_TEST_SUITE_P(Algorithms, Growth, testing::Values("slow-start", "two-way-adaptive", "adaptive-down-exponential-up", "control"),
                         [](const auto& tested) {
                           std::string name{tested.param};
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Measured, TheMeanOfWhatOarGave_IsTheRatio) {
  QueueState queue{.max_resources = 64, .assigned_resources = 8.0};
  EXPECT_DOUBLE_EQ(next("measured", 1.0, {}, queue), 0.125);
  queue.assigned_resources = std::nullopt;
  EXPECT_DOUBLE_EQ(next("measured", 0.5, {}, queue), 0.5);
  queue.assigned_resources = 0.0;
  EXPECT_DOUBLE_EQ(next("measured", 0.5, {}, queue), 0.5);
}

TEST(FirstRatio, IsTheJdlsRequest_OrTheBiggestNode_OrOneResource) {
  EXPECT_DOUBLE_EQ(grid::first_ratio(8, 16), 0.125);
  EXPECT_DOUBLE_EQ(grid::first_ratio(std::nullopt, 16), 0.0625);
  EXPECT_DOUBLE_EQ(grid::first_ratio(std::nullopt, 0), 1.0);
  EXPECT_DOUBLE_EQ(grid::first_ratio(0, 16), 1.0);
}

TEST(Algorithms, UnknownName_IsRefusedWithTheClosestOne) {
  EXPECT_THAT(algorithm_names(),
              testing::ElementsAre("slow-start", "two-way-adaptive", "adaptive-down-exponential-up", "measured", "control"));
  EXPECT_THAT(find_algorithm("mesured").error(), testing::HasSubstr("did you mean 'measured'?"));
  EXPECT_TRUE(find_algorithm(kDefaultAlgorithm));
}

double any_double() {
  return *rc::gen::element(0.0, -1.0, 1e-12, 0.25, 1.0, 3.0, 1e12, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN());
}

RC_GTEST_PROP(AlgorithmsProperty, TheRatioStaysWithinItsBounds_WhateverComes, ()) {
  const auto name = *rc::gen::elementOf(algorithm_names());
  const int max = *rc::gen::inRange(-1, 200);
  QueueState queue{.running = *rc::gen::inRange(0, 50),
                   .waiting = *rc::gen::inRange(0, 50),
                   .free_resources = *rc::gen::inRange(0, 200),
                   .max_resources = max,
                   .flood = any_double(),
                   .starting = *rc::gen::element(grid::Starting::still, grid::Starting::stuck)};
  if (*rc::gen::arbitrary<bool>()) queue.assigned_resources = any_double();
  if (*rc::gen::arbitrary<bool>()) queue.resources_per_job = *rc::gen::inRange(0, 100);
  const LastCycle last{.free_offered = any_double(), .nsub = *rc::gen::inRange(0, 50)};
  const double upper = *rc::gen::element(0.5, 1.0, 4.0);
  const double ratio = named(name).next(any_double(), last, queue, upper);
  const double least = 1.0 / std::max(1, max);
  RC_ASSERT(std::isfinite(ratio));
  RC_ASSERT(ratio >= least);
  RC_ASSERT(ratio <= std::max(least, upper));
  auto trials = first_trials(any_double());
  for (int cycle = 0; cycle < 3; ++cycle) judge(trials, any_double(), last, queue, upper);
  for (const auto& trial : trials) RC_ASSERT(trial.waste >= 0 && trial.waste <= 3.0 * std::max(1, max));
  RC_ASSERT(least_wasteful(trials).ratio >= least);
}

TEST(Algorithms, TheConfiguration_NamesOneOfThem_OrTheChoiceByWaste) {
  EXPECT_EQ((*configured_algorithm("control"))->name(), "control");
  EXPECT_EQ(*configured_algorithm("auto"), nullptr);
  EXPECT_THAT(configured_algorithm("automatic").error(), testing::HasSubstr(", and auto"));
  EXPECT_EQ(first_trials(1).front().algorithm->name(), kDefaultAlgorithm) << "goes first among equals";
}

}  // namespace
}  // namespace gleaner::prediction
