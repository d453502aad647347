#include "lib/jdl/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "lib/jdl/text.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::jdl {
namespace {

constexpr std::size_t kMostQuoted = 60;

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
  text::JsonWriter json;
  json.array(problems, [&](const Problem& problem) {
    json.begin_object()
        .field("line", static_cast<std::int64_t>(problem.place.line))
        .field("column", static_cast<std::int64_t>(problem.place.column));
    json.field("path", problem.path).field("value", problem.value).field("message", problem.message).end_object();
  });
  return json.text();
}

}  // namespace gleaner::jdl
