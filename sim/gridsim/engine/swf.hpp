#pragma once
#include <istream>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "sim/gridsim/engine/scenario.hpp"

namespace gleaner::gridsim {

/// How a trace is adapted to a cluster.
struct TraceFit {
  int resources = 1;  ///< of the cluster
  double scale = 1;   ///< factor of the jobs' processors; the result is rounded up
  double from = 0;    ///< seconds of the trace that are skipped
};

/// Reads a trace in the Standard Workload Format, version 2.2 (parallelworkloads.org): one job per line, 18 numbers, -1 for unknown; lines
/// that begin with `;` are comments. The fields used are 2 submit time and 3 wait time (a job arrives here when it started there, so the
/// trace's own waiting is not simulated again), 4 run time, 5 allocated processors (if it is -1: 8, requested ones). Jobs that did not run
/// (4, or both 5 and 8, are not positive) are left out, and so are those that start before `from`. Errors, reported by line (`FILE:LINE:
/// …`): fewer than 18 fields, a field that is not a number, a job wider than the cluster.
[[nodiscard]] tl::expected<std::vector<LocalJob>, std::vector<std::string>> read_swf(std::istream& input, const std::string& file,
                                                                                     const TraceFit& fit);

}  // namespace gleaner::gridsim
