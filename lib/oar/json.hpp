#pragma once
#include <rapidjson/document.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

/// Reading of JSON that may be anything. Only the .cpp files of this folder include it.
namespace gleaner::oar::json {

/// The answer is not what it should be; never leaves the functions of parse.hpp.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The text with every byte that is no part of a UTF-8 letter taken for Latin-1: OAR announces
/// ISO-8859-1, and sends either.
[[nodiscard]] std::string to_utf8(std::string_view bytes);

/// Parses a whole answer; its top is an object.
[[nodiscard]] rapidjson::Document object(std::string_view body);

/// Each takes the member of the first of these names that is there and not null. Numbers may come as strings, and be null or missing.
[[nodiscard]] std::optional<std::int64_t> integer(const rapidjson::Value& object, std::initializer_list<const char*> names);
[[nodiscard]] std::int64_t required_integer(const rapidjson::Value& object, std::initializer_list<const char*> names);
[[nodiscard]] std::optional<double> number(const rapidjson::Value& object, std::initializer_list<const char*> names);
/// Texts may come as numbers; null and missing are empty.
[[nodiscard]] std::string text(const rapidjson::Value& object, std::initializer_list<const char*> names);
[[nodiscard]] std::string required_text(const rapidjson::Value& object, std::initializer_list<const char*> names);
/// The array of that name; nothing when it is null or missing.
[[nodiscard]] const rapidjson::Value* array(const rapidjson::Value& object, const char* name);

}  // namespace gleaner::oar::json
