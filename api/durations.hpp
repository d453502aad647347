#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace gleaner::api {

/// The durations of jobs, in seconds, as sums that can be added up.
struct Durations {
  std::int64_t count = 0;
  double sum = 0;
  double squares = 0;

  void add(const Durations& other) {
    count += other.count;
    sum += other.sum;
    squares += other.squares;
  }
  [[nodiscard]] std::optional<double> mean() const {
    if (count == 0) return std::nullopt;
    return sum / static_cast<double>(count);
  }
  /// Of the sample: nothing below two jobs.
  [[nodiscard]] std::optional<double> deviation() const {
    if (count < 2) return std::nullopt;
    const auto n = static_cast<double>(count);
    return std::sqrt(std::max(0.0, (squares - sum * sum / n) / (n - 1)));
  }
};

}  // namespace gleaner::api
