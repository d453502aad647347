#pragma once
#include <map>
#include <optional>
#include <vector>

#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/instances.hpp"
#include "metascheduler/planner/keeps.hpp"
#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::planner {

/// Resources of a cluster that are held back, from some time on, for a job that is too wide to start now.
struct Reservation {
  grid::CampaignId campaign{0};
  double resources = 0.0;
  double after = 0.0;  ///< seconds from now until that many are free at once, by the forecasts
  double spare = 0.0;  ///< resources free then that the job does not need, those that are kept from it included; none while it waits for
                       ///< jobs that have not begun
};

/// Nodes by their free resources. Nobody knows where OAR will put a job: it is counted on the fullest nodes that hold it.
class NodesLeft {
 public:
  NodesLeft() = default;
  NodesLeft(const std::optional<grid::NodeSizes>& free, int node_resources);

  /// Jobs of so many nodes each, with so many resources of each node, 0: the whole node. Empty: not known.
  [[nodiscard]] std::optional<int> holds(int nodes, int of_each) const;
  void take(int jobs, int nodes, int of_each);
  /// Takes resources of any nodes.
  void take(double resources);
  /// With the nodes of another one. Known: both are.
  [[nodiscard]] NodesLeft with(const NodesLeft& others) const;

 private:
  [[nodiscard]] int least_of(int of_each) const { return of_each > 0 ? of_each : whole_; }
  bool known_ = false;
  int whole_ = 0;                 ///< resources of the smallest node
  std::map<int, int> free_ = {};  ///< resources → nodes, those with the fewest first
};

/// The resources that each cluster can still offer while a plan is made, and the campaigns that took the rest. Clusters are named by their
/// index in the snapshot.
class Ledger {
 public:
  explicit Ledger(const std::vector<ClusterView>& clusters, const std::vector<KeepView>& keeps = {});

  /// free + flood of the maximum - waiting - unaccounted - taken by this plan; never negative. If resources are reserved: the free
  /// ones for work that ends before the reservation begins, the spare ones for other work, and no flood. Neither keeps nor advance
  /// reservations of OAR are considered.
  /// @param walltime  of the work, in seconds
  [[nodiscard]] Offer left(std::size_t cluster, grid::CampaignId campaign, double walltime) const;
  /// The same for the jobs of a pair: with reserved resources, if OAR gives them to such jobs; if jobs need cores of one node, only those
  /// of nodes with enough free ones count as free. Without what is kept from the campaign, or held back for advance reservations of OAR,
  /// and then without flood.
  [[nodiscard]] Offer left(std::size_t cluster, const PairView& pair) const;
  /// The same without a reservation, and for best-effort jobs.
  [[nodiscard]] Offer unheld(std::size_t cluster, const PairView& pair) const;
  /// The same before this plan took or reserved anything.
  [[nodiscard]] Offer at_first(std::size_t cluster) const { return accounts_[cluster].first; }
  [[nodiscard]] Offer at_first(std::size_t cluster, const PairView& pair) const;
  /// The same, were there no advance reservations of OAR.
  [[nodiscard]] Offer unbooked_at_first(std::size_t cluster, const PairView& pair) const;
  /// Resources that are kept from the pair's campaign for others, and that this plan has not given to these.
  [[nodiscard]] double kept_from(std::size_t cluster, const PairView& pair) const;
  /// Resources that advance reservations of OAR hold back from jobs of the pair.
  [[nodiscard]] double booked_from(std::size_t cluster, const PairView& pair) const;
  /// The keeps that are not for the pair's campaign.
  [[nodiscard]] std::vector<const KeepView*> kept_for_others(std::size_t cluster, const PairView& pair) const;
  /// The keeps that kept something from the pair's campaign at first.
  [[nodiscard]] std::vector<const KeepView*> barring(std::size_t cluster, const PairView& pair) const;
  /// Resources that this plan took so far.
  [[nodiscard]] double taken(std::size_t cluster) const { return accounts_[cluster].taken; }
  [[nodiscard]] int jobs_given(std::size_t cluster) const { return accounts_[cluster].jobs; }
  /// Nodes without jobs that the plan so far leaves empty, those that are left asleep included.
  [[nodiscard]] grid::NodeSizes left_empty(std::size_t cluster) const { return accounts_[cluster].instances.left_empty(); }
  /// The first campaigns that took resources.
  [[nodiscard]] const Takers& takers(std::size_t cluster) const { return accounts_[cluster].takers; }
  [[nodiscard]] const std::optional<Reservation>& reservation(std::size_t cluster) const { return accounts_[cluster].reservation; }

  /// @param walltime  for which the jobs hold the resources, in seconds
  void take(std::size_t cluster, const PairView& pair, double walltime, int jobs, double resources);

  /// When so many resources are free at once for a job of the pair, by the forecast ends of our jobs, those of this plan included, and
  /// were nothing reserved. Nothing if they never are, because jobs of others hold them.
  [[nodiscard]] std::optional<Reservation> earliest(const ClusterView& view, std::size_t cluster, const PairView& pair,
                                                    double resources) const;
  /// In place of the cluster's reservation, if it has one.
  void reserve(std::size_t cluster, const Reservation& reservation) { accounts_[cluster].reservation = reservation; }

 private:
  struct Account {
    grid::ClusterId id{0};
    const ClusterView* view = nullptr;
    Offer first;
    NodesLeft nodes_first = {};  ///< without those that `starting` will take
    NodesLeft nodes = {};
    Instances instances = {};
    NodesLeft reserved_nodes_first = {};
    NodesLeft reserved_nodes = {};
    double reserved_first = 0.0;
    double reserved = 0.0;
    double asleep = 0.0;    ///< of these, those of nodes that are left asleep: OAR takes them last
    double starting = 0.0;  ///< free resources that our jobs will take: those that wait, or were sent after the status was taken
    double taken = 0.0;
    int jobs = 0;
    Takers takers = {};
    std::vector<Ending> given = {};  ///< resources that this plan took, until the walltime of its jobs
    std::optional<Reservation> reservation = {};
  };
  [[nodiscard]] double free_left(const Account& account) const;
  [[nodiscard]] Offer at_first(std::size_t cluster, const PairView& pair, double booked) const;
  std::vector<Account> accounts_;
  Keeps keeps_first_;
  Keeps keeps_;
};

/// Resources that may wait in a cluster's queue: flood * max_resources, in whole resources.
[[nodiscard]] double flood_resources(const ClusterView& cluster);

}  // namespace gleaner::planner
