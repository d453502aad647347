#include "lib/store/policies.hpp"

#include <algorithm>

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::exec_prepared;

grid::Limit read_limit(const sql::policies_limits::Row& row) {
  grid::Limit limit;
  limit.id = *row.id;
  limit.kind = row.kind.as(grid::limit_kind);
  limit.most = *row.most;
  limit.consumable = row.consumable.value_or("");
  limit.user = row.user_name;
  limit.group = row.group_name;
  limit.project = row.project;
  limit.campaign = row.campaign_id;
  limit.cluster = row.cluster_id;
  limit.cluster_name = row.cluster.value_or("");
  limit.days = *row.days;
  if (row.each_of.has_value()) limit.each = row.each_of.as(grid::limit_each);
  if (row.silent_s.has_value()) limit.silent = std::chrono::seconds{*row.silent_s};
  return limit;
}

/// The lines of a text.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    lines.emplace_back(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return lines;
}

grid::Keep read_keep(const sql::policies_keeps::Row& row) {
  grid::Keep keep;
  keep.name = *row.name;
  keep.cluster = *row.cluster_id;
  keep.cluster_name = *row.cluster;
  if (row.percent.has_value()) keep.part = {.amount = *row.percent, .percent = true};
  else keep.part = {.amount = static_cast<double>(row.resources.as<int>())};
  keep.user = row.user_name;
  keep.group = row.group_name;
  keep.project = row.project;
  keep.campaign = row.campaign_id;
  if (row.campaign_type.has_value()) keep.type = row.campaign_type.as(grid::campaign_type);
  keep.new_users = row.new_users_s;
  if (row.from_s.has_value()) keep.hours = grid::DayHours{.from = *row.from_s, .to = *row.to_s};
  keep.from = row.begins;
  keep.until = row.ends;
  return keep;
}

}  // namespace

std::vector<grid::UsageOfDay> usage(Transaction& transaction, int days, grid::Instant now) {
  std::vector<grid::UsageOfDay> all;
  for (const auto& row : exec_prepared(transaction, sql::policies_usage{.now = now, .first_day = now - std::chrono::days{days - 1}}))
    all.push_back({*row.user_name, *row.project, *row.days_ago, *row.resource_seconds, lines_of(row.groups.as<std::string>())});
  return all;
}

std::vector<grid::UserPriority> user_priorities(Transaction& transaction) {
  std::vector<grid::UserPriority> all;
  for (const auto& row : exec_prepared(transaction, sql::policies_user_priorities{})) all.push_back({*row.user_name, *row.priority});
  return all;
}

void read_declared_priorities(Transaction& transaction, grid::PolicyFacts& facts) {
  for (const auto& row : exec(transaction, sql::policies_declared_priorities{}))
    (row.kind.as<std::string>() == "project" ? facts.project_priorities : facts.group_priorities).push_back({*row.name, *row.priority});
}

std::vector<grid::Share> shares(Transaction& transaction) {
  std::vector<grid::Share> all;
  for (const auto& row : exec_prepared(transaction, sql::policies_shares{})) {
    const auto kind = row.kind.as<std::string>();
    all.push_back({.id = *row.id,
                   .name = *row.name,
                   .is_user = kind == "user",
                   .parent = row.parent_id,
                   .shares = *row.shares,
                   .is_group = kind == "group"});
  }
  return all;
}

std::vector<WorkingUser> working_users(Transaction& transaction) {
  std::vector<WorkingUser> all;
  for (const auto& row : exec(transaction, sql::policies_workers{}))
    all.push_back({*row.user_name, *row.project, lines_of(row.groups.as<std::string>())});
  return all;
}

std::vector<grid::CampaignId> working_campaigns(Transaction& transaction, const std::string& user) {
  std::vector<grid::CampaignId> all;
  for (const auto& row : exec(transaction, sql::policies_working_campaigns{.user = user})) all.push_back(*row.id);
  return all;
}

double resources_of_grid(Transaction& transaction) { return *exec(transaction, sql::policies_resources{})[0].resources; }

std::vector<grid::Affinity> affinities(Transaction& transaction) {
  std::vector<grid::Affinity> all;
  for (const auto& row : exec_prepared(transaction, sql::policies_affinities{}))
    all.push_back({*row.user_name, *row.cluster_id, *row.cluster});
  return all;
}

std::vector<grid::Limit> limits(Transaction& transaction, grid::Instant now) {
  std::vector<grid::Limit> all;
  for (const auto& row : exec_prepared(transaction, sql::policies_limits{.now = now})) {
    const std::int64_t id = *row.id;
    if (all.empty() || all.back().id != id) all.push_back(read_limit(row));
    auto& limit = all.back();
    const double used = *row.used;
    if (row.name.has_value()) limit.used_by.emplace(*row.name, used);
    limit.used = std::max(limit.used, used);
  }
  return all;
}

