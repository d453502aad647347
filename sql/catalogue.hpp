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
  std::span<const std::string_view> columns;          ///< the names of those that it gives
  std::span<const std::string_view> column_types;     ///< their types in PostgreSQL, by sql/types.txt; empty: not known
  std::span<const std::string_view> parameter_types;  ///< those of the parameters, likewise
};

/// A composite type, of which sql/composite.hpp makes rows of parameters and columns.
struct NamedComposite {
  std::string_view name;
  std::span<const std::string_view> columns;
  std::span<const std::string_view> column_types;  ///< in PostgreSQL, by sql/types.txt
};

/// The migrations in their order.
[[nodiscard]] std::span<const Migration> migrations();

/// The script for psql of a first installation, sql/setup.psql.
[[nodiscard]] std::string_view setup_script();

/// Every query of sql/queries, for the test that has PostgreSQL prepare each of them and name its columns.
[[nodiscard]] std::span<const NamedQuery> queries();

/// The composite types that sql/types.txt has.
[[nodiscard]] std::span<const NamedComposite> composites();

/// Those of sql/foreign: they read the databases of other systems.
[[nodiscard]] std::span<const NamedQuery> foreign_queries();

}  // namespace gleaner::sql
