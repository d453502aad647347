#pragma once
#include "predictor/algorithms/algorithm.hpp"

/// What a cycle shows about a ratio: the parts that the algorithms share.
namespace gleaner::prediction {

enum class Verdict {
  too_big,   ///< more waits than the flood allows
  too_small, ///< all that the ratio let through was submitted, nothing of it waits, and resources stay free
  unknown    ///< anything else: the ratio stays
};

/// Growth needs evidence: something was submitted, the ratio (not the bag, nor a limit) was what
/// kept it from being more, nothing waits, and another job finds its resources free.
[[nodiscard]] Verdict verdict(double ratio, const LastCycle& last, const QueueState& queue);

/// Twice the old ratio.
[[nodiscard]] double exponential_up(double old);

/// The offer's free resources have taken all of nsub and are not used up: nsub jobs took
/// free_offered - free resources. At most twice the old ratio: other jobs' ends hide a part of
/// what was taken, and short jobs have given theirs back.
[[nodiscard]] double adaptive_up(double old, const LastCycle& last, const QueueState& queue);

/// old * (nsub - EXCESS) / nsub, with the excess counted at the new ratio: what the free
/// resources took of the nsub jobs, in jobs a free resource. Not under what the running jobs
/// prove: they run on no more than max - free resources.
[[nodiscard]] double adaptive_down(double old, const LastCycle& last, const QueueState& queue);

}  // namespace gleaner::prediction
