#include "clients/gridstat/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <span>

#include "clients/ending.hpp"
#include "clients/forecast.hpp"
#include "clients/gridstat/report/charts.hpp"
#include "clients/gridstat/views.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::gridstat::report {
namespace {

using clients::Json;

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --text: #1b1f24; --back: #ffffff; --soft: #59636e; --rule: #d1d9e0;
  --done: #1a7f37; --failed: #b3261e; --running: #0a5bc4; --submitted: #8250df; --launching: #9a6700; --waiting: #8c959f; --cancelled: #3d444d; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --back: #0d1117; --soft: #9198a1; --rule: #3d444d;
  --done: #3fb950; --failed: #ff7b72; --running: #58a6ff; --submitted: #bc8cff; --launching: #d29922; --waiting: #6e7681; --cancelled: #c9d1d9; } }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); }
h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--rule); }
p { margin: .5rem 0; } .soft { color: var(--soft); }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
.wide { overflow-x: auto; } .wide > svg { min-width: 34rem; }
svg { display: block; width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: var(--text); }
.axis { stroke: var(--soft); fill: none; } .grid { stroke: var(--rule); } .line { fill: none; stroke-width: 2; } .dashed { stroke-dasharray: 6 4; }
table { border-collapse: collapse; } th, td { padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; } th { vertical-align: bottom; }
.key { display: inline-block; width: .8em; height: .8em; margin-right: .3em; }
)";

constexpr std::array<std::string_view, 7> kStates{"done", "failed", "running", "submitted", "launching", "waiting", "cancelled"};

/// Rules of the style for each state: as an area, a line and a key.
std::string styles_of_states() {
  std::string rules;
  for (const auto state : kStates)
    rules += fmt::format(
        "rect.{0}, .area.{0} {{ fill: var(--{0}); }} .line.{0} {{ stroke: var(--{0}); }} .key.{0} {{ background: var(--{0}); }}\n", state);
  return rules + ".area { fill-opacity: .3; }\n";
}

std::string duration(std::int64_t seconds) { return terminal::length(std::chrono::seconds{seconds}); }

std::string section(std::string_view heading, const std::string& content) {
  return content.empty() ? std::string{} : fmt::format("<h2>{}</h2>\n{}", heading, content);
}
std::string wide(const std::string& content) { return fmt::format("<div class=\"wide\">{}</div>\n", content); }

/// A table of HTML. Cells are escaped here.
class Rows {
 public:
  struct Column {
    std::string_view name;
    bool is_number = false;
  };
  explicit Rows(std::vector<Column> columns) : columns_{std::move(columns)} {}
  void add(const std::vector<std::string>& cells) {
    text_ += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) text_ += fmt::format("<td{}>{}</td>", kind(i), escaped(cells[i]));
    text_ += "</tr>\n";
  }
  [[nodiscard]] std::string text() const {
    std::string head;
    for (std::size_t i = 0; i < columns_.size(); ++i) head += fmt::format("<th scope=\"col\"{}>{}</th>", kind(i), columns_[i].name);
    return text_.empty() ? std::string{} : wide(fmt::format("<table><thead><tr>{}</tr></thead>\n<tbody>{}</tbody></table>", head, text_));
  }

 private:
  [[nodiscard]] std::string_view kind(std::size_t column) const { return columns_[column].is_number ? " class=\"number\"" : ""; }
  std::vector<Column> columns_;
  std::string text_;
};

/// A time axis from the submission to the end, or to now.
struct Time {
  std::int64_t from = 0;
  std::int64_t until = 0;
  [[nodiscard]] double at(std::int64_t time) const {
    return static_cast<double>(time - from) / static_cast<double>(std::max<std::int64_t>(1, until - from));
  }
};

std::vector<Mark> marks_of(const Time& time) {
  std::vector<Mark> marks;
  for (const double at : {0.0, 0.5, 1.0})
    marks.push_back({at, terminal::local_time(time.from + static_cast<std::int64_t>(at * static_cast<double>(time.until - time.from)))});
  return marks;
}

Time time_of(const Report& report, grid::Instant now) {
  const auto from = report.campaign["submission_time"].seconds();
  const auto until = report.campaign["end_time"].time().value_or(grid::to_unix(now));
  return {from, std::max(until, from + 1)};
}

std::string key(std::string_view name, const std::string& words) {
  return fmt::format("<span class=\"key {}\"></span>{} ", name, escaped(words));
}

