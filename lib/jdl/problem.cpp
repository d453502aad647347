#include "lib/jdl/problem.hpp"

#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <iterator>

#include "lib/jdl/text.hpp"

namespace gleaner::jdl {
namespace {

constexpr std::size_t kMostQuoted = 60;

using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

void write(JsonWriter& writer, std::string_view key, std::string_view value) {
  writer.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
  writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void write(JsonWriter& writer, std::string_view key, std::size_t value) {
  writer.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
  writer.Uint64(value);
}

}  // namespace

std::string excerpt(std::string_view value) {
  std::string shown;
  std::size_t count = 0;
  for (std::size_t i = 0; i < value.size(); ++count) {
    if (count == kMostQuoted) return shown + "…";
    const auto character = value.substr(i, 4);
    const auto invalid = first_invalid_utf8(character);
    const auto byte = static_cast<unsigned char>(value[i]);
    if (invalid == 0 || byte < 0x20 || byte == 0x7F) {
      shown += fmt::format("\\x{:02x}", byte);
      ++i;
      continue;
    }
    const std::size_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    shown += value.substr(i, length);
    i += length;
  }
  return shown;
}

std::string render(std::span<const Problem> problems, std::string_view file) {
  std::string text;
  for (const auto& problem : problems) {
    text += file;
    if (problem.place.line > 0) fmt::format_to(std::back_inserter(text), ":{}", problem.place.line);
    if (problem.place.line > 0 && problem.place.column > 0) fmt::format_to(std::back_inserter(text), ":{}", problem.place.column);
    if (!problem.path.empty()) fmt::format_to(std::back_inserter(text), ": {}", problem.path);
    fmt::format_to(std::back_inserter(text), ": {}\n", problem.message);
  }
  return text;
}

std::string to_json(std::span<const Problem> problems) {
  rapidjson::StringBuffer buffer;
  JsonWriter writer{buffer};
  writer.StartArray();
  for (const auto& problem : problems) {
    writer.StartObject();
    write(writer, "line", problem.place.line);
    write(writer, "column", problem.place.column);
    write(writer, "path", problem.path);
    write(writer, "value", problem.value);
    write(writer, "message", problem.message);
    writer.EndObject();
  }
  writer.EndArray();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace gleaner::jdl
