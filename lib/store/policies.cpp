#include "lib/store/policies.hpp"


#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::exec_prepared;
using detail::get;
using detail::text;

grid::Limit read_limit(const pqxx::row& row) {
  grid::Limit limit;
  limit.id = row["id"].as<std::int64_t>();
  limit.kind = grid::limit_kind(text(row["kind"])).value();
  limit.most = row["most"].as<double>();
  limit.user = get<std::string>(row["user_name"]);
  limit.project = get<std::string>(row["project"]);
  if (const auto id = get<std::int64_t>(row["campaign_id"])) limit.campaign = grid::CampaignId{*id};
  if (const auto id = get<std::int64_t>(row["cluster_id"])) limit.cluster = grid::ClusterId{*id};
  limit.cluster_name = get<std::string>(row["cluster"]).value_or("");
  limit.days = row["days"].as<int>();
  limit.used = row["used"].as<double>();
  return limit;
}

}  // namespace

std::vector<grid::UsageOfDay> usage(Transaction& transaction, int days, grid::Instant now) {
  std::vector<grid::UsageOfDay> all;
  for (const auto& row : exec_prepared(transaction, sql::policies_usage{.now = now, .first_day = now - std::chrono::days{days - 1}}))
    all.push_back({text(row["user_name"]), text(row["project"]), row["days_ago"].as<int>(), row["resource_seconds"].as<double>()});
  return all;
}

std::vector<grid::UserPriority> user_priorities(Transaction& transaction) {
  std::vector<grid::UserPriority> all;
  for (const auto& row : exec_prepared(transaction, sql::policies_user_priorities{}))
    all.push_back({text(row["user_name"]), row["priority"].as<int>()});
  return all;
}

std::vector<grid::Share> shares(Transaction& transaction) {
  std::vector<grid::Share> all;
  for (const auto& row : exec_prepared(transaction, sql::policies_shares{}))
    all.push_back({row["id"].as<std::int64_t>(), text(row["name"]), text(row["kind"]) == "user", get<std::int64_t>(row["parent_id"]),
                   row["shares"].as<double>()});
  return all;
}

std::vector<grid::Affinity> couples(Transaction& transaction) {
  std::vector<grid::Affinity> all;
  for (const auto& row : exec_prepared(transaction, sql::policies_couples{}))
    all.push_back({text(row["user_name"]), grid::ClusterId{row["cluster_id"].as<std::int64_t>()}, text(row["cluster"])});
  return all;
}

std::vector<grid::Limit> limits(Transaction& transaction, grid::Instant now) {
  std::vector<grid::Limit> all;
  for (const auto& row : exec_prepared(transaction, sql::policies_limits{.now = now})) all.push_back(read_limit(row));
  return all;
}

grid::PolicyFacts policy_facts(Transaction& transaction, const PolicyNeeds& needs, grid::Instant now) {
  grid::PolicyFacts facts;
  if (needs.limits) facts.limits = limits(transaction, now);
  if (needs.usage_days > 0) {
    facts.usage = usage(transaction, needs.usage_days, now);
    if (needs.priorities) facts.priorities = user_priorities(transaction);
    if (needs.shares) facts.shares = shares(transaction);
  }
  if (needs.couples) facts.affinities = couples(transaction);
  if (needs.endings) {
    for (const auto& row : exec(transaction, sql::policies_endings{.now = now}))
      facts.endings.push_back({row["after"].as<double>(), row["resources"].as<double>(), grid::ClusterId{row["cluster_id"].as<std::int64_t>()}});
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

std::int64_t set_limit(Transaction& transaction, const grid::Limit& limit) {
  const auto rows = exec(transaction, sql::policies_set_limit{
                                          .kind = grid::name_of(limit.kind),
                                          .most = limit.most,
                                          .user = limit.user,
                                          .project = limit.project,
                                          .campaign = limit.campaign,
                                          .cluster = limit.cluster,
                                          .days = limit.days,
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
