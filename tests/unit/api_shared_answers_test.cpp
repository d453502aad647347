#include "api/shared_answers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

namespace gleaner::api {
namespace {

using namespace std::chrono_literals;
using Made = SharedAnswers::Or<std::string>;

TEST(SharedAnswers, AThousandViewersOfOneQuestion_CostTheWorkOfOne) {
  SharedAnswers answers{1min, 1000};
  std::atomic<int> made{0}, right{0};
  constexpr int kThreads = 20, kTimes = 50;
  std::latch start{kThreads};
  std::vector<std::thread> viewers;
  for (int i = 0; i < kThreads; ++i)
    viewers.emplace_back([&] {
      start.arrive_and_wait();
      for (int time = 0; time < kTimes; ++time) {
        const auto text = answers.answer("all", [&]() -> Made {
          ++made;
          std::this_thread::sleep_for(20ms);
          return std::string{"the picture"};
        });
        right += **text == "the picture";
      }
    });
  for (auto& viewer : viewers) viewer.join();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(right, kThreads * kTimes);
}

TEST(SharedAnswers, AnotherQuestion_IsAnswered_WhileTheFirstIsBeingMade) {
  SharedAnswers answers{1min, 1000};
  std::latch begun{1}, other{1};
  std::thread slow{[&] {
    const auto text = answers.answer("slow", [&]() -> Made {
      begun.count_down();
      other.wait();
      return std::string{"slow"};
    });
    EXPECT_EQ(**text, "slow");
  }};
  begun.wait();
  EXPECT_EQ(**answers.answer("other", [] { return Made{"other"}; }), "other");
  other.count_down();
  slow.join();
}

TEST(SharedAnswers, AnOldAnswer_IsMadeAgain) {
  SharedAnswers answers{0ms, 1000};
  int made = 0;
  const auto make = [&] { return Made{std::to_string(++made)}; };
  EXPECT_EQ(**answers.answer("all", make), "1");
  EXPECT_EQ(**answers.answer("all", make), "2");
}

/// While the database is away, viewers would else wait for its time limit, each by a query of its own.
TEST(SharedAnswers, AFailure_IsThatOfAllWhoWaited_AndNoTwoFailAtOnce) {
  SharedAnswers answers{1min, 1000};
  std::atomic<int> making{0}, at_once{0}, failed{0};
  constexpr int kThreads = 8;
  std::latch start{kThreads};
  std::vector<std::thread> viewers;
  for (int i = 0; i < kThreads; ++i)
    viewers.emplace_back([&] {
      start.arrive_and_wait();
      try {
        static_cast<void>(answers.answer("all", [&]() -> Made {
          if (++making > 1) ++at_once;
          std::this_thread::sleep_for(50ms);  // so that the others come meanwhile, if they may
          --making;
          throw std::runtime_error{"the database is away"};
        }));
      } catch (const std::runtime_error&) {
        ++failed;
      }
    });
  for (auto& viewer : viewers) viewer.join();
  EXPECT_EQ(failed, kThreads);
  EXPECT_EQ(at_once, 0);
}

TEST(SharedAnswers, ARefusal_IsNotKept) {
  SharedAnswers answers{1min, 1000};
  http::Response refusal;
  refusal.status = 503;
  EXPECT_EQ(answers.answer("all", [&] { return Made{tl::unexpected{refusal}}; }).error().status, 503U);
  EXPECT_EQ(**answers.answer("all", [] { return Made{"now"}; }), "now");
}

TEST(SharedAnswers, KeepNoMoreBytesThanTheyMay_AndTheAnswerIsGivenAllTheSame) {
  SharedAnswers answers{1min, 250};
  int made = 0;
  const auto make = [&] {
    ++made;
    return Made{std::string(100, 'x')};
  };
  for (const auto* question : {"1", "2", "3"}) EXPECT_EQ((*answers.answer(question, make))->size(), 100U);
  static_cast<void>(answers.answer("3", make));
  static_cast<void>(answers.answer("2", make));
  EXPECT_EQ(made, 3);
  static_cast<void>(answers.answer("1", make));
  EXPECT_EQ(made, 4) << "the oldest one went";
  EXPECT_EQ((*answers.answer("large", [] { return Made{std::string(1000, 'x')}; }))->size(), 1000U);
}

}  // namespace
}  // namespace gleaner::api
