#include "clients/gridclusters/views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lib/grid/cigri_words.hpp"
#include "lib/grid/out_of_use.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::gridclusters {
namespace {

using clients::Json;
using terminal::Align;
using terminal::Cell;
using terminal::Ink;
using terminal::Shrink;
using terminal::Table;

constexpr std::size_t kBar = 22;
constexpr std::size_t kShortestBar = 7;

grid::OutOfUse out_of_use(const Json& cluster) {
  grid::OutOfUse out;
  grid::for_each_field(grid::kOutOfUseFields,
                       [&](const auto& field) { out.*field.member = static_cast<int>(cluster[field.name].whole().value_or(0)); });
  return out;
}

/// Those that can be used, and those out of use.
std::int64_t all_resources(const Json& cluster) { return cluster["max_resources"].integer() + out_of_use(cluster).resources_out(); }

/// Whether the cluster receives jobs; if not, why.
Cell state_of(const Json& cluster, grid::Instant now) {
  if (!cluster["retired_at"].is_null()) return {std::string{"retired"}, "retired", Ink::faint};
  if (!cluster["enabled"].is_true()) return {std::string{"disabled"}, "disabled", Ink::warm};
  if (cluster["reachable"].is_null()) return {std::string{"not asked yet"}, "not asked yet", Ink::faint};
  if (!cluster["reachable"].is_true()) {
    const auto since = cluster["unreachable_since"].time();
    const auto text =
        since ? fmt::format("unreachable for {}", terminal::length(std::chrono::seconds{grid::to_unix(now) - *since})) : "unreachable";
    return {std::string{"unreachable"}, text, Ink::bad};
  }
  if (!cluster["no_resources_since"].is_null()) return {std::string{"no live resources"}, "no live resources", Ink::bad};
  if (!cluster["brake"].is_null()) return {std::string{"braked"}, "stopped", Ink::bad};
  if (const auto limit = cluster["stress"]["job_limit"].whole())
    return {std::string{"under stress"}, fmt::format("under stress: {} of our jobs", *limit), Ink::warm};
  if (const auto out = out_of_use(cluster); out.suspected_resources > 0)
    return {std::string{"suspected"}, fmt::format("{} suspected", out.suspected_resources), Ink::warm};
  return {std::string{"ok"}, "ok", Ink::good};
}

Cell count(const Json& number) { return number.whole() ? Cell{*number.whole()} : Cell{{}, "-"}; }

/// OAR's stress factor.
Cell factor(const Json& number) { return number.number() ? Cell{fmt::format("{:g}", *number.number())} : Cell{{}, "-"}; }

/// Whether some cluster has resources out of use.
bool some_are_out(const std::vector<Json>& clusters) {
  return std::ranges::any_of(clusters, [](const Json& c) { return out_of_use(c).resources_out() > 0; });
}

/// Whether the load of some cluster's nodes counts.
bool load_counts(const std::vector<Json>& clusters) {
  return std::ranges::any_of(clusters, [](const Json& c) { return !c["loaded_resources"].is_null(); });
}

/// Whether some clusters have their users' homes in common.
bool some_share(const std::vector<Json>& clusters) {
  return std::ranges::any_of(clusters, [](const Json& c) { return !c["shared_home"].is_null(); });
}

}  // namespace

Table clusters_table(const std::vector<Json>& clusters, grid::Instant now) {
  Table table{{{"id", "Id", Align::right},
               {"name", "Name", Align::left, Shrink::last},
               {"state", "State", Align::left, Shrink::last},
               {"max", "Max", Align::right},
               {"out", some_are_out(clusters) ? "Out" : "", Align::right},
               {"free", "Free", Align::right},
               {"kept", "Kept", Align::right, Shrink::left_out},
               {"loaded", load_counts(clusters) ? "Loaded" : "", Align::right, Shrink::left_out},
               {"used", "Used", Align::right},
               {"ours", "Ours", Align::right},
               {"waiting", "Waiting", Align::right, Shrink::left_out},
               {"latency_ms", "ms", Align::right, Shrink::left_out_first},
               {"stress", "Stress", Align::right, Shrink::left_out_first},
               {"job_limit", "Limit", Align::right},
               {"shared_home", some_share(clusters) ? "Home" : "", Align::left, Shrink::left_out},
               {"error", ""}},
              {},
              "There is no cluster yet: an administrator adds one with 'gridctl cluster add'."};
  for (const auto& c : clusters) {
    const auto& status = c["status"];
    table.rows.push_back({Cell{c["id"].integer()}, Cell{c["name"].text()}, state_of(c, now), count(c["max_resources"]),
                          Cell{std::int64_t{out_of_use(c).resources_out()}}, count(status["free"]), count(c["kept_resources"]),
                          count(c["loaded_resources"]), count(status["used"]), count(status["our_running"]), count(status["our_waiting"]),
                          count(status["api_latency_ms"]), factor(c["stress"]["stress_factor"]), count(c["stress"]["job_limit"]),
                          Cell{c["shared_home"].text()}, Cell{c["last_error"].text()}});
  }
  return table;
}

