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
  std::span<const std::string_view> columns;  ///< the names of those that it gives
};

/// The migrations in their order.
[[nodiscard]] std::span<const Migration> migrations();

/// Every query of sql/queries, for the test that has PostgreSQL prepare each of them and name its columns.
[[nodiscard]] std::span<const NamedQuery> queries();

}  // namespace gleaner::sql
