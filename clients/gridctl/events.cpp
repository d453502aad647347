#include <fmt/format.h>

#include <sstream>

#include "clients/gridctl/commands.hpp"
#include "lib/process/values.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/views_grid.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::gridctl {
namespace {

using process::Error;
using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Shrink;
using terminal::Table;

namespace views = store::views;

constexpr std::int64_t kMostEvents = 1000;

std::int64_t id_of(const std::string& text, std::string_view what) {
  const auto read = text::whole_number(text, std::int64_t{1});
  if (!read) throw Error{ExitCode::usage, fmt::format("'{}' is not the id of {}", text, what)};
  return *read;
}

views::Page<views::EventView> events_of(const Call& call, store::Transaction& transaction) {
  const auto which = call.has("all") ? views::Which::all : views::Which::open;
  if (call.arguments.empty()) return views::grid_events(transaction, which, {kMostEvents, 0});
  const grid::CampaignId campaign{id_of(call.arguments[0], "a campaign")};
  if (!store::campaign_owner(transaction, campaign))
    throw Error{ExitCode::not_found, fmt::format("there is no campaign {}", campaign.value())};
  return views::campaign_events(transaction, campaign, which, {kMostEvents, 0});
}

}  // namespace

process::Outcome event_list(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  const auto page = events_of(call, transaction);
  Table table{{{"id", "Id", Align::right},
               {"code", "Code", Align::left, Shrink::when_needed},
               {"cluster", "Cluster", Align::left, Shrink::last},
               {"occurrences", "Times", Align::right},
               {"last", "Last"},
               {"message", "Message", Align::left, Shrink::when_needed},
               {"state", ""},
               {"campaign", ""},
               {"opened", ""}},
              {},
              "No event is open."};
  std::vector<std::string> ids;
  for (const auto& e : page.items) {
    table.rows.push_back({Cell{e.id}, Cell{e.code}, Cell{e.cluster_name}, Cell{e.occurrences},
                          terminal::time_cell(e.last_at, call.context.now), Cell{e.message}, Cell{e.state},
                          e.campaign ? Cell{*e.campaign} : Cell{}, terminal::time_cell(e.opened_at, call.context.now)});
    ids.push_back(fmt::format("{}", e.id));
  }
  call.output.show({.table = table, .ids = ids});
  if (page.total > kMostEvents) call.output.report(fmt::format("gridctl: only the first {} of {} events", kMostEvents, page.total));
  return ExitCode::ok;
}

process::Outcome event_show(const Call& call) {
  const auto id = id_of(call.arguments[0], "an event");
  auto database = open_database(call);
  auto transaction = database.begin();
  const auto event = views::event(transaction, id);
  if (!event) throw Error{ExitCode::not_found, fmt::format("there is no event {}", id)};
  const auto now = call.context.now;
  const auto time = [&](grid::Instant at) { return terminal::time_cell(at, now); };
  Table table{{{"what", "What"}, {"value", "Value", Align::left, Shrink::when_needed}}, {}};
  table.rows = {{Cell{"id"}, Cell{event->id}},
                {Cell{"code"}, Cell{event->code}},
                {Cell{"state"}, Cell{event->state}},
                {Cell{"campaign"}, event->campaign ? Cell{*event->campaign} : Cell{{}, "-"}},
                {Cell{"cluster"}, event->cluster ? Cell{event->cluster_name} : Cell{{}, "-"}},
                {Cell{"job"}, event->job ? Cell{*event->job} : Cell{{}, "-"}},
                {Cell{"occurrences"}, Cell{event->occurrences}},
                {Cell{"opened"}, time(event->opened_at)},
                {Cell{"last"}, time(event->last_at)},
                {Cell{"closed"}, event->closed_at ? time(*event->closed_at) : Cell{{}, "-"}}};
  std::string text;
  for (const auto& row : table.rows)
    text +=
        fmt::format("{:<12}{}\n", terminal::text_of(row[0].value), row[1].shown.empty() ? terminal::text_of(row[1].value) : row[1].shown);
  std::istringstream lines{event->message};
  text += '\n';
  for (std::string line; std::getline(lines, line);) text += terminal::printable(line) + '\n';
  table.rows.push_back({Cell{"message"}, Cell{event->message}});
  call.output.show({.table = table, .text = text, .ids = {fmt::format("{}", event->id)}});
  return ExitCode::ok;
}

process::Outcome event_close(const Call& call) {
  const auto id = id_of(call.arguments[0], "an event");
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    const auto event = store::event_owner(transaction, id);
    if (!event) throw Error{ExitCode::not_found, fmt::format("there is no event {}", id)};
    if (!store::fix_event(transaction, id, store::now(transaction)))
      throw Error{ExitCode::refused, fmt::format("event {} is closed already", id)};
  });
  call.output.report(fmt::format("gridctl: event {} is closed, and its brake lifted", id));
  return ExitCode::ok;
}

}  // namespace gleaner::gridctl
