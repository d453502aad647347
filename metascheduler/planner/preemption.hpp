#pragma once
#include <vector>

#include "metascheduler/planner/draft.hpp"

/// Shared by the two rules of preemption (preempt.cpp, give_way.cpp).
namespace gleaner::planner {

/// A pair whose running jobs may be killed, and how many of them.
struct Giver {
  const PairView* pair = nullptr;
  int jobs = 0;  ///< those that are being killed included
};

[[nodiscard]] inline int running_jobs(const PairView& pair) { return pair.live_jobs - pair.waiting_jobs; }

/// Whether it is for keeps that leave too few resources for one job: nothing that is freed helps.
[[nodiscard]] inline bool keeps_too_much(const Reason& why) {
  const auto* kept = std::get_if<reason::KeptForOthers>(&why);
  return kept != nullptr && kept->leaves_too_few;
}

/// Whether a candidate lacks only resources for more jobs.
[[nodiscard]] bool wants_more(const Plan& plan, const Candidate& candidate);

/// Freed resources that stay free for local jobs first.
[[nodiscard]] int owed_resources(const ClusterView& cluster);

/// The part of so many freed resources that the grid gains. Nothing while more is loaded than is free: a job has taken it since the load
/// was read.
[[nodiscard]] double gained(double freed, const ClusterView& cluster);

/// More jobs of a pair that freed resources let run. If the JDL has properties: those for which matching resources are left, and none
/// while the cluster has not reported how many match.
[[nodiscard]] int startable_jobs(const PairView& pair, const ClusterView& cluster);

/// Kills as many jobs as free the wanted resources, of the first givers first. It counts those that are being killed.
/// @return whether something is freed, by this plan or by kills on their way
bool free_resources(double wanted, const ClusterView& cluster, const std::vector<Giver>& givers, Plan& plan);

}  // namespace gleaner::planner
