#pragma once
#include <span>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"

/// Whether jobs take longer the more of them run: the sign of a resource that they share, such as a file server.
namespace gleaner::prediction {

/// One of our jobs on a cluster.
struct DurationSample {
  grid::CampaignId campaign{0};
  grid::Instant started;
  int running = 1;       ///< our jobs that ran there when it started, itself included
  double seconds = 0.0;  ///< that it took, or was seen running
  double horizon = 0.0;  ///< seconds for which it could have been seen running: its age now, or its age when it was killed
};

/// What two groups of samples, one with more jobs beside it than the other, show about durations.
struct Elasticity {
  int here = 0, others = 0;   ///< samples compared, of each group
  double significance = 0.0;  ///< of the sign, in standard deviations; > 0: more jobs, longer durations
  double slope = 0.0;         ///< median of d ln(duration) / d ln(jobs): 0, nothing is shared; 1, twice the jobs take twice as long
  double ratio = 1.0;         ///< median of the durations `here` over those of the others
  [[nodiscard]] bool is_enough() const;
  /// Enough samples, more than chance, and a growth worth a trial: jobs that started while the number grew saw more than that number
  /// later, so that the slope seems smaller than it is.
  [[nodiscard]] bool is_suspicious() const;
  /// The same, and at least half of what was gained by more jobs is lost by their slowness.
  [[nodiscard]] bool is_saturated() const;
};

/// Compares each sample `here` with each of the others of the same campaign, so that a change of the mix of campaigns is not taken
/// for stress. Both durations of a pair are cut to the time for which both could be seen. As long as durations do not depend on how
/// many jobs run, the sign of their difference is then as often positive as negative, whatever the durations' distribution, and however
/// many jobs start, are killed or still run: a young sample, of which only the short jobs have ended yet, shows nothing by that.
/// The significance is that of the rank-sum test by campaign, with the variance for durations without ties, which is the greatest.
[[nodiscard]] Elasticity elasticity(std::span<const DurationSample> here, std::span<const DurationSample> others);

}  // namespace gleaner::prediction
