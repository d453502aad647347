// The grid's observation of local jobs.
#include <gtest/gtest.h>

#include "lib/grid/local_demand.hpp"

namespace gleaner::grid::test {
namespace {

Instant at(int seconds) { return from_unix(1'000'000 + seconds); }

/// A local job that started some seconds after its submission.
LocalStart started(int seconds, int resources, int waited = 1) {
  return {.submitted = at(seconds - waited), .started = at(seconds), .resources = resources};
}

TEST(LocalDemand, JobsThatStartedSinceTheLastPoll_AreOneArrival) {
  LocalWatch watch;
  const std::vector<LocalStart> first{started(-100, 4)};
  EXPECT_FALSE(note_poll(watch, first, at(0))) << "nobody knows how long it took these to come";
  const std::vector<LocalStart> second{started(-100, 4), started(2, 1), started(3, 2)};
  const auto arrivals = note_poll(watch, second, at(5));
  ASSERT_TRUE(arrivals);
  EXPECT_EQ(arrivals->resources, 3);
  EXPECT_EQ(arrivals->seconds, 5);
  EXPECT_EQ(note_poll(watch, second, at(10))->resources, 0) << "each is counted once";
  EXPECT_EQ(note_poll(watch, first, at(15))->resources, 0) << "the newest are over";
  EXPECT_EQ(note_poll(watch, second, at(16))->resources, 3) << "and these are others, by their starts";
}

TEST(LocalDemand, AJobThatWaitedForOthers_IsNone) {
  LocalWatch watch;
  (void)note_poll(watch, {}, at(0));
  const std::vector<LocalStart> reserved{started(3, 16, 3600)};
  EXPECT_EQ(note_poll(watch, reserved, at(5))->resources, 0);
}

TEST(LocalDemand, AGap_OrAClockThatWasSetBack_IsNotWatched) {
  LocalWatch watch;
  (void)note_poll(watch, {}, at(0));
  const std::vector<LocalStart> jobs{started(100, 2)};
  EXPECT_FALSE(note_poll(watch, jobs, at(3600)));
  EXPECT_FALSE(note_poll(watch, jobs, at(-50)));
  EXPECT_TRUE(note_poll(watch, jobs, at(-40)));
}

TEST(LocalDemand, ClustersWhoseClockDiffers_AreWatchedAlike) {
  LocalWatch watch;
  const std::vector<LocalStart> first{started(-90'000, 1)};
  (void)note_poll(watch, first, at(0));
  const std::vector<LocalStart> second{started(-90'000, 1), started(-89'990, 8)};
  EXPECT_EQ(note_poll(watch, second, at(5))->resources, 8);
}

TEST(LocalDemand, OldFigures_Fade_AndStayInProportion) {
  LocalDemand demand;
  for (int i = 0; i < 100'000; ++i) demand.observe(5, i % 10 == 0 ? 2 : 0);
  EXPECT_EQ(demand.seconds, 14 * 3600);
  EXPECT_NEAR(demand.arrivals.at(2) / demand.seconds, 0.02, 0.001);
}

TEST(LocalDemand, HasFewSizes_WhateverComes) {
  LocalDemand demand;
  for (int resources = 1; resources < 100'000; ++resources) demand.observe(1, resources);
  demand.observe(1, std::numeric_limits<int>::max());
  EXPECT_LE(demand.arrivals.size(), 40U);
}

TEST(LocalDemand, IsStoredAsAText) {
  LocalDemand demand{.seconds = 100, .arrivals = {{1, 2.5}, {4, 1}}};
  EXPECT_EQ(demand.text(), "1:2.5 4:1");
  EXPECT_EQ(local_demand(100, demand.text()), demand);
  EXPECT_EQ(local_demand(7, "")->seconds, 7);
  for (const auto* text : {"1", "1:", ":2", "0:1", "1:-1", "1:2 x", "a:b", "1:nan"}) EXPECT_FALSE(local_demand(1, text)) << text;
}

TEST(LocalDemand, HoursAreThoseOfUtc) {
  EXPECT_EQ(hour_of_day(from_unix(0)), 0);
  EXPECT_EQ(hour_of_day(from_unix(86399)), 23);
  EXPECT_EQ(hour_of_day(from_unix(-1)), 23);
}

}  // namespace
}  // namespace gleaner::grid::test
