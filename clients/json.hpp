#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

namespace gleaner::clients {

/// A JSON value of the API, parsed whole. Access to missing parts yields null, so that a client works with older and newer servers.
class Json {
 public:
  using Member = std::pair<std::string, Json>;

  Json() = default;
  [[nodiscard]] static tl::expected<Json, std::string> parse(std::string_view text);
  [[nodiscard]] static Json of(std::int64_t number);
  [[nodiscard]] static Json of(std::string text);
  [[nodiscard]] static Json of(std::vector<Json> items);
  [[nodiscard]] static Json of(std::vector<Member> members);

  /// Adds a member to an object.
  void add(std::string key, Json value);

  /// A member of an object; null if there is none, or this is not an object.
  [[nodiscard]] const Json& operator[](std::string_view key) const;
  [[nodiscard]] const std::vector<Json>& items() const;      ///< of an array; else empty
  [[nodiscard]] const std::vector<Member>& members() const;  ///< of an object; else empty

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  [[nodiscard]] bool is_true() const;
  [[nodiscard]] std::string text() const;  ///< of a string; else empty
  [[nodiscard]] std::int64_t integer() const { return whole().value_or(0); }
  [[nodiscard]] std::int64_t seconds() const { return time().value_or(0); }  ///< since 1970
  [[nodiscard]] std::optional<std::int64_t> whole() const;                   ///< empty: not a whole number
  [[nodiscard]] std::optional<double> number() const;                        ///< empty: not a number
  [[nodiscard]] std::optional<std::int64_t> time() const;  ///< seconds since 1970; empty: not a text such as 2026-11-20T18:14:56Z

 private:
  friend class JsonReader;
  friend class JsonWriter;
  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<Json>, std::vector<Member>> value_;
};

enum class Layout { one_line, indented };
[[nodiscard]] std::string dump(const Json& json, Layout layout);

}  // namespace gleaner::clients
