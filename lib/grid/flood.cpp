#include "lib/grid/flood.hpp"

#include <algorithm>
#include <cmath>

#include "lib/grid/dust.hpp"

namespace gleaner::grid {
namespace {

int whole_jobs(double resources, double ratio) {
  const double jobs = resources * ratio;
  return jobs > 0.0 ? static_cast<int>(std::min(kMostJobs, std::floor(jobs + kDust))) : 0;
}

}  // namespace

Starting starting_of(std::optional<Instant> last_start, std::optional<Instant> oldest, Instant now, Seconds settle) {
  const auto is_recent = [&](std::optional<Instant> instant) { return instant && now - *instant < settle; };
  return is_recent(last_start) || is_recent(oldest) ? Starting::still : Starting::stuck;
}

double first_ratio(std::optional<int> resources_per_job, double whole_nodes) {
  return 1.0 / std::max(1.0, resources_per_job ? *resources_per_job : whole_nodes);
}

int tolerated_jobs(const WaitingJobs& jobs) {
  const double flood = std::floor(std::max(0.0, jobs.flood * jobs.max_resources) + kDust);
  const int startable = jobs.starting == Starting::still ? whole_jobs(jobs.free_resources, jobs.ratio) : 0;
  const int tolerated = startable + whole_jobs(flood, jobs.ratio);
  return flood > 0.0 ? std::max(1, tolerated) : tolerated;
}

int excess_jobs(const WaitingJobs& jobs) { return std::max(0, jobs.waiting - tolerated_jobs(jobs)); }

}  // namespace gleaner::grid
