#pragma once
#include <variant>
#include <vector>

#include "sim/gridsim/engine/random.hpp"

/// Durations, in seconds.
namespace gleaner::gridsim {

struct Constant {
  double seconds = 0;
};
struct Uniform {
  double least = 0;
  double most = 0;
};
struct Exponential {
  double mean = 0;
};
/// exp(N(ln median, sigma)), cut to [least, most].
struct Lognormal {
  double median = 0;
  double sigma = 0;
  double least = 0;
  double most = 0;
};
/// These, in turn, and again from the first.
struct Values {
  std::vector<double> seconds;
};
/// What was seen: how many jobs took up to so many seconds, and more than 1 / 1.1 of them. Drawn by
/// these numbers, and evenly between the two.
struct Seen {
  struct Bucket {
    double seconds = 0;
    double jobs = 0;
  };
  std::vector<Bucket> buckets;
  bool are_alike = false;  ///< each bucket has as many jobs as any other
};
using Distribution = std::variant<Constant, Uniform, Exponential, Lognormal, Values, Seen>;

/// Draws one value after the other.
class Draws {
 public:
  Draws(Distribution distribution, Random random) : distribution_{std::move(distribution)}, random_{random} {}
  [[nodiscard]] double next();

 private:
  Distribution distribution_;
  Random random_;
  std::size_t drawn_ = 0;
};

/// The longest that it can give, if it has an end.
[[nodiscard]] double longest(const Distribution& distribution);

}  // namespace gleaner::gridsim
