#include <algorithm>

#include "sim/gridsim/engine/book.hpp"

/// Checkpoints: where a task continues, and how long it waits for the cluster that has its checkpoint. Tasks of a bag that is simulated in
/// groups write none.
namespace gleaner::gridsim {

double saved_by(const Job& job) {
  const auto& checkpoints = job.checkpoints;
  if (checkpoints.period <= 0 || !job.started) return 0;
  const auto ran_until = [&](grid::Instant end) { return std::max(0.0, seconds_of(end) - seconds_of(*job.started)); };
  const double ran = ran_until(job.ended);
  if (job.warned) return checkpoints.work_in(std::min(ran, ran_until(*job.warned)));
  const double saved = checkpoints.saved_after(ran);
  return job.end == JobEnd::walltime && job.signal_margin > 0 ? saved + std::max(0.0, checkpoints.since_checkpoint(ran) - job.signal_margin)
                                                              : saved;
}

bool Book::have_one_home(int one, int other) const {
  if (one == other) return true;
  if (one == kNone || other == kNone) return false;
  const auto& home = world_.scenario.clusters[index_of(one)].shared_home;
  return !home.empty() && home == world_.scenario.clusters[index_of(other)].shared_home;
}

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
  const grid::Seconds cost{static_cast<std::int64_t>(*spec.checkpoint_cost)};
  job.signal_margin =
      static_cast<double>(grid::margin_before_end(cost, grid::Seconds{static_cast<std::int64_t>(facts.walltime)},
                                                  std::chrono::duration_cast<grid::Seconds>(world_.scenario.config.checkpoint_notice))
                              .count());
  if (known != nullptr && have_one_home(known->saved.cluster, job.cluster)) job.continues_from = std::min(known->saved.work, job.duration);
  job.duration = job.checkpoints.length_of(job.duration - job.continues_from);
}

double Book::saved_by(const Job& job) const { return job.continues_from + gridsim::saved_by(job); }

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
