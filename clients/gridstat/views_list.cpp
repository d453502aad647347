// Tables: campaigns, tasks; a job.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "clients/follow.hpp"
#include "clients/forecast.hpp"
#include "clients/gridstat/views.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::gridstat {

using clients::Json;
using terminal::Align;
using terminal::Cell;
using terminal::Ink;
using terminal::Shrink;
using terminal::Table;

namespace {

constexpr std::size_t kWideScreen = 110;
/// On a screen that is narrower, names of users who are all the same, and the finished tasks beside their part of all, are left out.
constexpr std::size_t kNarrowScreen = 75;

Cell whole(const Json& number) { return number.whole() ? Cell{*number.whole()} : Cell{}; }
Cell text(const Json& value) { return value.is_null() ? Cell{} : Cell{value.text()}; }

Cell campaign_state(const Json& campaign) {
  const auto state = campaign["state"].text();
  if (state == "paused") return {state, state, Ink::warm};
  if (state == "cancelled") return {state, state, Ink::faint};
  if (state == "terminated" && !clients::has_succeeded(campaign)) return {state, state, Ink::bad};
  return {state, state, state == "terminated" ? Ink::good : Ink::plain};
}

/// The number of tasks that need their user, and `e` for an open event.
Cell to_fix(std::int64_t failed, bool has_events) {
  auto shown = failed > 0 ? fmt::format("{}", failed) : std::string{};
  if (has_events) shown += shown.empty() ? "e" : " e";
  return {failed, shown.empty() ? " " : shown, failed > 0 ? Ink::bad : Ink::warm};
}

/// The interval alone, if there is no space for more.
Cell ends_in(const Json& campaign, const Setting& setting) {
  const auto forecast = clients::forecast_of(campaign, "forecast_end", setting.now);
  if (!forecast) {
    const auto method = campaign["forecast_method"].text();
    return clients::why_none(method).empty() ? Cell{} : Cell{terminal::Value{}, method, Ink::warm};
  }
  return {campaign["forecast_end"].text(),
          setting.screen.width >= kWideScreen ? clients::in_short(*forecast) : clients::short_interval(*forecast)};
}

int percent(std::int64_t part, std::int64_t whole) { return whole > 0 ? static_cast<int>(part * 100 / whole) : 0; }

/// The texts of an array; empty: it has none.
std::string joined_texts(const Json& array) {
  std::string joined;
  for (const auto& item : array.items()) joined += (joined.empty() ? "" : " ") + item.text();
  return joined;
}

Cell task_state(const std::string& state) {
  if (state == "failed") return {state, state, Ink::bad};
  return {state, state, state == "done" ? Ink::good : Ink::plain};
}

}  // namespace

std::int64_t waiting_of(const Json& campaign) {
  const auto& tasks = campaign["tasks"];
  return tasks["waiting"].integer() + tasks["launching"].integer() + tasks["submitted"].integer();
}

Table summary(const std::vector<Json>& campaigns, const Setting& setting) {
  const auto wide = [&](std::string title) { return setting.screen.width >= kWideScreen ? title : std::string{}; };
  const bool is_narrow = setting.screen.width < kNarrowScreen;
  const bool has_users =
      std::ranges::any_of(campaigns, [&](const Json& campaign) { return campaign["user"].text() != campaigns.front()["user"].text(); });
  const bool has_tests = std::ranges::any_of(campaigns, [](const Json& campaign) { return campaign["type"].text() != "default"; });
  const bool has_forecasts = std::ranges::any_of(campaigns, [](const Json& campaign) { return !campaign["forecast_end"].is_null(); });
  Table table{{{"id", "Id", Align::right},
               {"name", "Name", Align::left, Shrink::last},
               {"user", is_narrow && !has_users ? "" : "User", Align::left, is_narrow ? Shrink::left_out : Shrink::last},
               {"submission_time", wide("Submitted")},
               {"state", "Status", Align::left, Shrink::when_needed},
               {"type", has_tests ? "Type" : wide("Type")},
               {"waiting", is_narrow ? "Wait" : "Waiting", Align::right, is_narrow ? Shrink::left_out : Shrink::left_out_last},
               {"running", is_narrow ? "Run" : "Running", Align::right},
               {"finished", is_narrow ? "" : "Finished", Align::right, Shrink::left_out_last},
               {"failed", "ToFix", Align::right},
               {"progress", "%", Align::right},
               {"total", ""},
               {"cancelled", ""},
               {"has_events", ""},
               {"end_time", ""},
               {"forecast_end", has_forecasts ? "Ends in" : "", Align::right},
               {"forecast_end_earliest", ""},
               {"forecast_end_latest", ""},
               {"forecast_start", ""},
               {"forecast_start_earliest", ""},
               {"forecast_start_latest", ""},
               {"forecast_method", ""}},
              {},
              "No campaign is in treatment, paused, or to be fixed (gridstat -a shows those that have ended).",
              setting.heading};
  for (const auto& c : campaigns) {
    const auto total = c["total_tasks"].integer();
    const auto done = c["tasks"]["done"].integer();
    table.rows.push_back({whole(c["id"]),
                          text(c["name"]),
                          text(c["user"]),
                          time_cell(c["submission_time"], setting.now),
                          campaign_state(c),
                          text(c["type"]),
                          Cell{waiting_of(c)},
                          whole(c["tasks"]["running"]),
                          Cell{done},
                          to_fix(c["tasks"]["failed"].integer(), c["has_events"].is_true()),
                          Cell{std::int64_t{percent(done, total)}, fmt::format("{}%", percent(done, total))},
                          Cell{total},
                          whole(c["tasks"]["cancelled"]),
                          Cell{c["has_events"].is_true()},
                          text(c["end_time"]),
                          ends_in(c, setting),
                          text(c["forecast_end_earliest"]),
                          text(c["forecast_end_latest"]),
                          text(c["forecast_start"]),
                          text(c["forecast_start_earliest"]),
                          text(c["forecast_start_latest"]),
                          text(c["forecast_method"])});
  }
  return table;
}

