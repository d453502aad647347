#pragma once
#include <span>
#include <string_view>

namespace gleaner::sql {

struct Migration {
  int number;             ///< from 1, without a hole
  std::string_view name;  ///< the file's name, without its extension
  std::string_view text;
};

struct NamedQuery {
  std::string_view name;  ///< group.query, as above the query in its file
  std::string_view text;
};

/// The migrations in their order.
[[nodiscard]] std::span<const Migration> migrations();

/// Every query of sql/queries, for the test that asks PostgreSQL to prepare each of them.
[[nodiscard]] std::span<const NamedQuery> queries();

}  // namespace gleaner::sql
