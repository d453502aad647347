#include "predictor/algorithms/forecast.hpp"

#include <algorithm>
#include <cmath>

#include "predictor/algorithms/spread.hpp"

namespace gleaner::prediction {
namespace {

/// Later ends are not reported as forecasts.
constexpr double kFarthest = 100.0 * 365 * 86400;

std::optional<grid::Instant> after(grid::Instant now, double seconds) {
  if (!std::isfinite(seconds) || seconds < 0.0 || seconds > kFarthest) return std::nullopt;
  return now + std::chrono::duration_cast<grid::Instant::duration>(std::chrono::duration<double>{seconds});
}

double seconds_between(grid::Instant from, grid::Instant to) { return std::chrono::duration<double>{to - from}.count(); }

/// Jobs per second over the window, or over the campaign's age if it is younger.
double throughput_of(const Progress& progress, double age) {
  const double span = std::min(age, static_cast<double>(progress.window.count()));
  return span > 0.0 && progress.ended_in_window > 0 ? static_cast<double>(progress.ended_in_window) / span : 0.0;
}

}  // namespace

std::string_view name_of(Method method) {
  switch (method) {
    case Method::average: return "average";
    case Method::throughput: return "throughput";
    case Method::sharing: return "sharing";
    case Method::history: return "history";
    case Method::walltime: return "walltime";
    case Method::paused: return "paused";
    case Method::awaits: return "awaits";
    case Method::held: return "held";
    case Method::braked: return "braked";
    case Method::closed: return "closed";
    case Method::no_resources: return "no_resources";
    case Method::epilogue: return "epilogue";
    case Method::none: break;
  }
  return "none";
}

namespace {

/// The figures of a forecast, none of them faster than the grid.
struct Basis {
  grid::Durations durations;
  double throughput = 0;  ///< jobs a second
  double least = 0;       ///< seconds until the rest can be done
};

/// The same, with a mean of `least` seconds or more.
grid::Durations no_shorter(const grid::Durations& durations, double least) {
  const auto mean = durations.mean();
  if (!mean || *mean >= least) return durations;
  const auto count = static_cast<double>(durations.count);
  const double deviation = *durations.deviation();
  return {.count = durations.count, .sum = count * least, .squares = count * (least * least + deviation * deviation)};
}

Basis basis_of(const Progress& progress, double throughput) {
  constexpr double kMeasuredCycles = 12;  // cycles: the ends come in batches, one a cycle
  Basis basis{.durations = progress.durations.count > 0 ? progress.durations : progress.earlier, .throughput = throughput};
  if (!(progress.pace > 0.0)) return basis;
  const bool is_measured = throughput > 0.0 && seconds_between(progress.started, progress.now) >= kMeasuredCycles * progress.cycle;
  const double pace = is_measured ? std::max(progress.pace, throughput) : progress.pace;
  basis.throughput = std::min(throughput, pace);
  const auto waiting = static_cast<double>(progress.remaining - progress.running);
  if (waiting > 0.0 && pace <= progress.pace) basis.least = progress.least_start + waiting / pace;
  const auto at_once = static_cast<double>(std::max<std::int64_t>(1, progress.running > 0 ? progress.running : progress.slots));
  // A measured throughput says more than durations, unless these are all 0.
  if (!is_measured || !(basis.durations.sum > 0.0)) basis.durations = no_shorter(basis.durations, at_once / pace);
  return basis;
}

/// The end by the formulas of document 003.
void forecast_end(const Progress& progress, const Basis& basis, Forecast& result) {
  const double age = seconds_between(progress.started, progress.now);
  const auto mean = basis.durations.mean();
  const auto remaining = static_cast<double>(progress.remaining);
  const bool too_few_ended = mean && (age < 2.0 * *mean || basis.throughput <= 0.0);
  const auto at_once = progress.running > 0 ? progress.running : progress.durations.count > 0 ? 0 : progress.slots;
  const auto at = [&](double seconds) { return after(progress.now, std::max(seconds, basis.least)); };
  if (progress.emptying && mean) {
    result.method = Method::sharing;
    result.end = at(progress.emptying->seconds);
  } else if (too_few_ended && at_once > 0) {
    result.method = progress.durations.count > 0 ? Method::average : Method::history;
    result.end = at(*mean * std::ceil(remaining / static_cast<double>(at_once)));
  } else if (basis.throughput > 0.0) {
    result.method = Method::throughput;
    result.end = at(remaining / basis.throughput);
  } else if (!mean && progress.walltime > 0.0 && at_once > 0) {
    result.method = Method::walltime;
    result.end = at(progress.walltime * std::ceil(remaining / static_cast<double>(at_once)));
  }
  if (!result.end) result.method = Method::none;
}

/// Jobs that run at once from now on. A campaign younger than the window began with only fresh jobs, so its first ends are missing: it
/// counts as younger by mean (1 - cv^2) / 2.
double slots_of(const Progress& progress, const Basis& basis, Method method, double mean) {
  const double variation = *basis.durations.deviation() / *basis.durations.mean();
  const auto remaining = static_cast<double>(progress.remaining);
  double slots = static_cast<double>(progress.running > 0 ? progress.running : progress.slots);
  if (method == Method::throughput) {
    const double age = seconds_between(progress.started, progress.now);
    const double span = static_cast<double>(progress.ended_in_window) / basis.throughput;
    const double missing = age <= span ? 0.5 * mean * (1.0 - variation * variation) : 0.0;
    slots = basis.throughput * mean * span / std::max(span - missing, 0.5 * span);
  }
  return std::clamp(slots, 1.0, remaining);
}

/// Seconds: the mean age of the jobs that run.
double age_of(const Progress& progress) {
  return progress.running > 0 ? progress.running_seconds / static_cast<double>(progress.running) : 0.0;
}

/// Adds the interval. The end by earlier campaigns is the model's.
void add_interval(const Progress& progress, const Basis& basis, Forecast& result) {
  if (result.method == Method::walltime) {
    const auto from = after(progress.now, basis.least).value_or(progress.now);
    result.between = grid::Interval{std::min(from, *result.end), *result.end};
    return;
  }
  const auto& durations = basis.durations;
  if (durations.count <= 0 || !(durations.sum > 0.0)) return;
  const bool are_its_own = progress.durations.count > 0;
  const double running = are_its_own ? static_cast<double>(progress.running) : 0.0;
  const double mean = progress.emptying ? mean_of_all(durations, running, are_its_own ? progress.running_seconds : 0.0).seconds
                                        : unbiased_mean(durations, running);
  const double variation = *durations.deviation() / *durations.mean();
  const auto& emptying = progress.emptying;
  const Spread spread = spread_of(
      {.mean = mean,
       .deviation = variation * mean,
       .seen = static_cast<double>(durations.count),
       .remaining = static_cast<double>(progress.remaining),
       .slots = emptying ? emptying->slots : slots_of(progress, basis, result.method, mean),
       .ended = result.method == Method::throughput ? static_cast<double>(progress.ended_in_window) : static_cast<double>(durations.count),
       .phase = progress.phase,
       .emptied =
           emptying ? std::optional{Bag::Emptied{emptying->seconds, emptying->earlier, emptying->later, age_of(progress)}} : std::nullopt,
       .longest = progress.walltime});
  if (result.method == Method::history || result.method == Method::sharing)
    result.end = after(progress.now, std::max(spread.likely, basis.least)).value_or(*result.end);
  const auto earliest = after(progress.now, std::max(spread.least, basis.least));
  const auto latest = after(progress.now, spread.most);
  if (earliest && latest) result.between = grid::Interval{std::min(*earliest, *result.end), std::max(*latest, *result.end)};
}

}  // namespace

Forecast forecast(const Progress& progress) {
  const double age = seconds_between(progress.started, progress.now);
  Forecast result{.throughput = throughput_of(progress, age), .end = std::nullopt, .between = std::nullopt, .method = Method::none};
  if (progress.remaining <= 0) {
    result.end = progress.now;
    return result;
  }
  const auto basis = basis_of(progress, result.throughput);
  forecast_end(progress, basis, result);
  result.least = basis.least;
  if (result.end) add_interval(progress, basis, result);
  return result;
}

std::optional<StartForecast> forecast_start(const Turn& turn) {
  constexpr double kStarting = 10.0;  // seconds that OAR takes until an accepted job runs
  const auto at = [&](double seconds) { return after(turn.now, seconds).value_or(turn.now); };
  const double starts = turn.certain ? turn.certain->starts : 0.0;
  if (turn.has_room) {
    const double likely = turn.cycle + starts;
    return StartForecast{at(likely), {at(starts), at(2.0 * likely + kStarting)}, Phase::at_once};
  }
  if (!(turn.next_end > 0.0)) return std::nullopt;
  const double likely = std::max({turn.cycle, starts, turn.ahead + turn.next_end});
  const double error = kNinetyPercent * std::hypot(turn.ahead_deviation, turn.next_end);
  double least = -std::log(0.9) * turn.next_end;
  if (turn.certain) least = std::max({least, starts, turn.certain->known + turn.next_end - error});
  const double most = likely + std::hypot(error, turn.cycle + kStarting);
  return StartForecast{at(likely), {at(std::min(least, likely)), at(most)}, Phase::one_by_one};
}

Forecast delayed(const Forecast& forecast, const StartForecast& start, grid::Instant now) {
  auto later = forecast;
  if (!forecast.end) return later;
  later.end = *forecast.end + (start.start - now);
  if (!forecast.between) return later;
  if (forecast.method == Method::walltime) {
    later.between = grid::Interval{forecast.between->earliest + (start.between.earliest - now),
                                   forecast.between->latest + (start.between.latest - now)};
    return later;
  }
  const auto both = [&](grid::Instant::duration one, grid::Instant::duration other) {
    constexpr double kCorrelation = 0.4;
    const double a = std::chrono::duration<double>{one}.count(), b = std::chrono::duration<double>{other}.count();
    const std::chrono::duration<double> error{std::sqrt(a * a + b * b + 2.0 * kCorrelation * a * b)};
    return std::chrono::duration_cast<grid::Instant::duration>(error);
  };
  const auto least = after(start.between.earliest, forecast.least).value_or(start.between.earliest);
  const auto earliest = *later.end - both(*forecast.end - forecast.between->earliest, start.start - start.between.earliest);
  const auto latest = *later.end + both(forecast.between->latest - *forecast.end, start.between.latest - start.start);
  later.between = grid::Interval{std::clamp(earliest, std::min(least, *later.end), *later.end), latest};
  return later;
}

Forecast no_sooner(const Forecast& forecast, const StartForecast& start) {
  auto later = forecast;
  if (!forecast.end) return later;
  later.end = std::max(*forecast.end, start.start);
  if (forecast.between)
    later.between = grid::Interval{std::max(forecast.between->earliest, std::min(start.between.earliest, *later.end)),
                                   std::max({forecast.between->latest, start.between.latest, *later.end})};
  return later;
}

}  // namespace gleaner::prediction
