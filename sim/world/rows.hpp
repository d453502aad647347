#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sql/world_queries.hpp"

namespace gleaner::world {

/// The rows of an answer to a query of sql/world, each with a member for each column.
template <class Query>
class Rows {
 public:
  using Texts = std::vector<std::vector<std::optional<std::string>>>;
  explicit Rows(Texts texts) : texts_{std::move(texts)} {
    for (const auto& row : texts_) rows_.push_back(row_of(row, std::make_index_sequence<Query::kColumns.size()>{}));
  }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  [[nodiscard]] auto begin() const { return rows_.begin(); }
  [[nodiscard]] auto end() const { return rows_.end(); }
  /// The first row; there is one.
  [[nodiscard]] const typename Query::Row& one() const { return rows_.at(0); }

 private:
  template <std::size_t... Columns>
  static typename Query::Row row_of([[maybe_unused]] const std::vector<std::optional<std::string>>& row, std::index_sequence<Columns...>) {
    return {sql::Field{Query::kColumns[Columns], row.at(Columns)}...};
  }
  Texts texts_;  ///< into which the fields point
  std::vector<typename Query::Row> rows_;
};

}  // namespace gleaner::world
