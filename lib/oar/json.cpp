#include "lib/oar/json.hpp"

#include <fmt/format.h>
#include <rapidjson/error/en.h>

#include <charconv>
#include <cmath>

namespace gleaner::oar::json {
namespace {

using Byte = unsigned char;

bool continues(std::string_view bytes, std::size_t at) { return at < bytes.size() && (static_cast<Byte>(bytes[at]) & 0xC0U) == 0x80U; }

/// Length of the UTF-8 letter that starts here, 0 when none does. Overlong forms, surrogates and
/// what is past U+10FFFF are none.
std::size_t letter_length(std::string_view bytes, std::size_t at) {
  const auto first = static_cast<Byte>(bytes[at]);
  if (first < 0x80U) {
    return 1;
  }
  const auto second = at + 1 < bytes.size() ? static_cast<Byte>(bytes[at + 1]) : Byte{0};
  if (first >= 0xC2U && first <= 0xDFU) {
    return continues(bytes, at + 1) ? 2 : 0;
  }
  if (first >= 0xE0U && first <= 0xEFU) {
    const bool wrong = (first == 0xE0U && second < 0xA0U) || (first == 0xEDU && second > 0x9FU);
    return !wrong && continues(bytes, at + 1) && continues(bytes, at + 2) ? 3 : 0;
  }
  if (first >= 0xF0U && first <= 0xF4U) {
    const bool wrong = (first == 0xF0U && second < 0x90U) || (first == 0xF4U && second > 0x8FU);
    return !wrong && continues(bytes, at + 1) && continues(bytes, at + 2) && continues(bytes, at + 3) ? 4 : 0;
  }
  return 0;
}

[[noreturn]] void wrong_type(const char* name, const char* wanted) { throw Malformed(fmt::format("'{}' is not {}", name, wanted)); }

std::int64_t as_integer(const rapidjson::Value& value, const char* name) {
  if (value.IsInt64()) {
    return value.GetInt64();
  }
  if (value.IsString()) {
    const char* const end = value.GetString() + value.GetStringLength();
    std::int64_t parsed = 0;
    const auto [stop, error] = std::from_chars(value.GetString(), end, parsed);
    if (error == std::errc{} && stop == end) {
      return parsed;
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
    const std::size_t length = letter_length(bytes, at);
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
  rapidjson::Document document;
  // Iterative: an answer of a million brackets must not eat the stack.
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

const rapidjson::Value* member(const rapidjson::Value& object, std::initializer_list<const char*> names) {
  return find(object, names).value;
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
    const char* const end = value->GetString() + value->GetStringLength();
    double parsed = 0;
    const auto [stop, error] = std::from_chars(value->GetString(), end, parsed);
    if (error == std::errc{} && stop == end && std::isfinite(parsed)) {
      return parsed;
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
