#pragma once
#include "metascheduler/planner/candidate.hpp"

namespace gleaner::planner {

/// The pair's job ratio, within what makes sense: at least one job on the whole cluster.
[[nodiscard]] double usable_ratio(const PairView& pair, const ClusterView& cluster);

/// Resources that so many jobs of the pair are counted for: jobs / ratio. One job alone that was
/// let in although the ratio gives it no room counts for what its request says, when it does.
[[nodiscard]] double resources_of(int jobs, const PairView& pair, const ClusterView& cluster, double offered);

[[nodiscard]] Candidate candidate_of(const PairView& pair, const ClusterView& cluster, std::size_t cluster_index);

/// Jobs of the pair that an offer has room for: offer * ratio, and no more than may wait with those
/// that wait already or were given in this plan (grid::tolerated_jobs). When the ratio gives none, but the free resources
/// hold the one job that the JDL describes (or one resource), and none of ours waits there, it is
/// one: without it a ratio that is too small could never be corrected.
[[nodiscard]] int room_for(const Candidate& candidate, const Offer& offer);

}  // namespace gleaner::planner