std::map<std::int64_t, std::int64_t> stopped_by_limits(Transaction& transaction, std::string_view reason,
                                                       const std::optional<std::string>& user) {
  std::map<std::int64_t, std::int64_t> all;
  for (const auto& row : exec(transaction, sql::policies_stopped_by_limits{.reason = std::string{reason}, .user = user}))
    all.emplace(*row.limit_id, *row.campaigns);
  return all;
}

std::vector<DeclaredConsumable> consumables(Transaction& transaction, const std::optional<std::string>& user) {
  std::vector<DeclaredConsumable> all;
  for (const auto& row : exec(transaction, sql::policies_consumables{.user = user}))
    all.push_back({.name = *row.consumable, .most = row.most, .limit = row.limit_id.value_or(0)});
  return all;
}

grid::PolicyFacts policy_facts(Transaction& transaction, const PolicyNeeds& needs, grid::Instant now) {
  grid::PolicyFacts facts;
  if (needs.limits) facts.limits = limits(transaction, now);
  if (needs.keeps) facts.keeps = keeps(transaction);
  if (std::ranges::any_of(facts.keeps, [](const grid::Keep& keep) { return keep.new_users.has_value(); })) {
    for (const auto& row : exec(transaction, sql::policies_first_campaigns{}))
      facts.first_campaigns.push_back({*row.user_name, *row.submitted});
  }
  if (needs.usage_days > 0) {
    facts.usage = usage(transaction, needs.usage_days, now);
    if (needs.priorities) facts.priorities = user_priorities(transaction);
  }
  if (needs.declared_priorities) read_declared_priorities(transaction, facts);
  const bool any_keep_of_project = std::ranges::any_of(facts.keeps, [](const grid::Keep& keep) { return keep.project.has_value(); });
  if (needs.shares && (needs.usage_days > 0 || needs.declared_priorities || any_keep_of_project)) facts.shares = shares(transaction);
  if (needs.affinities) facts.affinities = affinities(transaction);
  if (needs.endings) {
    for (const auto& row :
         exec_prepared(transaction, sql::policies_endings{.soon_s = std::chrono::duration<double>{needs.soon}.count(), .now = now}))
      facts.endings.push_back({.after = *row.after, .resources = *row.resources, .cluster = *row.cluster_id, .soon = *row.soon});
  }
  if (needs.held) {
    for (const auto& row : exec(transaction, sql::policies_held{})) facts.held.push_back({*row.campaign_id, *row.cluster_id, *row.begins});
  }
  if (needs.dying) {
    for (const auto& row : exec_prepared(transaction, sql::policies_dying{}))
      facts.dying.push_back({*row.campaign_id, *row.cluster_id, *row.jobs});
  }
  if (needs.profiled) {
    for (const auto& row : exec(transaction, sql::policies_profiled{})) facts.profiled.push_back(*row.id);
  }
  return facts;
}

std::int64_t set_limit(Transaction& transaction, const grid::Limit& limit) {
  const auto rows = exec(transaction, sql::policies_set_limit{
                                          .kind = grid::name_of(limit.kind),
                                          .most = limit.most,
                                          .consumable = limit.consumable.empty() ? std::nullopt : std::optional{limit.consumable},
                                          .user = limit.user,
                                          .group = limit.group,
                                          .project = limit.project,
                                          .campaign = limit.campaign,
                                          .cluster = limit.cluster,
                                          .days = limit.days,
                                          .each = limit.each ? std::optional{grid::name_of(*limit.each)} : std::nullopt,
                                          .silent = limit.silent ? std::optional{static_cast<int>(limit.silent->count())} : std::nullopt,
                                      });
  wake_up(transaction);
  return *rows[0].id;
}

bool remove_limit(Transaction& transaction, std::int64_t id) {
  const bool removed = !exec(transaction, sql::policies_remove_limit{.limit = id}).empty();
  wake_up(transaction);
  return removed;
}

std::vector<grid::Keep> keeps(Transaction& transaction) {
  std::vector<grid::Keep> all;
  for (const auto& row : exec(transaction, sql::policies_keeps{})) all.push_back(read_keep(row));
  return all;
}

std::vector<grid::Keep> used_keeps(Transaction& transaction, grid::Instant now) {
  auto all = keeps(transaction);
  for (const auto& row : exec(transaction, sql::policies_use_of_keeps{.now = now})) {
    const auto keep = std::ranges::find(all, row.name.as<std::string>(), &grid::Keep::name);
    if (keep != all.end()) keep->used = *row.used;
  }
  return all;
}

