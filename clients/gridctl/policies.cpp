#include "lib/store/policies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "clients/gridctl/commands.hpp"
#include "lib/grid/needs.hpp"
#include "lib/process/values.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/clusters.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::gridctl {
namespace {

using process::Error;
using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Shrink;
using terminal::Table;

double number_of(const std::string& text, std::string_view what) {
  const auto read = text::real_number(text);
  if (!read || *read < 0) throw Error{ExitCode::usage, fmt::format("'{}' is not {}: a number, 0 or more, is needed", text, what)};
  return *read;
}

int integer_of(const std::string& text, std::string_view what, int least, int most) {
  const auto read = text::whole_number(text, least, most);
  if (!read) throw Error{ExitCode::usage, fmt::format("'{}' is not {}: a whole number from {} to {} is needed", text, what, least, most)};
  return *read;
}

grid::ClusterId cluster_named(store::Transaction& transaction, const std::string& name) {
  const auto clusters = store::clusters(transaction);
  std::vector<std::string_view> names;
  for (const auto& cluster : clusters) {
    if (cluster.name == name) return cluster.id;
    names.push_back(cluster.name);
  }
  throw Error{ExitCode::not_found, fmt::format("there is no cluster '{}'{}", name, text::did_you_mean(name, names))};
}

grid::LimitKind limit_kind_of(const std::string& text) {
  const auto kind = grid::limit_kind(text);
  const auto& names = grid::limit_kind_names();
  if (!kind)
    throw Error{ExitCode::usage,
                fmt::format("'{}' is not a kind of limit: {}{}", text, fmt::join(names, ", "), text::did_you_mean(text, names))};
  return *kind;
}

constexpr std::string_view kEach{"each"};

/// The one of --user, --project and --campaign that is `each`.
std::optional<grid::LimitEach> each_of(const Call& call) {
  std::optional<grid::LimitEach> found;
  for (const auto each : grid::kLimitEach) {
    if (call.value(grid::name_of(each)) != kEach) continue;
    if (found)
      throw Error{ExitCode::usage,
                  fmt::format("--{0}=each and --{1}=each: only one of them can be each; name the {0}, or the {1}, or set two limits",
                              grid::name_of(*found), grid::name_of(each))};
    found = each;
  }
  if (call.value("group") == kEach)
    throw Error{ExitCode::usage, "--group=each: a user may be in several groups; write --user each, --project each or --campaign each"};
  if (found && *found != grid::LimitEach::campaign && call.value("campaign"))
    throw Error{ExitCode::usage, fmt::format("--{}=each and --campaign={}: a campaign has only one {}; leave one of them out",
                                             grid::name_of(*found), *call.value("campaign"), grid::name_of(*found))};
  return found;
}

void read_target(const Call& call, store::Transaction& transaction, grid::Limit& limit) {
  limit.each = each_of(call);
  const auto name_of = [&](grid::LimitEach each) { return limit.each == each ? std::nullopt : call.value(grid::name_of(each)); };
  limit.user = name_of(grid::LimitEach::user);
  limit.group = call.value("group");
  limit.project = name_of(grid::LimitEach::project);
  if (const auto id = name_of(grid::LimitEach::campaign)) {
    limit.campaign = grid::CampaignId{integer_of(*id, "the id of a campaign", 1, 2'000'000'000)};
    if (!store::campaign_owner(transaction, *limit.campaign)) throw Error{ExitCode::not_found, fmt::format("there is no campaign {}", *id)};
  }
  if (const auto name = call.value("cluster")) limit.cluster = cluster_named(transaction, *name);
}

/// The time after which the jobs of a silent cluster do not count.
std::optional<std::chrono::seconds> silence_of(const Call& call, grid::LimitKind kind) {
  const auto text = call.value("silent");
  if (!text) return std::nullopt;
  if (kind == grid::LimitKind::resource_seconds)
    throw Error{ExitCode::usage, "--silent and resource_seconds: what jobs have used remains used; leave --silent out"};
  const auto read = process::parse_duration(*text);
  const auto seconds = read ? std::chrono::duration_cast<std::chrono::seconds>(*read) : std::chrono::seconds{};
  if (seconds < std::chrono::seconds{1} || seconds > std::chrono::hours{24 * 365})
    throw Error{ExitCode::usage, fmt::format("--silent={}: must be a time such as 30m, from a second to a year", *text)};
  return seconds;
}

process::Outcome store_limit(const Call& call, grid::Limit limit) {
  limit.silent = silence_of(call, limit.kind);
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    read_target(call, transaction, limit);
    const auto id = store::set_limit(transaction, limit);
    call.output.report(fmt::format("gridctl: limit {} is set, in force from the next cycle", id));
  });
  return ExitCode::ok;
}

std::string target_text(const grid::Limit& limit) {
  std::vector<std::string> parts;
  if (!limit.consumable.empty()) parts.push_back(fmt::format("consumable {}", limit.consumable));
  if (limit.each) parts.push_back(fmt::format("each {}", grid::name_of(*limit.each)));
  if (limit.user) parts.push_back(fmt::format("user {}", *limit.user));
  if (limit.group) parts.push_back(fmt::format("group {}", *limit.group));
  if (limit.project) parts.push_back(fmt::format("project {}", *limit.project));
  if (limit.campaign) parts.push_back(fmt::format("campaign {}", limit.campaign->value()));
  if (limit.cluster) parts.push_back(fmt::format("cluster {}", limit.cluster_name));
  const auto whom = parts.empty() ? "the whole grid" : fmt::format("{}", fmt::join(parts, ", "));
  return limit.silent ? fmt::format("{}; not clusters silent for {}", whom, process::format_duration(*limit.silent)) : whom;
}

/// The parent project of a node as --project takes it: `physics`, or `science/physics` if a name occurs several times.
std::optional<std::int64_t> parent_of(const Call& call, store::Transaction& transaction) {
  const auto path = call.value("project");
  if (!path) return std::nullopt;
  if (path->find('/') == std::string::npos) {
    const auto found = store::projects_named(transaction, *path);
    if (found.size() == 1) return found.front();
    if (found.size() > 1)
      throw Error{ExitCode::usage,
                  fmt::format("there are {} projects '{}': name its way from the root, such as science/{}", found.size(), *path, *path)};
  }
  std::optional<std::int64_t> at;
  for (std::size_t begin = 0; begin <= path->size();) {
    const auto end = std::min(path->find('/', begin), path->size());
    const auto name = path->substr(begin, end - begin);
    at = store::share_of(transaction, "project", name, at);
    if (!at)
      throw Error{ExitCode::not_found,
                  fmt::format("there is no project '{}' in the tree of shares: gridctl share set project {} SHARES makes it", name, name)};
    begin = end + 1;
  }
  return at;
}

void check_share_kind(const std::string& kind) {
  if (kind != "project" && kind != "group" && kind != "user")
    throw Error{ExitCode::usage, fmt::format("'{}' is neither project, group nor user", kind)};
}

}  // namespace

