#include "lib/jdl/several.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "lib/grid/dependency.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/tree.hpp"

namespace gleaner::jdl {
namespace {

/// The end of what begins here: a string, a comment, or one character.
std::size_t end_of_token(std::string_view text, std::size_t at) {
  const auto rest = text.substr(at);
  const auto after = [&](std::string_view end, std::size_t from) {
    const auto found = text.find(end, from);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  if (rest.starts_with("/*")) return after("*/", at + 2);
  if (rest.starts_with("//") || rest.starts_with('#')) return after("\n", at);
  if (!rest.starts_with('"')) return at + 1;
  for (auto i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') ++i;
    else if (text[i] == '"') return i + 1;
  }
  return text.size();
}

bool is_meaningless(std::string_view token) {
  return token.starts_with("/*") || token.starts_with("//") || token.starts_with('#') ||
         token.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

struct Element {
  std::size_t begin;
  std::size_t end;
};

/// The objects of an array; empty: it is none, or not of objects alone.
std::optional<std::vector<Element>> elements(std::string_view text) {
  std::vector<Element> found;
  int depth = 0;
  bool is_closed = false;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    end = end_of_token(text, at);
    const auto token = text.substr(at, end - at);
    if (is_meaningless(token)) continue;
    const bool opens = token == "{" || token == "[";
    const bool closes = token == "}" || token == "]";
    if (is_closed || (depth == 0 && token != "[")) return std::nullopt;
    if (depth == 1 && !opens && token != "," && token != "]") return std::nullopt;
    if (depth == 1 && token == "[") return std::nullopt;
    if (depth == 1 && token == "{") found.push_back({at, at});
    depth += opens ? 1 : closes ? -1 : 0;
    if (depth == 1 && token == "}") found.back().end = end;
    is_closed = depth == 0;
  }
  const bool is_whole = std::ranges::all_of(found, [](const Element& one) { return one.end > one.begin; });
  return is_closed && is_whole && !found.empty() ? std::optional{std::move(found)} : std::nullopt;
}

/// Line ends, and blanks for what stands before the place in its line.
std::string lines_before(std::string_view text) {
  const auto line = text.rfind('\n');
  std::string lines(static_cast<std::size_t>(std::ranges::count(text, '\n')), '\n');
  return lines.append(text.size() - (line == std::string_view::npos ? 0 : line + 1), ' ');
}

}  // namespace

std::optional<std::vector<std::string>> several_campaigns(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const auto found = elements(text);
  if (!found) return std::nullopt;
  std::vector<std::string> campaigns;
  for (const auto& [begin, end] : std::span{*found}.first(std::min(found->size(), kMostCampaigns + 1)))
    campaigns.push_back(lines_before(text.substr(0, begin)) + std::string{text.substr(begin, end - begin)});
  return campaigns;
}

std::string with_numbers(const std::string& text, const std::map<std::string, std::int64_t>& numbers) {
  Findings findings;
  const auto document = read_json(text, findings);
  std::vector<const Node*> names;
  for (const auto& member : document.root.members) {
    if (!grid::dependency_kind(member.key)) continue;
    const auto& value = member.value;
    for (const auto& node : value.kind == NodeKind::array ? std::span{value.elements} : std::span{&value, 1}) {
      if (node.kind == NodeKind::string && numbers.contains(std::string{trim(node.text)})) names.push_back(&node);
    }
  }
  std::ranges::sort(names, {}, &Node::offset);
  std::string result;
  std::size_t done = 0;
  for (const auto* node : names) {
    result.append(text, done, node->offset - done);
    result += fmt::format("{}", numbers.at(std::string{trim(node->text)}));
    done = end_of_token(text, node->offset);
  }
  return result.append(text, done);
}

}  // namespace gleaner::jdl
