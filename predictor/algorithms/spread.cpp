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
  const double shape = 1.0 / std::max(variation * variation, 1e-4);
  const double wanted = -std::expm1(std::log(share) / std::max(1.0, tasks));  // 1 - share ^ (1 / tasks)
  double least = 0.0;
  double most = 1.0;
  while (residual_beyond(shape, most) > wanted && most < 1e6) most *= 2.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (least + most);
    (residual_beyond(shape, middle) > wanted ? least : most) = middle;
  }
  return most * mean;
}

Spread spread_of(const Bag& bag) {
  const double variation = variation_of(bag.deviation / bag.mean, bag.seen);
  const double waiting = std::max(0.0, bag.remaining - bag.slots);
  const double until_empty = waiting * bag.mean / bag.slots;
  const double of_work = std::sqrt(waiting) * variation * bag.mean / bag.slots;
  const double of_rate = until_empty * variation / std::sqrt(std::max(1.0, bag.ended));
  const double of_bag = kNinetyPercent * std::hypot(of_work, of_rate);
  // The allowance covers durations with a longer tail than a gamma distribution's, such as lognormal ones.
  constexpr double kLongerTail = 1.28;
  const auto tail = [&](double share, double factor) { return last_residual(bag.mean, factor * variation, bag.slots, share); };
  const double likely = tail(0.5, 1.0);
  return {.least = std::max(0.0, until_empty + likely - std::hypot(of_bag, likely - tail(0.1, 1.0))),
          .most = until_empty + likely + std::hypot(of_bag, tail(0.9, kLongerTail) - likely)};
}

}  // namespace gleaner::prediction
