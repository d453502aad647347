#include "lib/store/policies.hpp"

#include <fmt/format.h>

#include <map>
#include <type_traits>

#include "clients/gridctl/commands.hpp"
#include "lib/administration/limits.hpp"
#include "lib/administration/shares.hpp"
#include "lib/store/clock.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::gridctl {
namespace {

using process::Error;
using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Shrink;
using terminal::Table;

int integer_of(const std::string& text, std::string_view what, int least, int most) {
  const auto read = text::whole_number(text, least, most);
  if (!read) throw Error{ExitCode::usage, fmt::format("'{}' is not {}: a whole number from {} to {} is needed", text, what, least, most)};
  return *read;
}

/// The value, or the error that ends gridctl.
template <class T>
T value_of(administration::Declared<T> declared) {
  using Kind = administration::Refusal::Kind;
  if (!declared) throw Error{declared.error().kind == Kind::wrong_value ? ExitCode::usage : ExitCode::not_found, declared.error().message};
  if constexpr (!std::is_void_v<T>) return *std::move(declared);
}

grid::ClusterId cluster_named(store::Transaction& transaction, const std::string& name) {
  return value_of(administration::cluster_named(transaction, name));
}

process::Outcome store_limit(const Call& call, administration::WrittenLimit written) {
  written.user = call.value("user");
  written.group = call.value("group");
  written.project = call.value("project");
  written.campaign = call.value("campaign");
  written.cluster = call.value("cluster");
  written.silent = call.value("silent");
  const auto asked = value_of(administration::asked_limit(written, {.prefix = "--"}));
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    const auto id = value_of(administration::set_limit(transaction, asked));
    call.output.report(fmt::format("gridctl: limit {} is set, in force from the next cycle", id));
  });
  return ExitCode::ok;
}

}  // namespace

process::Outcome limit_set(const Call& call) {
  return store_limit(call, {.kind = call.arguments[0], .most = call.arguments[1], .days = call.value("days")});
}

process::Outcome limit_set_consumable(const Call& call) {
  return store_limit(
      call, {.kind = std::string{grid::name_of(grid::LimitKind::consumable)}, .most = call.arguments[1], .consumable = call.arguments[0]});
}

namespace {

/// Its present use; of a limit for each, the most that one of them uses, and who: `12 (ada)`.
Cell used_of(const grid::Limit& limit) {
  const auto most = administration::greatest_use(limit);
  return most.by.empty() ? Cell{most.used} : Cell{most.used, fmt::format("{:.0f} ({})", most.used, most.by)};
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
               {"days", "Days", Align::right},
               {"stopped", "Stops", Align::right}},
              {},
              "There are no limits."};
  std::vector<std::string> ids;
  const auto stopped = administration::stopped_campaigns(transaction, std::nullopt);
  const auto stops = [&](std::int64_t limit) { return stopped.contains(limit) ? Cell{stopped.at(limit)} : Cell{}; };
  for (const auto& limit : store::limits(transaction, store::now(transaction))) {
    table.rows.push_back({Cell{limit.id}, Cell{std::string{grid::name_of(limit.kind)}}, Cell{administration::holds(limit)},
                          Cell{limit.most}, used_of(limit), limit.kind == grid::LimitKind::resource_seconds ? Cell{limit.days} : Cell{},
                          stops(limit.id)});
    ids.push_back(fmt::format("{}", limit.id));
  }
  call.output.show({.table = table, .ids = ids});
  return ExitCode::ok;
}

process::Outcome limit_remove(const Call& call) {
  const auto id = integer_of(call.arguments[0], "the id of a limit", 1, 2'000'000'000);
  auto database = open_database(call);
  store::transact(database, std::nullopt,
                  [&](store::Transaction& transaction) { value_of(administration::remove_limit(transaction, id)); });
  call.output.report(fmt::format("gridctl: limit {} is removed", id));
  return ExitCode::ok;
}

process::Outcome share_set(const Call& call) {
  const administration::WrittenShare written{.kind = call.arguments[0], .name = call.arguments[1], .project = call.value("project")};
  auto database = open_database(call);
  double shares = 0;
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    shares = value_of(administration::set_share(transaction, written, call.arguments[2]));
  });
  call.output.report(fmt::format("gridctl: {} {} has {:g} shares", written.kind, written.name, shares));
  return ExitCode::ok;
}

process::Outcome share_list(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  const auto shares = administration::shares_in_use(transaction, call.context.config, store::now(transaction));
  const auto percent = [](double part) { return Cell{part, fmt::format("{:.1f} %", 100 * part)}; };
  Table table{{{"path", "Node", Align::left, Shrink::when_needed},
               {"kind", "Kind"},
               {"shares", "Shares", Align::right},
               {"part", "Of its level", Align::right},
               {"part_of_grid", "Of the grid", Align::right},
               {"used_part", "Used", Align::right},
               {"usage", "Days used", Align::right},
               {"priority", "Priority", Align::right}},
              {},
              "There are no shares: every user counts alike."};
  for (const auto& one : shares.nodes)
    table.rows.push_back({Cell{one.path}, Cell{std::string{administration::kind_of(one.node)}}, Cell{one.node.shares},
                          percent(one.of_level), percent(one.part), percent(one.used_part),
                          Cell{one.node.usage, fmt::format("{:.3f}", one.node.usage)},
                          Cell{one.priority, fmt::format("{:.3f}", one.priority)}});
  call.output.show({.table = table});
  return ExitCode::ok;
}

process::Outcome share_remove(const Call& call) {
  const administration::WrittenShare written{.kind = call.arguments[0], .name = call.arguments[1], .project = call.value("project")};
  auto database = open_database(call);
  store::transact(database, std::nullopt,
                  [&](store::Transaction& transaction) { value_of(administration::remove_share(transaction, written)); });
  call.output.report(fmt::format("gridctl: {} {} has no shares any more, nor has what was below it", written.kind, written.name));
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