// ------------------------------------------------------------------ the head

std::string states(const Json& campaign) {
  std::vector<Part> parts;
  std::string keys;
  for (const auto state : kStates) {
    const auto count = campaign["tasks"][state].integer();
    parts.push_back({std::string{state}, count});
    if (count > 0) keys += key(state, fmt::format("{} {}", count, state)) + "&ensp;";
  }
  return divided_line(fmt::format("{} by their states", terminal::counted(campaign["total_tasks"].integer(), "task")), parts) +
         fmt::format("<p>{}</p>\n", keys);
}

std::string head_of(const Report& report, grid::Instant now) {
  const auto& campaign = report.campaign;
  const auto begin = campaign["submission_time"].seconds();
  const auto start = campaign["first_start_time"].time();
  const auto end = campaign["end_time"].time();
  auto html = fmt::format("<h1>Campaign {} {}</h1>\n<p class=\"soft\">of {}, {}. This page was made {}; times are local.</p>\n",
                          campaign["id"].integer(), escaped(campaign["name"].text()), escaped(campaign["user"].text()),
                          escaped(campaign["state"].text()), terminal::local_time(grid::to_unix(now)));
  html += fmt::format("<p>Submitted {}", terminal::local_time(begin));
  if (start) html += fmt::format(", first task started {} later", duration(std::max<std::int64_t>(0, *start - begin)));
  if (end) html += fmt::format(", over {} after the submission ({})", duration(*end - begin), terminal::local_time(*end));
  else if (const auto forecast = clients::forecast_of(campaign, "forecast_end", now))
    html += fmt::format("; it is expected to end in {}", clients::in_words(*forecast));
  html += ".</p>\n" + states(campaign);
  if (report.figures.repeated() > 0)
    html +=
        fmt::format("<p>{} more than one attempt. The figures below are those of the last one.</p>\n",
                    report.figures.repeated() == 1 ? std::string{"1 task had"} : fmt::format("{} tasks had", report.figures.repeated()));
  return html;
}

// ------------------------------------------------------------------ progress

constexpr std::size_t kSlices = 200;

template <class Number>
Curve curve_of(std::string colour, Form form, const std::vector<Number>& values, std::int64_t most) {
  Curve curve{std::move(colour), form, {{0, 0}}};
  for (std::size_t i = 0; i < values.size(); ++i)
    curve.points.push_back({static_cast<double>(i + 1) / static_cast<double>(values.size()),
                            static_cast<double>(values[i]) / static_cast<double>(std::max<std::int64_t>(1, most))});
  if (form == Form::area) curve.points.push_back({1, 0});
  return curve;
}

std::vector<Mark> counts_to(std::int64_t most) {
  if (most < 2) return {{1, fmt::format("{}", most)}};
  const auto half = most / 2;
  return {{static_cast<double>(half) / static_cast<double>(most), fmt::format("{}", half)}, {1, fmt::format("{}", most)}};
}

std::string progress(const Report& report, const Time& time) {
  if (!report.campaign["first_start_time"].time()) return {};
  const Slices slices{time.from, time.until, kSlices};
  const auto total = report.campaign["total_tasks"].integer();
  const auto running = report.figures.running_in(slices);
  const auto most = std::max<std::int64_t>(1, std::llround(std::ceil(*std::ranges::max_element(running))));
  const auto below = marks_of(time);
  return wide(drawn({fmt::format("Tasks done, of {}, from the submission on", total),
                     below,
                     counts_to(total),
                     {curve_of("done", Form::area, report.figures.done_by(slices), total)}})) +
         "<p>Tasks done</p>\n" +
         wide(drawn({fmt::format("Tasks that ran at once, up to {}", most),
                     below,
                     counts_to(most),
                     {curve_of("running", Form::area, running, most)}})) +
         "<p>Tasks that ran at once (averages over a two hundredth of the time)</p>\n";
}

// ------------------------------------------------------------------ forecasts