namespace {

/// `alpha: no live resources since 18:12:04 (16 suspected); its administrators can bring some back`.
std::string resources_reason(const Json& c, const grid::OutOfUse& out, grid::Instant now) {
  const auto name = c["name"].text();
  const auto since = c["no_resources_since"].seconds();
  const auto text = grid::text_of(out);
  if (c["no_resources_since"].is_null())
    return fmt::format("{}: {} of {} resources are out of use ({})", name, out.resources_out(), all_resources(c), text);
  return fmt::format("{}: no live resources since {}{}; its administrators can bring some back", name, terminal::near_time(since, now),
                     text.empty() ? text : fmt::format(" ({})", text));
}

}  // namespace

std::string reasons(const std::vector<Json>& clusters, const terminal::Screen& screen, grid::Instant now) {
  std::string text;
  for (const auto& c : clusters) {
    const bool is_down = !c["reachable"].is_null() && !c["reachable"].is_true() && c["enabled"].is_true();
    if (is_down && !c["last_error"].is_null())
      text += terminal::wrap(terminal::printable(c["name"].text() + ": " + c["last_error"].text()), screen.width, "    ") + "\n";
    if (const auto out = out_of_use(c); c["reachable"].is_true() && (out.resources_out() > 0 || !c["no_resources_since"].is_null()))
      text += terminal::wrap(terminal::printable(resources_reason(c, out, now)), screen.width, "    ") + "\n";
    if (!c["brake"].is_null())
      text += terminal::wrap(
                  terminal::printable(c["name"].text() + ": stopped until " + terminal::near_time(c["brake"]["expires"].seconds(), now) +
                                      ": " + c["brake"]["reason"].text()),
                  screen.width, "    ") +
              "\n";
    if (c["under_stress"].is_true())
      text += terminal::wrap(terminal::printable(fmt::format("{}: under stress since {}, and takes {} of our jobs for now: {}",
                                                             c["name"].text(), terminal::near_time(c["stress"]["since"].seconds(), now),
                                                             c["stress"]["job_limit"].integer(), c["stress"]["reason"].text())),
                             screen.width, "    ") +
              "\n";
  }
  return text.empty() ? text : "\n" + text;
}

namespace {

double share(std::int64_t part, std::int64_t whole) { return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0; }

}  // namespace

std::string usage_text(const std::vector<Json>& clusters, const terminal::Screen& screen) {
  std::string text;
  std::size_t longest = 4;
  const std::size_t most = screen.is_limited ? 20 : std::string::npos;
  for (const auto& c : clusters) longest = std::max(longest, std::min(terminal::display_width(c["name"].text()), most));
  for (const auto& c : clusters) {
    const auto max = c["max_resources"].integer();
    const auto name = terminal::pad_right(terminal::shorten(terminal::printable(c["name"].text()), longest), longest);
    const auto& status = c["status"];
    if (status.is_null()) {
      text += name + "  no figures yet\n";
      continue;
    }
    const auto used = status["used"].integer();
    const int out = out_of_use(c).resources_out();
    const auto figures =
        fmt::format("{} of {} used ({:.0f}%), {} by the grid, {} free{}", used, max, share(used, max) * 100,
                    status["our_running"].integer(), status["free"].integer(), out > 0 ? fmt::format(", {} out of use", out) : "");
    // Name, bar and figures, with two blanks between them.
    const auto others = longest + figures.size() + 4;
    const auto columns = others < screen.width ? std::min(kBar, screen.width - others) : 0;
    const auto drawn = screen.is_terminal && columns >= kShortestBar
                           ? "  " + terminal::painted(Ink::good, terminal::bar(share(used, max), columns), screen)
                           : std::string{};
    const auto line = fmt::format("{}{}  {}", name, drawn, figures);
    text += (screen.is_limited && others > screen.width + 2 ? terminal::wrap(line, screen.width, "    ") : line) + "\n";
  }
  return text;
}

