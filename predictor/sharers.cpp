#include "predictor/sharers.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "predictor/algorithms/evidence.hpp"
#include "predictor/algorithms/spread.hpp"
#include "predictor/room.hpp"

namespace gleaner::predictor {
namespace {

using store::PredictionCampaign;
using store::PredictionPair;

/// Test campaigns first, those of the lowest priority last; within, by priority where the order has such classes.
int rank_of(const PredictionCampaign& campaign, bool by_priority) {
  if (campaign.type == grid::CampaignType::test) return -1;
  if (by_priority || campaign.priority == grid::kLowestPriority) return campaign.priority;
  return 0;
}

/// The last policy of the order decides among those that are equal before it.
prediction::Sharing sharing_of(std::string_view order) {
  return order.ends_with("fifo") ? prediction::Sharing::in_order : prediction::Sharing::among_users;
}

struct Totals {
  grid::Durations durations;
  double running = 0;
  double walltime = 0;
};

/// Fewer jobs of one cluster say less of a campaign than those of all clusters.
constexpr std::int64_t kEnoughJobs = 10;

struct Estimate {
  double seconds = 0;
  double error = 0;
  double naive = 0;  ///< the mean of those that are done
  bool is_bound = false;
};

Estimate estimate_of(const PredictionCampaign& campaign, const Totals& totals) {
  const bool has_own = totals.durations.count > 0 && totals.durations.sum > 0.0;
  const auto& known = has_own ? totals.durations : campaign.earlier;
  if (known.count <= 0 || !(known.sum > 0.0)) return {.seconds = totals.walltime, .error = 1.0, .naive = totals.walltime, .is_bound = true};
  const double variation = prediction::variation_of(*known.deviation() / *known.mean(), static_cast<double>(known.count));
  const double tasks = std::max(1.0, static_cast<double>(campaign.remaining));
  const auto mean = prediction::mean_of_all(known, has_own ? totals.running : 0.0, has_own ? campaign.running_seconds : 0.0);
  return {.seconds = mean.seconds, .error = std::hypot(mean.error, variation / std::sqrt(tasks)), .naive = *known.mean()};
}

prediction::Claim claim_of(const PredictionPair& pair, const PredictionCampaign& campaign, const Estimate& estimate,
                           const process::Config& config) {
  prediction::Claim claim{.cluster = 0, .width = width_of(pair), .seconds = estimate.seconds, .running = static_cast<double>(pair.running)};
  if (!estimate.is_bound && pair.done >= kEnoughJobs) claim.seconds *= pair.duration_sum / static_cast<double>(pair.done) / estimate.naive;
  const auto pace = pace_of(pair, campaign, config);
  if (pace.pool) claim.seconds /= std::max(1.0, pace.pool->workers);
  else claim.seconds += prediction::least_start(pace);
  claim.seconds = std::max(claim.seconds, 0.1);
  claim.most = static_cast<double>(slots_of(pair));
  claim.is_open = pair.access == PredictionPair::Access::open && width_of(pair) <= room_of(pair) &&
                  !(campaign.type == grid::CampaignType::test && pair.concluded_jobs > 0);
  return claim;
}

}  // namespace

Sharers::Sharers(const store::PredictionFacts& facts, const process::Config& config) {
  std::map<grid::CampaignId, Totals> totals;
  for (const auto& pair : facts.pairs) {
    auto& of_all = totals[pair.campaign];
    of_all.durations.add({.count = pair.done, .sum = pair.duration_sum, .squares = pair.duration_squares});
    of_all.running += pair.running;
    of_all.walltime = std::max(of_all.walltime, pair.walltime);
  }
  std::map<std::string_view, std::size_t> users;
  std::map<grid::CampaignId, std::pair<const PredictionCampaign*, Estimate>> campaigns;
  const bool by_priority = config.campaign_order.starts_with("priority");
  for (const auto& campaign : facts.campaigns) {
    const auto estimate = estimate_of(campaign, totals[campaign.id]);
    const bool is_stopped = campaign.paused || campaign.awaits || campaign.braked;
    // Nobody knows here when others release their tasks.
    const auto tasks = campaign.follows ? campaign.waiting : campaign.remaining - campaign.running;
    places_[campaign.id] = {.index = sharers_.size(), .shares = false};
    campaigns[campaign.id] = {&campaign, estimate};
    sharers_.push_back({.rank = rank_of(campaign, by_priority),
                        .user = users.try_emplace(campaign.user, users.size()).first->second,
                        .waiting = is_stopped ? 0.0 : std::max(0.0, static_cast<double>(tasks - campaign.held)),
                        .error = estimate.error,
                        .is_bound = estimate.is_bound,
                        .claims = {}});
  }
  std::map<grid::ClusterId, std::size_t> numbers;
  std::vector<prediction::SharedCluster> clusters;
  std::vector<int> users_of;
  std::map<std::pair<std::int64_t, std::string_view>, std::size_t> limit_numbers;
  std::vector<double> limits;
  for (const auto& pair : facts.pairs) {
    const auto& [campaign, estimate] = campaigns.at(pair.campaign);
    auto claim = claim_of(pair, *campaign, estimate, config);
    auto& sharer = sharers_[places_.at(pair.campaign).index];
    if (!claim.is_open && claim.running <= 0.0) continue;
    const auto [number, is_new] = numbers.try_emplace(pair.cluster, clusters.size());
    claim.cluster = number->second;
    if (const auto& limit = pair.limit) {
      const auto [known, is_first] = limit_numbers.try_emplace({limit->shared.first, limit->shared.second}, limits.size());
      if (is_first) limits.push_back(limit->most);
      claim.limit = known->second;
      claim.part = part_of_limit(pair);
    }
    if (is_new) {
      clusters.push_back({.free = static_cast<double>(pair.free_resources),
                          .others = static_cast<double>(std::max(0, pair.max_resources - pair.free_resources))});
      users_of.push_back(0);
    }
    auto& cluster = clusters[claim.cluster];
    cluster.others = std::max(0.0, cluster.others - claim.running * claim.width);
    if (sharer.waiting > 0.0 || claim.running > 0.0) ++users_of[claim.cluster];
    sharer.claims.push_back(claim);
  }
  for (auto& [id, place] : places_) {
    const auto& sharer = sharers_[place.index];
    place.shares = !campaigns.at(id).first->follows &&
                   std::ranges::any_of(sharer.claims, [&](const prediction::Claim& claim) { return users_of[claim.cluster] > 1; });
  }
  if (std::ranges::none_of(places_, [](const auto& place) { return place.second.shares; })) return;
  emptied_ = prediction::empty_bags(sharers_, clusters, sharing_of(config.campaign_order),
                                    std::chrono::duration<double>{config.cycle_period}.count(), limits);
}

std::optional<prediction::Emptying> Sharers::of(grid::CampaignId campaign) const {
  const auto found = places_.find(campaign);
  if (found == places_.end() || !found->second.shares || sharers_[found->second.index].is_bound) return std::nullopt;
  return emptied_[found->second.index];
}

}  // namespace gleaner::predictor
