#include "metascheduler/planner/head_start.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "metascheduler/planner/orders/order.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

/// A campaign's jobs on all clusters.
struct Jobs {
  std::int64_t live = 0;
  std::int64_t concluded = 0;
  double resources = 0.0;  ///< of the live ones
};

std::map<grid::CampaignId, Jobs> jobs_of(const Snapshot& snapshot) {
  std::map<grid::ClusterId, const ClusterView*> clusters;
  for (const auto& cluster : snapshot.clusters) clusters.emplace(cluster.id, &cluster);
  std::map<grid::CampaignId, Jobs> all;
  for (const auto& pair : snapshot.pairs) {
    const auto live = pair.live_jobs + pair.frozen_jobs;
    if (live == 0 && pair.concluded_jobs == 0) continue;
    auto& jobs = all[pair.campaign];
    jobs.live += live;
    jobs.concluded += pair.concluded_jobs;
    jobs.resources += live * job_resources(pair, *clusters.at(pair.cluster));
  }
  return all;
}

double narrowest_job(const Contender& contender) {
  double least = kWholeTurn;
  for (const auto& candidate : contender.candidates) least = std::min(least, job_resources(*candidate.pair, *candidate.cluster));
  return least;
}

}  // namespace

std::int64_t first_tasks(const CampaignView& campaign, const PlannerConfig& config) {
  const auto total = campaign.unsettled_tasks + campaign.settled_tasks;
  // Division first: a bag may be as large as its number's type allows.
  const auto part = total / 100 * config.early_percent + (total % 100 * config.early_percent + 99) / 100;
  return std::clamp<std::int64_t>(part, 1, config.early_tasks);
}

std::int64_t begun_tasks(const CampaignView& campaign, std::int64_t concluded_jobs) {
  const auto total = campaign.unsettled_tasks + campaign.settled_tasks;
  return std::max<std::int64_t>({0, concluded_jobs, total - campaign.waiting_tasks - campaign.held_tasks});
}

HeadStarts::HeadStarts(const Snapshot& snapshot, const PlannerConfig& config, const std::vector<Contender>& contenders)
    : contenders_{contenders}, most_jobs_{config.early_tasks}, campaigns_(contenders.size()) {
  double all = 0.0;
  for (const auto& cluster : snapshot.clusters) all += cluster.max_resources;
  most_resources_ = std::max(1.0, all * config.early_grid_percent / 100.0);

  // Campaigns that are no contenders have jobs, too: paused ones, and those whose bag is empty.
  const auto jobs = jobs_of(snapshot);
  const auto known = [&](const CampaignView& campaign) {
    const auto found = jobs.find(campaign.id);
    return found == jobs.end() ? Jobs{} : found->second;
  };
  for (const auto& campaign : snapshot.campaigns) {
    auto& user = users_[campaign.user];
    if (campaign.type == grid::CampaignType::test) continue;
    const auto its = known(campaign);
    const auto early = std::clamp<std::int64_t>(first_tasks(campaign, config) - its.concluded, 0, its.live);
    if (early == 0) continue;
    early_jobs_.emplace(campaign.id, early);
    user.jobs += early;
    user.resources += its.resources * static_cast<double>(early) / static_cast<double>(its.live);
  }
  for (auto& [name, user] : users_) {
    user.jobs_left = std::max<std::int64_t>(0, most_jobs_ - user.jobs);
    user.resources_left = std::max(0.0, most_resources_ - user.resources);
  }

  std::vector<std::size_t> by_age;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const auto& campaign = *contenders[i].campaign;
    if (campaign.type == grid::CampaignType::test) continue;
    campaigns_[i] = {.user = &users_.at(campaign.user),
                     .first = first_tasks(campaign, config),
                     .begun = begun_tasks(campaign, known(campaign).concluded),
                     .narrowest = narrowest_job(contenders[i])};
    if (campaigns_[i].begun < campaigns_[i].first) by_age.push_back(i);
  }
  std::ranges::sort(by_age, {}, [&](std::size_t i) {
    const auto& campaign = *contenders[i].campaign;
    return std::tuple{campaign.priority, campaign.submitted, campaign.id};
  });
  std::map<const User*, std::int64_t> granted;
  for (const auto i : by_age) {
    auto& campaign = campaigns_[i];
    auto& of_user = granted[campaign.user];
    campaign.before = std::min(most_jobs_, campaign.user->jobs + of_user);
    campaign.granted = std::min(campaign.first - campaign.begun, campaign.user->jobs_left - of_user);
    campaign.left = campaign.granted;
    of_user += campaign.granted;
  }
}

double HeadStarts::factor(std::size_t contender) const {
  const auto& campaign = campaigns_[contender];
  return campaign.first > 0 ? static_cast<double>(campaign.granted) / static_cast<double>(campaign.first) : 0.0;
}

double HeadStarts::resources(std::size_t contender) const {
  const auto& campaign = campaigns_[contender];
  if (campaign.left <= 0 || campaign.user->resources_left < campaign.narrowest) return 0.0;
  return std::min(campaign.user->resources_left, static_cast<double>(campaign.left) * campaign.narrowest);
}

void HeadStarts::served(std::size_t contender, const Served& served) {
  auto& campaign = campaigns_[contender];
  campaign.left -= served.jobs;
  campaign.user->resources_left -= served.resources;
}

std::int64_t HeadStarts::early_jobs(grid::CampaignId campaign) const {
  const auto found = early_jobs_.find(campaign);
  return found == early_jobs_.end() ? 0 : found->second;
}

std::vector<std::size_t> HeadStarts::in_order(const std::vector<std::size_t>& members) const {
  std::vector<std::size_t> order;
  std::ranges::copy_if(members, std::back_inserter(order), [&](std::size_t member) { return resources(member) > 0.0; });
  std::ranges::sort(order, {}, [&](std::size_t member) {
    const auto& campaign = *contenders_[member].campaign;
    return std::tuple{campaigns_[member].user->resources, campaign.priority, campaign.submitted, campaign.id};
  });
  return order;
}

std::optional<decisions::HeadStart> HeadStarts::figures(std::size_t contender) const {
  const auto& campaign = campaigns_[contender];
  if (campaign.begun >= campaign.first) return std::nullopt;
  return decisions::HeadStart{.begun_tasks = campaign.begun,
                              .first_tasks = campaign.first,
                              .granted_tasks = campaign.granted,
                              .user_jobs = campaign.before,
                              .most_jobs = most_jobs_,
                              .user_resources = campaign.granted > 0 ? decisions::rounded(campaign.user->resources, 1) : 0.0,
                              .most_resources = decisions::rounded(most_resources_, 1)};
}

}  // namespace gleaner::planner
