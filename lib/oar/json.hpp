#pragma once
#include <rapidjson/document.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

/// Reads JSON that may be anything. For the .cpp files of this folder only.
namespace gleaner::oar::json {

/// The answer has not the expected form. It never leaves the functions of parse.hpp.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The text, with every byte that is not UTF-8 read as Latin-1: OAR announces ISO-8859-1, and sends either.
[[nodiscard]] std::string to_utf8(std::string_view bytes);

/// Parses a whole answer, which must be an object.
[[nodiscard]] rapidjson::Document object(std::string_view body);

/// Each of these reads the first of these members that is present and not null. Numbers may be strings, null or missing.
[[nodiscard]] std::optional<std::int64_t> integer(const rapidjson::Value& object, std::initializer_list<const char*> names);
[[nodiscard]] std::int64_t required_integer(const rapidjson::Value& object, std::initializer_list<const char*> names);
[[nodiscard]] std::optional<double> number(const rapidjson::Value& object, std::initializer_list<const char*> names);
/// Texts may be numbers; null and missing ones are empty.
[[nodiscard]] std::string text(const rapidjson::Value& object, std::initializer_list<const char*> names);
[[nodiscard]] std::string required_text(const rapidjson::Value& object, std::initializer_list<const char*> names);
/// The array of that name; null: it is null or missing.
[[nodiscard]] const rapidjson::Value* array(const rapidjson::Value& object, const char* name);

}  // namespace gleaner::oar::json
