// The audit: each change with its author.
#include <fmt/format.h>

#include <set>

#include "clients/gridctl/commands.hpp"
#include "clients/json.hpp"
#include "lib/process/values.hpp"
#include "lib/store/audit.hpp"
#include "lib/terminal/times.hpp"
#include "lib/text/json_writer.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::gridctl {
namespace {

using process::Error;
using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Shrink;
using terminal::Table;

constexpr std::int64_t kMostActs = 1000;

store::ActFilter filter_of(const Call& call) {
  store::ActFilter filter{.actor = call.value("user")};
  if (!call.arguments.empty()) {
    const auto id = text::whole_number(call.arguments[0], std::int64_t{1});
    if (!id) throw Error{ExitCode::usage, fmt::format("'{}' is not the id of a campaign", call.arguments[0])};
    filter.campaign = *id;
  }
  if (const auto since = call.value("since")) {
    const auto age = process::parse_duration(*since);
    if (!age) throw Error{ExitCode::usage, fmt::format("--since={}: must be a time such as 7d or 12h", *since)};
    filter.since = call.context.now - *age;
  }
  return filter;
}

clients::Json parsed(const std::optional<std::string>& json) {
  if (!json) return {};
  return clients::Json::parse(*json).value_or(clients::Json{});
}

std::string value_text(const clients::Json& value) {
  if (value.is_null()) return "-";
  const auto text = value.text();
  return text.empty() ? clients::dump(value, clients::Layout::one_line) : text;
}

/// `most: 5 -> 10, days: 1 -> 7`; what was not there before, or is not there any more, is `-`.
std::string change_text(const store::NotedAct& act) {
  const auto before = parsed(act.before);
  const auto after = parsed(act.after);
  std::set<std::string> keys;
  for (const auto& [key, value] : before.members()) keys.insert(key);
  for (const auto& [key, value] : after.members()) keys.insert(key);
  std::string text;
  for (const auto& key : keys) {
    text += fmt::format("{}{}: ", text.empty() ? "" : ", ", key);
    if (act.before) text += value_text(before[key]);
    if (act.before && act.after) text += " -> ";
    if (act.after) text += value_text(after[key]);
  }
  return text;
}

std::string json_of(const std::vector<store::NotedAct>& acts) {
  text::JsonWriter json;
  json.object(
      [&] { json.key("items").array(acts, [&](const store::NotedAct& act) { json.object([&] { store::write_act(json, act); }); }); });
  return json.text();
}

}  // namespace

process::Outcome audit_list(const Call& call) {
  auto database = open_database(call);
  const auto filter = filter_of(call);
  auto transaction = database.begin();
  const auto acts = store::noted_acts(transaction, filter, kMostActs);
  Table table{{{"time", "When"},
               {"actor", "Who", Align::left, Shrink::last},
               {"origin", "From", Align::left, Shrink::left_out},
               {"act", "Act", Align::left, Shrink::when_needed},
               {"subject", "Subject", Align::left, Shrink::when_needed},
               {"change", "Change", Align::left, Shrink::when_needed},
               {"id", ""},
               {"campaign", ""}},
              {},
              "Nobody has changed anything."};
  std::vector<std::string> ids;
  for (const auto& act : acts) {
    table.rows.push_back({terminal::time_cell(act.at, call.context.now), Cell{act.actor.name}, Cell{act.actor.origin}, Cell{act.act},
                          Cell{act.subject}, Cell{change_text(act)}, Cell{act.id}, act.campaign ? Cell{*act.campaign} : Cell{}});
    ids.push_back(fmt::format("{}", act.id));
  }
  call.output.show({.table = table, .json = json_of(acts), .ids = ids});
  if (std::ssize(acts) == kMostActs) call.output.report(fmt::format("gridctl: only the newest {} acts: --since names a time", kMostActs));
  return ExitCode::ok;
}

}  // namespace gleaner::gridctl
