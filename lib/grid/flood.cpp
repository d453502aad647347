#include "lib/grid/flood.hpp"

#include <algorithm>
#include <cmath>

namespace gleaner::grid {
namespace {

/// Rounding dust: 3 * (1.0 / 3) must be a whole job.
constexpr double kDust = 1e-9;

int whole_jobs(double resources, double ratio, int at_most) {
  if (!(resources > 0.0) || !(ratio > 0.0)) return 0;
  const double jobs = std::floor(resources * ratio + kDust);
  return jobs >= at_most ? at_most : static_cast<int>(jobs);
}

}  // namespace

int startable_jobs(const WaitingJobs& jobs, Starting starting) {
  if (starting == Starting::stuck) return 0;
  return whole_jobs(jobs.free_resources, jobs.ratio, std::max(0, jobs.waiting));
}

int allowed_jobs(const WaitingJobs& jobs) {
  return whole_jobs(jobs.flood * jobs.max_resources, jobs.ratio, std::max(0, jobs.waiting));
}

int excess_jobs(const WaitingJobs& jobs, Starting starting) {
  return std::max(0, jobs.waiting - startable_jobs(jobs, starting) - allowed_jobs(jobs));
}

}  // namespace gleaner::grid
