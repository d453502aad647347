#pragma once
#include <fmt/format.h>
#include <rapidjson/document.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// Reads the stored form of campaigns. For lib/jdl only.
namespace gleaner::jdl::stored {

/// The stored form is invalid; from_json returns it as an error.
struct Malformed {
  std::string what;
};

inline const rapidjson::Value& member(const rapidjson::Value& object, const char* name) {
  const auto found = object.FindMember(name);
  if (found == object.MemberEnd()) throw Malformed{fmt::format("'{}' is missing", name)};
  return found->value;
}

inline std::string text(const rapidjson::Value& value, std::string_view name) {
  if (!value.IsString()) throw Malformed{fmt::format("'{}' is not a string", name)};
  return {value.GetString(), value.GetStringLength()};
}

inline std::string text_member(const rapidjson::Value& object, const char* name) { return text(member(object, name), name); }

inline int integer(const rapidjson::Value& value, std::string_view name) {
  if (!value.IsInt()) throw Malformed{fmt::format("'{}' is not a whole number", name)};
  return value.GetInt();
}

inline double number(const rapidjson::Value& value, std::string_view name) {
  if (!value.IsNumber()) throw Malformed{fmt::format("'{}' is not a number", name)};
  return value.GetDouble();
}

template <class T>
T known(std::optional<T> value, std::string_view name, std::string_view said) {
  if (!value) throw Malformed{fmt::format("'{}' of '{}' is unknown", said, name)};
  return *std::move(value);
}

}  // namespace gleaner::jdl::stored
