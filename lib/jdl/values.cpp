#include "lib/jdl/values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/jdl/text.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::jdl {

std::string_view kind_name(NodeKind kind) {
  switch (kind) {
    case NodeKind::null: return "null";
    case NodeKind::boolean: return "true or false";
    case NodeKind::number: return "a number";
    case NodeKind::string: return "a string";
    case NodeKind::array: return "an array";
    case NodeKind::object: return "an object";
  }
  return "";
}

std::string shown(const Node& node) {
  if (node.kind == NodeKind::array) return node.elements.empty() ? "[]" : "[ … ]";
  if (node.kind == NodeKind::object) return node.members.empty() ? "{}" : "{ … }";
  return node.text;
}

std::optional<std::string> read_text(const Node& node, const std::string& path, Findings& findings) {
  if (node.kind != NodeKind::string) {
    const bool simple = node.kind == NodeKind::number || node.kind == NodeKind::boolean;
    const auto hint =
        simple ? fmt::format("write \"{}\"", excerpt(node.text)) : std::string{node.kind == NodeKind::null ? "leave it out" : "write one"};
    findings.add(node.offset, path, shown(node),
                 fmt::format("'{}' is {}, not a string; {}", excerpt(shown(node)), kind_name(node.kind), hint));
    return std::nullopt;
  }
  const auto text = trim(node.text);
  const auto control = std::ranges::find_if(text, [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7F; });
  if (control != text.end()) {
    findings.add(node.offset, path, node.text,
                 fmt::format("'{}' has a line end or another control character in it; write it on one line", excerpt(node.text)));
    return std::nullopt;
  }
  return std::string{text};
}

std::optional<std::string> read_word(const Node& node, const std::string& path, std::string_view what, Findings& findings) {
  auto text = read_text(node, path, findings);
  if (!text || !text->empty()) return text;
  findings.add(node.offset, path, node.text, fmt::format("it is empty; write {}", what));
  return std::nullopt;
}

std::optional<std::int64_t> read_integer(const Node& node, const std::string& path, Bounds bounds, Findings& findings) {
  const auto wrong = [&](std::string_view why) {
    findings.add(node.offset, path, shown(node),
                 fmt::format("'{}' {}; write a whole number from {} to {}", excerpt(shown(node)), why, bounds.least, bounds.most));
    return std::nullopt;
  };
  if (node.kind != NodeKind::number && node.kind != NodeKind::string) return wrong("is not a number");
  const auto written = trim(node.text);
  const auto value = text::whole_number(written, bounds.least, bounds.most);
  if (value) return *value;
  if (value.error() == text::NumberError::malformed) return wrong("is not a whole number");
  const bool is_below = written.starts_with('-') || text::whole_number(written, std::int64_t{0}, bounds.least);
  return wrong(is_below ? "is too small" : "is too large");
}

std::optional<bool> read_yes(const Node& node, const std::string& path, Findings& findings) {
  const auto text = node.kind == NodeKind::string ? lower(trim(node.text)) : node.text;
  const bool is_stated = node.kind == NodeKind::boolean || node.kind == NodeKind::string;
  if (is_stated && (text == "true" || text == "false")) return text == "true";
  findings.add(node.offset, path, shown(node), fmt::format("'{}' is neither true nor false", excerpt(shown(node))));
  return std::nullopt;
}

std::optional<std::string> read_choice(const Node& node, const std::string& path, std::string_view what,
                                       std::span<const std::string_view> words, std::string_view wrong, Findings& findings) {
  auto text = read_word(node, path, what, findings);
  if (text && std::ranges::find(words, *text) == words.end())
    findings.add(node.offset, path, *text, fmt::format("'{}' is {}{}", excerpt(*text), wrong, text::did_you_mean(*text, words)));
  return text;
}

bool is_first(std::string& stated, std::string_view key, const Node& node, const std::string& path, Findings& findings) {
  if (stated.empty() || stated == key) {
    stated = key;
    return true;
  }
  findings.add(node.offset, path, shown(node),
               fmt::format("'{}' means the same as '{}', which is stated too: write one of them", key, stated));
  return false;
}

void check_bound(const Node& node, const std::string& path, std::optional<int> number, std::optional<int> most, Findings& findings) {
  if (!most || number.value_or(0) <= *most) return;
  findings.add(node.offset, path, shown(node),
               fmt::format("'{}' is more than this grid allows; write {} at most, or leave it out", excerpt(shown(node)), *most));
}

}  // namespace gleaner::jdl
