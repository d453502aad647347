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
/// These values in turn, cyclically.
struct Values {
  std::vector<double> seconds;
};
/// An observed histogram: how many jobs took up to so many seconds, and more than 1 / 1.1 of them. A bucket is drawn by these counts, and a
/// value evenly within it.
struct Seen {
  struct Bucket {
    double seconds = 0;
    double jobs = 0;
  };
  std::vector<Bucket> buckets;
  bool are_alike = false;  ///< true: all buckets hold equally many jobs
};
using Distribution = std::variant<Constant, Uniform, Exponential, Lognormal, Values, Seen>;

/// Draws values one after the other.
class Draws {
 public:
  Draws(Distribution distribution, Random random) : distribution_{std::move(distribution)}, random_{random} {}
  [[nodiscard]] double next();

 private:
  Distribution distribution_;
  Random random_;
  std::size_t drawn_ = 0;
};

/// The greatest possible value, if it is bounded.
[[nodiscard]] double longest(const Distribution& distribution);

}  // namespace gleaner::gridsim