process::Outcome limit_set(const Call& call) {
  grid::Limit limit{.kind = limit_kind_of(call.arguments[0]), .most = number_of(call.arguments[1], "a limit")};
  const auto days = call.value("days");
  if (days && limit.kind != grid::LimitKind::resource_seconds)
    throw Error{ExitCode::usage, fmt::format("--days is for resource_seconds; {} is counted now", grid::name_of(limit.kind))};
  if (days) limit.days = integer_of(*days, "a number of days", 1, 3650);
  return store_limit(call, std::move(limit));
}

process::Outcome limit_set_consumable(const Call& call) {
  const auto& name = call.arguments[0];
  if (!grid::is_consumable_name(name))
    throw Error{ExitCode::usage, fmt::format("'{}' is no name of a consumable: letters, digits, '_', '-', '.' and ':', 64 at most", name)};
  return store_limit(call, {.kind = grid::LimitKind::consumable, .most = number_of(call.arguments[1], "a limit"), .consumable = name});
}

namespace {

/// Its present use; of a limit for each, the most that one of them uses, and who: `12 (ada)`.
Cell used_of(const grid::Limit& limit) {
  const auto most = std::ranges::max_element(limit.used_by, {}, [](const auto& one) { return one.second; });
  if (!limit.each || most == limit.used_by.end()) return Cell{std::round(limit.used)};
  return Cell{std::round(most->second), fmt::format("{:.0f} ({})", most->second, most->first)};
}

}  // namespace

process::Outcome limit_list(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  Table table{{{"id", "Id", Align::right},
               {"kind", "Kind"},
               {"holds", "Holds", Align::left, Shrink::when_needed},
               {"most", "Most", Align::right},
               {"used", "Now", Align::right},
               {"days", "Days", Align::right}},
              {},
              "There are no limits."};
  std::vector<std::string> ids;
  for (const auto& limit : store::limits(transaction, store::now(transaction))) {
    table.rows.push_back({Cell{limit.id}, Cell{std::string{grid::name_of(limit.kind)}}, Cell{target_text(limit)}, Cell{limit.most},
                          used_of(limit), limit.kind == grid::LimitKind::resource_seconds ? Cell{limit.days} : Cell{}});
    ids.push_back(fmt::format("{}", limit.id));
  }
  call.output.show({.table = table, .ids = ids});
  return ExitCode::ok;
}

