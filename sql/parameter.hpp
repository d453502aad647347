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

/// The kinds of PostgreSQL's types that C++ keeps apart. text: also enums, JSON and whatever else travels as a text.
enum class Kind { any, boolean, integer, real, numeric, array, text };

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

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

/// Whether a value of this type can be a parameter of that kind. Arrays are their literals.
template <class T, Kind kKind>
consteval bool is_accepted() {
  if constexpr (std::same_as<T, std::nullopt_t>) return true;
  if constexpr (IsOptional<T>::value) return is_accepted<typename T::value_type, kKind>();
  constexpr bool text = std::convertible_to<T, std::string_view>;
  constexpr bool integer =
      (std::integral<T> && !std::same_as<T, bool>) || Id<T> || std::same_as<T, std::chrono::sys_time<std::chrono::microseconds>>;
  switch (kKind) {
    case Kind::any: return true;
    case Kind::boolean: return std::same_as<T, bool>;
    case Kind::integer: return integer;
    case Kind::real:
    case Kind::numeric: return std::floating_point<T> || (std::integral<T> && !std::same_as<T, bool>);
    case Kind::array: return text || ArrayBuilder<T>;
    case Kind::text: return text;
  }
  return false;
}

/// A parameter of a known type: a value of another one does not compile.
template <Kind kKind>
class BasicParameter : public Parameter {
 public:
  template <class T>
  requires(std::constructible_from<Parameter, const T&>&& is_accepted<T, kKind>()) BasicParameter(const T& value) : Parameter{value} {}
};
using BooleanParameter = BasicParameter<Kind::boolean>;
using IntegerParameter = BasicParameter<Kind::integer>;
using RealParameter = BasicParameter<Kind::real>;
using NumericParameter = BasicParameter<Kind::numeric>;
using ArrayParameter = BasicParameter<Kind::array>;
using TextParameter = BasicParameter<Kind::text>;

/// The values of a query's parameters, in the order of their numbers.
using Parameters = std::span<const Parameter* const>;

}  // namespace gleaner::sql
