#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <thread>
#include <vector>

#include "api/room.hpp"
#include "tests/db/await.hpp"

namespace gleaner::api {
namespace {

using namespace std::chrono_literals;
constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20U;

TEST(Room, IsTakenAndGivenBack) {
  Room room{100 * kMegabyte, 0ms};
  auto first = room.take("alice", 50 * kMegabyte);
  ASSERT_TRUE(first);
  auto second = room.take("bob", 50 * kMegabyte);
  ASSERT_TRUE(second);
  EXPECT_FALSE(room.take("carol", 2 * kMegabyte));
  first->shrink(40 * kMegabyte);
  EXPECT_TRUE(room.take("carol", 10 * kMegabyte));
  EXPECT_FALSE(room.take("carol", 11 * kMegabyte));
  second.reset();
  EXPECT_TRUE(room.take("carol", 50 * kMegabyte));
}

TEST(Room, OneUserHasHalfOfIt) {
  Room room{100 * kMegabyte, 0ms};
  const auto first = room.take("alice", 30 * kMegabyte);
  EXPECT_FALSE(room.take("alice", 21 * kMegabyte));
  EXPECT_TRUE(room.take("bob", 21 * kMegabyte));
  EXPECT_TRUE(room.take("alice", 20 * kMegabyte));
  // More than there is for one is as much as there is.
  const auto all = room.take("bob", 10'000 * kMegabyte);
  EXPECT_TRUE(all);
  EXPECT_FALSE(room.take("bob", 2 * kMegabyte));
}

TEST(Room, WhatIsSmall_WaitsForNobody) {
  Room room{4 * kMegabyte, 0ms};
  const auto one = room.take("alice", 2 * kMegabyte);
  const auto other = room.take("bob", 2 * kMegabyte);
  ASSERT_TRUE(one && other);
  ASSERT_FALSE(room.take("carol", Room::kSmall + 1)) << "nothing is left";
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(room.take("alice", Room::kSmall));
}

TEST(Room, ThoseOfOneUserThatWait_AreFew_AndTheNextOneIsRefusedAtOnce) {
  Room room{10 * kMegabyte, 600s};
  auto held = room.take("alice", 5 * kMegabyte);
  ASSERT_TRUE(held);
  std::atomic<int> refused{0};
  std::vector<std::thread> waiting;
  for (int i = 0; i < Room::kMostWaitingOfUser + 2; ++i) {
    waiting.emplace_back([&] {
      if (!room.take("alice", 5 * kMegabyte)) ++refused;
    });
  }
  ASSERT_TRUE(tests::await([&] { return refused == 2; }));
  EXPECT_TRUE(room.take("bob", 5 * kMegabyte)) << "there is room for others";
  held.reset();
  for (auto& one : waiting) one.join();
  EXPECT_EQ(refused, 2);
}

TEST(Room, WhoeverWaits_IsNotOvertakenByOneForWhomThereWouldBeRoom) {
  Room room{10 * kMegabyte, 20ms};
  auto alices = room.take("alice", 5 * kMegabyte);
  const auto carols = room.take("carol", 3 * kMegabyte);
  ASSERT_TRUE(alices && carols);
  ASSERT_TRUE(room.take("dave", 2 * kMegabyte)) << "so much is left";
  std::atomic<bool> over{false}, served{false};
  std::thread bob{[&] {
    while (!served && !over) served = room.take("bob", 5 * kMegabyte).has_value();
  }};
  // When it is refused, bob waits before it.
  bool stands_back = false;
  for (const auto limit = std::chrono::steady_clock::now() + 30s; !stands_back && std::chrono::steady_clock::now() < limit;)
    stands_back = !room.take("dave", 2 * kMegabyte);
  EXPECT_TRUE(stands_back);
  EXPECT_FALSE(served);
  alices.reset();
  for (const auto limit = std::chrono::steady_clock::now() + 30s; !served && std::chrono::steady_clock::now() < limit;)
    std::this_thread::yield();
  EXPECT_TRUE(served);
  over = true;
  bob.join();
}

TEST(Room, ItsWaitersAllComeToTheirTurn_AndNeverTogether) {
  Room room{10 * kMegabyte, 1min};
  std::atomic<std::uint64_t> taken{0};
  std::atomic<bool> too_much{false};
  std::atomic<int> left_out{0};
  std::latch start{8};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i, user = "user" + std::to_string(i % 3)] {
      start.arrive_and_wait();
      for (int round = 0; round < 200; ++round) {
        const auto bytes = static_cast<std::uint64_t>(2 + (round + i) % 4) * kMegabyte;
        const auto part = room.take(user, bytes);
        if (!part) ++left_out;
        if ((taken += bytes) > 10 * kMegabyte) too_much = true;
        taken -= bytes;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_FALSE(too_much);
  EXPECT_EQ(left_out, 0);
}

TEST(Room, AUserWhoWaitsForThemself_IsInNobodysWay) {
  Room room{100 * kMegabyte, 1min};
  auto own = room.take("alice", 50 * kMegabyte);
  std::thread waiting{[&] { EXPECT_TRUE(room.take("alice", 50 * kMegabyte)); }};
  EXPECT_TRUE(room.take("bob", 50 * kMegabyte));
  own.reset();
  waiting.join();
}

}  // namespace
}  // namespace gleaner::api
