// The history of forecasts of a campaign's end, and their errors.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "clients/forecast.hpp"
#include "clients/gridstat/views.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::gridstat {

using clients::Json;
using terminal::Align;
using terminal::Cell;
using terminal::Shrink;
using terminal::Table;

namespace {

constexpr std::string_view kEnd = "forecast_end", kEarliest = "forecast_end_earliest", kLatest = "forecast_end_latest";

/// `-12m`: the campaign ended so much later than forecast.
Cell error_cell(std::int64_t forecast, std::int64_t end) {
  const auto error = forecast - end;
  return {error, fmt::format("{}{}", error < 0 ? '-' : '+', clients::short_length(std::chrono::seconds{std::abs(error)}))};
}

bool holds(const Json& forecast, std::int64_t end) {
  return !forecast[kEarliest].is_null() && !forecast[kLatest].is_null() && forecast[kEarliest].seconds() <= end &&
         end <= forecast[kLatest].seconds();
}

/// The last forecast made by then; else the first.
const Json& forecast_at(const std::vector<Json>& forecasts, std::int64_t time) {
  const auto later = std::ranges::find_if(forecasts, [&](const Json& forecast) { return forecast["forecast_time"].seconds() > time; });
  return later == forecasts.begin() ? *later : *std::prev(later);
}

/// The time that a column of a plot stands for, of those from `from` to `until`.
std::int64_t time_of(std::size_t column, std::size_t columns, std::int64_t from, std::int64_t until) {
  return from + (until - from) * static_cast<std::int64_t>(column + 1) / static_cast<std::int64_t>(columns);
}

/// A plot in characters: the forecast end (vertical) by the time at which it was made.
class Plot {
 public:
  /// @param until  the campaign's end, or now; each forecast holds until the next one, the last one until here
  Plot(const std::vector<Json>& forecasts, std::optional<std::int64_t> end, std::int64_t until, std::size_t columns)
      : forecasts_{forecasts}, from_{forecasts.front()["forecast_time"].seconds()}, until_{std::max(until, from_ + 1)} {
    scale(end);
    rows_.assign(kRows, std::string(columns, ' '));
    for (std::size_t column = 0; column < columns; ++column) draw(column, forecast_at(forecasts_, time_of(column, columns, from_, until_)));
    if (!end) return;
    for (auto& cell : rows_[row_of(*end)]) cell = cell == ' ' || cell == ':' ? '-' : cell;
    end_row_ = row_of(*end);
  }

