#include "metascheduler/planner/ledger.hpp"

#include <algorithm>
#include <cmath>

#include "lib/grid/dust.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

using grid::kDust;

double non_negative(double value) { return value > 0.0 && std::isfinite(value) ? value : 0.0; }

bool ends_before(double walltime, const Reservation& reservation) { return walltime > 0.0 && walltime <= reservation.after; }

/// Resources of each node of a job; 0: the whole node.
int of_each_node(const PairView& pair) {
  return pair.resources_per_job && pair.nodes_per_job ? std::max(1, *pair.resources_per_job / *pair.nodes_per_job) : 0;
}

/// An offer without what is free in too small parts.
Offer on_nodes(Offer offer, const NodesLeft& nodes, const PairView& pair) {
  if (!pair.nodes_per_job) return offer;
  const int of_each = of_each_node(pair);
  const auto jobs = nodes.holds(*pair.nodes_per_job, of_each);
  if (!jobs) return offer;
  // Jobs of whole nodes of different sizes hold as much as the nodes have.
  if (of_each == 0 && *jobs > 0) return offer;
  const double usable = std::min(offer.free, static_cast<double>(*jobs) * *pair.nodes_per_job * of_each);
  offer.resources = non_negative(offer.resources - (offer.free - usable));
  offer.free = usable;
  return offer;
}

/// Free resources that waiting jobs will not take, as OAR starts none of them where it would run into a reservation.
double left_by_late(const ClusterView& cluster) {
  if (cluster.bookings.empty()) return 0.0;
  const double usable = non_negative(non_negative(cluster.free_resources) - cluster.bookings.front().resources);
  return non_negative(cluster.late_resources - usable);
}

/// An offer to a campaign from which so many resources are kept. Nothing of it may wait: OAR would start it on what is kept, or not before
/// a reservation is over.
Offer without_kept(const Offer& offer, double kept, const PairView& pair) {
  if (!pair.barred && kept <= 0.0) return offer;
  const double free = non_negative(offer.free - kept);
  return {.resources = std::min(free, offer.resources), .free = free};
}

/// The part of an offer that the jobs of a pair get: with the reserved resources, if OAR gives them to such jobs, and without those that
/// are kept from it.
Offer for_jobs(Offer offer, const NodesLeft& nodes, double reserved, const NodesLeft& reserved_nodes, const PairView& pair, double kept) {
  if (pair.best_effort) return on_nodes(without_kept(offer, kept, pair), nodes, pair);
  offer.resources += reserved;
  offer.free += reserved;
  offer = without_kept(offer, kept, pair);
  return pair.nodes_per_job ? on_nodes(offer, nodes.with(reserved_nodes), pair) : offer;
}

}  // namespace

NodesLeft::NodesLeft(const std::optional<grid::NodeSizes>& free, int node_resources) : known_{free.has_value()}, whole_{node_resources} {
  if (!free) return;
  for (const auto& [resources, nodes] : free->by_size()) free_[resources] += nodes;
}

std::optional<int> NodesLeft::holds(int nodes, int of_each) const {
  const int least = least_of(of_each);
  if (!known_ || least <= 0) return std::nullopt;
  std::int64_t parts = 0;
  for (const auto& [resources, count] : free_) parts += std::int64_t{resources / least} * count;
  if (nodes <= 1) return static_cast<int>(std::min<std::int64_t>(parts, kNoLimit));
  // The nodes of one job differ: a node counts once for each job. If n jobs fit, so do fewer.
  std::int64_t fit = 0;
  for (auto most = std::min<std::int64_t>(parts / nodes, kNoLimit); fit < most;) {
    const auto jobs = fit + (most - fit + 1) / 2;
    std::int64_t usable = 0;
    for (const auto& [resources, count] : free_) usable += std::min<std::int64_t>(resources / least, jobs) * count;
    if (usable >= jobs * nodes) fit = jobs;
    else most = jobs - 1;
  }
  return static_cast<int>(fit);
}

void NodesLeft::take(int jobs, int nodes, int of_each) {
  const int least = least_of(of_each);
  if (!known_ || least <= 0) return;
  for (std::int64_t left = std::int64_t{jobs} * nodes; left > 0;) {
    const auto found = free_.lower_bound(least);
    if (found == free_.end()) return;
    const auto [resources, count] = *found;
    const auto taken = static_cast<int>(std::min<std::int64_t>(left, count));
    if ((found->second -= taken) == 0) free_.erase(found);
    if (resources > least) free_[resources - least] += taken;
    left -= taken;
  }
}

