#include "predictor/algorithms/forecast.hpp"

#include <algorithm>
#include <cmath>

namespace gleaner::prediction {
namespace {

/// Beyond this, an end is not a forecast any more.
constexpr double kFarthest = 100.0 * 365 * 86400;

std::optional<grid::Instant> after(grid::Instant now, double seconds) {
  if (!std::isfinite(seconds) || seconds < 0.0 || seconds > kFarthest) return std::nullopt;
  return now + std::chrono::duration_cast<grid::Instant::duration>(std::chrono::duration<double>{seconds});
}

double seconds_between(grid::Instant from, grid::Instant to) { return std::chrono::duration<double>{to - from}.count(); }

/// Jobs a second over the window, or over the campaign's age when it is younger.
double throughput_of(const Progress& progress, double age) {
  const double span = std::min(age, static_cast<double>(progress.window.count()));
  return span > 0.0 && progress.ended_in_window > 0 ? static_cast<double>(progress.ended_in_window) / span : 0.0;
}

}  // namespace

std::optional<double> mean_of(const Durations& durations) {
  if (durations.count <= 0) return std::nullopt;
  return durations.sum / static_cast<double>(durations.count);
}

std::optional<double> deviation_of(const Durations& durations) {
  const auto mean = mean_of(durations);
  if (!mean) return std::nullopt;
  return std::sqrt(std::max(0.0, durations.squares / static_cast<double>(durations.count) - *mean * *mean));
}

std::string_view name_of(Method method) {
  switch (method) {
    case Method::average: return "average";
    case Method::throughput: return "throughput";
    case Method::none: break;
  }
  return "none";
}

Forecast forecast(const Progress& progress) {
  const double age = seconds_between(progress.started, progress.now);
  const auto mean = mean_of(progress.durations);
  Forecast result{.throughput = throughput_of(progress, age), .end = std::nullopt, .method = Method::none};
  if (progress.remaining <= 0) {
    result.end = progress.now;
    return result;
  }
  const auto remaining = static_cast<double>(progress.remaining);
  const bool too_few_ended = mean && (age < 2.0 * *mean || result.throughput <= 0.0);
  if (too_few_ended && progress.running > 0) {
    result.method = Method::average;
    result.end = after(progress.now, *mean * std::ceil(remaining / static_cast<double>(progress.running)));
  } else if (result.throughput > 0.0) {
    result.method = Method::throughput;
    result.end = after(progress.now, remaining / result.throughput);
  }
  if (!result.end) result.method = Method::none;
  return result;
}

}  // namespace gleaner::prediction
