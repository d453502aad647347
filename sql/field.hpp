#pragma once
#include <charconv>
#include <chrono>
#include <concepts>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "sql/parameter.hpp"

namespace gleaner::sql {

/// As the SQL function micros() gives it.
using Instant = std::chrono::sys_time<std::chrono::microseconds>;

template <class T>
concept ReadableId = Id<T> && std::constructible_from<T, std::int64_t>;

template <class T>
concept Number = (std::integral<T> && !std::same_as<T, char>) || std::floating_point<T>;

/// The types that a field can be read as; seconds from a column that is in seconds.
template <class T>
concept Readable =
    Number<T> || std::same_as<T, std::string> || std::same_as<T, Instant> || std::same_as<T, std::chrono::seconds> || ReadableId<T>;

/// Whether values of this kind, as a query gives them, can become a T: a number of any width is checked when it is read, but a text is no
/// number, and an integer is no truth value. An instant is the integer that the SQL function micros() gives.
template <class T, Kind kKind>
concept ReadableAs = Readable<T> &&
    (kKind == Kind::any || (kKind == Kind::boolean && std::same_as<T, bool>) ||
     (kKind == Kind::integer && !std::same_as<T, bool> && !std::same_as<T, std::string>) ||
     (kKind == Kind::real && std::floating_point<T>) || (kKind == Kind::numeric && Number<T> && !std::same_as<T, bool>) ||
     ((kKind == Kind::text || kKind == Kind::array) && std::same_as<T, std::string>));

/// One value of a row, in PostgreSQL's text form; or null. It becomes the type of what it is assigned to: `row.ended_at` where that is
/// an optional, `*row.id` where it is not, as an std::optional would. Whoever forgets the asterisk does not compile; an asterisk before a
/// null throws std::logic_error with the column's name. Points into the result that it is from. Where the query's type of it is known, a
/// type that cannot take it does not compile.
template <Kind kKind>
class BasicField {
 public:
  BasicField(std::string_view column, std::optional<std::string_view> text) : column_{column}, text_{text} {}

  /// The result's value, of which the query says the kind.
  template <Kind kOther>
  requires(kOther == Kind::any && kKind != Kind::any) BasicField(const BasicField<kOther>& field)
      : column_{field.column_}, text_{field.text_} {}

  [[nodiscard]] bool has_value() const { return text_.has_value(); }

  template <ReadableAs<kKind> T>
  [[nodiscard]] T as() const {
    if (!text_) throw std::logic_error{"the column '" + std::string{column_} + "' is null"};
    if constexpr (std::same_as<T, std::string>) {
      return std::string{*text_};
    } else if constexpr (std::same_as<T, bool>) {
      return *text_ == "t";
    } else if constexpr (std::same_as<T, Instant>) {
      return Instant{std::chrono::microseconds{number<std::int64_t>()}};
    } else if constexpr (ReadableId<T> || std::same_as<T, std::chrono::seconds>) {
      return T{number<std::int64_t>()};
    } else {
      return number<T>();
    }
  }

  /// An enum, by the function that knows its names: `row.state.as(grid::job_state)`. A name that it does not know throws
  /// std::logic_error.
  template <class T>
  requires(kKind == Kind::text || kKind == Kind::any) [[nodiscard]] T as(std::optional<T> (*of_name)(std::string_view)) const {
    const auto name = as<std::string>();
    if (const auto value = of_name(name)) return *value;
    throw unreadable();
  }

  template <ReadableAs<kKind> T>
  [[nodiscard]] T value_or(T fallback) const {
    return text_ ? as<T>() : fallback;
  }
  [[nodiscard]] std::string value_or(const char* fallback) const requires ReadableAs<std::string, kKind> {
    return std::string{text_.value_or(fallback)};
  }

  template <ReadableAs<kKind> T>
  operator std::optional<T>() const {
    return text_ ? std::optional<T>{as<T>()} : std::nullopt;
  }

  /// A value on its way to its type: not to be kept as `auto`.
  class Value {
   public:
    explicit Value(const BasicField& field) : field_{field} {}
    template <ReadableAs<kKind> T>
    operator T() const&& {
      return field_.as<T>();
    }

   private:
    const BasicField& field_;
  };
  [[nodiscard]] Value operator*() const { return Value{*this}; }

 private:
  template <Kind>
  friend class BasicField;

  template <Number T>
  [[nodiscard]] T number() const {
    T value{};
    const auto* const end = text_->data() + text_->size();
    const auto read = std::from_chars(text_->data(), end, value);
    if (read.ec != std::errc{} || read.ptr != end) throw unreadable();
    return value;
  }
  [[nodiscard]] std::logic_error unreadable() const {
    return std::logic_error{"the column '" + std::string{column_} + "' has the unreadable value '" + std::string{*text_} + "'"};
  }

  std::string_view column_;
  std::optional<std::string_view> text_;
};

/// A value of a query whose types nobody knows, such as one for another database.
using Field = BasicField<Kind::any>;
using BooleanField = BasicField<Kind::boolean>;
using IntegerField = BasicField<Kind::integer>;
using RealField = BasicField<Kind::real>;
using NumericField = BasicField<Kind::numeric>;
using ArrayField = BasicField<Kind::array>;
using TextField = BasicField<Kind::text>;

}  // namespace gleaner::sql
