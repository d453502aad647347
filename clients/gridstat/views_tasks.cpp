// Tables: the attempts of a task.
#include <fmt/format.h>

#include <algorithm>

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
Cell seconds_cell(const Json& seconds) { return seconds.number() ? Cell{fmt::format("{:.1f}s", *seconds.number())} : Cell{}; }
Cell mb_cell(const Json& mb) { return mb.number() ? Cell{fmt::format("{:.1f}MB", *mb.number())} : Cell{}; }
Cell text_cell(const Json& value) { return value.is_null() ? Cell{} : Cell{value.text()}; }
Cell hosts_cell(const Json& hosts) {
  std::string names;
  for (const auto& host : hosts.items()) names += (names.empty() ? "" : " ") + host.text();
  return names.empty() ? Cell{} : Cell{names};
}

bool has_checkpoints(const std::vector<Json>& tasks) {
  return std::ranges::any_of(tasks, [](const Json& task) {
    return std::ranges::any_of(task["jobs"].items(), [](const Json& job) { return !job["checkpoint_time"].is_null(); });
  });
}

}  // namespace

Cell time_cell(const Json& time, grid::Instant now) {
  const auto seconds = time.time();
  return seconds ? terminal::time_cell(grid::from_unix(*seconds), now) : Cell{};
}

Table attempts_table(const std::vector<Json>& tasks, const Setting& setting) {
  Table table{{{"task", tasks.size() > 1 ? "Task" : "", Align::right},
               {"attempt", "Try", Align::right},
               {"cluster", "Cluster", Align::left, Shrink::last},
               {"job", "Job", Align::right, Shrink::left_out_first},
               {"remote_id", "RemoteId", Align::right, Shrink::left_out_first},
               {"state", "State", Align::left, Shrink::when_needed},
               {"start_time", "Start", Align::left, Shrink::left_out},
               {"stop_time", "End", Align::left, Shrink::left_out},
               {"ending", "Ending", Align::left, Shrink::when_needed},
               {"exit_code", "Exit", Align::right},
               {"hosts", "Host", Align::left, Shrink::when_needed},
               {"checkpoint_time", has_checkpoints(tasks) ? "Checkpoint" : "", Align::left, Shrink::left_out},
               {"submission_time", ""},
               {"message", ""},
               {"cpu_seconds", "CPU", Align::right, Shrink::left_out},
               {"peak_memory_mb", "MB", Align::right, Shrink::left_out},
               {"io_mb", "I/O", Align::right, Shrink::left_out}},
              {},
              "It has had no job.",
              setting.heading};
  for (const auto& task : tasks) {
    for (const auto& job : task["jobs"].items()) {
      table.rows.push_back({number_cell(task["id"]), number_cell(job["attempt"]), text_cell(job["cluster_name"]), number_cell(job["id"]),
                            number_cell(job["remote_id"]), text_cell(job["state"]), time_cell(job["start_time"], setting.now),
                            time_cell(job["stop_time"], setting.now), text_cell(job["ending"]), number_cell(job["exit_code"]),
                            hosts_cell(job["hosts"]), time_cell(job["checkpoint_time"], setting.now), text_cell(job["submission_time"]),
                            text_cell(job["message"]), seconds_cell(job["cpu_seconds"]), number_cell(job["peak_memory_mb"]),
                            mb_cell(job["io_mb"])});
    }
  }
  return table;
}

std::string task_view(const Json& task, const Setting& setting) {
  auto view = fmt::format("Task {} of campaign {}: {}{}\n", task["id"].integer(), task["campaign_id"].integer(),
                          terminal::printable(task["state"].text()), task["cancelling"].is_true() ? ", being cancelled" : "");
  view += fmt::format("        Parameters:             {}\n\n", terminal::printable(task["parameters"].text()));
  if (const auto& by = task["held_by"]; !by.is_null())
    view += fmt::format("It is held by {} since {}: 'gridsub --resume {} --task {}' releases it.\n\n", terminal::printable(by.text()),
                        terminal::near_time(task["held_time"].seconds(), setting.now), task["campaign_id"].integer(), task["id"].integer());
  if (const auto& cluster = task["waits_for_checkpoint_on"]; !cluster.is_null())
    view += fmt::format("It waits for {}, where its checkpoint is.\n\n", terminal::printable(cluster.text()));
  if (const auto& cluster = task["waits_for_files_on"]; !cluster.is_null())
    view += fmt::format("It waits for {}, where the task that it comes after left its files.\n\n", terminal::printable(cluster.text()));
  if (const auto& why = task["withheld"]; !why.is_null())
    view +=
        terminal::wrap(fmt::format("What it asks for cannot be computed: {}.", terminal::printable(why.text())), setting.screen.width, "") +
        "\n\n";
  view += terminal::render_human(attempts_table({task}, setting), setting.screen);
  for (const auto& job : task["jobs"].items()) {
    if (job["message"].text().empty()) continue;
    const auto line =
        fmt::format("attempt {}, job {}: {}", job["attempt"].integer(), job["id"].integer(), terminal::printable(job["message"].text()));
    view += terminal::wrap(line, setting.screen.width, "  ") + "\n";
  }
  return view;
}

}  // namespace gleaner::gridstat
