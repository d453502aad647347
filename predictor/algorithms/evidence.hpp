#pragma once
#include "predictor/algorithms/algorithm.hpp"

/// The evidence of one cycle about a ratio: the parts that the algorithms share.
namespace gleaner::prediction {

enum class Verdict {
  too_big,    ///< more jobs wait than the flood allows
  too_small,  ///< all jobs that the ratio allowed were submitted, none of them waits, and resources stay free
  unknown     ///< otherwise: the ratio stays
};

/// A ratio is too small only by evidence: jobs were submitted, their number was bounded by the ratio (not by the bag or a limit), none
/// waits, and another job would find its resources free.
[[nodiscard]] Verdict verdict(double ratio, const LastCycle& last, const QueueState& queue);

/// How many jobs in place of the submitted ones would have been right: with fewer, resources would have stayed free; with more, jobs would
/// have waited beyond what the flood allows.
struct Fitting {
  double least = 0.0, most = 0.0;
  double resources = 1.0;  ///< of one job
};
/// Empty: the cycle shows nothing, as nothing was submitted, or less than the ratio allowed.
[[nodiscard]] std::optional<Fitting> fitting_jobs(double ratio, const LastCycle& last, const QueueState& queue);

/// Twice the old ratio.
[[nodiscard]] double exponential_up(double old);

/// The ratio if all nsub jobs have started and took (free_offered - free) resources: nsub / these. Between the old ratio and its double,
/// because ends of other jobs hide a part of what was taken, and short jobs have already returned theirs.
[[nodiscard]] double adaptive_up(double old, const LastCycle& last, const QueueState& queue);

/// The ratio if (nsub - waiting) jobs have started and took (free_offered - free) resources. It equals old * (nsub - EXCESS) / nsub once
/// the flood is counted in jobs of the new ratio, and is right while the cluster is still starting jobs. If no job is seen to have started,
/// that formula is used. Never above the old ratio, nor below the ratio that the running jobs prove: they run on at most (max - free)
/// resources.
[[nodiscard]] double adaptive_down(double old, const LastCycle& last, const QueueState& queue);

}  // namespace gleaner::prediction
