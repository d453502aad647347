#include "metascheduler/planner/ledger.hpp"

#include <algorithm>
#include <cmath>

#include "lib/grid/dust.hpp"

namespace gleaner::planner {
namespace {

using grid::kDust;

double non_negative(double value) { return value > 0.0 && std::isfinite(value) ? value : 0.0; }

bool ends_before(double walltime, const Reservation& reservation) { return walltime > 0.0 && walltime <= reservation.after; }

}  // namespace

double flood_resources(const ClusterView& cluster) { return std::floor(non_negative(cluster.flood * cluster.max_resources) + kDust); }

Ledger::Ledger(const std::vector<ClusterView>& clusters) : accounts_(clusters.size()) {
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const auto& cluster = clusters[i];
    const double spoken_for = non_negative(cluster.waiting_resources) + non_negative(cluster.unaccounted_resources);
    const double free = non_negative(cluster.free_resources);
    accounts_[i].first = {.resources = non_negative(free + flood_resources(cluster) - spoken_for), .free = non_negative(free - spoken_for)};
    accounts_[i].starting = std::min(free, spoken_for);
  }
}

double Ledger::free_left(const Account& account) const { return non_negative(account.first.free - account.taken); }

Offer Ledger::left(std::size_t cluster, grid::CampaignId campaign, double walltime) const {
  const auto& account = accounts_[cluster];
  const double free = free_left(account);
  const auto& held = account.reservation;
  if (!held || held->campaign == campaign) return {.resources = non_negative(account.first.resources - account.taken), .free = free};
  const double usable = ends_before(walltime, *held) ? free : std::min(free, held->spare);
  return {.resources = usable, .free = usable};
}

void Ledger::take(std::size_t cluster, grid::CampaignId campaign, double walltime, int jobs, double resources) {
  auto& account = accounts_[cluster];
  account.taken += resources;
  account.jobs += jobs;
  if (walltime > 0.0) account.given.push_back({.after = walltime, .resources = resources});
  auto& held = account.reservation;
  if (held && held->campaign != campaign && !ends_before(walltime, *held)) held->spare = non_negative(held->spare - resources);
  auto& takers = account.takers;
  const auto end = takers.ids.begin() + takers.count;
  if (std::find(takers.ids.begin(), end, campaign.value()) != end || end == takers.ids.end()) return;
  takers.ids[static_cast<std::size_t>(takers.count++)] = campaign.value();
}

std::optional<Reservation> Ledger::earliest(const ClusterView& view, std::size_t cluster, grid::CampaignId campaign,
                                            double resources) const {
  const auto& account = accounts_[cluster];
  if (account.reservation) return std::nullopt;
  auto endings = view.endings;
  double explained = 0.0;
  for (const auto& ending : endings) explained += ending.resources;
  // A job that is over for us holds its resources until OAR has cleaned up.
  constexpr double kSoon = 1.0;
  endings.push_back({.after = kSoon, .resources = non_negative(view.our_resources - explained)});
  endings.insert(endings.end(), account.given.begin(), account.given.end());
  std::ranges::sort(endings, {}, &Ending::after);
  // Nobody knows when jobs end that have not begun; others end before them.
  endings.push_back({.after = endings.empty() ? 0.0 : endings.back().after, .resources = account.starting});
  double free = free_left(account);
  for (const auto& ending : endings) {
    free += ending.resources;
    if (free + kDust >= resources)
      return Reservation{.campaign = campaign, .resources = resources, .after = non_negative(ending.after), .spare = free - resources};
  }
  return std::nullopt;
}

}  // namespace gleaner::planner
