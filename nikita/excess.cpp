#include "nikita/excess.hpp"

#include <algorithm>

#include "lib/grid/dust.hpp"

namespace gleaner::nikita {
namespace {

double resources_of(const store::WaitingJob& job) {
  if (job.job_ratio && *job.job_ratio > 0) return 1.0 / *job.job_ratio;
  return job.resources_per_job.value_or(1);
}

/// Whether the cluster is still starting our jobs: it accepted or started one recently.
grid::Starting starting_of(const std::vector<store::WaitingJob>& jobs, grid::Instant now) {
  std::optional<grid::Instant> last;
  for (const auto& job : jobs) last = std::max({last, job.last_start_at, job.last_accept_at});
  return grid::starting_of(last, std::nullopt, now, grid::kSettling);
}

}  // namespace

Wiped to_wipe(const Queue& queue, const Patience& patience, grid::Instant now) {
  Wiped wiped;
  double waiting = 0;
  for (const auto& job : queue.jobs) waiting += resources_of(job);
  const double startable = starting_of(queue.jobs, now) == grid::Starting::still ? queue.free_resources : 0;
  const double allowed = queue.flood * queue.max_resources + startable;
  for (const auto& job : queue.jobs) {
    const auto age = now - job.submitted_at;
    // If the flood is above 0, the last job left in the queue may wait, whatever its width.
    const bool tolerated = queue.flood > 0 && wiped.excess.size() + wiped.waited_too_long.size() + 1 == queue.jobs.size();
    if (waiting > allowed + grid::kDust && age >= patience.grace && !tolerated) {
      wiped.excess.push_back(job.id);
      waiting -= resources_of(job);
    } else if (age >= patience.timeout) {
      wiped.waited_too_long.push_back(job.id);
      waiting -= resources_of(job);
    }
  }
  return wiped;
}

}  // namespace gleaner::nikita
