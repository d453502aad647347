#include "sim/gridsim/report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::gridsim {
namespace {

using terminal::Align;
using terminal::Cell;
using terminal::Column;
using terminal::Shrink;
using terminal::Table;

constexpr std::size_t kMostNamed = 5;  ///< with more variants, the titles are numbers

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }
std::string share(double part, double whole) { return whole > 0 ? percent(part / whole) : "-"; }
std::string hours(double resource_seconds) { return fmt::format("{:.1f}", resource_seconds / 3600); }
std::string time(double seconds) { return terminal::length(std::chrono::seconds{std::llround(seconds)}); }
std::string time(std::optional<double> seconds) { return seconds ? time(*seconds) : "-"; }
std::string seconds(std::optional<double> value) { return value ? fmt::format("{:.1f}s", *value) : "-"; }
std::string number(std::optional<double> value) { return value ? fmt::format("{:.2f}", *value) : "-"; }
std::string count(std::int64_t value) { return fmt::format("{}", value); }
std::string count(std::optional<std::int64_t> value) { return value ? count(*value) : "-"; }

Column text_column(std::string title) { return {.key = title, .title = title, .align = Align::left, .shrink = Shrink::when_needed}; }
Column figure_column(std::string title) { return {.key = title, .title = title, .align = Align::right, .shrink = Shrink::never}; }

std::vector<Cell> cells(std::vector<std::string> texts) {
  std::vector<Cell> row;
  for (auto& text : texts) row.emplace_back(std::move(text));
  return row;
}

Table clusters_table(const Metrics& metrics) {
  Table table;
  table.columns = {text_column("CLUSTER"), figure_column("RESOURCES"), figure_column("IN USE"),
                   figure_column("LOCAL"), figure_column("GRID"),      figure_column("KILLED"),
                   figure_column("IDLE"),  figure_column("JOBS"),      figure_column("TO 90 %")};
  for (const auto& cluster : metrics.clusters) {
    table.rows.push_back(cells({cluster.name, count(std::int64_t{cluster.resources}),
                                share(cluster.capacity - cluster.idle, cluster.capacity), share(cluster.local, cluster.capacity),
                                share(cluster.used + cluster.overhead, cluster.capacity), share(cluster.wasted, cluster.capacity),
                                share(cluster.idle, cluster.capacity), count(cluster.submitted), count(cluster.submitted_before_full)}));
  }
  return table;
}

Table campaigns_table(const Metrics& metrics) {
  Table table;
  table.columns = {text_column("CAMPAIGN"), text_column("USER"),   figure_column("TASKS"),    figure_column("DONE"),
                   figure_column("FAILED"), figure_column("FLOW"), figure_column("SLOWDOWN"), figure_column("RESOURCE-H")};
  for (const auto& campaign : metrics.campaigns) {
    table.rows.push_back(cells({campaign.name, campaign.user, count(campaign.tasks), count(campaign.done), count(campaign.failed),
                                time(campaign.flow), number(campaign.slowdown), hours(campaign.used)}));
  }
  return table;
}

