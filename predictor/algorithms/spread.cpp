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

/// Seconds from the end of the bag to that of the last job.
double tail_of(const Bag& bag, double variation, double waiting, double share) {
  if (bag.phase == Phase::at_once && waiting <= 0.0) return last_duration(bag.mean, variation, bag.slots, share);
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
  const double until_empty = late + waiting * bag.mean / bag.slots;
  const double of_work = std::sqrt(waiting) * variation * bag.mean / bag.slots;
  const double of_rate = until_empty * variation / std::sqrt(std::max(1.0, bag.ended));
  const double of_bag = kNinetyPercent * std::hypot(of_work, of_rate);
  // The allowance covers durations with a longer tail than a gamma distribution's, such as lognormal ones.
  constexpr double kLongerTail = 1.28;
  const auto tail = [&](double share, double factor) { return tail_of(bag, factor * variation, waiting, share); };
  const double likely = tail(0.5, 1.0);
  return {.likely = until_empty + likely,
          .least = std::max(0.0, until_empty + likely - std::hypot(of_bag, likely - tail(0.1, 1.0))),
          .most = until_empty + likely + std::hypot(of_bag, tail(0.9, kLongerTail) - likely)};
}

}  // namespace gleaner::prediction
