#pragma once
#include <chrono>
#include <functional>
#include <thread>

namespace gleaner::tests {

/// The longest that a test waits for what must come: many times what it takes on a busy machine. It ends hangs; no test asserts it.
constexpr std::chrono::milliseconds kHangGuard{600'000};

/// Looks until the condition holds; false when it does not within the limit.
[[nodiscard]] inline bool await(const std::function<bool()>& condition, std::chrono::milliseconds limit = kHangGuard) {
  constexpr std::chrono::milliseconds kBetweenLooks{20};
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return true;
}

}  // namespace gleaner::tests
