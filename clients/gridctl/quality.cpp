// How good the plans were.
#include <fmt/format.h>

#include "clients/gridctl/commands.hpp"
#include "lib/store/quality.hpp"
#include "lib/terminal/quality_table.hpp"
#include "lib/text/json_writer.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::gridctl {
namespace {

constexpr std::int64_t kUsualDays = 7;
constexpr std::int64_t kMostDays = 36'600;

std::int64_t days_of(const Call& call) {
  const auto given = call.value("days");
  if (!given) return kUsualDays;
  const auto days = text::whole_number(*given, std::int64_t{1});
  if (!days || *days > kMostDays)
    throw process::Error{process::ExitCode::usage,
                         fmt::format("--days={}: must be a number of days from 1 to {}, today included", *given, kMostDays)};
  return *days;
}

}  // namespace

process::Outcome quality(const Call& call) {
  const auto days = days_of(call);
  const auto cluster = call.value("cluster");
  auto database = open_database(call);
  auto transaction = database.begin();
  if (cluster) static_cast<void>(known_cluster(transaction, *cluster));
  const auto now = call.context.now;
  const auto found = store::quality(transaction, now - std::chrono::days{days - 1}, now, cluster);
  std::vector<terminal::PlanLine> plans;
  for (const auto& one : found.plans) plans.push_back({one.cluster, one.algorithm, one.type, one.figures});
  std::vector<terminal::ForecastLine> forecasts;
  for (const auto& one : found.forecasts) forecasts.push_back({one.cluster.value_or(""), one.method, one.figures});
  text::JsonWriter json;
  json.object([&] {
    json.field("days", days);
    terminal::write_quality(json, plans, forecasts);
  });
  const auto table = terminal::plans_table(plans);
  const auto screen = call.output.screen();
  auto text =
      fmt::format("{}\n{}", terminal::render_human(table, screen), terminal::render_human(terminal::forecasts_table(forecasts), screen));
  call.output.show({.table = table, .text = std::move(text), .json = json.text()});
  return process::ExitCode::ok;
}

}  // namespace gleaner::gridctl