process::Outcome limit_remove(const Call& call) {
  const auto id = integer_of(call.arguments[0], "the id of a limit", 1, 2'000'000'000);
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    if (!store::remove_limit(transaction, id)) throw Error{ExitCode::not_found, fmt::format("there is no limit {}", id)};
  });
  call.output.report(fmt::format("gridctl: limit {} is removed", id));
  return ExitCode::ok;
}

process::Outcome share_set(const Call& call) {
  const auto& kind = call.arguments[0];
  check_share_kind(kind);
  const double shares = number_of(call.arguments[2], "a number of shares");
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    store::set_share(transaction, kind, call.arguments[1], parent_of(call, transaction), shares);
  });
  call.output.report(fmt::format("gridctl: {} {} has {:g} shares", kind, call.arguments[1], shares));
  return ExitCode::ok;
}

process::Outcome share_list(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  const auto all = store::shares(transaction);
  std::map<std::int64_t, std::string> paths;
  Table table{{{"path", "Node", Align::left, Shrink::when_needed},
               {"kind", "Kind"},
               {"shares", "Shares", Align::right},
               {"part", "Of its level", Align::right}},
              {},
              "There are no shares: every user counts alike."};
  for (const auto& share : all) {
    const auto path = (share.parent ? paths.at(*share.parent) : std::string{}) + "/" + share.name;
    paths.emplace(share.id, path);
    double level = 0;
    for (const auto& sibling : all) level += sibling.parent == share.parent ? sibling.shares : 0;
    table.rows.push_back(
        {Cell{path},
         Cell{std::string{share.is_user    ? "user"
                          : share.is_group ? "group"
                                           : "project"}},
         Cell{share.shares},
         Cell{level > 0 ? share.shares / level : 0.0, fmt::format("{:.1f} %", level > 0 ? 100 * share.shares / level : 0)}});
  }
  call.output.show({.table = table});
  return ExitCode::ok;
}

process::Outcome share_remove(const Call& call) {
  const auto& kind = call.arguments[0];
  check_share_kind(kind);
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    const auto id = store::share_of(transaction, kind, call.arguments[1], parent_of(call, transaction));
    if (!id || !store::remove_share(transaction, *id))
      throw Error{ExitCode::not_found, fmt::format("there is no {} '{}' there (gridctl share list)", kind, call.arguments[1])};
  });
  call.output.report(fmt::format("gridctl: {} {} has no shares any more, nor has what was below it", kind, call.arguments[1]));
  return ExitCode::ok;
}

process::Outcome usage_list(const Call& call) {
  const auto days =
      call.value("days") ? integer_of(*call.value("days"), "a number of days", 1, 3650) : call.context.config.fairshare_window;
  auto database = open_database(call);
  auto transaction = database.begin();
  std::map<std::pair<std::string, std::string>, std::pair<double, double>> sums;  // all days, today
  for (const auto& one : store::usage(transaction, days, store::now(transaction))) {
    auto& [all, today] = sums[{one.user, one.project}];
    all += one.resource_seconds;
    if (one.days_ago == 0) today += one.resource_seconds;
  }
  Table table{{{"user", "User"},
               {"project", "Project"},
               {"today", "Hours today", Align::right},
               {"all", fmt::format("Hours, {} days", days), Align::right}},
              {},
              "Nothing was used."};
  for (const auto& [who, used] : sums)
    table.rows.push_back({Cell{who.first}, Cell{who.second}, Cell{used.second / 3600, fmt::format("{:.2f}", used.second / 3600)},
                          Cell{used.first / 3600, fmt::format("{:.2f}", used.first / 3600)}});
  call.output.show({.table = table});
  return ExitCode::ok;
}

process::Outcome affinity_add(const Call& call) {
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    store::set_affinity(transaction, call.arguments[0], cluster_named(transaction, call.arguments[1]));
  });
  call.output.report(
      fmt::format("gridctl: {} goes first on {} where the order of campaigns has affinity", call.arguments[0], call.arguments[1]));
  return ExitCode::ok;
}

process::Outcome affinity_remove(const Call& call) {
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    if (!store::remove_affinity(transaction, call.arguments[0], cluster_named(transaction, call.arguments[1])))
      throw Error{ExitCode::not_found,
                  fmt::format("user {} has no affinity to {} (gridctl affinity list)", call.arguments[0], call.arguments[1])};
  });
  call.output.report(fmt::format("gridctl: user {} has no affinity to {} any more", call.arguments[0], call.arguments[1]));
  return ExitCode::ok;
}

process::Outcome affinity_list(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  Table table{{{"user", "User"}, {"cluster", "Cluster"}}, {}, "There are no affinities."};
  for (const auto& affinity : store::affinities(transaction)) table.rows.push_back({Cell{affinity.user}, Cell{affinity.cluster_name}});
  call.output.show({.table = table});
  return ExitCode::ok;
}

}  // namespace gleaner::gridctl
