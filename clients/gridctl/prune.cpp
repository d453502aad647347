#include "lib/store/prune.hpp"

#include <fmt/format.h>

#include "clients/gridctl/commands.hpp"
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

}  // namespace

process::Outcome prune(const Call& call) {
  const auto age = age_of(call);
  const auto before = call.context.now - age;
  auto database = open_database(call);
  const auto rows = [&] {
    if (!call.has("dry-run")) return store::prune(database, before);
    auto transaction = database.begin();
    return store::count_prunable(transaction, before);
  }();
  Table table{{{"what", "What"}, {"rows", "Rows", Align::right}}, {}};
  table.rows = {{Cell{"ended campaigns"}, Cell{rows.campaigns}},
                {Cell{"their tasks"}, Cell{rows.tasks}},
                {Cell{"their jobs"}, Cell{rows.jobs}},
                {Cell{"figures of clusters"}, Cell{rows.statuses}},
                {Cell{"cycles"}, Cell{rows.cycles}},
                {Cell{"closed events"}, Cell{rows.events}},
                {Cell{"forecasts of ends"}, Cell{rows.forecasts}},
                {Cell{"acts of the audit"}, Cell{rows.acts}}};
  if (!call.has("dry-run")) note_prune(database, before, rows);
  call.output.report(fmt::format("gridctl: {} ended more than {} ago{}", call.has("dry-run") ? "would delete what" : "deleted what",
                                 process::format_duration(age), call.has("dry-run") ? "; nothing was deleted" : ""));
  call.output.show({.table = table});
  return ExitCode::ok;
}

}  // namespace gleaner::gridctl
