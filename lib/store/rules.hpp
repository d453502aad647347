#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Admission rules: ruby that each campaign passes when it is submitted.
namespace gleaner::store {

struct Rule {
  std::int64_t id = 0;
  std::string name;
  int position = 0;  ///< from 1, without gaps
  std::string text;
  bool enabled = true;
  std::string created_by{};
  grid::Instant created_at{};
  std::string changed_by{};
  grid::Instant changed_at{};
};

/// The author of a change, and its time.
struct Author {
  std::string name;
  grid::Instant now;
};

/// All rules, in order.
[[nodiscard]] std::vector<Rule> rules(Transaction& transaction);
/// Locks the rules' order until the end of the transaction.
void lock_rules(Transaction& transaction);
/// Adds a rule at its position, and shifts those from there on; position 0, or beyond the end: the last. False when its name is taken.
[[nodiscard]] bool add_rule(Transaction& transaction, const Rule& rule, const Author& author);
/// Writes the rule's name, text and whether it is enabled, and moves it from `from` to its position.
void edit_rule(Transaction& transaction, const Rule& rule, int from, const Author& author);
void remove_rule(Transaction& transaction, const Rule& rule);

/// A user who may submit normal jobs.
struct NormalUser {
  std::string name;
  std::optional<std::string> cluster;  ///< empty: everywhere
};
[[nodiscard]] std::vector<NormalUser> normal_users(Transaction& transaction);
void allow_normal(Transaction& transaction, std::string_view user, std::optional<grid::ClusterId> cluster, const Author& author);
/// Withdraws the permission; without a cluster: everywhere. False when the user was not listed.
[[nodiscard]] bool forbid_normal(Transaction& transaction, std::string_view user, std::optional<grid::ClusterId> cluster);

}  // namespace gleaner::store
