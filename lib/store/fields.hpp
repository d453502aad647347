#pragma once
// Inside lib/store only: rows into structs of facts, by the lists of their fields (lib/grid/fields.hpp).
#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

#include "lib/grid/campaign_type.hpp"
#include "lib/grid/fields.hpp"
#include "lib/grid/grouping.hpp"
#include "lib/grid/headroom.hpp"
#include "lib/grid/needs.hpp"
#include "lib/grid/states.hpp"
#include "lib/store/detail.hpp"

namespace gleaner::store::detail {

/// The place of a column in a query. A name that the query does not have fails to compile.
template <class Query>
consteval std::size_t place_of(std::string_view column) {
  const auto found = std::ranges::find(Query::kColumns, column);
  if (found == std::ranges::end(Query::kColumns)) throw std::logic_error{"the query has no such column"};
  return static_cast<std::size_t>(found - std::ranges::begin(Query::kColumns));
}

void assign(grid::CampaignType& into, const auto& field) { into = field.as(grid::campaign_type); }
void assign(grid::Grouping& into, const auto& field) { into = field.as(grid::grouping); }
void assign(grid::Needs& into, const auto& field) { into = field.as(grid::parse_needs); }
void assign(grid::Headroom& into, const auto& field) { into = field.as(grid::headroom); }
void assign(grid::CampaignState& into, const auto& field) { into = field.as(grid::campaign_state); }
template <sql::Readable T>
void assign(T& into, const auto& field) {
  into = field.template as<T>();
}
template <sql::Readable T>
void assign(std::optional<T>& into, const auto& field) {
  into = field.template as<T>();
}

/// Reads the columns that a list of fields names. NULL leaves the member as it was.
template <const auto& Fields, class Row, class Struct>
void read_fields(const Row& row, Struct& into) {
  const auto read = [&]<std::size_t... Places>(std::index_sequence<Places...>) {
    const auto one = [&](const auto& field, auto member) {
      if (field.has_value()) assign(into.*member, field);
    };
    (one(row.template field<place_of<typename Row::From>(std::get<Places>(Fields).column)>(), std::get<Places>(Fields).member), ...);
  };
  read(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(Fields)>>>{});
}

}  // namespace gleaner::store::detail
