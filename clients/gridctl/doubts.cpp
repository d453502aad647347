// Lists of brakes, and of launches whose jobs may or may not exist.
#include <fmt/format.h>

#include "clients/gridctl/commands.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/views_brakes.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::gridctl {
namespace {

using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Shrink;
using terminal::Table;

namespace views = store::views;

constexpr std::int64_t kMostRows = 1000;

Cell name_cell(const std::string& name) { return {name, name.empty() ? "any" : name}; }

Cell moment_cell(const std::optional<grid::Instant>& time, grid::Instant now) {
  return time ? terminal::time_cell(*time, now) : Cell{{}, "-"};
}

void report_cut(const Call& call, std::int64_t total, std::string_view what) {
  if (total > kMostRows) call.output.report(fmt::format("gridctl: only the first {} of {} {}", kMostRows, total, what));
}

}  // namespace

process::Outcome brake_list(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  const auto now = store::now(transaction);
  const auto page = views::brakes(transaction, std::nullopt, now, {kMostRows, 0});
  Table table{{{"campaign", "Campaign", Align::right},
               {"user", "User"},
               {"cluster", "Cluster", Align::left, Shrink::last},
               {"reason", "Why", Align::left, Shrink::when_needed},
               {"set_by", "Set by"},
               {"since", "Since"},
               {"ends", "Ends", Align::left, Shrink::when_needed}},
              {},
              "No brake is in force."};
  std::vector<std::string> ids;
  for (const auto& brake : page.items) {
    table.rows.push_back({brake.campaign ? Cell{*brake.campaign} : Cell{{}, "any"}, Cell{brake.user}, name_cell(brake.cluster_name),
                          Cell{brake.reason}, Cell{brake.set_by.value_or("")}, terminal::time_cell(brake.since, now),
                          Cell{views::how_it_ends(brake)}});
    ids.push_back(fmt::format("{}", brake.id));
  }
  call.output.show({.table = table, .ids = ids});
  report_cut(call, page.total, "brakes");
  return ExitCode::ok;
}

process::Outcome launch_list(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  const auto now = store::now(transaction);
  const auto page = views::doubtful_launches(transaction, std::nullopt, {kMostRows, 0});
  Table table{{{"id", "Id", Align::right},
               {"campaign", "Campaign", Align::right},
               {"user", "User"},
               {"cluster", "Cluster", Align::left, Shrink::last},
               {"state", "State"},
               {"jobs", "Jobs", Align::right},
               {"tasks", "Tasks", Align::right},
               {"looks", "Looks", Align::right},
               {"since", "Since"},
               {"last_look", "Last look"},
               {"error", "Error", Align::left, Shrink::when_needed}},
              {},
              "The fate of every launch is known."};
  std::vector<std::string> ids;
  for (const auto& launch : page.items) {
    table.rows.push_back({Cell{launch.id}, Cell{launch.campaign}, Cell{launch.user}, Cell{launch.cluster_name}, Cell{launch.state},
                          Cell{launch.jobs}, Cell{launch.tasks}, Cell{std::int64_t{launch.looks}}, moment_cell(launch.since, now),
                          moment_cell(launch.last_look, now), Cell{launch.error}});
    ids.push_back(fmt::format("{}", launch.id));
  }
  call.output.show({.table = table, .ids = ids});
  report_cut(call, page.total, "launches");
  return ExitCode::ok;
}

}  // namespace gleaner::gridctl
