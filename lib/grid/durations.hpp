#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace gleaner::grid {

/// Durations of jobs that are done, as sums: two of these can be added.
struct Durations {
  std::int64_t count = 0;  ///< jobs
  double sum = 0.0;        ///< seconds
  double squares = 0.0;    ///< seconds squared

  void add(const Durations& other) {
    count += other.count;
    sum += other.sum;
    squares += other.squares;
  }
  /// In seconds; empty while no job is done.
  [[nodiscard]] std::optional<double> mean() const {
    if (count <= 0) return std::nullopt;
    return sum / static_cast<double>(count);
  }
  /// The standard deviation of the population, in seconds: 0 for one job, empty for none.
  [[nodiscard]] std::optional<double> deviation() const {
    const auto average = mean();
    if (!average) return std::nullopt;
    return std::sqrt(std::max(0.0, squares / static_cast<double>(count) - *average * *average));
  }
};

}  // namespace gleaner::grid
