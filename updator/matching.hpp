#pragma once
#include <vector>

#include "lib/fleet/fleet.hpp"
#include "lib/store/matching.hpp"

namespace gleaner::updator {

/// The pairs of a cluster whose properties it must be asked about.
struct Unmatched {
  std::vector<store::UnmatchedPair> pairs;
  grid::Instant at;  ///< when they were read
};
/// Read where the poll is written: nearly always there is none, and a transaction of its own would cost three round trips more.
[[nodiscard]] Unmatched unmatched_here(store::Transaction& transaction, const fleet::Visit& visit, grid::Instant now);

/// Requests from the cluster how many of its resources have the properties that campaigns request there, and stores the answers. Only pairs
/// without an answer, or with an old one, are included: a few requests per turn, one for equal properties. After a failure there is no
/// answer, and the planner sends only a few jobs at first.
void match_properties(fleet::Visit& visit, const Unmatched& unmatched);

}  // namespace gleaner::updator
