#include <algorithm>

#include "sim/gridsim/engine/book.hpp"

/// Checkpoints: where a task continues, and how long it waits for the cluster that has its checkpoint. Tasks of a bag that is simulated in
/// groups write none.
namespace gleaner::gridsim {

void Book::continue_task(Job& job, const Task* known) const {
  const auto& spec = spec_of(job.campaign);
  if (!spec.checkpoint_cost || spec.group > 1) return;
  const auto& facts = pair_of(job).facts;
  grid::Interruptions interruptions{.jobs = facts.interruptions, .seconds = facts.exposed_seconds};
  for (const int running : running_[index_of(job.cluster)]) {
    const auto& other = job_of(running);
    if (other.campaign == job.campaign && other.held) interruptions.seconds += seconds_of(job.planned) - seconds_of(*other.held);
  }
  job.checkpoints = {.period = grid::period_of(spec.checkpoint_period, *spec.checkpoint_cost, interruptions),
                     .cost = *spec.checkpoint_cost};
  if (known != nullptr && known->saved.cluster == job.cluster) job.continues_from = std::min(known->saved.work, job.duration);
  job.duration = job.checkpoints.length_of(job.duration - job.continues_from);
}

double Book::saved_by(const Job& job) const {
  if (job.checkpoints.period <= 0 || !job.started) return job.continues_from;
  const double ran = seconds_of(job.ended) - seconds_of(*job.started);
  double saved = job.checkpoints.saved_after(ran);
  if (job.end == JobEnd::walltime) {
    const grid::Seconds walltime{static_cast<std::int64_t>(spec_of(job).facts.walltime)};
    const grid::Seconds cost{static_cast<std::int64_t>(job.checkpoints.cost)};
    // OAR's own signal, after which the task wrote nothing more.
    const double since = job.checkpoints.since_checkpoint(ran) - static_cast<double>(grid::margin_before_walltime(cost, walltime).count());
    saved += std::max(0.0, since);
  }
  return job.continues_from + saved;
}

void Book::release_kept() {
  const auto patience = world_.scenario.config.checkpoint_patience;
  for (const int index : active_) {
    auto& campaign = campaigns_[index_of(index)];
    std::erase_if(campaign.kept, [&](const auto& kept) {
      if (status_at_ - kept.second.since < patience) return false;
      campaign.returned.insert(kept.first);
      return true;
    });
  }
}

}  // namespace gleaner::gridsim
