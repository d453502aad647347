#pragma once
#include "metascheduler/planner/candidate.hpp"

namespace gleaner::planner {

/// The advance reservations of OAR that begin too soon for a job of the pair on their resources; null: none.
[[nodiscard]] const grid::Booking* booking_of(const PairView& pair, const ClusterView& cluster);

/// The pair's job ratio, but at least that of one job on the whole cluster.
[[nodiscard]] double usable_ratio(const PairView& pair, const ClusterView& cluster);

/// Resources of one job by the job ratio, at least 1: a ratio above 1 means that jobs are short, not that they share a resource.
[[nodiscard]] double job_resources(const PairView& pair, const ClusterView& cluster);

/// The fewest resources that a job may take: by its JDL or the nodes' sizes, else those of as many of the cluster's smallest nodes; of its
/// biggest, if some must stay free for local jobs. At least 1.
[[nodiscard]] double least_of_job(const PairView& pair, const ClusterView& cluster);

/// Resources of one job of the pair: by its JDL, or what OAR gave on average, or what the expressions of its tasks request on average;
/// else those of as many of the cluster's biggest nodes, because only a request for whole nodes leaves them open.
[[nodiscard]] Width width_of(const PairView& pair, const ClusterView& cluster);

/// Tasks that a job of the campaign carries out at a time, if it takes several.
[[nodiscard]] int at_a_time(const CampaignView& campaign, const Width& width);

/// Resources that the plan counts for so many jobs of the pair: jobs / ratio. One job for which the ratio gives no room counts as its
/// request states, if it does.
[[nodiscard]] double resources_of(int jobs, const PairView& pair, const ClusterView& cluster, double offered);

[[nodiscard]] Candidate candidate_of(const PairView& pair, const ClusterView& cluster, std::size_t cluster_index);

/// Live jobs that the resources with the JDL's properties hold, and those that may wait for them (the flood's part). At least one, if
/// these resources hold a job.
[[nodiscard]] int jobs_on_matching(int resources, const Candidate& candidate);

/// Jobs of the pair that an offer has room for: offer * ratio, but no more than may wait, with those that wait already or were given
/// in this plan (grid::tolerated_jobs). If the ratio gives none, but the free resources hold the one job that the JDL describes (or are
/// at least one), and no job of the pair waits there, it is one: otherwise a ratio that is too small could never be corrected.
[[nodiscard]] int room_for(const Candidate& candidate, const Offer& offer);

}  // namespace gleaner::planner
