#include "metascheduler/planner/ledger.hpp"

#include <algorithm>
#include <cmath>

namespace gleaner::planner {
namespace {

constexpr std::size_t kTakersKept = 3;
constexpr double kDust = 1e-9;

double non_negative(double value) { return value > 0.0 && std::isfinite(value) ? value : 0.0; }

}  // namespace

double flood_resources(const ClusterView& cluster) {
  return std::floor(non_negative(cluster.flood * cluster.max_resources) + kDust);
}

Ledger::Ledger(const std::vector<ClusterView>& clusters) {
  accounts_.reserve(clusters.size());
  for (const auto& cluster : clusters) {
    const double spoken_for = non_negative(cluster.waiting_resources) + non_negative(cluster.unaccounted_resources);
    const double free = non_negative(cluster.free_resources);
    accounts_[cluster.id].first = {.resources = non_negative(free + flood_resources(cluster) - spoken_for),
                                   .free = non_negative(free - spoken_for)};
  }
}

Offer Ledger::left(grid::ClusterId cluster) const {
  const auto& account = accounts_.at(cluster);
  return {.resources = non_negative(account.first.resources - account.taken),
          .free = non_negative(account.first.free - account.taken)};
}

Offer Ledger::at_first(grid::ClusterId cluster) const { return accounts_.at(cluster).first; }
double Ledger::taken(grid::ClusterId cluster) const { return accounts_.at(cluster).taken; }
const std::vector<grid::CampaignId>& Ledger::takers(grid::ClusterId cluster) const { return accounts_.at(cluster).takers; }

void Ledger::take(grid::CampaignId campaign, grid::ClusterId cluster, double resources) {
  auto& account = accounts_.at(cluster);
  account.taken += resources;
  if (account.takers.size() < kTakersKept) account.takers.push_back(campaign);
}

}  // namespace gleaner::planner
