#include "metascheduler/planner/limits.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "lib/grid/dust.hpp"
#include "lib/grid/flood.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

using grid::kDust;

bool holds(const grid::Limit& limit, const CampaignView& campaign) {
  const auto is_member = [&](const std::string& group) { return std::ranges::find(campaign.groups, group) != campaign.groups.end(); };
  return (!limit.user || *limit.user == campaign.user) && (!limit.group || is_member(*limit.group)) &&
         (!limit.project || *limit.project == campaign.project) && (!limit.campaign || *limit.campaign == campaign.id) &&
         (limit.kind != LimitKind::consumable || grid::need_of(campaign.needs, limit.consumable) > 0);
}

bool holds(const grid::Limit& limit, const ClusterView& cluster) { return !limit.cluster || *limit.cluster == cluster.id; }

int whole(double count) { return static_cast<int>(std::clamp(std::floor(count + kDust), 0.0, grid::kMostJobs)); }

/// Seconds that one job lasts, if it takes tasks for `pool` seconds where the campaign groups them.
double duration(const CampaignView& campaign, const PairView& pair, const Width& width, double pool) {
  const double task = std::max(1.0, pair.mean_duration.value_or(pair.walltime));
  const bool groups = grid::is_grouped(campaign.grouping) && !pair.pools_refused && !campaign.differing &&
                      campaign.type != grid::CampaignType::test && (pair.mean_duration || campaign.grouping == grid::Grouping::on);
  if (!groups) return task;
  const double others = static_cast<double>(std::max<std::int64_t>(1, campaign.waiting_tasks) - 1) / at_a_time(campaign, width);
  return task + std::min(pool, others * task);
}

/// Nodes of one job: those of its request, or as few as hold its resources.
double nodes_of(const PairView& pair, const ClusterView& cluster, const Width& width) {
  if (pair.nodes_per_job) return *pair.nodes_per_job;
  return cluster.max_node_resources > 0 ? std::max(1.0, std::ceil(width.resources / cluster.max_node_resources - kDust)) : 1.0;
}

/// One job, in the unit of the limit.
double weight(const grid::Limit& limit, const CampaignView& campaign, const PairView& pair, const ClusterView& cluster, const Width& width,
              double pool) {
  switch (limit.kind) {
    case LimitKind::running_jobs:
    case LimitKind::waiting_jobs: return 1.0;
    case LimitKind::nodes: return nodes_of(pair, cluster, width);
    case LimitKind::resources: return width.resources;
    case LimitKind::resource_seconds: return width.resources * duration(campaign, pair, width, pool);
    case LimitKind::consumable: return grid::need_of(campaign.needs, limit.consumable) * at_a_time(campaign, width);
  }
  return 1.0;
}

double weight(const grid::Limit& limit, const Contender& contender, const Candidate& candidate, double pool) {
  return weight(limit, *contender.campaign, *candidate.pair, *candidate.cluster, candidate.width, pool);
}

/// The name of the account that a campaign has in a limit for each.
std::string name_in(grid::LimitEach each, const CampaignView& campaign) {
  switch (each) {
    case grid::LimitEach::user: return campaign.user;
    case grid::LimitEach::project: return campaign.project;
    case grid::LimitEach::campaign: break;
  }
  return std::to_string(campaign.id.value());
}

/// The limit for each as the one that it is for this campaign.
grid::Limit one_of(const grid::Limit& limit, const CampaignView& campaign) {
  auto one = limit;
  switch (*limit.each) {
    case grid::LimitEach::user: one.user = campaign.user; break;
    case grid::LimitEach::project: one.project = campaign.project; break;
    case grid::LimitEach::campaign: one.campaign = campaign.id; break;
  }
  const auto used = limit.used_by.find(name_in(*limit.each, campaign));
  one.used = used == limit.used_by.end() ? 0.0 : used->second;
  one.used_by.clear();
  return one;
}

bool same_target(const grid::Limit& a, const grid::Limit& b) {
  const auto target = [](const grid::Limit& limit) {
    return std::tie(limit.kind, limit.consumable, limit.user, limit.group, limit.project, limit.campaign, limit.cluster);
  };
  return target(a) == target(b);
}

}  // namespace

Limits::Limits(const Snapshot& snapshot, double pool) : pool_{pool} {
  if (!snapshot.limits.empty()) {
    for (const auto& campaign : snapshot.campaigns) campaigns_.emplace(campaign.id, &campaign);
  }
  for (const auto& limit : snapshot.limits) {
    if (limit.each) {
      open_for_each(limit, snapshot);
      continue;
    }
    of_all_.push_back(accounts_.size());
    open(limit, snapshot);
  }
}

void Limits::open(const grid::Limit& limit, const Snapshot& snapshot) {
  accounts_.push_back({limit, std::max(0.0, limit.used), limit.kind == LimitKind::consumable ? holders_of(limit, snapshot) : Holders{}});
}

void Limits::open_for_each(const grid::Limit& limit, const Snapshot& snapshot) {
  std::set<std::string> named;
  for (const auto& campaign : snapshot.campaigns) {
    if (!named.insert(name_in(*limit.each, campaign)).second) continue;
    const auto one = one_of(limit, campaign);
    const auto names_it = [&](const grid::Limit& other) { return !other.each && same_target(other, one); };
    if (std::ranges::any_of(snapshot.limits, names_it)) continue;
    of_each_[{*limit.each, name_in(*limit.each, campaign)}].push_back(accounts_.size());
    open(one, snapshot);
  }
}

