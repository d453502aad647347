#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <array>

#include "lib/jdl/parameter.hpp"
#include "lib/jdl/text.hpp"

namespace gleaner::jdl {
namespace {

/// Bytes that a JSON string must escape.
constexpr auto kEscaped = [] {
  std::array<bool, 256> escaped{};
  for (std::size_t i = 0; i < 0x20; ++i) escaped[i] = true;
  escaped['"'] = escaped['\\'] = true;
  return escaped;
}();

bool is_escaped(char c) { return kEscaped[static_cast<unsigned char>(c)]; }

void append_escape(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default:
      out += "\\u00";
      out += kDigits[static_cast<unsigned char>(c) >> 4U];
      out += kDigits[static_cast<unsigned char>(c) & 0xFU];
  }
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  for (auto rest = text; !rest.empty();) {
    const auto plain = static_cast<std::size_t>(std::ranges::find_if(rest, is_escaped) - rest.begin());
    out += rest.substr(0, plain);
    if (plain == rest.size()) break;
    append_escape(out, rest[plain]);
    rest.remove_prefix(plain + 1);
  }
  out += '"';
}

/// Accepts a scalar, or an array of scalars; any other value stops the reader.
class ParameterBuilder {
 public:
  bool String(const char* text, rapidjson::SizeType size, bool) { return add({text, size}); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) { return add({text, size}); }
  bool StartArray() {
    if (level_++ > 0) return false;
    parameter_ = Arguments{};
    return true;
  }
  bool EndArray(rapidjson::SizeType) { return true; }
  bool Null() { return false; }
  bool Bool(bool) { return false; }
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  bool StartObject() { return false; }
  bool Key(const char*, rapidjson::SizeType, bool) { return false; }
  bool EndObject(rapidjson::SizeType) { return false; }

  [[nodiscard]] Parameter take() { return std::move(parameter_); }

 private:
  bool add(std::string_view text) {
    if (auto* arguments = std::get_if<Arguments>(&parameter_)) arguments->emplace_back(text);
    else parameter_ = std::string{text};
    return true;
  }
  Parameter parameter_;
  int level_ = 0;
};

tl::expected<Parameter, ParameterError> parse_any(std::string_view line) {
  constexpr auto kFlags =
      static_cast<unsigned>(rapidjson::kParseIterativeFlag) | static_cast<unsigned>(rapidjson::kParseNumbersAsStringsFlag);
  if (const auto nul = line.find('\0'); nul != std::string_view::npos)  // RapidJSON reads NUL as the end
    return tl::unexpected{ParameterError{characters(line.substr(0, nul)) + 1, "there is a NUL byte in this parameter"}};
  rapidjson::MemoryStream stream{line.data(), line.size()};
  rapidjson::Reader reader;
  ParameterBuilder builder;
  if (const auto result = reader.Parse<kFlags>(stream, builder); result.IsError()) {
    if (result.Code() == rapidjson::kParseErrorTermination)
      return tl::unexpected{ParameterError{0, "a parameter is a JSON string, or an array of strings and numbers"}};
    const auto column = characters(line.substr(0, std::min(result.Offset(), line.size()))) + 1;
    return tl::unexpected{ParameterError{column, fmt::format("this is not JSON: {}", rapidjson::GetParseError_En(result.Code()))}};
  }
  return builder.take();
}

/// Whether the line is a string without escapes, which is the usual case.
bool is_plain_string(std::string_view line) {
  return line.size() >= 2 && line.front() == '"' && line.back() == '"' && std::ranges::none_of(line.substr(1, line.size() - 2), is_escaped);
}

}  // namespace

void append_ndjson_line(std::string& out, std::string_view line) {
  append_string(out, line);
  out += '\n';
}

void append_ndjson(std::string& out, const Parameter& parameter) {
  if (const auto* line = std::get_if<std::string>(&parameter)) return append_ndjson_line(out, *line);
  out += '[';
  for (std::string_view comma = ""; const auto& argument : std::get<Arguments>(parameter)) {
    out += comma;
    append_string(out, argument);
    comma = ",";
  }
  out += "]\n";
}

tl::expected<Parameter, ParameterError> parse_ndjson(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  auto parameter =
      is_plain_string(line) ? tl::expected<Parameter, ParameterError>{std::string{line.substr(1, line.size() - 2)}} : parse_any(line);
  if (!parameter) return parameter;
  if (auto checked = check(*parameter); !checked) return tl::unexpected{checked.error()};
  return parameter;
}

}  // namespace gleaner::jdl
