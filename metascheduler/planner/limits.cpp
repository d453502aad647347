#include "metascheduler/planner/limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "lib/grid/dust.hpp"
#include "lib/grid/flood.hpp"

namespace gleaner::planner {
namespace {

using grid::kDust;

bool holds(const grid::Limit& limit, const CampaignView& campaign) {
  return (!limit.user || *limit.user == campaign.user) && (!limit.project || *limit.project == campaign.project) &&
         (!limit.campaign || *limit.campaign == campaign.id);
}

int whole(double count) { return static_cast<int>(std::clamp(std::floor(count + kDust), 0.0, grid::kMostJobs)); }

/// One job, in the unit of the limit.
double weight(LimitKind kind, const Candidate& candidate) {
  switch (kind) {
    case LimitKind::running_jobs:
    case LimitKind::waiting_jobs: return 1.0;
    case LimitKind::resources: return candidate.width.resources;
    case LimitKind::resource_seconds:
      return candidate.width.resources * std::max(1.0, candidate.pair->mean_duration.value_or(candidate.pair->walltime));
  }
  return 1.0;
}

std::string_view unit(LimitKind kind) {
  switch (kind) {
    case LimitKind::running_jobs: return "jobs at once";
    case LimitKind::waiting_jobs: return "jobs in a queue";
    case LimitKind::resources: return "resources at once";
    case LimitKind::resource_seconds: return "resource-seconds in its window";
  }
  return "";
}

}  // namespace

Limits::Limits(const std::vector<grid::Limit>& limits) {
  for (const auto& limit : limits) accounts_.push_back({&limit, std::max(0.0, limit.used)});
}

std::vector<std::size_t> Limits::holding(const CampaignView& campaign) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    if (holds(*accounts_[i].limit, campaign)) found.push_back(i);
  }
  return found;
}

Limits::Allowance Limits::left(const Contender& contender, const Candidate& candidate) const {
  Allowance allowance;
  for (const auto i : contender.limits) {
    const auto& [limit, used] = accounts_[i];
    if (limit->cluster && *limit->cluster != candidate.cluster->id) continue;
    int jobs = whole((limit->most - used) / weight(limit->kind, candidate));
    const bool counts_resources = limit->kind == LimitKind::resources || limit->kind == LimitKind::resource_seconds;
    allowance.count_resources = allowance.count_resources || counts_resources;
    // One job is allowed even if less than it takes is left of a window.
    const bool takes_the_rest = limit->kind == LimitKind::resource_seconds || (counts_resources && !candidate.width.known);
    if (takes_the_rest && used < limit->most) jobs = std::max(jobs, 1);
    if (limit->kind == LimitKind::waiting_jobs) {
      if (jobs < allowance.waiting) allowance.tightest_waiting = i;
      allowance.waiting = std::min(allowance.waiting, jobs);
      continue;
    }
    if (!limit->cluster && jobs < allowance.anywhere) {
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
    auto& [limit, used] = accounts_[i];
    if (limit->cluster && *limit->cluster != candidate.cluster->id) continue;
    const int counted = limit->kind == LimitKind::waiting_jobs ? waiting : jobs;
    used += counted * weight(limit->kind, candidate);
  }
}

std::string Limits::text(std::size_t index) const {
  const auto& [limit, used] = accounts_[index];
  std::vector<std::string> whom;
  if (limit->user) whom.push_back(fmt::format("user {}", *limit->user));
  if (limit->project) whom.push_back(fmt::format("project {}", *limit->project));
  if (limit->campaign) whom.push_back(fmt::format("campaign {}", limit->campaign->value()));
  if (limit->cluster) whom.push_back("this cluster");
  if (whom.empty()) whom.push_back("the whole grid");
  return fmt::format("limit {} ({}): at most {:.0f} {}, {:.0f} now", limit->id, fmt::join(whom, ", "), limit->most, unit(limit->kind),
                     used);
}

}  // namespace gleaner::planner
