// Tables: the attempts of a task.
#include <fmt/format.h>

#include "clients/gridstat/views.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::gridstat {
namespace {

using clients::Json;
using terminal::Align;
using terminal::Cell;
using terminal::Shrink;
using terminal::Table;

Cell number_cell(const Json& number) { return number.whole() ? Cell{*number.whole()} : Cell{}; }
Cell text_cell(const Json& value) { return value.is_null() ? Cell{} : Cell{value.text()}; }
Cell time_cell(const Json& seconds, const Setting& setting) {
  return seconds.whole() ? Cell{*seconds.whole(), terminal::near_time(*seconds.whole(), setting.now)} : Cell{};
}

Cell hosts_cell(const Json& hosts) {
  std::string names;
  for (const auto& host : hosts.items()) names += (names.empty() ? "" : " ") + host.text();
  return names.empty() ? Cell{} : Cell{names};
}

}  // namespace

Table attempts_table(const std::vector<Json>& tasks, const Setting& setting) {
  Table table{{{"task", tasks.size() > 1 ? "Task" : "", Align::right},
               {"attempt", "Try", Align::right},
               {"cluster", "Cluster", Align::left, Shrink::last},
               {"job", "Job", Align::right},
               {"remote_id", "RemoteId", Align::right},
               {"state", "State", Align::left, Shrink::when_needed},
               {"start_time", "Start"},
               {"stop_time", "End"},
               {"ending", "Ending", Align::left, Shrink::when_needed},
               {"exit_code", "Exit", Align::right},
               {"hosts", "Host", Align::left, Shrink::last},
               {"submission_time", ""},
               {"message", ""}},
              {},
              "It has had no job.",
              setting.heading};
  for (const auto& task : tasks) {
    for (const auto& job : task["execution"].items()) {
      table.rows.push_back({number_cell(task["id"]), number_cell(job["attempt"]), text_cell(job["cluster_name"]), number_cell(job["id"]),
                            number_cell(job["remote_id"]), text_cell(job["state"]), time_cell(job["start_time"], setting),
                            time_cell(job["stop_time"], setting), text_cell(job["ending"]), number_cell(job["return_code"]),
                            hosts_cell(job["hosts"]), number_cell(job["submission_time"]), text_cell(job["message"])});
    }
  }
  return table;
}

std::string task_view(const Json& task, const Setting& setting) {
  auto view = fmt::format("Task {} of campaign {}: {}{}\n", task["id"].integer(), task["campaign_id"].integer(),
                          terminal::printable(task["state"].text()), task["cancelling"].is_true() ? ", being cancelled" : "");
  view += fmt::format("        Parameters:             {}\n\n", terminal::printable(task["parameters"].text()));
  view += terminal::render_human(attempts_table({task}, setting), setting.screen);
  for (const auto& job : task["execution"].items()) {
    if (job["message"].text().empty()) continue;
    const auto line =
        fmt::format("attempt {}, job {}: {}", job["attempt"].integer(), job["id"].integer(), terminal::printable(job["message"].text()));
    view += terminal::wrap(line, setting.screen.width, "  ") + "\n";
  }
  return view;
}

}  // namespace gleaner::gridstat
