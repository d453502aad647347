#pragma once
#include <span>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"

/// Whether jobs take longer the more of them run, which indicates a shared resource such as a file server.
namespace gleaner::prediction {

/// One of our jobs on a cluster.
struct DurationSample {
  grid::CampaignId campaign{0};
  grid::Instant started;
  int running = 1;       ///< our jobs that ran there when it started, itself included
  double seconds = 0.0;  ///< its duration, or its age while it runs
  double horizon = 0.0;  ///< seconds for which it could be observed: its age now, or when it was killed
};

/// The result of comparing the durations of two groups of samples, which started among different numbers of jobs.
struct Elasticity {
  int here = 0, others = 0;   ///< samples compared, of each group
  double significance = 0.0;  ///< of the sign, in standard deviations; > 0: more jobs, longer durations
  double slope = 0.0;         ///< median of d ln(duration) / d ln(jobs): 0, nothing is shared; 1, twice the jobs take twice as long
  double ratio = 1.0;         ///< median of the durations `here` over those of the others
  [[nodiscard]] bool is_enough() const;
  /// True for enough samples, a significant difference, and a growth that justifies a trial. The slope is underestimated: jobs that started
  /// while the number grew ran among more jobs later.
  [[nodiscard]] bool is_suspicious() const;
  /// Suspicious, and at least half of the throughput gained by more jobs is lost to longer durations.
  [[nodiscard]] bool is_saturated() const;
};

/// Compares each sample `here` with each of the others of the same campaign, so that a change in the mix of campaigns is not taken for
/// stress. Both durations of a pair are cut to the time for which both could be observed. If durations do not depend on the number of jobs,
/// the sign of their difference is then as often positive as negative, for any distribution of durations, and however many jobs start, are
/// killed or still run: a young sample, of which only short jobs have ended, introduces no bias. The significance is that of the rank-sum
/// test, stratified by campaign, with the variance for durations without ties, which is the greatest. Cost: O(samples here · other samples)
/// for each campaign.
[[nodiscard]] Elasticity elasticity(std::span<const DurationSample> here, std::span<const DurationSample> others);

}  // namespace gleaner::prediction
