#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <iostream>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

namespace gleaner::tests {

/// How long an honest user waits for an answer, in ms.
struct AnswerTimes {
  double p50 = 0;
  double p99 = 0;
};

/// Asks a hundred times, one after the other.
[[nodiscard]] inline AnswerTimes answer_times(const std::function<void()>& ask) {
  constexpr int kQuestions = 100;
  std::vector<double> times;
  for (int i = 0; i < kQuestions; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    ask();
    times.push_back(std::chrono::duration<double, std::milli>{std::chrono::steady_clock::now() - begun}.count());
  }
  std::ranges::sort(times);
  return {.p50 = times[kQuestions / 2], .p99 = times[kQuestions - 2]};
}

/// Prints what an attack costs an honest user. Times of a shared machine are shown, and not asserted.
inline void show_beside(std::string_view attack, const AnswerTimes& alone, const AnswerTimes& beside) {
  std::cout << fmt::format("[ beside   ] {}: p50 {:.1f} ms, p99 {:.1f} ms; without it {:.1f} ms and {:.1f} ms\n", attack, beside.p50,
                           beside.p99, alone.p50, alone.p99);
}

/// Threads that do the same again and again, as long as this lives.
class Attackers {
 public:
  Attackers(int threads, std::function<void()> act) : act_{std::move(act)} {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          act_();
          ++acts_;
        }
      });
    }
  }
  [[nodiscard]] int acts() const { return acts_; }

 private:
  std::function<void()> act_;
  std::atomic<int> acts_ = 0;
  std::vector<std::jthread> threads_;  // they end before what they use
};

}  // namespace gleaner::tests
