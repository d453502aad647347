#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "nikita/excess.hpp"

namespace gleaner::nikita {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const grid::Instant kNow = grid::from_unix(1'800'000'000);
constexpr Patience kPatience{.grace = std::chrono::seconds{60}, .timeout = std::chrono::minutes{15}};

/// Jobs that wait, the newest first, submitted so many seconds ago; each takes `resources`.
Queue waiting(std::initializer_list<int> ages, int resources = 1) {
  Queue queue{.jobs = {}, .free_resources = 0, .max_resources = 16, .flood = 0.125};
  std::int64_t id = 100;
  for (const int age : ages) {
    store::WaitingJob job;
    job.id = grid::JobId{id--};
    job.submitted_at = kNow - grid::Seconds{age};
    job.resources_per_job = resources;
    job.last_accept_at = kNow - grid::Seconds{30};
    queue.jobs.push_back(job);
  }
  return queue;
}

TEST(Wiping, TheNewestBeyondTheFlood_Go) {
  EXPECT_THAT(to_wipe(waiting({70, 80, 90, 100}), kPatience, kNow).excess, ElementsAre(grid::JobId{100}, grid::JobId{99}));
}

TEST(Wiping, AJobYoungerThanTheGrace_NeverGoes) {
  EXPECT_THAT(to_wipe(waiting({10, 20, 90, 100}), kPatience, kNow).excess, ElementsAre(grid::JobId{98}, grid::JobId{97}));
}

TEST(Wiping, JobsThatFreeResourcesAreAboutToTake_Stay) {
  auto queue = waiting({70, 80, 90, 100});
  queue.free_resources = 2;
  for (auto& job : queue.jobs) job.last_start_at = kNow - grid::Seconds{2};
  EXPECT_THAT(to_wipe(queue, kPatience, kNow).excess, IsEmpty());
}

TEST(Wiping, FreeResourcesThatNothingTakes_DoNotCount) {
  auto queue = waiting({70, 80, 90, 100});
  queue.free_resources = 2;
  EXPECT_EQ(to_wipe(queue, kPatience, kNow).excess.size(), 2U);
}

TEST(Wiping, CountsAreInResources_NotInJobs) { EXPECT_EQ(to_wipe(waiting({70, 80, 90}, 2), kPatience, kNow).excess.size(), 2U); }

TEST(Wiping, OneJobBiggerThanTheFlood_IsTolerated) { EXPECT_THAT(to_wipe(waiting({90}, 8), kPatience, kNow).excess, IsEmpty()); }

TEST(Wiping, WhatWaitedTooLong_Goes_EvenWithinTheFlood) {
  EXPECT_THAT(to_wipe(waiting({70, 1000}), kPatience, kNow).waited_too_long, ElementsAre(grid::JobId{99}));
}

RC_GTEST_PROP(Wiping, WhatStaysBeyondTheFlood_IsYoungOrAlone, ()) {
  const auto ages = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 800));
  auto sorted = ages;
  std::ranges::sort(sorted);
  auto queue = waiting({});
  std::int64_t id = 0;
  for (const int age : sorted) {
    store::WaitingJob job;
    job.id = grid::JobId{++id};
    job.submitted_at = kNow - grid::Seconds{age};
    job.resources_per_job = 1;
    queue.jobs.push_back(job);
  }
  const auto wiped = to_wipe(queue, kPatience, kNow);
  const auto old = std::ranges::count_if(sorted, [](int age) { return age >= 60; });
  const auto left = static_cast<std::int64_t>(sorted.size() - wiped.excess.size());
  RC_ASSERT(left <= std::max<std::int64_t>(2, static_cast<std::int64_t>(sorted.size()) - old) + 2);
  RC_ASSERT(static_cast<std::int64_t>(wiped.excess.size()) <= std::max<std::int64_t>(0, static_cast<std::int64_t>(sorted.size()) - 2));
}

}  // namespace
}  // namespace gleaner::nikita
