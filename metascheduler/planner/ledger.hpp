#pragma once
#include <unordered_map>
#include <vector>

#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::planner {

/// What each cluster still has to offer while a plan is made, and who took the rest.
class Ledger {
 public:
  explicit Ledger(const std::vector<ClusterView>& clusters);

  /// free + flood of the maximum - waiting - unaccounted, minus what this plan took; never
  /// negative.
  [[nodiscard]] Offer left(grid::ClusterId cluster) const;
  /// The same before this plan took anything.
  [[nodiscard]] Offer at_first(grid::ClusterId cluster) const;
  /// Taken by this plan until now.
  [[nodiscard]] double taken(grid::ClusterId cluster) const;
  /// The first campaigns that took some, at most three.
  [[nodiscard]] const std::vector<grid::CampaignId>& takers(grid::ClusterId cluster) const;

  void take(grid::CampaignId campaign, grid::ClusterId cluster, double resources);

 private:
  struct Account {
    Offer first;
    double taken = 0.0;
    std::vector<grid::CampaignId> takers;
  };
  std::unordered_map<grid::ClusterId, Account> accounts_;
};

/// Resources that may wait in a cluster's queue: flood * max_resources, in whole resources.
[[nodiscard]] double flood_resources(const ClusterView& cluster);

}  // namespace gleaner::planner
