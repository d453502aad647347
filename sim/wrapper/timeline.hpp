#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "sim/wrapper/fates.hpp"

namespace gleaner::wrapper {

/// Planned events, in the order of their times, then of when they were planned.
class Timeline {
 public:
  using Id = std::pair<Time, std::uint64_t>;

  Id at(Time time, std::function<void()> call) {
    const Id id{std::max(time, now_), ++last_};
    calls_.emplace(id, std::move(call));
    return id;
  }
  void cancel(const Id& id) { calls_.erase(id); }
  void run_until(Time now) {
    while (!calls_.empty() && calls_.begin()->first.first <= now) {
      auto next = calls_.extract(calls_.begin());
      now_ = next.key().first;
      next.mapped()();
    }
    now_ = std::max(now_, now);
  }
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] std::optional<Time> next() const { return calls_.empty() ? std::nullopt : std::optional{calls_.begin()->first.first}; }

 private:
  std::map<Id, std::function<void()>> calls_;
  Time now_{};
  std::uint64_t last_ = 0;
};

}  // namespace gleaner::wrapper
