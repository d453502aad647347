#include "clients/events_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::clients {
namespace {

using terminal::Align;
using terminal::Cell;
using terminal::Ink;
using terminal::Shrink;
using terminal::Table;

Cell number_cell(const Json& number) { return number.whole() ? Cell{*number.whole()} : Cell{}; }
Cell text_cell(const Json& value) { return value.is_null() ? Cell{} : Cell{value.text()}; }

/// A date as people read it, in local time.
std::string shown_date(const Json& date, grid::Instant now) {
  const auto seconds = date.time();
  return seconds ? terminal::near_time(*seconds, now) : terminal::printable(date.text());
}

/// `2 MAX_FAILS of campaign 14 on alpha, 1 time, last 18:14:56`.
std::string event_head(const Json& event, EventsOf of, const terminal::Screen& screen, grid::Instant now) {
  const bool is_open = event["state"].text() == "open";
  const auto code = terminal::printable(fmt::format("{} {}", event["id"].integer(), event["code"].text()));
  auto head = code;
  if (const auto campaign = event["campaign_id"].whole(); campaign && of == EventsOf::grid)
    head += fmt::format(" of campaign {}", *campaign);
  if (!event["cluster_name"].is_null()) head += " on " + terminal::printable(event["cluster_name"].text());
  head += fmt::format(", {}, last {}", terminal::counted(event["occurrences"].integer(), "time"), shown_date(event["date_update"], now));
  if (!is_open) head += ", closed";
  if (screen.is_limited) head = terminal::wrap(head, screen.width, "    ");
  // Colours are added after wrapping, because they have no width.
  if (!head.starts_with(code)) return head;
  return terminal::painted(is_open ? Ink::bad : Ink::faint, code, screen) + head.substr(code.size());
}

}  // namespace

std::string events_text(const std::vector<Json>& events, EventsOf of, const terminal::Screen& screen, grid::Instant now) {
  if (events.empty()) return "No events!\n";
  std::string view;
  for (const auto& event : events) {
    view += event_head(event, of, screen, now) + "\n";
    // The first line is the grid's; those behind it may be a task's stderr.
    auto message = event["message"].text();
    const auto first = message.substr(0, message.find('\n'));
    message.replace(0, first.size(), terminal::in_local_times(first, now));
    for (std::size_t begin = 0; begin < message.size();) {
      const auto end = std::min(message.find('\n', begin), message.size());
      view += "    " + terminal::wrap(terminal::printable(message.substr(begin, end - begin)), screen.width, "    ") + "\n";
      begin = end + 1;
    }
  }
  return view;
}

Table events_table(const std::vector<Json>& events, terminal::Heading heading, grid::Instant now) {
  Table table{{{"id", "Id", Align::right},
               {"code", "Code", Align::left, Shrink::when_needed},
               {"cluster", "Cluster", Align::left, Shrink::last},
               {"occurrences", "Times", Align::right},
               {"date_update", "Last"},
               {"message", "Message", Align::left, Shrink::when_needed},
               {"state", ""},
               {"job", ""},
               {"date_open", ""},
               {"campaign", ""}},
              {},
              "No events!",
              heading};
  for (const auto& e : events) {
    table.rows.push_back({number_cell(e["id"]), text_cell(e["code"]), text_cell(e["cluster_name"]), number_cell(e["occurrences"]),
                          Cell{e["date_update"].text(), shown_date(e["date_update"], now)}, text_cell(e["message"]), text_cell(e["state"]),
                          number_cell(e["job_id"]), text_cell(e["date_open"]), number_cell(e["campaign_id"])});
  }
  return table;
}

}  // namespace gleaner::clients
