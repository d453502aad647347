#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "metascheduler/planner/decision.hpp"
#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::planner {

/// What a cluster has left for a campaign, in resources.
struct Offer {
  double resources = 0.0;  ///< the flood included
  double free = 0.0;       ///< of them, the free ones
};

/// A pair on its way through the stages; each stage fills in its part.
struct Candidate {
  const PairView* pair = nullptr;
  const ClusterView* cluster = nullptr;
  int allowed_jobs = std::numeric_limits<int>::max();  ///< throttle
  Offer offer = {};                                    ///< match
  int room = 0;                                        ///< match: jobs that the offer has room for
};

/// A campaign with the clusters that may still get some of it.
struct Contender {
  const CampaignView* campaign = nullptr;
  std::vector<Candidate> candidates;
  std::int64_t reserved_tasks = 0;  ///< of the bag: they wait for the clusters that returned them
};

/// Why a stage stops a candidate.
struct Stop {
  Reason reason;
  Figures figures = {};
};

/// Drops the candidates for which `test` gives a Stop, and notes a decision for each.
template <class Test>
void filter(Stage stage, Contender& contender, std::vector<Decision>& decisions, Test test) {
  std::vector<Candidate> kept;
  kept.reserve(contender.candidates.size());
  for (auto& candidate : contender.candidates) {
    std::optional<Stop> stop = test(candidate);
    if (!stop) {
      kept.push_back(candidate);
      continue;
    }
    decisions.push_back({.campaign = contender.campaign->id,
                         .cluster = candidate.cluster->id,
                         .stage = stage,
                         .reason = stop->reason,
                         .jobs = 0,
                         .figures = std::move(stop->figures)});
  }
  contender.candidates = std::move(kept);
}

}  // namespace gleaner::planner
