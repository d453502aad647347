#include "predictor/algorithms/algorithm.hpp"

#include <algorithm>
#include <cmath>

namespace gleaner::prediction {

double Algorithm::next(double old, const LastCycle& last, const QueueState& queue, double upper) const {
  const double least = 1.0 / std::max(1, queue.max_resources);
  const double most = std::isfinite(upper) ? std::max(least, upper) : least;
  const auto bounded = [&](double ratio) { return std::isfinite(ratio) ? std::clamp(ratio, least, most) : least; };
  const double start = bounded(old);
  return bounded(propose(start, last, queue));
}

}  // namespace gleaner::prediction
