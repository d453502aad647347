#pragma once
#include <string_view>
#include <tuple>
#include <type_traits>

/// The fields of a struct of facts, listed once. This list serves the code that reads rows of the database, the code that reads and writes
/// scenarios, and tests that compare structs.
namespace gleaner::grid {

/// The bounds of a field's value in a scenario.
struct FieldBounds {
  double least = 0;
  double most = 1e18;
};

/// Where a field is carried.
enum class Carried {
  row,       ///< from the database to the planner
  scenario,  ///< also in `GET /v1/scenario`, for gridsim and `--what-if`
};

/// One field: its key in a scenario, its member, and its column in rows. The column has the key's name unless from_column sets another.
template <Carried Where, class Struct, class Value>
struct Field {
  static constexpr Carried carried = Where;
  std::string_view name;
  Value Struct::*member;
  FieldBounds bounds;
  std::string_view column;

  [[nodiscard]] constexpr Field from_column(std::string_view its_column) const {
    auto field = *this;
    field.column = its_column;
    return field;
  }
};

template <class Struct, class Value>
[[nodiscard]] constexpr Field<Carried::row, Struct, Value> row_field(std::string_view name, Value Struct::*member) {
  return {name, member, {}, name};
}
template <class Struct, class Value>
[[nodiscard]] constexpr Field<Carried::scenario, Struct, Value> scenario_field(std::string_view name, Value Struct::*member,
                                                                               FieldBounds bounds = {}) {
  return {name, member, bounds, name};
}

/// A fact that administrators declare: also an option of `gridctl cluster add` and `edit`.
template <class Struct, class Value>
struct DeclaredField : Field<Carried::scenario, Struct, Value> {
  std::string_view option, unit, help;
};
template <class Struct, class Value>
[[nodiscard]] constexpr DeclaredField<Struct, Value> declared_field(std::string_view name, Value Struct::*member, FieldBounds bounds,
                                                                    std::string_view option, std::string_view unit, std::string_view help) {
  return {scenario_field(name, member, bounds), option, unit, help};
}

/// Calls `visit` with each field of a list, in the list's order.
template <class... Fields, class Visit>
constexpr void for_each_field(const std::tuple<Fields...>& fields, Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, fields);
}

/// Calls `visit` with each field that a scenario carries, in the list's order.
template <class... Fields, class Visit>
constexpr void for_each_scenario_field(const std::tuple<Fields...>& fields, Visit&& visit) {
  for_each_field(fields, [&](const auto& field) {
    if constexpr (std::remove_cvref_t<decltype(field)>::carried == Carried::scenario) visit(field);
  });
}

}  // namespace gleaner::grid
