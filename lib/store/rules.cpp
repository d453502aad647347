#include "lib/store/rules.hpp"

#include <algorithm>

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::instant;
using detail::micros;
using detail::text;

std::optional<std::int64_t> number_of(std::optional<grid::ClusterId> cluster) { return cluster ? std::optional{cluster->value()} : std::nullopt; }

}  // namespace

std::vector<Rule> rules(Transaction& transaction) {
  std::vector<Rule> all;
  for (const auto& row : exec(transaction, sql::rules_all)) {
    all.push_back({.id = row["id"].as<std::int64_t>(),
                   .name = text(row["name"]),
                   .position = row["position"].as<int>(),
                   .text = text(row["text"]),
                   .enabled = row["enabled"].as<bool>(),
                   .created_by = text(row["created_by"]),
                   .created_at = instant(row["created_at"].as<std::int64_t>()),
                   .changed_by = text(row["changed_by"]),
                   .changed_at = instant(row["changed_at"].as<std::int64_t>())});
  }
  return all;
}

void lock_rules(Transaction& transaction) { exec(transaction, sql::rules_lock); }

bool add_rule(Transaction& transaction, const Rule& rule, const Author& author) {
  const auto known = rules(transaction);
  if (std::ranges::any_of(known, [&](const Rule& other) { return other.name == rule.name; })) return false;
  const int last = static_cast<int>(known.size()) + 1;
  const int position = rule.position < 1 ? last : std::min(rule.position, last);
  exec(transaction, sql::rules_make_room, position);
  return !exec(transaction, sql::rules_add, rule.name, position, rule.text, rule.enabled, author.name, micros(author.now)).empty();
}

void edit_rule(Transaction& transaction, const Rule& rule, int from, const Author& author) {
  exec(transaction, sql::rules_edit, rule.id, rule.name, rule.text, rule.enabled, author.name, micros(author.now));
  const int last = static_cast<int>(rules(transaction).size());
  const int to = rule.position < 1 ? last : std::min(rule.position, last);
  if (to != from) exec(transaction, sql::rules_move, rule.id, from, to);
}

void remove_rule(Transaction& transaction, const Rule& rule) {
  exec(transaction, sql::rules_remove, rule.id);
  exec(transaction, sql::rules_close_gap, rule.position);
}

std::vector<NormalUser> normal_users(Transaction& transaction) {
  std::vector<NormalUser> all;
  for (const auto& row : exec(transaction, sql::rules_normal_users)) all.push_back({text(row["user_name"]), detail::get<std::string>(row["cluster_name"])});
  return all;
}

void allow_normal(Transaction& transaction, std::string_view user, std::optional<grid::ClusterId> cluster, const Author& author) {
  exec(transaction, sql::rules_allow_normal, std::string{user}, number_of(cluster), author.name, micros(author.now));
}

bool forbid_normal(Transaction& transaction, std::string_view user, std::optional<grid::ClusterId> cluster) {
  return !exec(transaction, sql::rules_forbid_normal, std::string{user}, number_of(cluster)).empty();
}

}  // namespace gleaner::store