namespace {

/// `1: alpha , alpha.example.org (stress:0.9, UNDER_STRESS)`, as CiGri's gridclusters -i.
std::string info_line(const Json& c) {
  const auto& factor = c["stress"]["stress_factor"];
  auto line = fmt::format("{}: {} , {} (stress:{}", c["id"].integer(), c["name"].text(), grid::cigri::host_of(c["api_url"].text()),
                          factor.number() ? fmt::format("{:g}", *factor.number()) : std::string{"unknown"});
  if (c["blacklisted"].is_true()) line += ", BLACKLISTED";
  if (c["under_stress"].is_true()) line += ", UNDER_STRESS";
  return terminal::printable(line) + ")\n";
}

std::string value_text(const Json& value) {
  if (!value.text().empty()) return terminal::printable(value.text());
  return value.is_null() ? std::string{} : clients::dump(value, clients::Layout::one_line);
}

/// `    key: value`, the members of objects as `    stress.since: value`.
void add_fields(std::string& text, const std::string& prefix, const Json& object) {
  for (const auto& [key, value] : object.members()) {
    if (key == "links") continue;
    if (value.members().empty()) text += fmt::format("    {}{}: {}\n", prefix, key, value_text(value));
    else add_fields(text, prefix + key + ".", value);
  }
}

/// One kind of resources in a bar.
struct Segment {
  char mark;
  Ink ink;
  std::string_view name;
};
constexpr std::array kSegments{Segment{'@', Ink::strong, "used by the grid"}, Segment{'#', Ink::warm, "used by others"},
                               Segment{'.', Ink::good, "free"}, Segment{'x', Ink::bad, "unavailable"}};

std::string resources_bar(const Json& c, const terminal::Screen& screen) {
  const auto& status = c["status"];
  const auto max = std::max<std::int64_t>(all_resources(c), 0);
  if (status.is_null() || max == 0) return "Data temporarily unavailable\n";
  const auto ours = std::clamp<std::int64_t>(status["our_running"].integer(), 0, max);
  const auto used = std::clamp<std::int64_t>(status["used"].integer(), ours, max);
  const auto free = std::clamp<std::int64_t>(status["free"].integer(), 0, max - used);
  const std::array ends{ours, used, used + free, max};
  constexpr std::size_t kWidest = 80;
  const auto columns = std::clamp<std::size_t>(screen.width, 12, kWidest) - 2;
  std::string bar = "[";
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto end = static_cast<std::size_t>(std::llround(share(ends[i], max) * static_cast<double>(columns)));
    bar += terminal::painted(kSegments[i].ink, std::string(std::max(end, drawn) - drawn, kSegments[i].mark), screen);
    drawn = std::max(end, drawn);
  }
  return bar + "]\n";
}

}  // namespace

std::string infos_text(const std::vector<Json>& clusters) {
  std::string text;
  for (const auto& cluster : clusters) text += info_line(cluster);
  return text;
}

std::string details_text(const std::vector<Json>& clusters) {
  std::string text;
  for (const auto& cluster : clusters) {
    text += terminal::printable(cluster["name"].text()) + ":\n";
    add_fields(text, {}, cluster);
  }
  return text;
}

std::string bars_text(const std::vector<Json>& clusters, const terminal::Screen& screen) {
  std::string text;
  for (const auto& cluster : clusters) text += info_line(cluster) + resources_bar(cluster, screen);
  std::string legend;
  for (const auto& segment : kSegments)
    legend += (legend.empty() ? "" : "  ") + terminal::painted(segment.ink, std::string(1, segment.mark), screen) +
              fmt::format(" {}", segment.name);
  return text + legend + "\n";
}

}  // namespace gleaner::gridclusters