void NodesLeft::take(double resources) {
  if (!known_) return;
  auto left = static_cast<std::int64_t>(std::ceil(std::min(resources, 1e9) - kDust));
  while (left > 0 && !free_.empty()) {
    const auto first = free_.begin();
    const auto [size, count] = *first;
    const auto nodes = static_cast<int>(std::min<std::int64_t>(left / size, count));
    if (nodes == 0) {
      if (--first->second == 0) free_.erase(first);
      if (size > left) ++free_[size - static_cast<int>(left)];
      return;
    }
    left -= std::int64_t{nodes} * size;
    if ((first->second -= nodes) == 0) free_.erase(first);
  }
}

NodesLeft NodesLeft::with(const NodesLeft& others) const {
  auto all = *this;
  all.known_ = known_ && others.known_;
  if (all.whole_ <= 0) all.whole_ = others.whole_;
  for (const auto& [resources, nodes] : others.free_) all.free_[resources] += nodes;
  return all;
}

double flood_resources(const ClusterView& cluster) { return std::floor(non_negative(cluster.flood * cluster.max_resources) + kDust); }

Ledger::Ledger(const std::vector<ClusterView>& clusters, const std::vector<KeepView>& keeps)
    : accounts_(clusters.size()), keeps_first_{keeps}, keeps_{keeps} {
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const auto& cluster = clusters[i];
    const double all_spoken_for = non_negative(cluster.waiting_resources) + non_negative(cluster.unaccounted_resources);
    const double spoken_for = non_negative(all_spoken_for - left_by_late(cluster));
    const double free = non_negative(cluster.free_resources);
    const double left = non_negative(free - spoken_for);
    accounts_[i].id = cluster.id;
    accounts_[i].view = &cluster;
    accounts_[i].first = {.resources = std::max(left, free + flood_resources(cluster) - all_spoken_for), .free = left};
    accounts_[i].starting = std::min(free, spoken_for);
    accounts_[i].nodes = NodesLeft{cluster.nodes_free, cluster.min_node_resources};
    accounts_[i].nodes.take(accounts_[i].starting);
    accounts_[i].nodes_first = accounts_[i].nodes;
    accounts_[i].instances = Instances{cluster};
    accounts_[i].instances.take(accounts_[i].starting);
    accounts_[i].reserved_nodes = NodesLeft{cluster.reserved_nodes_free, cluster.min_node_resources};
    accounts_[i].reserved_nodes.take(spoken_for - accounts_[i].starting);
    accounts_[i].reserved_nodes_first = accounts_[i].reserved_nodes;
    accounts_[i].reserved = accounts_[i].reserved_first = non_negative(cluster.reserved_free - non_negative(spoken_for - free));
    accounts_[i].asleep = std::min(accounts_[i].reserved, static_cast<double>(cluster.asleep_resources));
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

Offer Ledger::left(std::size_t cluster, const PairView& pair) const {
  const auto& account = accounts_[cluster];
  return for_jobs(left(cluster, pair.campaign, pair.walltime), account.nodes, account.reserved, account.reserved_nodes, pair,
                  kept_from(cluster, pair) + booked_from(cluster, pair));
}

Offer Ledger::unheld(std::size_t cluster, const PairView& pair) const {
  const auto& account = accounts_[cluster];
  return without_kept({.resources = non_negative(account.first.resources - account.taken), .free = free_left(account)},
                      kept_from(cluster, pair) + booked_from(cluster, pair), pair);
}

Offer Ledger::at_first(std::size_t cluster, const PairView& pair) const { return at_first(cluster, pair, booked_from(cluster, pair)); }

Offer Ledger::unbooked_at_first(std::size_t cluster, const PairView& pair) const { return at_first(cluster, pair, 0.0); }

Offer Ledger::at_first(std::size_t cluster, const PairView& pair, double booked) const {
  const auto& account = accounts_[cluster];
  return for_jobs(account.first, account.nodes_first, account.reserved_first, account.reserved_nodes_first, pair,
                  keeps_first_.kept_from(account.id, pair.campaign) + booked);
}

double Ledger::booked_from(std::size_t cluster, const PairView& pair) const {
  const auto* booking = booking_of(pair, *accounts_[cluster].view);
  return booking == nullptr ? 0.0 : booking->resources;
}

double Ledger::kept_from(std::size_t cluster, const PairView& pair) const { return keeps_.kept_from(accounts_[cluster].id, pair.campaign); }

std::vector<const KeepView*> Ledger::kept_for_others(std::size_t cluster, const PairView& pair) const {
  return keeps_first_.for_others(accounts_[cluster].id, pair.campaign);
}

std::vector<const KeepView*> Ledger::barring(std::size_t cluster, const PairView& pair) const {
  return keeps_first_.barring(accounts_[cluster].id, pair.campaign);
}

void Ledger::take(std::size_t cluster, const PairView& pair, double walltime, int jobs, double resources) {
  auto& account = accounts_[cluster];
  const auto campaign = pair.campaign;
  keeps_.take(account.id, campaign, resources);
  int jobs_elsewhere = 0;
  if (!pair.best_effort) {
    const double awake = std::min(account.reserved - account.asleep, resources);
    const double woken = std::clamp(resources - awake - free_left(account), 0.0, account.asleep);
    account.asleep -= woken;
    const double of_reserved = awake + woken;
    account.reserved -= of_reserved;
    resources -= of_reserved;
    if (pair.nodes_per_job) {
      jobs_elsewhere = std::min(jobs, account.reserved_nodes.holds(*pair.nodes_per_job, of_each_node(pair)).value_or(0));
      if (account.asleep + woken > 0.0)
        jobs_elsewhere = std::clamp(jobs - account.nodes.holds(*pair.nodes_per_job, of_each_node(pair)).value_or(jobs), 0, jobs_elsewhere);
      account.reserved_nodes.take(jobs_elsewhere, *pair.nodes_per_job, of_each_node(pair));
    } else account.reserved_nodes.take(of_reserved);
  }
  if (pair.nodes_per_job) {
    account.nodes.take(jobs - jobs_elsewhere, *pair.nodes_per_job, of_each_node(pair));
    account.instances.take(jobs - jobs_elsewhere, *pair.nodes_per_job, of_each_node(pair), pair.taken_mb());
  } else {
    account.nodes.take(resources);
    // Each job of one resource is on one node.
    if (pair.resources_per_job == 1 && pair.taken_mb())
      account.instances.take(static_cast<int>(std::ceil(std::min(resources, 1e9) - kDust)), 1, 1, pair.taken_mb());
    else account.instances.take(resources);
  }
  account.taken += resources;
  account.jobs += jobs;
  if (walltime > 0.0) account.given.push_back({.after = walltime, .resources = resources});
  auto& held = account.reservation;
  if (held && held->campaign == campaign) held.reset();
  if (held && held->campaign != campaign && !ends_before(walltime, *held)) held->spare = non_negative(held->spare - resources);
  auto& takers = account.takers;
  const auto end = takers.ids.begin() + takers.count;
  if (std::find(takers.ids.begin(), end, campaign.value()) != end || end == takers.ids.end()) return;
  takers.ids[static_cast<std::size_t>(takers.count++)] = campaign.value();
}

std::optional<Reservation> Ledger::earliest(const ClusterView& view, std::size_t cluster, const PairView& pair, double resources) const {
  const auto& account = accounts_[cluster];
  auto endings = view.endings;
  double explained = 0.0;
  for (const auto& ending : endings) explained += ending.resources;
  // A job that is over for us holds its resources until OAR has cleaned up.
  constexpr double kSoon = 1.0;
  endings.push_back({.after = kSoon, .resources = non_negative(view.our_resources - explained)});
  endings.insert(endings.end(), account.given.begin(), account.given.end());
  std::ranges::sort(endings, {}, &Ending::after);
  // Where the resources are that jobs leave is not known: they count as if together.
  const Offer left{.resources = free_left(account), .free = free_left(account)};
  double free = for_jobs(left, account.nodes, account.reserved, account.reserved_nodes, pair, 0.0).free;
  const double kept = kept_from(cluster, pair);
  if (free + kDust >= resources + kept)
    return Reservation{.campaign = pair.campaign, .resources = resources, .after = 0.0, .spare = free - resources};
  for (const auto& ending : endings) {
    free += ending.resources;
    if (free + kDust >= resources + kept)
      return Reservation{.campaign = pair.campaign, .resources = resources, .after = non_negative(ending.after), .spare = free - resources};
  }
  // Nobody knows when jobs end that have not begun; others end before them. They may still run when the others are over, so nothing is
  // spare: what was given of it in each plan would wait with them, and keep the job from starting.
  free += account.starting;
  if (free + kDust < resources + kept) return std::nullopt;
  return Reservation{.campaign = pair.campaign, .resources = resources, .after = non_negative(endings.back().after), .spare = 0.0};
}

}  // namespace gleaner::planner
