#include "api/router.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lib/jdl/problem.hpp"
#include "lib/text/percent.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::api {
namespace {

/// After a key that may come several times.
constexpr std::string_view kList{"..."};

/// The parts between the slashes; a slash at the end is ignored.
std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    path.remove_prefix(1);
    const auto slash = std::min(path.find('/'), path.size());
    if (slash > 0 || slash < path.size()) parts.push_back(path.substr(0, slash));
    path.remove_prefix(slash);
  }
  return parts;
}

std::optional<std::vector<std::string>> match(std::string_view pattern, const std::vector<std::string_view>& path) {
  const auto wanted = split(pattern);
  if (wanted.size() != path.size()) return std::nullopt;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto decoded = text::percent_decoded(path[i]);
    if (!decoded) return std::nullopt;
    if (wanted[i].starts_with(':')) {
      if (decoded->empty()) return std::nullopt;
      parts.push_back(*decoded);
    } else if (wanted[i] != *decoded) {
      return std::nullopt;
    }
  }
  return parts;
}

}  // namespace

std::vector<Route> all_routes() {
  std::vector<Route> all;
  for (const auto table : {service_routes(),      submission_routes(),    campaign_routes(),         edit_routes(),
                           control_routes(),      task_routes(),          append_routes(),           event_routes(),
                           manual_event_routes(), cluster_routes(),       scenario_routes(),         stream_routes(),
                           output_routes(),       usage_routes(),         quality_routes(),          input_routes(),
                           notification_routes(), cluster_token_routes(), summary_routes(),          failure_routes(),
                           order_routes(),        progress_routes(),      decision_history_routes(), conductor_routes(),
                           session_routes(),      page_routes(),          what_if_routes(),          share_routes(),
                           brake_routes(),        administration_routes()})
    all.insert(all.end(), table.begin(), table.end());
  return all;
}

std::vector<std::string_view> keys_of(const Route& route) {
  std::vector<std::string_view> keys;
  for (auto rest = route.keys == kAnyKeys ? std::string_view{} : route.keys; !rest.empty();) {
    const auto blank = std::min(rest.find(' '), rest.size());
    auto key = rest.substr(0, blank);
    if (key.ends_with(kList)) key.remove_suffix(kList.size());
    keys.push_back(key);
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  keys.emplace_back("pretty");
  return keys;
}

std::optional<std::string> wrong_key(const http::Request& request, const Route& route) {
  if (route.keys == kAnyKeys) return std::nullopt;
  const auto known = keys_of(route);
  std::set<std::string_view> given;
  for (const auto& [key, value] : request.query) {
    if (std::ranges::find(known, key) == known.end()) {
      return fmt::format("there is no query key '{}' here{}: {} {} takes {}", jdl::excerpt(key), text::did_you_mean(key, known),
                         route.method, jdl::excerpt(request.path), fmt::join(known, ", "));
    }
    if (!given.insert(key).second && route.keys.find(fmt::format("{}{}", key, kList)) == std::string_view::npos)
      return fmt::format("the query key '{}' is given twice: {} {} takes one", key, route.method, jdl::excerpt(request.path));
  }
  return std::nullopt;
}

std::optional<std::string> path_of_today(std::span<const Route> routes, std::string_view method, std::string_view path) {
  constexpr std::string_view kFormerTasks{"jobs"};  // of a campaign: jobs, jobs.csv, jobs.ndjson
  const auto parts = split(path);
  std::string now{kVersionPath};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto part = parts[i];
    now += '/';
    if (i == 2 && parts[0] == "campaigns" && (part == kFormerTasks || part.starts_with("jobs."))) {
      now += "tasks";
      part.remove_prefix(kFormerTasks.size());
    }
    now += part;
  }
  return std::holds_alternative<NoSuchPath>(find_route(routes, method, now)) ? std::nullopt : std::optional{std::move(now)};
}

std::variant<Match, WrongMethod, NoSuchPath> find_route(std::span<const Route> routes, std::string_view method, std::string_view path) {
  if (!path.starts_with('/')) return NoSuchPath{};
  const auto parts = split(path);
  const auto wanted = method == "HEAD" ? std::string_view{"GET"} : method;
  std::string allowed;
  for (const auto& route : routes) {
    auto matched = match(route.pattern, parts);
    if (!matched) continue;
    if (route.method == wanted) return Match{&route, std::move(*matched)};
    if (!allowed.empty()) allowed += ", ";
    allowed += route.method;
  }
  if (allowed.empty()) return NoSuchPath{};
  return WrongMethod{allowed};
}

}  // namespace gleaner::api
