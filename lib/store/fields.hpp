#pragma once
// Inside lib/store only: rows into structs of facts, by the lists of their fields (lib/grid/fields.hpp).
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "lib/grid/campaign_type.hpp"
#include "lib/grid/fields.hpp"
#include "lib/grid/states.hpp"
#include "lib/store/detail.hpp"

namespace gleaner::store::detail {

template <class T>
struct FieldValue {
  static T of(const pqxx::field& field) { return field.as<T>(); }
};
template <>
struct FieldValue<std::string> {
  static std::string of(const pqxx::field& field) { return text(field); }
};
template <class Tag>
struct FieldValue<grid::Id<Tag>> {
  static grid::Id<Tag> of(const pqxx::field& field) { return grid::Id<Tag>{field.as<std::int64_t>()}; }
};
template <>
struct FieldValue<grid::Instant> {
  static grid::Instant of(const pqxx::field& field) { return instant(field.as<std::int64_t>()); }
};
template <>
struct FieldValue<grid::CampaignType> {
  static grid::CampaignType of(const pqxx::field& field) { return grid::campaign_type(field.c_str()).value(); }
};
template <>
struct FieldValue<grid::CampaignState> {
  static grid::CampaignState of(const pqxx::field& field) { return grid::campaign_state(field.c_str()).value(); }
};
template <class T>
struct FieldValue<std::optional<T>> {
  static std::optional<T> of(const pqxx::field& field) { return FieldValue<T>::of(field); }
};

/// Reads the columns that a list of fields names. A column's place is looked up once for all rows: that is most of the cost of a long
/// answer. NULL leaves the member as it was.
template <class... Fields>
class FieldReader {
 public:
  /// Throws pqxx::argument_error when the query has no column of a field's name.
  FieldReader(const pqxx::result& rows, const std::tuple<Fields...>& fields) : fields_{fields} {
    std::size_t i = 0;
    grid::for_each_field(fields_, [&](const auto& field) { columns_[i++] = rows.column_number(std::string{field.column}); });
  }

  template <class Struct>
  void read(const pqxx::row& row, Struct& into) const {
    std::size_t i = 0;
    grid::for_each_field(fields_, [&](const auto& field) {
      const auto value = row[columns_[i++]];
      if (!value.is_null()) into.*field.member = FieldValue<std::remove_reference_t<decltype(into.*field.member)>>::of(value);
    });
  }

 private:
  const std::tuple<Fields...>& fields_;
  std::array<pqxx::row_size_type, sizeof...(Fields)> columns_{};
};

}  // namespace gleaner::store::detail