Table users_table(const std::vector<Json>& campaigns, const Setting& setting) {
  struct Sums {
    std::int64_t campaigns = 0, waiting = 0, running = 0, finished = 0, failed = 0, total = 0;
    bool has_events = false;
  };
  std::map<std::string, Sums> users;
  for (const auto& campaign : campaigns) {
    auto& sums = users[campaign["user"].text()];
    ++sums.campaigns;
    sums.waiting += waiting_of(campaign);
    sums.running += campaign["tasks"]["running"].integer();
    sums.finished += campaign["tasks"]["done"].integer();
    sums.failed += campaign["tasks"]["failed"].integer();
    sums.total += campaign["total_tasks"].integer();
    sums.has_events = sums.has_events || campaign["has_events"].is_true();
  }
  Table table{{{"user", "User", Align::left, Shrink::last},
               {"campaigns", "Campaigns", Align::right, Shrink::left_out},
               {"waiting", "Waiting", Align::right},
               {"running", "Running", Align::right},
               {"finished", "Finished", Align::right},
               {"failed", "ToFix", Align::right},
               {"progress", "%", Align::right},
               {"total", ""},
               {"has_events", ""}},
              {},
              "No campaign is in treatment, paused, or to be fixed.",
              setting.heading};
  for (const auto& [user, sums] : users) {
    table.rows.push_back({Cell{user}, Cell{sums.campaigns}, Cell{sums.waiting}, Cell{sums.running}, Cell{sums.finished},
                          to_fix(sums.failed, sums.has_events),
                          Cell{std::int64_t{percent(sums.finished, sums.total)}, fmt::format("{}%", percent(sums.finished, sums.total))},
                          Cell{sums.total}, Cell{sums.has_events}});
  }
  return table;
}

Table tasks_table(const std::vector<Json>& tasks, const Setting& setting) {
  Table table{{{"id", "Task", Align::right},
               {"state", "State"},
               {"cluster", "Cluster", Align::left, Shrink::last},
               {"job", "Job", Align::right, Shrink::left_out_first},
               {"remote_id", "RemoteId", Align::right, Shrink::left_out_first},
               {"attempt", "Try", Align::right, Shrink::left_out},
               {"exit_code", "Exit", Align::right},
               {"ending", "Ending", Align::left, Shrink::when_needed},
               {"parameters", "Params", Align::left, Shrink::when_needed},
               {"name", ""},
               {"submission_time", ""},
               {"start_time", ""},
               {"stop_time", ""}},
              {},
              "No such task.",
              setting.heading};
  for (const auto& t : tasks) {
    const auto state = t["state"].text();
    table.rows.push_back({whole(t["id"]), t["held_by"].is_null() ? task_state(state) : Cell{state, "held", Ink::warm},
                          text(t["cluster_name"]), whole(t["job_id"]), whole(t["remote_id"]), whole(t["attempt"]), whole(t["exit_code"]),
                          text(t["ending"]), text(t["parameters"]), text(t["name"]), text(t["submission_time"]), text(t["start_time"]),
                          text(t["stop_time"])});
  }
  return table;
}

std::string job_view(const Json& job) {
  std::string view;
  for (const auto& [key, value] : job.members()) {
    auto shown = value.items().empty() ? value.text() : joined_texts(value);
    const bool has_parts = (!value.items().empty() && shown.empty()) || !value.members().empty();
    if (value.is_null() || has_parts) continue;
    if (const auto number = value.whole()) shown = fmt::format("{}", *number);
    if (value.time() && key.ends_with("_time")) shown = terminal::local_time(value.seconds());
    view += fmt::format("{}: {}\n", terminal::printable(key), terminal::printable(shown));
  }
  return view;
}

std::string remote_job_view(const Json& job) {
  auto view = job_view(job);
  for (const auto& event : job["events"].items()) {
    const auto description = event["description"].text();
    view += fmt::format("event: {} at {}{}\n", terminal::printable(event["type"].text()), terminal::local_time(event["date"].seconds()),
                        description.empty() ? std::string{} : ": " + terminal::printable(description));
  }
  return view;
}

}  // namespace gleaner::gridstat