Limits::Holders Limits::holders_of(const grid::Limit& limit, const Snapshot& snapshot) {
  Holders holders;
  std::map<grid::CampaignId, const CampaignView*> campaigns;
  for (const auto& campaign : snapshot.campaigns) {
    if (holds(limit, campaign)) campaigns.emplace(campaign.id, &campaign);
  }
  for (const auto& pair : snapshot.pairs) {
    const int live = pair.live_jobs + pair.frozen_jobs;
    const auto campaign = campaigns.find(pair.campaign);
    if (live == 0 || campaign == campaigns.end()) continue;
    const auto cluster = std::ranges::find(snapshot.clusters, pair.cluster, &ClusterView::id);
    if (cluster == snapshot.clusters.end() || !holds(limit, *cluster) || (limit.silent && !cluster->status_fresh)) continue;
    holders[pair.campaign] += live * weight(limit, *campaign->second, pair, *cluster, width_of(pair, *cluster), 0.0);
  }
  return holders;
}

std::vector<std::size_t> Limits::holding(const CampaignView& campaign) const {
  std::vector<std::size_t> found;
  const auto add = [&](const std::vector<std::size_t>& accounts) {
    for (const auto i : accounts) {
      if (holds(accounts_[i].limit, campaign)) found.push_back(i);
    }
  };
  add(of_all_);
  if (of_each_.empty()) return found;
  for (const auto each : grid::kLimitEach) {
    if (const auto own = of_each_.find({each, name_in(each, campaign)}); own != of_each_.end()) add(own->second);
  }
  return found;
}

Limits::Allowance Limits::left(const Contender& contender, const Candidate& candidate) const {
  Allowance allowance;
  for (const auto i : contender.limits) {
    const auto& limit = accounts_[i].limit;
    const double used = accounts_[i].used;
    if (!holds(limit, *candidate.cluster)) continue;
    int jobs = whole((limit.most - used) / weight(limit, contender, candidate, pool_));
    const bool counts_resources = limit.kind == LimitKind::resources || limit.kind == LimitKind::resource_seconds;
    allowance.count_resources = allowance.count_resources || counts_resources;
    // One job is allowed even if less than it takes is left of a window.
    const bool takes_the_rest = limit.kind == LimitKind::resource_seconds || (counts_resources && !candidate.width.known);
    if (takes_the_rest && used < limit.most) jobs = std::max(jobs, 1);
    if (limit.kind == LimitKind::waiting_jobs) {
      if (jobs < allowance.waiting) allowance.tightest_waiting = i;
      allowance.waiting = std::min(allowance.waiting, jobs);
      continue;
    }
    if (!limit.cluster && jobs < allowance.anywhere) {
      allowance.anywhere = jobs;
      allowance.tightest_anywhere = i;
    }
    if (jobs < allowance.jobs) {
      allowance.jobs = jobs;
      allowance.tightest = i;
    }
  }
  return allowance;
}

void Limits::take(const Contender& contender, const Candidate& candidate, int jobs, int waiting) {
  for (const auto i : contender.limits) {
    auto& account = accounts_[i];
    const auto& limit = account.limit;
    if (!holds(limit, *candidate.cluster)) continue;
    const double taken = (limit.kind == LimitKind::waiting_jobs ? waiting : jobs) * weight(limit, contender, candidate, pool_);
    account.used += taken;
    if (limit.kind == LimitKind::consumable) account.holders[contender.campaign->id] += taken;
  }
}

double Limits::need_of(std::size_t index, const Candidate& candidate) const {
  return weight(accounts_[index].limit, *campaigns_.at(candidate.pair->campaign), *candidate.pair, *candidate.cluster, candidate.width,
                pool_);
}

bool Limits::fits_one_job(std::size_t index, const Candidate& candidate) const {
  const auto& limit = accounts_[index].limit;
  // As left(): a job may take the rest of a window, and one of unknown width is measured.
  if (limit.kind == LimitKind::waiting_jobs) return true;
  if (limit.kind == LimitKind::resource_seconds || (limit.kind == LimitKind::resources && !candidate.width.known)) return limit.most > 0;
  return need_of(index, candidate) <= limit.most + kDust;
}

decisions::LimitInForce Limits::in_force(std::size_t index, const Candidate& candidate) const {
  const auto& account = accounts_[index];
  const auto& limit = account.limit;
  decisions::LimitInForce found{.id = limit.id,
                                .kind = limit.kind,
                                .target = {.user = limit.user,
                                           .group = limit.group,
                                           .project = limit.project,
                                           .campaign = limit.campaign,
                                           .each = limit.each,
                                           .this_cluster = limit.cluster.has_value()},
                                .most = limit.most,
                                .used = account.used,
                                .fits_one_job = fits_one_job(index, candidate),
                                .window_days = limit.days};
  const double need = need_of(index, candidate);
  const bool is_room_left = limit.kind != LimitKind::resource_seconds && account.used + kDust < limit.most;
  if (is_room_left && need > 1.0 + kDust) found.job_needs = need;
  if (!limit.consumable.empty()) found.target.consumable = limit.consumable;
  if (limit.kind == LimitKind::consumable) add_holders(account, candidate.pair->campaign, found);
  return found;
}

void Limits::add_holders(const Account& account, grid::CampaignId own, decisions::LimitInForce& found) {
  constexpr std::size_t kShown = 3;
  std::vector<std::pair<double, grid::CampaignId>> others;
  double rest = account.used;
  for (const auto& [campaign, held] : account.holders) {
    rest -= held;
    if (campaign != own && held > 0) others.emplace_back(-held, campaign);
  }
  std::ranges::sort(others);
  for (const auto& [held, campaign] : others) {
    if (found.holders.size() < kShown) found.holders.push_back({.campaign = campaign, .used = -held});
    else rest -= held;
  }
  found.used_by_others = rest;
}

}  // namespace gleaner::planner
