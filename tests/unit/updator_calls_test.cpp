#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "lib/process/child.hpp"
#include "updator/calls.hpp"

namespace gleaner::updator {
namespace {

using std::chrono::seconds;
using store::CallsOfCluster;

const grid::Instant now = grid::from_unix(1'800'000'000);

class Calls : public ::testing::Test {
 protected:
  [[nodiscard]] bool polled(const CallsOfCluster& one) const { return is_polled(one, {&one, 1}, now, seconds{5}, status_max_age); }
  process::Duration status_max_age = seconds{60};
};

TEST_F(Calls, AClusterThatCalled_IsPolled_HoweverShortAgoThatWasDone) {
  EXPECT_TRUE(polled({.called = now, .waits = true, .polled = now}));
  EXPECT_TRUE(polled({.called = now, .waits = true, .polled = std::nullopt}));
}

TEST_F(Calls, AClusterThatCalls_IsPolledByItself_AfterThreePeriods) {
  CallsOfCluster caller{.called = now - seconds{60}, .polled = now - seconds{14}};
  EXPECT_FALSE(polled(caller));
  caller.polled = now - seconds{15};
  EXPECT_TRUE(polled(caller));
  status_max_age = seconds{20};
  caller.polled = now - seconds{10};
  EXPECT_TRUE(polled(caller)) << "a plan would soon have no status of it";
}

TEST_F(Calls, AClusterThatHasNotCalledForLong_IsPolledInEachTurn) {
  EXPECT_TRUE(polled({.called = now - std::chrono::minutes{10}, .polled = now}));
  EXPECT_TRUE(polled({.polled = now}));
}

TEST_F(Calls, TheOtherClusters_AreLeftAlone_WhileOneThatCalledIsPolled_UntilAPeriodIsOver) {
  const std::vector<CallsOfCluster> all{{.cluster = grid::ClusterId{1}, .called = now, .waits = true},
                                        {.cluster = grid::ClusterId{2}, .polled = now - seconds{4}},
                                        {.cluster = grid::ClusterId{3}, .polled = now - seconds{5}},
                                        {.cluster = grid::ClusterId{4}}};
  std::vector<bool> each;
  for (const auto& one : all) each.push_back(is_polled(one, all, now, seconds{5}, status_max_age));
  EXPECT_EQ(each, (std::vector<bool>{true, false, true, true})) << "the last one has never answered";
}

TEST_F(Calls, OfTheFuture_AsTheClockWasSetBack_LeaveNoClusterOut) {
  EXPECT_TRUE(polled({.called = now + std::chrono::hours{1}, .polled = now + seconds{1}}));
  EXPECT_TRUE(polled({.called = now + std::chrono::hours{1}, .polled = now}));
}

/// OAR stops all its queues when its hook fails. Here the script does not know where the grid is.
TEST(HookOfOar, EndsWell_AndAtOnce_WhateverHappens_AndPassesShellcheck) {
  const char* const source = std::getenv("GLEANER_SOURCE_DIR");
  ASSERT_NE(source, nullptr);
  const auto script = std::string{source} + "/packaging/oar/gleaner-call";
  const auto ran = process::capture({.arguments = {script, "17"}}, std::chrono::minutes{1});
  ASSERT_TRUE(ran);
  EXPECT_TRUE(ran->end.succeeded());
  EXPECT_EQ(ran->output, "");
  const auto checked = process::capture({.arguments = {"shellcheck", "--norc", script}}, std::chrono::minutes{1});
  ASSERT_TRUE(checked);
  EXPECT_TRUE(checked->end.succeeded()) << checked->output << "(tools/setup --test installs shellcheck)";
}

}  // namespace
}  // namespace gleaner::updator
