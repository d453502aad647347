#include "lib/terminal/quality_table.hpp"

#include <fmt/format.h>

#include <chrono>

#include "lib/terminal/times.hpp"

namespace gleaner::terminal {
namespace {

constexpr std::string_view kFirst = "first";  ///< the ratio of the campaign's request

Cell part_cell(std::optional<double> part) { return part ? Cell{*part, part_text(part)} : Cell{{}, "-"}; }
Cell seconds_cell(std::optional<double> seconds) { return seconds ? Cell{*seconds, seconds_text(seconds)} : Cell{{}, "-"}; }
std::string algorithm_of(const PlanLine& line) { return line.algorithm.empty() ? std::string{kFirst} : line.algorithm; }

}  // namespace

std::string part_text(std::optional<double> part) { return part ? fmt::format("{:.1f} %", 100 * *part) : "-"; }

std::string seconds_text(std::optional<double> seconds) {
  if (!seconds) return "-";
  return length(std::chrono::seconds{static_cast<std::int64_t>(*seconds + 0.5)});
}

Table plans_table(const std::vector<PlanLine>& lines) {
  const auto figure = [](std::string key, std::string title, Shrink shrink = Shrink::never) {
    return Column{std::move(key), std::move(title), Align::right, shrink};
  };
  Table table;
  table.columns = {{"cluster", "Cluster", Align::left, Shrink::when_needed},
                   {"algorithm", "Ratio by", Align::left, Shrink::when_needed},
                   {"type", "Type", Align::left, Shrink::left_out_first},
                   figure("planned", "Planned"),
                   figure("started", "Started"),
                   figure("waited", "Waited"),
                   figure("mean_wait_seconds", "Wait", Shrink::left_out),
                   figure("taken_back", "Taken back"),
                   figure("preempted", "Preempted"),
                   figure("killed", "Killed"),
                   figure("lost", "Lost", Shrink::left_out_first),
                   figure("wasted_part", "Wasted"),
                   figure("too_many_part", "Too many", Shrink::left_out),
                   figure("too_few_part", "Too few", Shrink::left_out)};
  table.when_empty = "No job that was planned for a task has ended in this time.";
  for (const auto& line : lines) {
    const auto& figures = line.figures;
    table.rows.push_back({Cell{line.cluster}, Cell{algorithm_of(line)}, Cell{line.type}, Cell{figures.planned()}, Cell{figures.started},
                          Cell{figures.waited}, seconds_cell(figures.mean_wait()), Cell{figures.of(grid::Fate::taken_back)},
                          Cell{figures.of(grid::Fate::preempted)}, Cell{figures.of(grid::Fate::killed)},
                          Cell{figures.of(grid::Fate::lost) + figures.of(grid::Fate::unsent)}, part_cell(figures.wasted_part()),
                          part_cell(figures.too_many_part()), part_cell(figures.too_few_part())});
  }
  return table;
}

Table forecasts_table(const std::vector<ForecastLine>& lines) {
  Table table;
  table.columns = {{"cluster", "Cluster", Align::left, Shrink::when_needed},
                   {"method", "Forecast by", Align::left, Shrink::when_needed},
                   {"forecasts", "Forecasts", Align::right},
                   {"within_part", "In interval", Align::right},
                   {"early", "Too early", Align::right},
                   {"mean_error_seconds", "Mean error", Align::right},
                   {"mean_error_part", "Relative", Align::right}};
  table.when_empty = "No campaign with a forecast of its end has ended in this time.";
  for (const auto& line : lines) {
    const auto& figures = line.figures;
    table.rows.push_back({line.cluster.empty() ? Cell{{}, "several"} : Cell{line.cluster}, Cell{line.method}, Cell{figures.forecasts},
                          part_cell(figures.within_part()), Cell{figures.early}, seconds_cell(figures.mean_error()),
                          part_cell(figures.mean_error_part())});
  }
  return table;
}

void write_quality(text::JsonWriter& json, const std::vector<PlanLine>& plans, const std::vector<ForecastLine>& forecasts) {
  json.key("plans").array(plans, [&](const PlanLine& line) {
    const auto& figures = line.figures;
    json.object([&] {
      json.field("cluster_name", line.cluster);
      json.field("algorithm", algorithm_of(line));
      json.field("campaign_type", line.type);
      json.field("planned", figures.planned());
      for (const auto fate : grid::kFates) json.field(grid::name_of(fate), figures.of(fate));
      json.field("started", figures.started);
      json.field("waited", figures.waited);
      json.field("wait_seconds", figures.wait_s);
      json.field("held_resource_seconds", figures.held_s);
      json.field("wasted_resource_seconds", figures.wasted_s);
      json.field("turns", figures.turns);
      json.field("too_big_turns", figures.too_big);
      json.field("too_small_turns", figures.too_small);
      json.field("offered_resources", figures.offered);
      json.field("sent", figures.sent);
      json.field("left_waiting", figures.left_waiting);
      json.field("left_free_resources", figures.left_free);
      json.field("started_part", figures.started_part());
      json.field("mean_wait_seconds", figures.mean_wait());
      json.field("wasted_part", figures.wasted_part());
      json.field("too_many_part", figures.too_many_part());
      json.field("too_few_part", figures.too_few_part());
    });
  });
  json.key("forecasts").array(forecasts, [&](const ForecastLine& line) {
    const auto& figures = line.figures;
    json.object([&] {
      json.field("cluster_name", line.cluster.empty() ? std::optional<std::string>{} : std::optional{line.cluster});
      json.field("method", line.method);
      json.field("forecasts", figures.forecasts);
      json.field("within", figures.within);
      json.field("early", figures.early);
      json.field("error_seconds", figures.error_s);
      json.field("within_part", figures.within_part());
      json.field("mean_error_seconds", figures.mean_error());
      json.field("mean_error_part", figures.mean_error_part());
    });
  });
}

}  // namespace gleaner::terminal
