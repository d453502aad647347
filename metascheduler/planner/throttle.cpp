#include <algorithm>

#include "lib/grid/sink.hpp"
#include "metascheduler/planner/room.hpp"
#include "metascheduler/planner/stages.hpp"

namespace gleaner::planner {
namespace {

/// Jobs that max_jobs allows. A cluster with max_jobs 0 gets the tasks that are bound to it, as only there the fence holds.
int left_of_max_jobs(Tasks tasks, const Candidate& candidate) {
  const auto& pair = *candidate.pair;
  if (pair.max_jobs == 0 && tasks == Tasks::running) return 0;
  if (pair.max_jobs == 0) return static_cast<int>(std::min<std::int64_t>(pair.returned_tasks, kNoLimit)) - candidate.jobs;
  return *pair.max_jobs - live_jobs(candidate);
}

/// The mean durations of a campaign on its clusters, sorted once.
class Means {
 public:
  explicit Means(const Contender& contender) {
    for (const auto& candidate : contender.candidates) {
      if (const auto& mean = candidate.pair->mean_duration) sorted_.push_back(*mean);
    }
    std::ranges::sort(sorted_);
  }
  /// The median of the other clusters: grid::lower_median without a copy.
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

/// A cluster may be a sink if its jobs ended in almost no time, or if none has ended there while there is something to compare it with.
bool may_be_a_sink(const Means& means, const Candidate& candidate) {
  const auto& pair = *candidate.pair;
  if (grid::may_end_at_once(pair.min_duration)) return false;
  if (pair.suspected) return true;
  if (pair.mean_duration)
    return grid::is_sink(*pair.mean_duration, pair.min_duration, means.elsewhere(candidate), candidate.cluster->start_cost.value_or(0.0));
  return pair.min_duration || means.elsewhere(candidate);
}

/// Keeps the tightest cap; of two that are as tight, the first.
void hold(Candidate& candidate, const Cap& cap) {
  if (cap.jobs < candidate.allowed.jobs) candidate.allowed = cap;
}

/// An unjudged cluster has a few tasks, as its first probe, or none but these.
void hold_unjudged(Candidate& candidate) {
  const auto& pair = *candidate.pair;
  if (!pair.most_unjudged) return;
  const auto most = static_cast<int>(std::min<std::int64_t>(*pair.most_unjudged, kNoLimit));
  hold(candidate, {.kind = pair.done > 0 ? Cap::Kind::unjudged : Cap::Kind::probe, .jobs = most - live_jobs(candidate), .most = most});
}

void hold_by_limits(const Contender& contender, Candidate& candidate, const Limits& limits) {
  if (contender.limits.empty()) return;
  const auto left = limits.left(contender, candidate);
  hold(candidate, {.kind = Cap::Kind::limit, .jobs = left.jobs, .limit = left.tightest});
  if (left.count_resources && !candidate.width.known)
    hold(candidate, {.kind = Cap::Kind::width, .jobs = 1 - live_jobs(candidate), .most = 1});
  candidate.allowed_waiting = left.waiting;
}

}  // namespace

void allow(Tasks tasks, const CampaignScheduler& scheduler, const Contender& contender, const std::vector<Candidate*>& candidates,
           const Draft& draft) {
  const Means means{contender};
  for (auto* one : candidates) {
    auto& candidate = *one;
    const auto& pair = *candidate.pair;
    const int live = live_jobs(candidate);
    candidate.allowed = {};
    candidate.allowed_waiting = kNoLimit;
    if (pair.max_jobs) hold(candidate, {.kind = Cap::Kind::max_jobs, .jobs = left_of_max_jobs(tasks, candidate), .most = *pair.max_jobs});
    if (pair.on_trial) hold(candidate, {.kind = Cap::Kind::trial, .jobs = 1 - live, .most = 1});
    if (tasks == Tasks::waiting && pair.fitting_tasks) {
      const auto fitting = static_cast<int>(std::min<std::int64_t>(*pair.fitting_tasks, kNoLimit));
      hold(candidate, {.kind = Cap::Kind::fitting, .jobs = fitting - candidate.jobs, .most = fitting});
    }
    if (const auto most = candidate.cluster->job_limit) {
      const int our_jobs = candidate.cluster->our_jobs + draft.ledger.jobs_given(candidate.cluster_index);
      hold(candidate, {.kind = Cap::Kind::stress, .jobs = *most - our_jobs, .most = *most});
    }
    if (const auto server = draft.file_servers.left(*contender.campaign, candidate)) hold(candidate, *server);
    if (pair.matching_resources) {
      const auto most = jobs_on_matching(*pair.matching_resources, candidate);
      hold(candidate, {.kind = Cap::Kind::matching, .jobs = most - live, .most = most});
    }
    // A cluster that has not reported how many of its resources have the properties may have few.
    const bool unmatched = pair.has_properties && !pair.matching_resources && pair.concluded_jobs == 0;
    const bool probes = unmatched || scheduler.probes(*contender.campaign, pair) || may_be_a_sink(means, candidate);
    if (probes && contender.campaign->type != grid::CampaignType::test)
      hold(candidate, {.kind = Cap::Kind::probe, .jobs = draft.config.probe_jobs - live, .most = draft.config.probe_jobs});
    if (contender.campaign->type != grid::CampaignType::test) hold_unjudged(candidate);
    candidate.probes = probes || pair.on_trial || pair.most_unjudged;
    hold_by_limits(contender, candidate, draft.limits);
  }
}

void throttle(const CampaignScheduler& scheduler, const Contender& contender, std::vector<Candidate*>& candidates, Draft& draft) {
  allow(Tasks::waiting, scheduler, contender, candidates, draft);
  filter(Stage::throttle, draft.plan, candidates, [&](Candidate& candidate) -> std::optional<Reason> {
    if (candidate.allowed.jobs > 0) return std::nullopt;
    return reason_of(candidate.allowed, candidate, draft);
  });
}

}  // namespace gleaner::planner
