#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/field.hpp"
#include "sql/parameter.hpp"

/// Arrays of a composite type: many rows in one parameter, or in one column.
namespace gleaner::sql {

/// A composite type of the schema, as sql/embed.cmake generates it: a member for each of its columns, and its Row to read them.
template <class T>
concept Composite = requires(const T& row) {
  { T::kType } -> std::convertible_to<std::string_view>;
  { row.members() } -> std::convertible_to<std::array<const Parameter*, T::kColumns.size()>>;
  typename T::Row;
};

/// Appends a row to the elements of an array literal. Every byte that a text may hold arrives unchanged; a null is no empty text.
void append_row(std::string& elements, Parameters members);

/// The literal of an array of a composite type.
template <Composite T>
[[nodiscard]] std::string literal_of(std::span<const T> rows) {
  std::string elements{"{"};
  for (const auto& row : rows) append_row(elements, row.members());
  return elements + '}';
}

/// A parameter that is an array of a composite type. Rows of another type do not compile, and neither does a row without one of its
/// members.
template <Composite T>
class RowsParameter : public Parameter {
 public:
  RowsParameter(std::span<const T> rows) : Parameter{literal_of<T>(rows)} {}
  RowsParameter(const std::vector<T>& rows) : RowsParameter{std::span{rows}} {}
};

/// Splits PostgreSQL's text of an array of a composite type. Throws std::logic_error where the text is not of this form.
class CompositeText {
 public:
  explicit CompositeText(std::string_view text);
  /// Reads the next row into the fields, one for each column; they are valid until the next call. False: there is none.
  [[nodiscard]] bool next(std::span<std::optional<std::string_view>> fields);

 private:
  [[nodiscard]] std::logic_error unreadable() const;
  void take_element();

  std::string_view whole_, rest_;
  std::string row_;     ///< an element, without the array's quotes
  std::string values_;  ///< the fields of a row, one after the other
};

/// The rows of such a text, as a query's rows are read: `while (const auto row = rows.next()) … *row->priority`.
template <Composite T>
class CompositeRows {
 public:
  class Row : public T::Row {
   public:
    using From = T;
    using Texts = std::array<std::optional<std::string_view>, T::kColumns.size()>;
    explicit Row(const Texts& texts) : Row{texts, std::make_index_sequence<T::kColumns.size()>{}} {}
    template <std::size_t kPlace>
    [[nodiscard]] BasicField<T::kColumnKinds[kPlace]> field() const {
      return {T::kColumns[kPlace], texts_[kPlace]};
    }

   private:
    template <std::size_t... Places>
    Row(const Texts& texts, std::index_sequence<Places...>) : T::Row{Field{T::kColumns[Places], texts[Places]}...}, texts_{texts} {}
    Texts texts_;
  };

  explicit CompositeRows(std::string_view text) : text_{text} {}
  /// Its texts are valid until the next call. Empty: there is none.
  [[nodiscard]] std::optional<Row> next() {
    typename Row::Texts texts;
    return text_.next(texts) ? std::optional<Row>{texts} : std::nullopt;
  }

 private:
  CompositeText text_;
};

}  // namespace gleaner::sql