std::optional<grid::Instant> next_change_of_keeps(Transaction& transaction, grid::Instant now) {
  std::optional<grid::Instant> next;
  for (const auto& keep : keeps(transaction)) {
    const auto at = grid::next_change(keep, now);
    if (at && (!next || *at < *next)) next = at;
  }
  return next;
}

void set_keep(Transaction& transaction, const grid::Keep& keep) {
  const auto& part = keep.part;
  exec(transaction, sql::policies_set_keep{
                        .name = keep.name,
                        .cluster = keep.cluster,
                        .resources = part.percent ? std::nullopt : std::optional{static_cast<int>(part.amount)},
                        .percent = part.percent ? std::optional{part.amount} : std::nullopt,
                        .user = keep.user,
                        .group = keep.group,
                        .project = keep.project,
                        .campaign = keep.campaign,
                        .type = keep.type ? std::optional{std::string{grid::name_of(*keep.type)}} : std::nullopt,
                        .new_users = keep.new_users,
                        .from = keep.hours ? std::optional{keep.hours->from} : std::nullopt,
                        .to = keep.hours ? std::optional{keep.hours->to} : std::nullopt,
                        .begins = keep.from,
                        .ends = keep.until,
                    });
  wake_up(transaction);
}

bool remove_keep(Transaction& transaction, const std::string& name) {
  const bool removed = !exec(transaction, sql::policies_remove_keep{.name = name}).empty();
  wake_up(transaction);
  return removed;
}

std::vector<std::string> projects_of(Transaction& transaction, const std::string& user) {
  std::vector<std::string> names;
  for (const auto& row : exec(transaction, sql::policies_projects_of{.user = user})) names.push_back(*row.name);
  return names;
}

std::vector<std::int64_t> projects_named(Transaction& transaction, const std::string& name) {
  return detail::ids_in<std::int64_t>(exec(transaction, sql::policies_projects_named{.name = name}));
}

std::optional<std::int64_t> share_of(Transaction& transaction, const std::string& kind, const std::string& name,
                                     std::optional<std::int64_t> parent) {
  const auto rows = exec(transaction, sql::policies_share_of{.kind = kind, .name = name, .parent = parent});
  if (rows.empty()) return std::nullopt;
  return rows[0].id;
}

void set_share(Transaction& transaction, const std::string& kind, const std::string& name, std::optional<std::int64_t> parent,
               double shares) {
  exec(transaction, sql::policies_set_share{.kind = kind, .name = name, .parent = parent, .shares = shares});
  wake_up(transaction);
}

bool remove_share(Transaction& transaction, std::int64_t id) {
  const bool removed = !exec(transaction, sql::policies_remove_share{.share = id}).empty();
  wake_up(transaction);
  return removed;
}

void set_affinity(Transaction& transaction, const std::string& user, grid::ClusterId cluster) {
  exec(transaction, sql::policies_set_affinity{.user = user, .cluster = cluster});
  wake_up(transaction);
}

bool remove_affinity(Transaction& transaction, const std::string& user, grid::ClusterId cluster) {
  const bool removed = !exec(transaction, sql::policies_remove_affinity{.user = user, .cluster = cluster}).empty();
  wake_up(transaction);
  return removed;
}

void set_user_priority(Transaction& transaction, const std::string& user, int priority) {
  exec(transaction, sql::policies_set_user_priority{.user = user, .priority = priority});
  wake_up(transaction);
}

void set_project_priority(Transaction& transaction, const std::string& project, int priority) {
  exec(transaction, sql::policies_set_project_priority{.project = project, .priority = priority});
  wake_up(transaction);
}

void set_group_priority(Transaction& transaction, const std::string& group, int priority) {
  exec(transaction, sql::policies_set_group_priority{.group = group, .priority = priority});
  wake_up(transaction);
}

void hold_resources(Transaction& transaction, std::span<const grid::HeldForJob> held, grid::Instant now) {
  detail::Array campaigns, clusters, begins;
  for (const auto& one : held) {
    campaigns.add(one.campaign.value());
    clusters.add(one.cluster.value());
    begins.add(one.begins.time_since_epoch().count());
  }
  exec(transaction, sql::policies_hold{.campaigns = campaigns, .clusters = clusters, .begins = begins, .now = now});
}

void preempt_jobs(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, int jobs, grid::Instant now) {
  exec(transaction, sql::policies_preempt{.now = now, .campaign = campaign, .cluster = cluster, .jobs = jobs});
}

}  // namespace gleaner::store
