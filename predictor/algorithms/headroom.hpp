#pragma once
#include "lib/grid/local_demand.hpp"

namespace gleaner::prediction {

/// Seconds that a local job waits longer where best-effort jobs have to give way to it: OAR 2.5.9 starts it after 4.0 to 5.2 s instead of
/// 0.9 s (docs/measured.md).
inline constexpr double kGivingWay = 4;

/// The costs and savings of keeping resources free.
struct HeadroomTerms {
  double restored_per_second = 0;  ///< resources of ours that come free by themselves, while ours fill the cluster
  double weight = 0;               ///< idle resource-seconds that a resource-second of a local job's waiting is worth
  int most = 0;                    ///< resources
  int current = 0;                 ///< the headroom until now
};

/// The headroom, in resources, of the least cost per second: that of the resources that are idle, and that of the local jobs that find too
/// few of them and wait for kGivingWay. Resources that local jobs have taken are missing until jobs of ours end; what is missing is
/// distributed as the demand in that time, a compound Poisson sum. Only a job that finds all its resources does not wait, so that a
/// headroom of 3 is worth nothing to jobs of 4. A demand that was never watched: 0. The present headroom stays while another one saves less
/// than a tenth: with each change between 0 and more, what waits in the cluster's queue is sent, or taken back.
///
/// Source: the single-period (newsvendor) and base-stock models of inventory, with idle resources as the overage and waiting as the
/// underage; the sum's distribution by Panjer's recursion. The base-stock form is used, because the newsvendor's critical fractile charges
/// a resource for the whole period, and so keeps too many where our jobs are long. Cost: O(most² · sizes) at worst.
[[nodiscard]] int best_headroom(const grid::LocalDemand& demand, const HeadroomTerms& terms);

/// The demand of one hour of the day, shrunk towards that of all hours while little of it was watched. A demand of all hours of less than
/// 10 minutes is none.
/// @param hours  one for each hour of the day
[[nodiscard]] grid::LocalDemand demand_of_hour(std::span<const grid::LocalDemand> hours, int hour);

}  // namespace gleaner::prediction
