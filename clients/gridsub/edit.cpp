#include "clients/gridsub/edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "clients/api_client.hpp"
#include "clients/asked.hpp"
#include "clients/gridsub/problems.hpp"
#include "clients/json.hpp"
#include "lib/jdl/parse.hpp"
#include "lib/terminal/text.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::gridsub {
namespace {

using process::Error;
using process::ExitCode;

constexpr std::string_view kClusters = "clusters.";

/// A changed key with its value as JSON.
struct Change {
  std::string cluster;  ///< empty: a key of the campaign
  std::string key;      ///< empty: the cluster itself, on, off or an object
  std::string value;
};

std::string value_of(const std::string& word, std::string_view text) {
  if (text.empty()) return "null";
  if (std::string_view{"[{\""}.find(text.front()) == std::string_view::npos) return text::json_string(text);
  if (!clients::Json::parse(text)) throw Error{ExitCode::usage, fmt::format("'{}': its value begins as JSON, and is none", word)};
  return std::string{text};
}

/// A cluster's name may have dots; its key is behind the last one.
Change read_change(const std::string& word) {
  const auto equals = word.find('=');
  if (equals == 0 || equals == std::string::npos)
    throw Error{
        ExitCode::usage,
        fmt::format("'{}' is no change: write KEY=VALUE, e.g. walltime=2:0:0, clusters.alpha.max_jobs=50 or clusters.beta=off", word)};
  const auto path = word.substr(0, equals);
  const auto text = std::string_view{word}.substr(equals + 1);
  Change change{.cluster = {}, .key = path, .value = value_of(word, text)};
  if (!path.starts_with(kClusters)) return change;
  const auto rest = path.substr(kClusters.size());
  const auto dot = rest.rfind('.');
  const bool is_switch = text == "on" || text == "off" || text.starts_with('{');
  const bool has_key = dot != std::string::npos && (jdl::is_cluster_key(rest.substr(dot + 1)) || !is_switch);
  change.cluster = rest.substr(0, has_key ? dot : std::string::npos);
  change.key = has_key ? rest.substr(dot + 1) : std::string{};
  return change;
}

void check_once(const std::vector<Change>& changes) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& change : changes) {
    const bool is_whole = !change.cluster.empty() && change.key.empty();
    const auto others = std::ranges::count_if(changes, [&](const Change& other) { return other.cluster == change.cluster; });
    if (!seen.emplace(change.cluster, change.key).second || (is_whole && others > 1))
      throw Error{ExitCode::usage, fmt::format("'{}{}{}{}' is changed twice", change.cluster.empty() ? "" : kClusters, change.cluster,
                                               change.cluster.empty() || change.key.empty() ? "" : ".", change.key)};
  }
}

void write_cluster(text::JsonWriter& json, const std::string& cluster, const std::vector<Change>& changes) {
  json.key(cluster);
  const auto first = std::ranges::find(changes, cluster, &Change::cluster);
  if (first->key.empty()) {
    json.raw(first->value);
    return;
  }
  json.object([&] {
    for (const auto& change : changes) {
      if (change.cluster == cluster) json.key(change.key).raw(change.value);
    }
  });
}

/// `walltime: "1:00:00" -> "2:00:00"`.
std::string text_of(const clients::Json& change) {
  const auto side = [&](std::string_view name) {
    return change[name].is_null() ? std::string{"(default)"} : clients::dump(change[name], clients::Layout::one_line);
  };
  return fmt::format("{}: {} -> {}", change["path"].text(), side("before"), side("after"));
}

clients::Reply put_changes(clients::ApiClient& api, terminal::Output& output, std::int64_t id, const std::string& changes, bool is_check) {
  auto reply = api.put(fmt::format("/v1/campaigns/{}{}", id, is_check ? "?dry_run=1" : ""), changes);
  if (reply.status == 400) {
    auto problems = problems_of(reply.json);
    for (auto& problem : problems) problem.place = {};  // the place in the JSON, which the user does not see
    throw wrong_input(problems, fmt::format("campaign {}", id), "nothing was changed");
  }
  show_warnings(reply, output);
  return reply;
}

void check_edit_options(const process::Arguments& arguments) {
  constexpr std::array<std::string_view, 4> kTaken{"edit", "dry-run", "quiet", "details"};
  for (const auto& [option, values] : arguments.options) {
    if (std::ranges::find(kTaken, option) == kTaken.end())
      throw Error{ExitCode::usage,
                  fmt::format("--edit and --{} exclude each other: --edit ID takes KEY=VALUE, e.g. walltime=2:0:0", option)};
  }
}

}  // namespace

std::string changes_of(const std::vector<std::string>& words) {
  std::vector<Change> changes;
  for (const auto& word : words) changes.push_back(read_change(word));
  check_once(changes);
  text::JsonWriter json;
  json.object([&] {
    for (const auto& change : changes) {
      if (change.cluster.empty()) json.key(change.key).raw(change.value);
    }
    std::set<std::string> clusters;
    for (const auto& change : changes) clusters.insert(change.cluster);
    clusters.erase(std::string{});
    if (clusters.empty()) return;
    json.key("clusters").object([&] {
      for (const auto& cluster : clusters) write_cluster(json, cluster, changes);
    });
  });
  return json.text();
}

void edit(const process::Context& context, terminal::Output& output) {
  const auto& arguments = context.arguments;
  check_edit_options(arguments);
  const auto ids = clients::ids_of(arguments.all("edit"));
  if (ids.size() != 1)
    throw Error{ExitCode::usage, fmt::format("--edit={}: one campaign is edited: gridsub --edit ID KEY=VALUE...", clients::joined(ids))};
  if (arguments.positional.empty())
    throw Error{ExitCode::usage, "nothing is to be changed: write KEY=VALUE, e.g. gridsub --edit ID walltime=2:0:0"};
  const auto changes = changes_of(arguments.positional);
  clients::ApiClient api{context.config};
  const bool is_check = arguments.has("dry-run");
  const auto reply = put_changes(api, output, ids[0], changes, is_check);
  std::string text;
  for (const auto& change : reply.json["changes"].items()) text += fmt::format("  {}\n", terminal::printable(text_of(change)));
  const auto head = fmt::format("Campaign {}: {}", ids[0], text.empty() ? "nothing changes" : is_check ? "it would change" : "changed");
  output.show(
      {.text = fmt::format("{}\n{}", head, text), .json = reply.body, .ids = {fmt::format("{}", ids[0])}, .done = is_check ? "" : head});
}

void edit_before_retry(clients::ApiClient& api, terminal::Output& output, std::int64_t id, const std::vector<std::string>& words) {
  const auto reply = put_changes(api, output, id, changes_of(words), false);
  for (const auto& change : reply.json["changes"].items())
    output.report(fmt::format("gridsub: campaign {}: {}", id, terminal::printable(text_of(change))));
}

}  // namespace gleaner::gridsub
