#pragma once
#include <optional>
#include <vector>

#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::planner {

/// Resources of a cluster that are held back, from some time on, for a job that is too wide to start now.
struct Reservation {
  grid::CampaignId campaign{0};
  double resources = 0.0;
  double after = 0.0;  ///< seconds from now until that many are free at once, by the forecasts
  double spare = 0.0;  ///< resources free then that the job does not need
};

/// What each cluster still has to offer while a plan is made, and which campaigns took the rest. Clusters are named by their index in
/// the snapshot.
class Ledger {
 public:
  explicit Ledger(const std::vector<ClusterView>& clusters);

  /// free + flood of the maximum - waiting - unaccounted - taken by this plan; never negative. If resources are reserved: the free
  /// ones for work that ends before the reservation begins, the spare ones for other work, and no flood.
  /// @param walltime  of the work, in seconds
  [[nodiscard]] Offer left(std::size_t cluster, grid::CampaignId campaign, double walltime) const;
  /// The same before this plan took or reserved anything.
  [[nodiscard]] Offer at_first(std::size_t cluster) const { return accounts_[cluster].first; }
  /// Resources that this plan took so far.
  [[nodiscard]] double taken(std::size_t cluster) const { return accounts_[cluster].taken; }
  [[nodiscard]] int jobs_given(std::size_t cluster) const { return accounts_[cluster].jobs; }
  /// The first campaigns that took resources.
  [[nodiscard]] const Takers& takers(std::size_t cluster) const { return accounts_[cluster].takers; }
  [[nodiscard]] const std::optional<Reservation>& reservation(std::size_t cluster) const { return accounts_[cluster].reservation; }

  void take(std::size_t cluster, grid::CampaignId campaign, double walltime, int jobs, double resources);

  /// When so many resources are free at once, by the forecast ends of our jobs, those of this plan included. Nothing if they never are,
  /// because jobs of others hold them, or if the cluster has a reservation already.
  [[nodiscard]] std::optional<Reservation> earliest(const ClusterView& view, std::size_t cluster, grid::CampaignId campaign,
                                                    double resources) const;
  void reserve(std::size_t cluster, const Reservation& reservation) { accounts_[cluster].reservation = reservation; }

 private:
  struct Account {
    Offer first;
    double starting = 0.0;  ///< free resources that our jobs will take: those that wait, or were sent after the status was taken
    double taken = 0.0;
    int jobs = 0;
    Takers takers = {};
    std::vector<Ending> given = {};  ///< resources that this plan took, until the walltime of its jobs
    std::optional<Reservation> reservation = {};
  };
  [[nodiscard]] double free_left(const Account& account) const;
  std::vector<Account> accounts_;
};

/// Resources that may wait in a cluster's queue: flood * max_resources, in whole resources.
[[nodiscard]] double flood_resources(const ClusterView& cluster);

}  // namespace gleaner::planner
