#pragma once
#include <chrono>
#include <functional>
#include <thread>

namespace gleaner::tests {

/// Looks until the condition holds; false when it does not within the limit.
[[nodiscard]] inline bool await(std::chrono::milliseconds limit, const std::function<bool()>& condition) {
  constexpr std::chrono::milliseconds kBetweenLooks{20};
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return true;
}

}  // namespace gleaner::tests