  [[nodiscard]] std::string text(grid::Instant now) const {
    const auto label = [&](std::int64_t time) { return terminal::near_time(time, now); };
    std::vector<std::string> labels(kRows);
    labels.front() = label(most_);
    labels.back() = label(least_);
    if (end_row_) labels[*end_row_] = "ended";
    const auto width = std::max(labels.front().size(), labels.back().size());
    std::string text;
    for (std::size_t row = 0; row < kRows; ++row) {
      const auto line = fmt::format("{:>{}} |{}", labels[row], width, rows_[row]);
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    const auto columns = rows_.front().size();
    text += fmt::format("{:>{}} +{:-<{}}\n", "", width, "", columns);
    const auto first = label(from_), last = label(until_);
    return text +
           fmt::format("{:>{}}  {}{:>{}}\n", "", width, first, last, std::max(columns, first.size() + last.size() + 1) - first.size());
  }

  /// The most columns for the labels of the axis.
  static constexpr std::size_t kMargin = 21;

 private:
  static constexpr std::size_t kRows = 13;

  /// A walltime is only a bound, and may be far beyond other forecasts, so the scale ignores it if there are others.
  void scale(std::optional<std::int64_t> end) {
    const auto is_scaled = [&](const Json& forecast) { return forecast["forecast_method"].text() != "walltime"; };
    const bool has_others = std::ranges::any_of(forecasts_, is_scaled);
    least_ = end.value_or(std::numeric_limits<std::int64_t>::max());
    most_ = end.value_or(0);
    for (const auto& forecast : forecasts_) {
      if (has_others && !is_scaled(forecast)) continue;
      least_ = std::min(least_, forecast[kEnd].seconds());
      most_ = std::max(most_, forecast[kEnd].seconds());
    }
    most_ = std::max(most_, least_ + static_cast<std::int64_t>(kRows) - 1);
  }
  [[nodiscard]] std::size_t row_of(std::int64_t time) const {
    const auto height = static_cast<double>(time - least_) / static_cast<double>(most_ - least_);
    return kRows - 1 - static_cast<std::size_t>(std::lround(std::clamp(height, 0.0, 1.0) * static_cast<double>(kRows - 1)));
  }
  void draw(std::size_t column, const Json& forecast) {
    const auto end = forecast[kEnd].seconds();
    const auto top = row_of(forecast[kLatest].time().value_or(end));
    const auto bottom = row_of(forecast[kEarliest].time().value_or(end));
    for (auto row = top; row <= bottom; ++row) rows_[row][column] = ':';
    rows_[row_of(end)][column] = end > most_ ? '^' : '*';
  }

  const std::vector<Json>& forecasts_;
  std::int64_t from_, until_;          ///< bounds of the time axis
  std::int64_t least_ = 0, most_ = 0;  ///< bounds of the axis of ends
  std::vector<std::string> rows_;      ///< rows of the plot, the topmost first
  std::optional<std::size_t> end_row_;
};

/// A figure of a cluster that each forecast has, and how the most of it is written.
struct Figure {
  std::string_view name, member;
  double factor;
  int decimals;
};
constexpr std::array<Figure, 4> kFigures{{{"ratio", "job_ratio", 1, 3},
                                          {"sent a cycle", "submitted_jobs", 1, 0},
                                          {"running", "active_jobs", 1, 0},
                                          {"jobs/h", "jobs_throughput", 3600, 0}}};

/// The figures of a cluster in a forecast; null: no job was sent there yet.
const Json* pair_of(const Json& forecast, const std::string& cluster) {
  const auto& pairs = forecast["clusters"].items();
  const auto found = std::ranges::find_if(pairs, [&](const Json& pair) { return pair["cluster_name"].text() == cluster; });
  return found == pairs.end() ? nullptr : &*found;
}

/// A line for each figure of each cluster: the denser its character, the nearer it was to its most.
std::string cluster_lines(const std::vector<Json>& forecasts, std::int64_t until, std::size_t columns) {
  constexpr std::string_view kDensities{" .:-=+*#"};
  constexpr std::size_t kHead = 28;  // of a line
  std::set<std::string> clusters;
  for (const auto& forecast : forecasts) {
    for (const auto& pair : forecast["clusters"].items()) clusters.insert(pair["cluster_name"].text());
  }
  const auto from = forecasts.front()["forecast_time"].seconds();
  const auto last = std::max(until, from + 1);
  std::string text;
  for (const auto& cluster : clusters) {
    text += cluster + "\n";
    for (const auto& figure : kFigures) {
      const auto value_of = [&](const Json& forecast) {
        const auto* const pair = pair_of(forecast, cluster);
        return pair == nullptr ? 0.0 : figure.factor * (*pair)[figure.member].number().value_or(0);
      };
      double most = 0;
      for (const auto& forecast : forecasts) most = std::max(most, value_of(forecast));
      std::string line(columns, ' ');
      for (std::size_t column = 0; column < columns; ++column) {
        const auto value = value_of(forecast_at(forecasts, time_of(column, columns, from, last)));
        if (value > 0)
          line[column] = kDensities[static_cast<std::size_t>(std::ceil(value / most * static_cast<double>(kDensities.size() - 1)))];
      }
      const auto head = fmt::format("  {} <= {:.{}f}", figure.name, most, figure.decimals);
      text += fmt::format("{:<{}}|{}", head, kHead, line.substr(0, line.find_last_not_of(' ') + 1)) + "\n";
    }
  }
  return text;
}

}  // namespace

Table history_table(const Json& campaign, const std::vector<Json>& forecasts, const Setting& setting) {
  const auto end = campaign["end_time"].time();
  Table table{{{"campaign", ""},
               {"forecast_time", "Made"},
               {"ends_in", "Ends in (8 of 10)"},
               {std::string{kEnd}, "At", Align::left, Shrink::left_out},
               {std::string{kEarliest}, ""},
               {std::string{kLatest}, ""},
               {"error", end ? "Error" : "", Align::right},
               {"forecast_method", "From", Align::left, Shrink::left_out},
               {"end_time", ""}},
              {},
              "No forecast of its end was made yet.",
              setting.heading};
  for (const auto& one : forecasts) {
    const auto made = one["forecast_time"].seconds();
    const auto forecast = clients::forecast_of(one, kEnd, grid::from_unix(made));
    if (!forecast) continue;
    table.rows.push_back({Cell{campaign["id"].integer()}, time_cell(one["forecast_time"], setting.now),
                          Cell{forecast->expected.count(), clients::in_short(*forecast)}, time_cell(one[kEnd], setting.now),
                          time_cell(one[kEarliest], setting.now), time_cell(one[kLatest], setting.now),
                          end ? error_cell(one[kEnd].seconds(), *end) : Cell{}, Cell{one["forecast_method"].text()},
                          time_cell(campaign["end_time"], setting.now)});
  }
  return table;
}

std::string history_view(const Json& campaign, const std::vector<Json>& forecasts, const Setting& setting) {
  auto text = fmt::format("Campaign {} is {}\n", campaign["id"].integer(), campaign["state"].text());
  text += terminal::render_human(history_table(campaign, forecasts, setting), setting.screen);
  if (forecasts.empty()) return text;
  const auto end = campaign["end_time"].time();
  if (end) {
    const auto held = std::ranges::count_if(forecasts, [&](const Json& one) { return holds(one, *end); });
    text += fmt::format("\nIt ended at {}, within the interval of {} of {} forecasts.\n", terminal::near_time(*end, setting.now), held,
                        forecasts.size());
  }
  const auto columns = std::max<std::size_t>(setting.screen.width, Plot::kMargin + 20) - Plot::kMargin;
  const std::string legend{"The end forecast (*, ^ beyond the scale) by when it was made; : 8 of 10 cases"};
  text += "\n" + (setting.screen.is_limited ? terminal::wrap(legend, setting.screen.width, "  ") : legend) + "\n";
  const auto until = end.value_or(grid::to_unix(setting.now));
  text += Plot{forecasts, end, until, columns}.text(setting.now);
  constexpr std::size_t kBesideLines = 30;
  const auto lines = cluster_lines(forecasts, until, std::max<std::size_t>(setting.screen.width, kBesideLines + 20) - kBesideLines);
  return lines.empty() ? text : text + "\nOn each cluster, in the same time; the denser, the nearer to the most:\n" + lines;
}

}  // namespace gleaner::gridstat
