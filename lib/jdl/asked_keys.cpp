#include "lib/jdl/asked_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <utility>

#include "lib/grid/walltime.hpp"
#include "lib/jdl/key_readers.hpp"
#include "lib/jdl/resource_template.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::jdl {
namespace {

/// A walltime has only digits and colons.
bool is_formula_of_time(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return std::isalpha(c) || c == '_' || c == '(' || c == '*'; });
}

/// Seconds and hours are easily taken for one another: times that hardly anybody means.
void doubt_unit(const Node& node, const std::string& path, Findings& findings) {
  constexpr std::int64_t kFewSeconds = 60;
  constexpr std::int64_t kManyHours = 240;
  const auto number = text::whole_number<std::int64_t>(trim(node.text));
  if (!number) return;
  if (node.kind == NodeKind::number && *number < kFewSeconds)
    findings.doubt(node.offset, path, node.text, fmt::format("{0} is a number of seconds; for hours, write \"{0}:00:00\"", *number));
  if (node.kind == NodeKind::string && *number > kManyHours)
    findings.doubt(node.offset, path, node.text,
                   fmt::format("'{}' is a number of hours, as OAR reads it; for seconds, write {}", *number,
                               grid::format_walltime(std::min(grid::Seconds{*number}, grid::kLongestWalltime))));
}

std::optional<grid::Seconds> read_seconds(const Node& node, const std::string& path, Findings& findings) {
  const auto seconds = read_integer(node, path, {1, grid::kLongestWalltime.count()}, findings);
  if (!seconds) return std::nullopt;
  doubt_unit(node, path, findings);
  return grid::Seconds{*seconds};
}

void read_request(const Node& node, const std::string& text, const std::string& path, SectionLevel& into, Findings& findings) {
  if (text.size() > ResourceTemplate::kLongest) {
    findings.add(node.offset, path, text,
                 fmt::format("'{}' is not a resource request: it is {} bytes long, and may have {}", excerpt(text), text.size(),
                             ResourceTemplate::kLongest));
    return;
  }
  if (ResourceTemplate::is_one(text)) {
    into.section.resources_expression = text;
    into.section.resources = {};
    into.expressions.push_back({WrittenExpression::Kind::resources, text, node.offset, path});
    return;
  }
  into.section.resources_expression.clear();
  auto request = grid::ResourceRequest::parse(text);
  if (request) into.section.resources = std::move(*request);
  else findings.add(node.offset, path, text, fmt::format("'{}' is not a resource request: {}", excerpt(text), request.error()));
}

/// Sets the walltime; empty: it is wrong.
bool set_walltime(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  if (node.kind == NodeKind::number) {
    const auto seconds = read_seconds(node, path, findings);
    if (!seconds) return false;
    into.section.walltime_expression.clear();
    into.section.walltime = *seconds;
    return true;
  }
  const auto text = read_word(node, path, "h:m:s, e.g. 1:30:00", findings);
  if (!text) return false;
  if (is_formula_of_time(*text)) {
    into.section.walltime_expression = *text;
    into.section.walltime = {};
    into.expressions.push_back({WrittenExpression::Kind::walltime, *text, node.offset, path});
    return true;
  }
  into.section.walltime_expression.clear();
  const auto walltime = grid::parse_walltime(*text);
  if (!walltime) {
    findings.add(node.offset, path, *text, fmt::format("'{}' is not a walltime; write h:m:s, e.g. 1:30:00", excerpt(*text)));
    return false;
  }
  into.section.walltime = *walltime;
  doubt_unit(node, path, findings);
  return true;
}

/// The key walltime counts, as in CiGri, which wrote it behind the resources.
void doubt_walltimes(const Node& node, const std::string& path, std::string_view by_key, std::string_view in_resources,
                     Findings& findings) {
  findings.doubt(node.offset, path, shown(node),
                 fmt::format("the walltime is stated twice: {} by walltime, and {} in resources; keep one of them", excerpt(by_key),
                             excerpt(in_resources)),
                 ": that of walltime counts");
}

void set_resources(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  const auto text = read_word(node, path, "what each task takes, e.g. /core=1 or /nodes=1/core=4", findings);
  if (!text) return;
  const auto parts = split_walltime(*text);
  if (!parts) return read_request(node, *text, path, into, findings);
  read_request(node, parts->resources, path, into, findings);
  Node walltime;
  walltime.kind = NodeKind::string;
  walltime.offset = node.offset;
  walltime.text = parts->walltime;
  if (into.stated_walltime) {
    SectionLevel in_resources;
    if (!set_walltime(walltime, path, in_resources, findings)) return;
    const auto stated = in_resources.section.walltime_text();
    if (stated != *into.stated_walltime) doubt_walltimes(node, path, *into.stated_walltime, stated, findings);
    return;
  }
  if (set_walltime(walltime, path, into, findings)) into.stated_walltime = into.section.walltime_text();
}

}  // namespace

std::optional<ResourcesAndWalltime> split_walltime(std::string_view resources) {
  constexpr std::string_view kWalltime{"walltime"};
  const auto found = resources.rfind(kWalltime);
  if (found == std::string_view::npos) return std::nullopt;
  const auto before = trim(resources.substr(0, found));
  const auto after = trim(resources.substr(found + kWalltime.size()));
  if (!before.ends_with(',') || !after.starts_with('=')) return std::nullopt;
  return ResourcesAndWalltime{std::string{trim(before.substr(0, before.size() - 1))}, std::string{trim(after.substr(1))}};
}

std::optional<grid::Seconds> read_time(const Node& node, const std::string& path, std::string_view example, Findings& findings) {
  if (node.kind == NodeKind::number) return read_seconds(node, path, findings);
  const auto text = read_word(node, path, fmt::format("h:m:s, e.g. {}", example), findings);
  if (!text) return std::nullopt;
  const auto time = grid::parse_walltime(*text);
  if (time) doubt_unit(node, path, findings);
  else findings.add(node.offset, path, *text, fmt::format("'{}' is not a walltime; write h:m:s, e.g. {}", excerpt(*text), example));
  return time;
}

void read_walltime(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  const auto in_resources = std::exchange(into.stated_walltime, std::nullopt);
  if (!set_walltime(node, path, into, findings)) return;
  into.stated_walltime = into.section.walltime_text();
  if (in_resources && *in_resources != *into.stated_walltime) doubt_walltimes(node, path, *into.stated_walltime, *in_resources, findings);
}

void read_resources(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  if (!is_first(into.resources_key, "resources", node, path, findings)) return;
  set_resources(node, path, into, findings);
}

/// The name in document 003.
void read_resource(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  if (!is_first(into.resources_key, "resource", node, path, findings)) return;
  findings.doubt(node.offset, path, shown(node), "the key is called 'resources' today: write that", "; it is understood");
  set_resources(node, path, into, findings);
}

}  // namespace gleaner::jdl
