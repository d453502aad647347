#pragma once
#include <span>
#include <vector>

#include "updator/judge.hpp"

/// Pooled jobs: tasks that the jobs of their launch, the carriers, take one after the other. A carrier's own task is a job like any other,
/// and states how long the carrier holds its resources; the outcome of a pooled job is only in its files. Pure functions, as in judge.hpp.
namespace gleaner::updator {

/// The fences of the pools, to be read in each turn, with the numbers of their files. Each fence once.
[[nodiscard]] std::vector<FenceToRead> fences_of(std::span<const store::Pool> pools);

/// The stderr files of the first few pooled tasks of each campaign that failed by their own fault, as tails_to_read() has them of other
/// jobs.
[[nodiscard]] std::vector<TailToRead> pooled_tails_to_read(std::span<const store::Pool> pools, const Poll& poll);

/// The consequences for pooled jobs. Each is in one of these lists, or keeps its state.
struct JudgedPools {
  std::vector<store::Claimed> claimed;  ///< whose carrier was not known before
  std::vector<Over> over;
  store::ReadPools read = {};
};

/// - A job that noted its end is over, at once. If a signal ended it that somebody else may have sent, its carrier's end has to be known
///   first.
/// - One that began, and whose carrier is over, was interrupted as its carrier was. If OAR ran the carrier
///   again under another id than the file names, the run that began gets the pool's time and a task's walltime to note the end. If OAR
///   says that the carrier never began, or its id was never reported, it gets kOrphanWatch more, as it may have begun late.
/// - One that did not begin goes back to the bag when no carrier takes tasks any more: the carriers are over, or their time is. It stays
///   bound to the cluster with its attempt unless they are certainly over.
/// - While the fate of its launch is unknown, a job keeps its state. Where its fence's files cannot be read either, until its carriers have
///   been over for evidence_patience: it counts as one that never began then, with an event and a brake, and keeps its attempt.
/// The result points into `pools` and `poll`. Cost: O(pooled jobs · log carriers).
[[nodiscard]] JudgedPools judge_pools(std::span<const store::Pool> pools, const Poll& poll, const Patience& patience);

}  // namespace gleaner::updator
