#include "lib/store/rules.hpp"

#include <algorithm>

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;

}  // namespace

std::vector<Rule> rules(Transaction& transaction) {
  std::vector<Rule> all;
  for (const auto& row : exec(transaction, sql::rules_all{})) {
    all.push_back({.id = *row.id,
                   .name = *row.name,
                   .position = *row.position,
                   .text = *row.text,
                   .enabled = *row.enabled,
                   .created_by = *row.created_by,
                   .created_at = *row.created_at,
                   .changed_by = *row.changed_by,
                   .changed_at = *row.changed_at});
  }
  return all;
}

void lock_rules(Transaction& transaction) { exec(transaction, sql::rules_lock{}); }

bool add_rule(Transaction& transaction, const Rule& rule, const Author& author) {
  const auto known = rules(transaction);
  if (std::ranges::any_of(known, [&](const Rule& other) { return other.name == rule.name; })) return false;
  const int last = static_cast<int>(known.size()) + 1;
  const int position = rule.position < 1 ? last : std::min(rule.position, last);
  exec(transaction, sql::rules_make_room{.position = position});
  return !exec(transaction,
               sql::rules_add{
                   .name = rule.name,
                   .position = position,
                   .text = rule.text,
                   .enabled = rule.enabled,
                   .author = author.name,
                   .now = author.now,
               })
              .empty();
}

void edit_rule(Transaction& transaction, const Rule& rule, int from, const Author& author) {
  exec(transaction, sql::rules_edit{
                        .name = rule.name,
                        .text = rule.text,
                        .enabled = rule.enabled,
                        .author = author.name,
                        .now = author.now,
                        .rule = rule.id,
                    });
  const int last = static_cast<int>(rules(transaction).size());
  const int to = rule.position < 1 ? last : std::min(rule.position, last);
  if (to != from) exec(transaction, sql::rules_move{.rule = rule.id, .to = to, .from = from});
}

void remove_rule(Transaction& transaction, const Rule& rule) {
  exec(transaction, sql::rules_remove{.rule = rule.id});
  exec(transaction, sql::rules_close_gap{.position = rule.position});
}

std::vector<NormalUser> normal_users(Transaction& transaction) {
  std::vector<NormalUser> all;
  for (const auto& row : exec(transaction, sql::rules_normal_users{})) all.push_back({*row.user_name, row.cluster_name});
  return all;
}

void allow_normal(Transaction& transaction, std::string_view user, std::optional<grid::ClusterId> cluster, const Author& author) {
  exec(transaction, sql::rules_allow_normal{.user = user, .cluster = cluster, .author = author.name, .now = author.now});
}

bool forbid_normal(Transaction& transaction, std::string_view user, std::optional<grid::ClusterId> cluster) {
  return !exec(transaction, sql::rules_forbid_normal{.user = user, .cluster = cluster}).empty();
}

}  // namespace gleaner::store
