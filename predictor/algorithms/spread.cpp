#include "predictor/algorithms/spread.hpp"

#include <algorithm>
#include <cmath>

namespace gleaner::prediction {
namespace {

double normal(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// The distribution function at x of the gamma distribution with this shape and scale 1. Source: Wilson and Hilferty's approximation
/// (1931), within 0.01 for shapes of 0.3 and more.
double gamma_below(double shape, double x) {
  if (x <= 0.0) return 0.0;
  return normal((std::cbrt(x / shape) - (1.0 - 1.0 / (9.0 * shape))) * std::sqrt(9.0 * shape));
}

double shape_of(double variation) { return 1.0 / std::max(variation * variation, 1e-4); }

/// The time (in means) within which all tasks have ended, with probability `share`.
/// @param beyond  the probability that one takes longer than x means
template <class Beyond>
double last_of(double tasks, double share, const Beyond& beyond) {
  const double wanted = -std::expm1(std::log(share) / std::max(1.0, tasks));  // 1 - share ^ (1 / tasks)
  double least = 0.0;
  double most = 1.0;
  while (beyond(most) > wanted && most < 1e6) most *= 2.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (least + most);
    (beyond(middle) > wanted ? least : most) = middle;
  }
  return most;
}

/// The probability that a residual time is greater than x means: E(max(0, D - x)) / E(D).
double residual_beyond(double shape, double x) {
  const double beyond = (1.0 - gamma_below(shape + 1.0, x * shape)) - x * (1.0 - gamma_below(shape, x * shape));
  return std::clamp(beyond, 0.0, 1.0);
}

}  // namespace

double unbiased_mean(const grid::Durations& durations, double running) {
  const auto ended = static_cast<double>(durations.count);
  const double mean = durations.sum / ended;
  const double variation = *durations.deviation() / mean;
  return durations.sum / std::max(ended - running * variation * variation, 0.5 * ended);
}

Mean mean_of_all(const grid::Durations& durations, double running, double ages) {
  const auto ended = static_cast<double>(durations.count);
  const double shown = variation_of(*durations.deviation() / *durations.mean(), ended);
  const double all = durations.sum + ages;
  const double certain = all / std::max(0.5 * ended, ended + 0.5 * running * (1.0 - shown * shown));
  const double memoryless = all / ended;
  return {.seconds = std::sqrt(certain * memoryless), .error = std::hypot(shown / std::sqrt(ended), 0.5 * std::log(memoryless / certain))};
}

double variation_of(double shown, double tasks) {
  constexpr double kUsual = 0.5;
  return std::sqrt((tasks * shown * shown + kUsual * kUsual) / (tasks + 1.0));
}

double last_residual(double mean, double variation, double tasks, double share) {
  const double shape = shape_of(variation);
  return mean * last_of(tasks, share, [&](double x) { return residual_beyond(shape, x); });
}

double last_duration(double mean, double variation, double tasks, double share) {
  const double shape = shape_of(variation);
  return mean * last_of(tasks, share, [&](double x) { return 1.0 - gamma_below(shape, x * shape); });
}

namespace {

double standard_beyond(double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); }

/// As last_residual and last_duration, whichever is later; durations are taken as lognormal, whose tail is longer than a gamma
/// distribution's.
/// @param age  of jobs that all run now, in means; empty: the last one begins when the bag is empty, and others are at random points
double last_of_lognormal(double variation, double tasks, std::optional<double> age, double share) {
  const double sigma = std::sqrt(std::log1p(variation * variation));
  const double mu = -0.5 * sigma * sigma;
  const auto longer = [&](double x) { return x <= 0.0 ? 1.0 : standard_beyond((std::log(x) - mu) / sigma); };
  if (age) {
    // Nothing is known of the distribution beyond the durations that are seen once in a million.
    const double older = std::max(1e-6, longer(*age));
    return last_of(tasks, share, [&](double x) { return longer(*age + x) / older; });
  }
  const double residual = last_of(tasks, share, [&](double x) {
    if (x <= 0.0) return 1.0;
    const double z = (std::log(x) - mu) / sigma;
    return std::clamp(standard_beyond(z - sigma) - x * standard_beyond(z), 0.0, 1.0);
  });
  return std::max(residual, last_of(1.0, share, longer));
}

/// Seconds from the end of the bag to that of the last job.
double tail_of(const Bag& bag, double variation, double waiting, double share) {
  if (bag.phase == Phase::at_once && waiting <= 0.0) return last_duration(bag.mean, variation, bag.slots, share);
  if (bag.emptied) {
    const bool begins = bag.emptied->seconds > 0.0;
    const auto age = begins ? std::nullopt : std::optional{bag.emptied->age / bag.mean};
    const double tail = bag.mean * last_of_lognormal(std::max(0.05, variation), bag.slots, age, share);
    const double most = bag.longest - (begins ? 0.0 : bag.emptied->age);
    return bag.longest > 0.0 ? std::clamp(tail, 0.0, std::max(0.0, most)) : tail;
  }
  const double residual = last_residual(bag.mean, variation, bag.slots, share);
  // The last one begins as the bag becomes empty.
  return bag.phase == Phase::one_by_one ? std::max(residual, last_duration(bag.mean, variation, 1.0, share)) : residual;
}

}  // namespace

Spread spread_of(const Bag& bag) {
  const double variation = variation_of(bag.deviation / bag.mean, bag.seen);
  const double waiting = bag.phase == Phase::one_by_one ? bag.remaining - 1.0 : std::max(0.0, bag.remaining - bag.slots);
  // Jobs that begin together end later than those in the middle of their lives.
  const bool begins = bag.phase == Phase::at_once && waiting > 0.0;
  const double late = begins ? 0.5 * bag.mean * std::max(0.0, 1.0 - variation * variation) : 0.0;
  const double until_empty = bag.emptied ? bag.emptied->seconds : late + waiting * bag.mean / bag.slots;
  const double of_work = std::sqrt(waiting) * variation * bag.mean / bag.slots;
  const double of_rate = until_empty * variation / std::sqrt(std::max(1.0, bag.ended));
  const double of_bag = kNinetyPercent * (bag.emptied ? bag.emptied->later : std::hypot(of_work, of_rate));
  const double of_bag_before = bag.emptied ? kNinetyPercent * bag.emptied->earlier : of_bag;
  // The allowance covers durations with a longer tail than a gamma distribution's, such as lognormal ones.
  constexpr double kLongerTail = 1.28;
  const bool is_lognormal = bag.emptied && bag.emptied->seconds > 0.0;
  const auto tail = [&](double share, double factor) { return tail_of(bag, factor * variation, waiting, share); };
  const double likely = tail(0.5, 1.0);
  return {.likely = until_empty + likely,
          .least = std::max(0.0, until_empty + likely - std::hypot(of_bag_before, likely - tail(0.1, 1.0))),
          .most = until_empty + likely + std::hypot(of_bag, tail(0.9, is_lognormal ? 1.0 : kLongerTail) - likely)};
}

}  // namespace gleaner::prediction
