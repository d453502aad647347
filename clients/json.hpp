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

/// A JSON value of the API, read whole. Asking for what is not there gives null, so that a client
/// goes on with what an older or newer server says.
class Json {
 public:
  using Member = std::pair<std::string, Json>;

  Json() = default;
  [[nodiscard]] static tl::expected<Json, std::string> parse(std::string_view text);
  [[nodiscard]] static Json of(std::int64_t number);
  [[nodiscard]] static Json of(std::vector<Json> items);
  [[nodiscard]] static Json of(std::vector<Member> members);

  /// The object with one more member.
  void add(std::string key, Json value);

  /// A member of an object; null when there is none, or this is no object.
  [[nodiscard]] const Json& operator[](std::string_view key) const;
  [[nodiscard]] const std::vector<Json>& items() const;      ///< of an array, else none
  [[nodiscard]] const std::vector<Member>& members() const;  ///< of an object, else none

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  [[nodiscard]] bool is_true() const;
  [[nodiscard]] std::string text() const;  ///< of a string; of anything else, nothing
  [[nodiscard]] std::int64_t integer() const { return whole().value_or(0); }
  [[nodiscard]] std::optional<std::int64_t> whole() const;  ///< of a whole number
  [[nodiscard]] std::optional<double> number() const;       ///< of any number

 private:
  friend class JsonReader;
  friend class JsonWriter;
  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<Json>, std::vector<Member>> value_;
};

enum class Layout { one_line, indented };
[[nodiscard]] std::string dump(const Json& json, Layout layout);

}  // namespace gleaner::clients
