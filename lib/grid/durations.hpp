#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace gleaner::grid {

/// The durations of jobs that are done, as sums, so that they can be counted job by job and added up.
struct Durations {
  std::int64_t count = 0;  ///< jobs
  double sum = 0.0;        ///< seconds
  double squares = 0.0;    ///< seconds squared

  void add(const Durations& other) {
    count += other.count;
    sum += other.sum;
    squares += other.squares;
  }
  /// In seconds; nothing while no job is done.
  [[nodiscard]] std::optional<double> mean() const {
    if (count <= 0) return std::nullopt;
    return sum / static_cast<double>(count);
  }
  /// The standard deviation in seconds, of the population: of one job 0, of none nothing.
  [[nodiscard]] std::optional<double> deviation() const {
    const auto average = mean();
    if (!average) return std::nullopt;
    return std::sqrt(std::max(0.0, squares / static_cast<double>(count) - *average * *average));
  }
};

}  // namespace gleaner::grid
