#pragma once
#include "predictor/algorithms/algorithm.hpp"

/// What a cycle shows about a ratio: the parts that the algorithms share.
namespace gleaner::prediction {

enum class Verdict {
  too_big,    ///< more waits than the flood allows
  too_small,  ///< all that the ratio let through was submitted, nothing of it waits, and resources stay free
  unknown     ///< anything else: the ratio stays
};

/// Growth needs evidence: something was submitted, the ratio (not the bag, nor a limit) was what
/// kept it from being more, nothing waits, and another job finds its resources free.
[[nodiscard]] Verdict verdict(double ratio, const LastCycle& last, const QueueState& queue);

/// Twice the old ratio.
[[nodiscard]] double exponential_up(double old);

/// All of nsub has started, and took free_offered - free resources: nsub jobs in as many. From the
/// old ratio to twice as much: ends of other jobs hide a part of what was taken, and short jobs
/// have given theirs back.
[[nodiscard]] double adaptive_up(double old, const LastCycle& last, const QueueState& queue);

/// The same from the other side: nsub - waiting jobs have started, and took free_offered - free
/// resources. This is old * (nsub - EXCESS) / nsub once the flood is counted in jobs of the new
/// ratio, and it is right already while the cluster is still starting them. Where nothing is seen
/// to have started, that formula is used as it is. Never above the old ratio, nor under what the
/// running jobs prove: they run on no more than max - free resources.
[[nodiscard]] double adaptive_down(double old, const LastCycle& last, const QueueState& queue);

}  // namespace gleaner::prediction
