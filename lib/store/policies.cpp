#include "lib/store/policies.hpp"


#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::exec_prepared;
using detail::get;
using detail::text;

StoredLimit read_limit(const pqxx::row& row) {
  StoredLimit limit;
  limit.id = row["id"].as<std::int64_t>();
  limit.kind = text(row["kind"]);
  limit.most = row["most"].as<double>();
  limit.target.user = get<std::string>(row["user_name"]);
  limit.target.project = get<std::string>(row["project"]);
  if (const auto id = get<std::int64_t>(row["campaign_id"])) limit.target.campaign = grid::CampaignId{*id};
  if (const auto id = get<std::int64_t>(row["cluster_id"])) limit.target.cluster = grid::ClusterId{*id};
  limit.cluster_name = get<std::string>(row["cluster"]).value_or("");
  limit.days = row["days"].as<int>();
  limit.used = row["used"].as<double>();
  return limit;
}

}  // namespace

std::vector<UsageOfDay> usage(Transaction& transaction, int days, grid::Instant now) {
  std::vector<UsageOfDay> all;
  for (const auto& row : exec_prepared(transaction, sql::policies_usage{.now = now, .first_day = now - std::chrono::days{days - 1}}))
    all.push_back({text(row["user_name"]), text(row["project"]), row["days_ago"].as<int>(), row["resource_seconds"].as<double>()});
  return all;
}

std::vector<UserPriority> user_priorities(Transaction& transaction) {
  std::vector<UserPriority> all;
  for (const auto& row : exec_prepared(transaction, sql::policies_user_priorities{}))
    all.push_back({text(row["user_name"]), row["priority"].as<int>()});
  return all;
}

std::vector<Share> shares(Transaction& transaction) {
  std::vector<Share> all;
  for (const auto& row : exec_prepared(transaction, sql::policies_shares{}))
    all.push_back({row["id"].as<std::int64_t>(), text(row["name"]), text(row["kind"]) == "user", get<std::int64_t>(row["parent_id"]),
                   row["shares"].as<double>()});
  return all;
}

std::vector<Couple> couples(Transaction& transaction) {
  std::vector<Couple> all;
  for (const auto& row : exec_prepared(transaction, sql::policies_couples{}))
    all.push_back({text(row["user_name"]), grid::ClusterId{row["cluster_id"].as<std::int64_t>()}, text(row["cluster"])});
  return all;
}

std::vector<StoredLimit> limits(Transaction& transaction, grid::Instant now) {
  std::vector<StoredLimit> all;
  for (const auto& row : exec_prepared(transaction, sql::policies_limits{.now = now})) all.push_back(read_limit(row));
  return all;
}

PolicyFacts policy_facts(Transaction& transaction, const PolicyNeeds& needs, grid::Instant now) {
  PolicyFacts facts;
  if (needs.limits) facts.limits = limits(transaction, now);
  if (needs.usage_days > 0) {
    facts.usage = usage(transaction, needs.usage_days, now);
    if (needs.priorities) facts.priorities = user_priorities(transaction);
    if (needs.shares) facts.shares = shares(transaction);
  }
  if (needs.couples) facts.couples = couples(transaction);
  if (needs.endings) {
    for (const auto& row : exec(transaction, sql::policies_endings{.now = now}))
      facts.endings.push_back({grid::ClusterId{row["cluster_id"].as<std::int64_t>()}, row["after"].as<double>(), row["resources"].as<double>()});
  }
  if (needs.dying) {
    for (const auto& row : exec(transaction, sql::policies_dying{}))
      facts.dying.push_back({grid::CampaignId{row["campaign_id"].as<std::int64_t>()}, grid::ClusterId{row["cluster_id"].as<std::int64_t>()},
                             row["jobs"].as<int>()});
  }
  if (needs.profiled) {
    for (const auto& row : exec(transaction, sql::policies_profiled{})) facts.profiled.emplace_back(row["id"].as<std::int64_t>());
  }
  return facts;
}

std::int64_t set_limit(Transaction& transaction, const std::string& kind, double most, const LimitTarget& target, int days) {
  const auto rows = exec(transaction, sql::policies_set_limit{
                                          .kind = kind,
                                          .most = most,
                                          .user = target.user,
                                          .project = target.project,
                                          .campaign = target.campaign,
                                          .cluster = target.cluster,
                                          .days = days,
                                      });
  wake_up(transaction);
  return rows[0]["id"].as<std::int64_t>();
}

bool remove_limit(Transaction& transaction, std::int64_t id) {
  const bool removed = !exec(transaction, sql::policies_remove_limit{.limit = id}).empty();
  wake_up(transaction);
  return removed;
}

std::vector<std::int64_t> projects_named(Transaction& transaction, const std::string& name) {
  std::vector<std::int64_t> ids;
  for (const auto& row : exec(transaction, sql::policies_projects_named{.name = name})) ids.push_back(row["id"].as<std::int64_t>());
  return ids;
}

std::optional<std::int64_t> share_of(Transaction& transaction, const std::string& kind, const std::string& name,
                                     std::optional<std::int64_t> parent) {
  const auto rows = exec(transaction, sql::policies_share_of{.kind = kind, .name = name, .parent = parent});
  return rows.empty() ? std::nullopt : std::optional{rows[0]["id"].as<std::int64_t>()};
}

void set_share(Transaction& transaction, const std::string& kind, const std::string& name, std::optional<std::int64_t> parent, double shares) {
  exec(transaction, sql::policies_set_share{.kind = kind, .name = name, .parent = parent, .shares = shares});
  wake_up(transaction);
}

bool remove_share(Transaction& transaction, std::int64_t id) {
  const bool removed = !exec(transaction, sql::policies_remove_share{.share = id}).empty();
  wake_up(transaction);
  return removed;
}

void couple(Transaction& transaction, const std::string& user, grid::ClusterId cluster) {
  exec(transaction, sql::policies_couple{.user = user, .cluster = cluster});
  wake_up(transaction);
}

bool uncouple(Transaction& transaction, const std::string& user, grid::ClusterId cluster) {
  const bool removed = !exec(transaction, sql::policies_uncouple{.user = user, .cluster = cluster}).empty();
  wake_up(transaction);
  return removed;
}

void set_user_priority(Transaction& transaction, const std::string& user, int priority) {
  exec(transaction, sql::policies_set_user_priority{.user = user, .priority = priority});
  wake_up(transaction);
}

void preempt_jobs(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, int jobs, grid::Instant now) {
  exec(transaction, sql::policies_preempt{.now = now, .campaign = campaign, .cluster = cluster, .jobs = jobs});
}

}  // namespace gleaner::store
