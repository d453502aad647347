#include "sim/gridsim/engine/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace gleaner::gridsim {
namespace {

/// Box and Muller's.
double normal(Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(random.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

const Seen::Bucket& bucket_at(const Seen& seen, double share) {
  if (seen.are_alike) return seen.buckets[static_cast<std::size_t>(share * static_cast<double>(seen.buckets.size()))];
  double left = 0;
  for (const auto& bucket : seen.buckets) left += share * bucket.jobs;
  for (const auto& bucket : seen.buckets) {
    left -= bucket.jobs;
    if (left <= 0) return bucket;
  }
  return seen.buckets.back();
}

double one_of(const Seen& seen, Random& random) {
  constexpr double kStep = 1.1;
  const auto& bucket = bucket_at(seen, random.uniform());
  return bucket.seconds * (1 / kStep + (1 - 1 / kStep) * random.uniform());
}

}  // namespace

double Draws::next() {
  struct Draw {
    Random& random;
    std::size_t index;
    double operator()(const Constant& constant) const { return constant.seconds; }
    double operator()(const Uniform& uniform) const { return uniform.least + (uniform.most - uniform.least) * random.uniform(); }
    double operator()(const Exponential& exponential) const { return -exponential.mean * std::log(random.uniform()); }
    double operator()(const Lognormal& lognormal) const {
      return std::clamp(lognormal.median * std::exp(lognormal.sigma * normal(random)), lognormal.least, lognormal.most);
    }
    double operator()(const Values& values) const { return values.seconds[index % values.seconds.size()]; }
    double operator()(const Seen& seen) const { return one_of(seen, random); }
  };
  return std::visit(Draw{random_, drawn_++}, distribution_);
}

double longest(const Distribution& distribution) {
  struct Longest {
    double operator()(const Constant& constant) const { return constant.seconds; }
    double operator()(const Uniform& uniform) const { return uniform.most; }
    double operator()(const Exponential&) const { return std::numeric_limits<double>::infinity(); }
    double operator()(const Lognormal& lognormal) const { return lognormal.most; }
    double operator()(const Values& values) const { return *std::ranges::max_element(values.seconds); }
    double operator()(const Seen& seen) const { return std::ranges::max_element(seen.buckets, {}, &Seen::Bucket::seconds)->seconds; }
  };
  return std::visit(Longest{}, distribution);
}

}  // namespace gleaner::gridsim
