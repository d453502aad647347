#include "predictor/algorithms/evidence.hpp"

#include <algorithm>
#include <cmath>

namespace gleaner::prediction {
namespace {

constexpr double kDust = 1e-9;

grid::WaitingJobs waiting_jobs(double ratio, const QueueState& queue) {
  return {.waiting = queue.waiting,
          .ratio = ratio,
          .free_resources = queue.free_resources,
          .max_resources = queue.max_resources,
          .flood = queue.flood};
}

/// Whether the free resources hold one job more: of the JDL's size, or of the size that the doubled
/// ratio believes in.
bool has_room_for_another(double ratio, const QueueState& queue) {
  const double size = queue.resources_per_job ? *queue.resources_per_job : 1.0 / (2.0 * ratio);
  return queue.free_resources + kDust >= std::max(1.0, size);
}

/// Submitted as much as the ratio allowed for the free resources alone, or the one job that is
/// always allowed.
bool ratio_was_the_limit(double ratio, const LastCycle& last) {
  return last.nsub >= std::max(1.0, std::floor(last.free_offered * ratio + kDust));
}

/// Jobs a resource that the running jobs prove, at least.
double proved_ratio(const QueueState& queue) {
  const int used_by_anybody = queue.max_resources - queue.free_resources;
  return used_by_anybody > 0 ? double(std::max(0, queue.running)) / used_by_anybody : 0.0;
}

}  // namespace

Verdict verdict(double ratio, const LastCycle& last, const QueueState& queue) {
  if (last.nsub <= 0) return Verdict::unknown;
  if (grid::excess_jobs(waiting_jobs(ratio, queue), queue.starting) > 0) return Verdict::too_big;
  const bool grows = queue.waiting == 0 && ratio_was_the_limit(ratio, last) && has_room_for_another(ratio, queue);
  return grows ? Verdict::too_small : Verdict::unknown;
}

double exponential_up(double old) { return 2.0 * old; }

double adaptive_up(double old, const LastCycle& last, const QueueState& queue) {
  const double taken = last.free_offered - queue.free_resources;
  const double most = exponential_up(old);
  if (taken <= 0.0) return most;
  return std::clamp(last.nsub / taken, old, most);
}

double adaptive_down(double old, const LastCycle& last, const QueueState& queue) {
  const int blocked = queue.waiting - grid::startable_jobs(waiting_jobs(old, queue), queue.starting);
  const double placed = std::max(0, last.nsub - blocked);
  const double fitting = last.free_offered > 0.0 ? placed / last.free_offered : old;
  return std::min(old, std::max(fitting, proved_ratio(queue)));
}

}  // namespace gleaner::prediction