/// The vertical axis of the forecasts: the ends that were forecast, and the end that came.
Time ends_of(const Report& report, std::optional<std::int64_t> end) {
  Time ends{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  const auto take = [&](std::optional<std::int64_t> one) {
    if (!one) return;
    ends.from = std::min(ends.from, *one);
    ends.until = std::max(ends.until, *one);
  };
  take(end);
  for (const auto& forecast : report.forecasts) {
    for (const auto* name : {"forecast_end", "forecast_end_earliest", "forecast_end_latest"}) take(forecast[name].time());
  }
  ends.until = std::max(ends.until, ends.from + 1);
  return ends;
}

/// `11-20 18:14`, where there is no room for more.
std::string day_and_time(std::int64_t time) { return terminal::local_time(time).substr(5, 11); }

std::string forecasts(const Report& report, const Time& time) {
  if (report.forecasts.empty()) return {};
  const auto end = report.campaign["end_time"].time();
  const auto ends = ends_of(report, end);
  Curve told{"running", Form::line}, band{"running", Form::area}, came{"done", Form::dashed};
  std::vector<Point> back;
  std::int64_t held = 0, with_band = 0;
  for (const auto& forecast : report.forecasts) {
    const auto at = time.at(forecast["forecast_time"].seconds());
    told.points.push_back({at, ends.at(forecast["forecast_end"].seconds())});
    const auto earliest = forecast["forecast_end_earliest"].time(), latest = forecast["forecast_end_latest"].time();
    if (!earliest || !latest) continue;
    ++with_band;
    if (end && *earliest <= *end && *end <= *latest) ++held;
    band.points.push_back({at, ends.at(*latest)});
    back.push_back({at, ends.at(*earliest)});
  }
  band.points.insert(band.points.end(), back.rbegin(), back.rend());
  if (end) came.points = {{0, ends.at(*end)}, {1, ends.at(*end)}};
  Chart chart{"The end as it was forecast, by the time of the forecast",
              marks_of(time),
              {{0, day_and_time(ends.from)}, {1, day_and_time(ends.until)}},
              {}};
  if (!band.points.empty()) chart.curves.push_back(band);
  chart.curves.push_back(told);
  if (end) chart.curves.push_back(came);
  auto words = key("running", "the end as it was forecast, and where it lies in 8 of 10 cases");
  if (end) words += key("done", "the end that came");
  auto html = wide(drawn(chart)) + fmt::format("<p>{}</p>\n", words);
  if (end && with_band > 0)
    html += fmt::format("<p>{} of {} held the end that came.</p>\n", held, terminal::counted(with_band, "forecast"));
  return html;
}

// ------------------------------------------------------------------ durations

std::string of_quantiles(std::span<const std::int64_t> sorted, double part) {
  return sorted.empty() ? std::string{"-"} : duration(quantile(sorted, part));
}

std::string label_of(const DurationClass& durations) {
  if (durations.most == std::numeric_limits<std::int64_t>::max()) return "longer";
  return "≤ " + duration(durations.most);
}

std::string durations(const Report& report) {
  Rows rows{{{"Cluster"},
             {"Done", true},
             {"Failed", true},
             {"Median", true},
             {"9 of 10 within", true},
             {"Longest", true},
             {"In its queue, median", true},
             {"In its queue, 9 of 10 within", true},
             {"Resource-hours", true}}};
  for (const auto& one : report.figures.clusters()) {
    constexpr double kHour = 3600;
    rows.add({one.cluster, fmt::format("{}", one.done), fmt::format("{}", one.failed), of_quantiles(one.durations, 0.5),
              of_quantiles(one.durations, 0.9), of_quantiles(one.durations, 1), of_quantiles(one.waits, 0.5), of_quantiles(one.waits, 0.9),
              one.knows_resources ? fmt::format("{:.2f}", one.resource_seconds / kHour) : std::string{"not known"}});
  }
  const auto classes = duration_classes(report.figures.clusters());
  std::vector<Bar> columns;
  for (const auto& one : classes) columns.push_back({label_of(one), one.tasks});
  if (columns.empty()) return rows.text();
  return wide(bars("Durations of the tasks that are done: how many took at most so long, and longer than the column before", columns,
                   "done")) +
         "<p>Tasks done, by their durations</p>\n" + rows.text();
}

// ------------------------------------------------------------------ failures

std::string failures(const Report& report) {
  constexpr std::size_t kMostGroups = 50;
  const auto& groups = report.failures["items"].items();
  Rows rows{{{"Tasks", true}, {"Cause"}, {"Cluster"}, {"A line of stderr"}, {"Among them"}, {"All of its stderr"}}};
  for (const auto& group : std::span{groups}.first(std::min(groups.size(), kMostGroups))) {
    std::vector<std::int64_t> first;
    for (const auto& task : group["first_tasks"].items()) first.push_back(task.integer());
    rows.add({fmt::format("{}", group["tasks"].integer()), clients::cause_of(group["ending"].text(), group["exit_code"].whole()),
              group["cluster_name"].text(), group["stderr_line"].text(),
              fmt::format("{}{}", fmt::join(first, ", "), group["tasks"].integer() > std::ssize(first) ? ", …" : ""),
              first.empty() ? std::string{} : fmt::format("gridstat {} --task {} -E", report.campaign["id"].integer(), first.front())});
  }
  auto html = rows.text();
  if (groups.size() > kMostGroups) html += fmt::format("<p>And {} causes of fewer tasks.</p>\n", groups.size() - kMostGroups);
  return html;
}

// ------------------------------------------------------------------ efficiency, waits, events

std::string share(double used, double of) { return fmt::format("{:.0f} %", of > 0 ? used / of * 100 : 0); }

std::string efficiency(const Report& report) {
  const auto& figures = report.stats["efficiency"];
  std::string html;
  const auto asked = figures["walltime_asked"].number().value_or(0), used = figures["walltime_used"].number().value_or(0);
  if (asked > 0) html += fmt::format("<p>The tasks that are done took {} of the walltime that they asked for.</p>\n", share(used, asked));
  constexpr double kHour = 3600;
  const auto held = figures["resource_seconds_held"].number().value_or(0);
  if (held > 0)
    html += fmt::format("<p>{} of the {:.2f} resource-hours that its jobs held went into tasks that are done.</p>\n",
                        share(figures["resource_seconds_used"].number().value_or(0), held), held / kHour);
  return html;
}

std::string waits(const Report& report, grid::Instant now) {
  if (!is_live(report.campaign)) return {};
  Rows rows{{{"Cluster"}, {"Now"}, {"For"}}};
  for (const auto& decision : report.decisions) {
    rows.add({decision["cluster_name"].is_null() ? std::string{"the campaign"} : decision["cluster_name"].text(),
              terminal::in_local_times(decision["sentence"].text(), now),
              duration(std::max<std::int64_t>(0, grid::to_unix(now) - decision["since"].seconds()))});
  }
  return rows.text();
}

std::string reasons_over_time(const Report& report) {
  Rows rows{{{"Cluster"}, {"From"}, {"Time"}, {"Shares"}}};
  for (const auto& cluster : report.reasons) {
    rows.add({cluster["cluster_name"].is_null() ? std::string{"the campaign"} : cluster["cluster_name"].text(),
              terminal::local_time(cluster["from"].seconds()), duration(static_cast<std::int64_t>(cluster["seconds"].number().value_or(0))),
              reason_shares(cluster)});
  }
  return rows.text();
}

std::string happenings(const Report& report) {
  constexpr std::size_t kMost = 30;
  Rows rows{{{"Since"}, {"Event"}, {"Times", true}, {"Cluster"}, {"State"}, {"Message"}}};
  for (std::size_t i = 0; i < std::min(report.events.size(), kMost); ++i) {
    const auto& event = report.events[i];
    rows.add({terminal::local_time(event["date_open"].seconds()), event["code"].text(), fmt::format("{}", event["occurrences"].integer()),
              event["cluster_name"].text(), event["state"].text(), event["message"].text()});
  }
  auto html = rows.text();
  if (report.events.size() > kMost)
    html += fmt::format("<p>And {} more: <code>gridstat {} --events --closed</code></p>\n", report.events.size() - kMost,
                        report.campaign["id"].integer());
  return html;
}

}  // namespace

std::string page_of(const Report& report, grid::Instant now) {
  const auto time = time_of(report, now);
  const auto title = fmt::format("Campaign {} {}", report.campaign["id"].integer(), escaped(report.campaign["name"].text()));
  auto html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n<main>\n",
      title, kStyle, styles_of_states());
  html += head_of(report, now) + section("Progress", progress(report, time)) + section("Why it waits", waits(report, now)) +
          section("Reasons over time", reasons_over_time(report)) + section("What failed, by cause", failures(report)) +
          section("Durations", durations(report)) + section("Efficiency", efficiency(report)) +
          section("Forecasts of its end", forecasts(report, time)) + section("Events", happenings(report));
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace gleaner::gridstat::report
