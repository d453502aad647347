#pragma once
#include "metascheduler/planner/candidate.hpp"

namespace gleaner::planner {

/// The pair's job ratio, within what makes sense: at least one job on the whole cluster.
[[nodiscard]] double usable_ratio(const PairView& pair, const ClusterView& cluster);

/// Resources of one job by the job ratio: one at least, as a ratio above 1 says that jobs are short, not that they share a resource.
[[nodiscard]] double job_resources(const PairView& pair, const ClusterView& cluster);

/// What one job of the pair takes: as its JDL says, or as OAR gave on average, or as the expressions of its tasks ask for on average;
/// else the biggest node of the cluster, as a request for whole nodes is what leaves it open.
[[nodiscard]] Width width_of(const PairView& pair, const ClusterView& cluster);

/// Resources that so many jobs of the pair are counted for: jobs / ratio. One job alone that was
/// let in although the ratio gives it no room counts for what its request says, when it does.
[[nodiscard]] double resources_of(int jobs, const PairView& pair, const ClusterView& cluster, double offered);

[[nodiscard]] Candidate candidate_of(const PairView& pair, const ClusterView& cluster, std::size_t cluster_index);

/// Live jobs that the resources with the JDL's properties take, and what may wait for them: the flood's part of them. At least one,
/// where they hold a job.
[[nodiscard]] int jobs_on_matching(int resources, const Candidate& candidate);

/// Jobs of the pair that an offer has room for: offer * ratio, and no more than may wait with those
/// that wait already or were given in this plan (grid::tolerated_jobs). When the ratio gives none, but the free resources
/// hold the one job that the JDL describes (or one resource), and none of ours waits there, it is
/// one: without it a ratio that is too small could never be corrected.
[[nodiscard]] int room_for(const Candidate& candidate, const Offer& offer);

}  // namespace gleaner::planner