/// The figures of a simulation as a whole: the name of each, and its text.
struct Figure {
  std::string_view name;
  std::string (*text)(const Metrics&);
};
constexpr auto kFigures = std::to_array<Figure>({
    {"resources in use", [](const Metrics& m) { return percent(m.utilisation()); }},
    {"of an omniscient scheduler", [](const Metrics& m) { return percent(m.efficiency()); }},
    {"used, resource-hours", [](const Metrics& m) { return hours(m.all.used); }},
    {"idle, resource-hours", [](const Metrics& m) { return hours(m.all.idle); }},
    {"awake, node-hours", [](const Metrics& m) { return hours(m.all.awake); }},
    {"starts and ends, res.-hours", [](const Metrics& m) { return hours(m.all.overhead); }},
    {"killed, resource-hours", [](const Metrics& m) { return hours(m.all.wasted); }},
    {"killed, of the work", [](const Metrics& m) { return percent(m.waste()); }},
    {"jobs submitted", [](const Metrics& m) { return count(m.all.submitted); }},
    {"  before 90 % in use, most", [](const Metrics& m) { return count(m.all.submitted_before_full); }},
    {"jobs preempted", [](const Metrics& m) { return count(m.preempted); }},
    {"jobs taken back waiting", [](const Metrics& m) { return count(m.wiped); }},
    {"jobs over their walltime", [](const Metrics& m) { return count(m.walltime_kills); }},
    {"planned jobs that started", [](const Metrics& m) { return terminal::part_text(m.quality.all_plans.started_part()); }},
    {"  that waited, not promptly", [](const Metrics& m) { return count(m.quality.all_plans.waited); }},
    {"  wait, mean", [](const Metrics& m) { return terminal::seconds_text(m.quality.all_plans.mean_wait()); }},
    {"ratio: sent, left waiting", [](const Metrics& m) { return terminal::part_text(m.quality.all_plans.too_many_part()); }},
    {"ratio: offered, left free", [](const Metrics& m) { return terminal::part_text(m.quality.all_plans.too_few_part()); }},
    {"forecasts in their interval", [](const Metrics& m) { return terminal::part_text(m.quality.all_forecasts.within_part()); }},
    {"  mean error", [](const Metrics& m) { return terminal::seconds_text(m.quality.all_forecasts.mean_error()); }},
    {"local jobs wait, mean", [](const Metrics& m) { return seconds(m.all.local_waits.mean()); }},
    {"  95 % no longer than", [](const Metrics& m) { return seconds(m.all.local_waits.p95); }},
    {"  most", [](const Metrics& m) { return time(m.all.local_waits.longest); }},
    {"  without the grid, mean", [](const Metrics& m) { return seconds(m.all.local_waits_alone.mean()); }},
    {"  without the grid, 95 %", [](const Metrics& m) { return seconds(m.all.local_waits_alone.p95); }},
    {"mean flow time", [](const Metrics& m) { return time(m.mean_flow); }},
    {"mean slowdown", [](const Metrics& m) { return number(m.mean_slowdown); }},
    {"fairness (Jain)", [](const Metrics& m) { return number(m.fairness); }},
    {"makespan", [](const Metrics& m) { return time(m.makespan); }},
    {"cycles", [](const Metrics& m) { return count(m.cycles); }},
});

Table figures_table(const std::vector<std::string>& titles, const std::vector<const Metrics*>& all) {
  Table table;
  table.columns = {{.key = "figure", .title = "FIGURE"}};
  for (const auto& title : titles)
    table.columns.push_back({.key = title, .title = title, .align = Align::right, .shrink = Shrink::when_needed});
  for (const auto& figure : kFigures) {
    std::vector<std::string> texts{std::string{figure.name}};
    for (const auto* metrics : all) texts.push_back(figure.text(*metrics));
    table.rows.push_back(cells(std::move(texts)));
  }
  return table;
}

std::string heading(const Variant& variant) {
  const auto& metrics = variant.metrics;
  auto text = fmt::format("{} simulated, seed {}: {} of {} resources, {}", time(metrics.end), variant.scenario.seed,
                          terminal::counted(static_cast<std::int64_t>(metrics.clusters.size()), "cluster"), metrics.all.resources,
                          terminal::counted(static_cast<std::int64_t>(metrics.campaigns.size()), "campaign"));
  if (!metrics.complete) text += "; not all of them are over";
  return text + "\n";
}

}  // namespace

std::string describe(const Variant& variant, const terminal::Screen& screen) {
  const auto& metrics = variant.metrics;
  auto figures = figures_table({""}, {&metrics});
  figures.columns.back().title = " ";
  figures.heading = terminal::Heading::left_out;
  return terminal::wrap(heading(variant), screen.width, "") + "\n" + terminal::render_human(clusters_table(metrics), screen) + "\n" +
         terminal::render_human(campaigns_table(metrics), screen) + "\n" +
         terminal::render_human(terminal::plans_table(metrics.quality.plans), screen) + "\n" +
         terminal::render_human(terminal::forecasts_table(metrics.quality.forecasts), screen) + "\n" +
         terminal::render_human(figures, screen);
}

std::string describe_all(const std::string& key, const std::vector<Variant>& variants, const terminal::Screen& screen) {
  std::vector<std::string> titles;
  std::vector<const Metrics*> all;
  std::string legend;
  for (const auto& variant : variants) {
    const auto place = fmt::format("{}", titles.size() + 1);
    titles.push_back(variants.size() > kMostNamed ? place : variant.name);
    if (variants.size() > kMostNamed) legend += fmt::format("  {}: {}\n", place, variant.name);
    all.push_back(&variant.metrics);
  }
  return terminal::wrap(heading(variants.front()), screen.width, "") + fmt::format("\n{}\n{}", key + ":", legend) + "\n" +
         terminal::render_human(figures_table(titles, all), screen);
}

}  // namespace gleaner::gridsim
