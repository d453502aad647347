#pragma once
#include <istream>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "sim/gridsim/engine/scenario.hpp"

namespace gleaner::gridsim {

/// How a trace is fitted to a cluster.
struct TraceFit {
  int resources = 1;  ///< of the cluster
  double scale = 1;   ///< of the jobs' processors, rounded up
  double from = 0;    ///< seconds of the trace that are left out
};

/// Reads a trace in the Standard Workload Format, version 2.2 (parallelworkloads.org): one job a line,
/// 18 numbers, -1 where nothing is known; lines that begin with `;` are comments. What is used, by its
/// number there: 2 submit time and 3 wait time (the job arrives here when it started there: the trace's
/// own waiting is not played again), 4 run time, 5 allocated processors (8, requested ones, where that
/// is -1). Jobs that did not run (4 or both of 5 and 8 are not positive) are left out, as are those
/// that start before `from`. Lines with fewer than 18 fields, or with one that is no number, and jobs
/// wider than the cluster are errors, all told, by line: `FILE:LINE: …`.
[[nodiscard]] tl::expected<std::vector<LocalJob>, std::vector<std::string>> read_swf(std::istream& input, const std::string& file,
                                                                                     const TraceFit& fit);

}  // namespace gleaner::gridsim
