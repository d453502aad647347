#pragma once
#include <charconv>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gleaner::sql {

/// An id, as grid::CampaignId.
template <class T>
concept Id = requires(const T& id) {
  { id.value() } -> std::same_as<std::int64_t>;
};

/// A builder of an array literal, as store::detail::Array.
template <class T>
concept ArrayBuilder = requires(const T& array) {
  { array.literal() } -> std::same_as<std::string>;
};

/// The value of a query's parameter, in PostgreSQL's text form; or null. Made from what it is given, but never from nothing: who
/// leaves a parameter out does not compile. An instant becomes microseconds, as the SQL function instant() takes them.
class Parameter {
 public:
  Parameter(std::nullopt_t) {}
  Parameter(std::string text) : text_{std::move(text)} {}
  Parameter(std::string_view text) : text_{text} {}
  Parameter(const char* text) : text_{text} {}
  Parameter(std::same_as<bool> auto value) : text_{value ? "true" : "false"} {}
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) Parameter(Number value) : text_{std::to_string(value)} {}
  Parameter(std::floating_point auto value) : text_{shortest(value)} {}
  Parameter(std::chrono::sys_time<std::chrono::microseconds> instant) : Parameter{instant.time_since_epoch().count()} {}
  Parameter(const Id auto& id) : Parameter{id.value()} {}
  Parameter(const ArrayBuilder auto& array) : Parameter{array.literal()} {}
  template <class T>
  Parameter(const std::optional<T>& value) : Parameter{value ? Parameter{*value} : Parameter{std::nullopt}} {}

  [[nodiscard]] const std::optional<std::string>& text() const { return text_; }

 private:
  /// The shortest text that PostgreSQL reads as the same number.
  static std::string shortest(double value) {
    char digits[32];
    return {digits, std::to_chars(std::begin(digits), std::end(digits), value).ptr};
  }
  std::optional<std::string> text_;
};

/// The values of a query's parameters, in the order of their numbers.
using Parameters = std::span<const Parameter* const>;

}  // namespace gleaner::sql
