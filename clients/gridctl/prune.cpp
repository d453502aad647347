#include "lib/store/prune.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "clients/gridctl/commands.hpp"
#include "lib/process/standard_streams.hpp"
#include "lib/process/values.hpp"
#include "lib/store/clock.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::gridctl {

using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Table;

namespace {

process::Duration age_of(const Call& call) {
  const auto given = call.value("older-than");
  if (!given) return call.context.config.retention;
  const auto read = process::parse_duration(*given);
  if (!read) throw process::Error{ExitCode::usage, fmt::format("--older-than={}: must be a time such as 90d or 12h", *given)};
  return *read;
}

void note_prune(store::Database& database, grid::Instant before, const store::Pruned& rows) {
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    store::note_act(transaction, our_actor(),
                    {.name = "prune",
                     .subject = "what ended long ago",
                     .after = fmt::format(R"({{"ended_before": "{}", "campaigns": {}, "tasks": {}, "jobs": {}}})", text::utc(before),
                                          rows.campaigns, rows.tasks, rows.jobs)},
                    store::now(transaction));
  });
}

/// Campaigns that wait for what is deleted; empty: none does.
std::string in_vain_text(const store::Pruned& rows, std::string_view act) {
  if (rows.in_vain.empty()) return {};
  std::vector<std::int64_t> ids;
  for (const auto campaign : rows.in_vain) ids.push_back(campaign.value());
  return fmt::format("; {} {} {} for what {} deleted, and cannot end any more", ids.size() == 1 ? "campaign" : "campaigns",
                     fmt::join(ids, ", "), ids.size() == 1 ? "waits" : "wait", act);
}

/// Rows younger than the retention are deleted only after an answer, and so are all rows when stdin is a terminal.
void confirm(const Call& call, process::Duration age, const store::Pruned& rows) {
  if (call.has("yes")) return;
  const bool is_terminal = ::isatty(STDIN_FILENO) != 0;
  const bool is_usual = age >= call.context.config.retention;
  if (is_usual && !is_terminal) return;  // the event of each campaign that waits in vain names the rest
  const auto what =
      fmt::format("{} campaigns with {} tasks and {} jobs, and {} acts of the audit, that ended more than {} ago{}{}", rows.campaigns,
                  rows.tasks, rows.jobs, rows.acts, process::format_duration(age),
                  is_usual ? "" : fmt::format(" (less than the retention, {})", process::format_duration(call.context.config.retention)),
                  in_vain_text(rows, "is"));
  if (!is_terminal) throw process::Error{ExitCode::refused, fmt::format("would delete {}: nothing was deleted; add --yes to do it", what)};
  process::write_to_stderr(fmt::format("Delete {}? [no]: ", what));
  std::string typed;
  if (!std::getline(std::cin, typed) || (process::trim(typed) != "yes" && process::trim(typed) != "y"))
    throw process::Error{ExitCode::refused, "nothing was deleted"};
}

}  // namespace

process::Outcome prune(const Call& call) {
  const auto age = age_of(call);
  const auto before = call.context.now - age;
  auto database = open_database(call);
  auto rows = [&] {
    auto transaction = database.begin();
    return store::count_prunable(transaction, before);
  }();
  if (!call.has("dry-run")) {
    confirm(call, age, rows);
    rows = store::prune(database, before);
  }
  Table table{{{"what", "What"}, {"rows", "Rows", Align::right}}, {}};
  table.rows = {{Cell{"ended campaigns"}, Cell{rows.campaigns}},
                {Cell{"their tasks"}, Cell{rows.tasks}},
                {Cell{"their jobs"}, Cell{rows.jobs}},
                {Cell{"figures of clusters"}, Cell{rows.statuses}},
                {Cell{"cycles"}, Cell{rows.cycles}},
                {Cell{"closed events"}, Cell{rows.events}},
                {Cell{"forecasts of ends"}, Cell{rows.forecasts}},
                {Cell{"past reasons of decisions"}, Cell{rows.reasons}},
                {Cell{"acts of the audit"}, Cell{rows.acts}}};
  if (!call.has("dry-run")) note_prune(database, before, rows);
  call.output.report(fmt::format(
      "gridctl: {} ended more than {} ago{}", call.has("dry-run") ? "would delete what" : "deleted what", process::format_duration(age),
      (call.has("dry-run") ? "; nothing was deleted" : "") + in_vain_text(rows, call.has("dry-run") ? "would be" : "was")));
  call.output.show({.table = table});
  return ExitCode::ok;
}

}  // namespace gleaner::gridctl
