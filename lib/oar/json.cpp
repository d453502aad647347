#include "lib/oar/json.hpp"

#include <fmt/format.h>
#include <rapidjson/error/en.h>

#include "lib/text/clean.hpp"
#include "lib/text/json_depth.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::oar::json {
namespace {

using Byte = unsigned char;

[[noreturn]] void wrong_type(const char* name, const char* wanted) { throw Malformed(fmt::format("'{}' is not {}", name, wanted)); }

std::int64_t as_integer(const rapidjson::Value& value, const char* name) {
  if (value.IsInt64()) {
    return value.GetInt64();
  }
  if (value.IsString()) {
    if (const auto parsed = text::whole_number({value.GetString(), value.GetStringLength()})) {
      return *parsed;
    }
  }
  wrong_type(name, "an integer");
}

struct Found {
  const rapidjson::Value* value;
  const char* name;
};

Found find(const rapidjson::Value& object, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    const auto member = object.FindMember(name);
    if (member != object.MemberEnd() && !member->value.IsNull()) {
      return {&member->value, name};
    }
  }
  return {nullptr, *names.begin()};
}

}  // namespace

std::string to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = text::character_length(bytes, at);
    if (length > 0) {
      text.append(bytes.substr(at, length));
      at += length;
    } else {
      const auto latin = static_cast<Byte>(bytes[at++]);
      text += static_cast<char>(0xC0U | (latin >> 6U));
      text += static_cast<char>(0x80U | (latin & 0x3FU));
    }
  }
  return text;
}

rapidjson::Document object(std::string_view body) {
  const std::string text = to_utf8(body);
  // An answer of a million brackets must exhaust neither the memory nor the stack (the parser is iterative).
  if (text::is_nested_deeper(text)) {
    throw Malformed(fmt::format("it is nested deeper than {} levels", text::kDeepestJson));
  }
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  if (document.HasParseError()) {
    throw Malformed(fmt::format("not JSON: {} (at byte {} of {})", rapidjson::GetParseError_En(document.GetParseError()),
                                document.GetErrorOffset(), text.size()));
  }
  if (!document.IsObject()) {
    throw Malformed("the JSON is not an object");
  }
  return document;
}

std::optional<std::int64_t> integer(const rapidjson::Value& object, std::initializer_list<const char*> names) {
  const auto [value, name] = find(object, names);
  return value == nullptr ? std::nullopt : std::optional{as_integer(*value, name)};
}

std::int64_t required_integer(const rapidjson::Value& object, std::initializer_list<const char*> names) {
  const auto value = integer(object, names);
  if (!value) {
    throw Malformed(fmt::format("'{}' is missing", *names.begin()));
  }
  return *value;
}

std::optional<double> number(const rapidjson::Value& object, std::initializer_list<const char*> names) {
  const auto [value, name] = find(object, names);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (value->IsNumber()) {
    return value->GetDouble();
  }
  if (value->IsString()) {
    if (const auto parsed = text::real_number({value->GetString(), value->GetStringLength()})) {
      return *parsed;
    }
  }
  wrong_type(name, "a number");
}

std::string text(const rapidjson::Value& object, std::initializer_list<const char*> names) {
  const auto [value, name] = find(object, names);
  if (value == nullptr) {
    return {};
  }
  if (value->IsString()) {
    return {value->GetString(), value->GetStringLength()};
  }
  if (value->IsInt64()) {
    return std::to_string(value->GetInt64());
  }
  wrong_type(name, "a text");
}

std::string required_text(const rapidjson::Value& object, std::initializer_list<const char*> names) {
  auto value = text(object, names);
  if (value.empty()) {
    throw Malformed(fmt::format("'{}' is missing", *names.begin()));
  }
  return value;
}

const rapidjson::Value* array(const rapidjson::Value& object, const char* name) {
  const auto* const value = find(object, {name}).value;
  if (value != nullptr && !value->IsArray()) {
    wrong_type(name, "a list");
  }
  return value;
}

}  // namespace gleaner::oar::json
