#include "predictor/algorithms/evidence.hpp"

#include <algorithm>
#include <cmath>

#include "lib/grid/dust.hpp"

namespace gleaner::prediction {
namespace {

using grid::kDust;

grid::WaitingJobs waiting_jobs(double ratio, const QueueState& queue) {
  return {.waiting = queue.waiting,
          .ratio = ratio,
          .free_resources = queue.free_resources,
          .max_resources = queue.max_resources,
          .flood = queue.flood,
          .starting = queue.starting};
}

/// Free resources, except those that the jobs cannot use: the cluster has stopped starting them although they wait.
int useful_free(const QueueState& queue) { return queue.waiting > 0 && queue.starting == grid::Starting::stuck ? 0 : queue.free_resources; }

/// Resources of the offer that are no longer free.
double taken(const LastCycle& last, const QueueState& queue) { return last.free_offered - useful_free(queue); }

/// Resources that one more job needs, as far as is known: by the JDL, else by the last jobs, else by the doubled ratio.
double size_of_another(double ratio, const LastCycle& last, const QueueState& queue) {
  if (queue.resources_per_job) return *queue.resources_per_job;
  if (taken(last, queue) > 0.0) return taken(last, queue) / last.nsub;
  return 1.0 / exponential_up(ratio);
}

bool has_room_for_another(double ratio, const LastCycle& last, const QueueState& queue) {
  return queue.free_resources + kDust >= std::max(1.0, size_of_another(ratio, last, queue));
}

/// Whether as many jobs were submitted as the ratio allows for the free resources alone, or the one job that is always allowed.
bool ratio_was_the_limit(double ratio, const LastCycle& last) {
  return last.nsub >= std::max(1.0, std::floor(last.free_offered * ratio + kDust));
}

/// Jobs per resource that the running jobs prove, at least.
double proved_ratio(const QueueState& queue) {
  const int used_by_anybody = queue.max_resources - useful_free(queue);
  return used_by_anybody > 0 ? double(std::max(0, queue.running)) / used_by_anybody : 0.0;
}

}  // namespace

Verdict verdict(double ratio, const LastCycle& last, const QueueState& queue) {
  if (last.nsub <= 0) return Verdict::unknown;
  if (grid::excess_jobs(waiting_jobs(ratio, queue)) > 0) return Verdict::too_big;
  const bool grows = queue.waiting == 0 && ratio_was_the_limit(ratio, last) && has_room_for_another(ratio, last, queue);
  return grows ? Verdict::too_small : Verdict::unknown;
}

std::optional<Fitting> fitting_jobs(double ratio, const LastCycle& last, const QueueState& queue) {
  const auto judged = verdict(ratio, last, queue);
  if (last.nsub <= 0 || (judged == Verdict::unknown && !ratio_was_the_limit(ratio, last))) return std::nullopt;
  const double stated = queue.resources_per_job ? *queue.resources_per_job : 1.0 / ratio;
  const double size = std::max(1.0, queue.assigned_resources.value_or(stated));
  const double started = std::max(0, last.nsub - queue.waiting);
  const double more = judged == Verdict::too_small ? queue.free_resources / std::max(1.0, size_of_another(ratio, last, queue)) : 0.0;
  return Fitting{.least = started + more,
                 .most = started + std::max(more, double(grid::tolerated_jobs(waiting_jobs(ratio, queue)))),
                 .resources = std::clamp(size, 1.0, std::max(1.0, double(queue.max_resources)))};
}

double exponential_up(double old) { return 2.0 * old; }

double adaptive_up(double old, const LastCycle& last, const QueueState& queue) {
  const double most = exponential_up(old);
  const double gone = taken(last, queue);
  return gone > 0.0 ? std::clamp(last.nsub / gone, old, most) : most;
}

double adaptive_down(double old, const LastCycle& last, const QueueState& queue) {
  const double gone = taken(last, queue);
  const int started = last.nsub - queue.waiting;
  const int excess = grid::excess_jobs(waiting_jobs(old, queue));
  const double seen = started > 0 && gone > 0.0 ? started / gone : old * std::max(0, last.nsub - excess) / last.nsub;
  return std::min(old, std::max(seen, proved_ratio(queue)));
}

}  // namespace gleaner::prediction
