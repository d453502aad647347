#include "metascheduler/planner/throttle.hpp"

#include <algorithm>

#include "lib/grid/sink.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

/// Jobs of the pair that live, or may: those given in this plan too.
int live_jobs(const Candidate& candidate) { return candidate.pair->live_jobs + candidate.pair->frozen_jobs + candidate.jobs; }

/// The longest mean durations of a campaign on its clusters, found once for all of them.
class LongestMeans {
 public:
  explicit LongestMeans(const Contender& contender) {
    for (const auto& candidate : contender.candidates) {
      const auto& mean = candidate.pair->mean_duration;
      if (!mean) continue;
      if (!first_ || *mean > *first_) {
        second_ = first_;
        first_ = mean;
        holder_ = candidate.pair;
      } else if (!second_ || *mean > *second_) {
        second_ = mean;
      }
    }
  }
  /// On the clusters but this one.
  [[nodiscard]] std::optional<double> elsewhere(const Candidate& candidate) const { return candidate.pair == holder_ ? second_ : first_; }

 private:
  std::optional<double> first_, second_;
  const PairView* holder_ = nullptr;
};

/// A cluster that has not yet done a job of the campaign, while there is something to compare its
/// jobs with, may be a sink; so may one whose jobs have ended in almost no time.
bool may_be_a_sink(const LongestMeans& means, const Candidate& candidate) {
  const auto& pair = *candidate.pair;
  if (pair.mean_duration) return grid::is_sink(*pair.mean_duration, pair.min_duration, means.elsewhere(candidate));
  return pair.min_duration || means.elsewhere(candidate);
}

Reason reason_for(Limit bound) {
  switch (bound) {
    case Limit::limit: return Reason::limit_reached;
    case Limit::stress: return Reason::under_stress;
    case Limit::probe: return Reason::probing;
    case Limit::fitting: return Reason::no_task_fits;
    default: return Reason::max_jobs_reached;
  }
}

}  // namespace

void throttle(const CampaignScheduler& scheduler, const Contender& contender, std::vector<Candidate*>& candidates, Draft& draft) {
  const LongestMeans means{contender};
  filter(Stage::throttle, draft.plan, candidates, [&](Candidate& candidate) -> std::optional<Stop> {
    const auto& pair = *candidate.pair;
    candidate.allowed_jobs = candidate.allowed_waiting = kNoLimit;
    int most = 0;
    const auto hold = [&](int limit, int allowed, Limit bound) {
      if (allowed >= candidate.allowed_jobs) return;
      candidate.allowed_jobs = allowed;
      candidate.bound = bound;
      most = limit;
    };
    if (pair.max_jobs) hold(*pair.max_jobs, *pair.max_jobs - live_jobs(candidate), Limit::max_jobs);
    if (pair.fitting_tasks) {
      const auto fitting = static_cast<int>(std::min<std::int64_t>(*pair.fitting_tasks, kNoLimit));
      hold(fitting, fitting - candidate.jobs, Limit::fitting);
    }
    if (candidate.cluster->job_limit) {
      const auto limit = *candidate.cluster->job_limit;
      hold(limit, limit - candidate.cluster->our_jobs - draft.ledger.jobs_given(candidate.cluster_index), Limit::stress);
    }
    const bool probes = scheduler.probes(*contender.campaign, pair) || may_be_a_sink(means, candidate);
    if (probes && contender.campaign->type != grid::CampaignType::test)
      hold(draft.config.probe_jobs, draft.config.probe_jobs - live_jobs(candidate), Limit::probe);
    if (!contender.limits.empty()) {
      const auto left = draft.limits.left(contender, candidate, 1.0 / candidate.ratio);
      hold(0, left.jobs, Limit::limit);
      candidate.allowed_waiting = left.waiting;
      candidate.tightest = candidate.bound == Limit::limit ? left.tightest : left.tightest_waiting;
    }
    if (candidate.allowed_jobs > 0) return std::nullopt;
    Figures figures;
    figures.max_jobs = most;
    figures.live_jobs = candidate.bound == Limit::stress ? candidate.cluster->our_jobs : pair.live_jobs;
    figures.frozen_jobs = pair.frozen_jobs;
    if (candidate.bound == Limit::stress) figures.note = candidate.cluster->stress_reason;
    if (candidate.bound == Limit::limit) figures.note = draft.limits.text(candidate.tightest);
    return Stop{reason_for(candidate.bound), std::move(figures)};
  });
}

}  // namespace gleaner::planner
