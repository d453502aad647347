#include "metascheduler/planner/throttle.hpp"

#include <algorithm>

#include "lib/grid/sink.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

/// Jobs of the pair that live, or may: those given in this plan too.
int live_jobs(const Candidate& candidate) { return candidate.pair->live_jobs + candidate.pair->frozen_jobs + candidate.jobs; }

/// The mean durations of a campaign on its clusters, found once for all of them.
class Means {
 public:
  explicit Means(const Contender& contender) {
    for (const auto& candidate : contender.candidates) {
      if (const auto& mean = candidate.pair->mean_duration) sorted_.push_back(*mean);
    }
    std::ranges::sort(sorted_);
  }
  /// The median of those on the clusters but this one; grid::lower_median without a copy.
  [[nodiscard]] std::optional<double> elsewhere(const Candidate& candidate) const {
    const auto& own = candidate.pair->mean_duration;
    const auto others = sorted_.size() - (own ? 1U : 0U);
    if (others == 0) return std::nullopt;
    const auto middle = (others - 1) / 2;
    const auto skipped = own ? static_cast<std::size_t>(std::ranges::lower_bound(sorted_, *own) - sorted_.begin()) : sorted_.size();
    return sorted_[middle < skipped ? middle : middle + 1];
  }

 private:
  std::vector<double> sorted_;
};

/// A cluster that has not yet done a job of the campaign, while there is something to compare its
/// jobs with, may be a sink; so may one whose jobs have ended in almost no time.
bool may_be_a_sink(const Means& means, const Candidate& candidate) {
  const auto& pair = *candidate.pair;
  if (pair.suspected) return true;
  if (pair.mean_duration) return grid::is_sink(*pair.mean_duration, pair.min_duration, means.elsewhere(candidate));
  return pair.min_duration || means.elsewhere(candidate);
}

Reason reason_for(Limit bound) {
  switch (bound) {
    case Limit::limit: return Reason::limit_reached;
    case Limit::stress: return Reason::under_stress;
    case Limit::probe: return Reason::probing;
    case Limit::width: return Reason::width_unknown;
    case Limit::matching: return Reason::few_match;
    case Limit::fitting: return Reason::no_task_fits;
    default: return Reason::max_jobs_reached;
  }
}

/// The tightest of what holds a candidate becomes what it is allowed; of two that are as tight, the first.
void hold(Candidate& candidate, int most, int allowed, Limit bound) {
  if (allowed >= candidate.allowed_jobs) return;
  candidate.allowed_jobs = allowed;
  candidate.most_jobs = most;
  candidate.bound = bound;
}

void hold_by_limits(const Contender& contender, Candidate& candidate, const Limits& limits) {
  if (contender.limits.empty()) return;
  const auto left = limits.left(contender, candidate);
  hold(candidate, 0, left.jobs, Limit::limit);
  if (left.count_resources && !candidate.width.known) hold(candidate, 1, 1 - live_jobs(candidate), Limit::width);
  candidate.allowed_waiting = left.waiting;
  candidate.tightest = left.tightest;
}

}  // namespace

void allow(Tasks tasks, const CampaignScheduler& scheduler, const Contender& contender, const std::vector<Candidate*>& candidates, const Draft& draft) {
  const Means means{contender};
  for (auto* one : candidates) {
    auto& candidate = *one;
    const auto& pair = *candidate.pair;
    candidate.allowed_jobs = candidate.allowed_waiting = kNoLimit;
    if (pair.max_jobs) hold(candidate, *pair.max_jobs, *pair.max_jobs - live_jobs(candidate), Limit::max_jobs);
    if (tasks == Tasks::waiting && pair.fitting_tasks) {
      const auto fitting = static_cast<int>(std::min<std::int64_t>(*pair.fitting_tasks, kNoLimit));
      hold(candidate, fitting, fitting - candidate.jobs, Limit::fitting);
    }
    if (const auto most = candidate.cluster->job_limit)
      hold(candidate, *most, *most - candidate.cluster->our_jobs - draft.ledger.jobs_given(candidate.cluster_index), Limit::stress);
    if (pair.matching_resources) {
      const auto most = jobs_on_matching(*pair.matching_resources, candidate);
      hold(candidate, most, most - live_jobs(candidate), Limit::matching);
    }
    // A cluster that has not told how many of its resources have the properties may have few.
    const bool unmatched = pair.has_properties && !pair.matching_resources && pair.concluded_jobs == 0;
    const bool probes = unmatched || scheduler.probes(*contender.campaign, pair) || may_be_a_sink(means, candidate);
    if (probes && contender.campaign->type != grid::CampaignType::test)
      hold(candidate, draft.config.probe_jobs, draft.config.probe_jobs - live_jobs(candidate), Limit::probe);
    hold_by_limits(contender, candidate, draft.limits);
  }
}

void throttle(const CampaignScheduler& scheduler, const Contender& contender, std::vector<Candidate*>& candidates, Draft& draft) {
  allow(Tasks::waiting, scheduler, contender, candidates, draft);
  filter(Stage::throttle, draft.plan, candidates, [&](Candidate& candidate) -> std::optional<Stop> {
    if (candidate.allowed_jobs > 0) return std::nullopt;
    const auto& pair = *candidate.pair;
    Figures figures;
    figures.max_jobs = candidate.most_jobs;
    figures.live_jobs = candidate.bound == Limit::stress ? candidate.cluster->our_jobs : pair.live_jobs;
    figures.frozen_jobs = pair.frozen_jobs;
    if (candidate.bound == Limit::matching) note_matching(candidate, figures);
    if (candidate.bound == Limit::stress) figures.note = candidate.cluster->stress_reason;
    if (candidate.bound == Limit::limit) figures.note = draft.limits.text(candidate.tightest);
    return Stop{reason_for(candidate.bound), std::move(figures)};
  });
}

}  // namespace gleaner::planner
