#include "clients/gridusage/gridusage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/api_client.hpp"
#include "clients/asked.hpp"
#include "clients/pages.hpp"
#include "lib/process/values.hpp"
#include "lib/terminal/output.hpp"
#include "lib/terminal/text.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::gridusage {
namespace {

using clients::ApiClient;
using clients::Json;
using process::Arguments;
using process::Error;
using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Shrink;

constexpr std::array<std::string_view, 5> kKeys{"day", "user", "project", "campaign", "cluster"};

grid::Instant asked_day(const Arguments& arguments, std::string_view option, grid::Instant now, grid::Instant fallback) {
  const auto text = arguments.value(option);
  if (!text) return fallback;
  if (const auto day = day_of(*text, now)) return *day;
  throw Error{ExitCode::usage, fmt::format("--{}={}: must be a day, such as 2026-11-01, or an age, such as 7d", option, *text)};
}

std::string asked_keys(const Arguments& arguments) {
  const auto keys = arguments.has("by") ? process::split_list(fmt::format("{}", fmt::join(arguments.all("by"), ",")))
                                        : std::vector<std::string>{"user", "project"};
  for (const auto& key : keys) {
    if (std::ranges::find(kKeys, key) == kKeys.end())
      throw Error{ExitCode::usage, fmt::format("--by={}: usage is by {}{}", key, fmt::join(kKeys, ", "), text::did_you_mean(key, kKeys))};
  }
  return fmt::format("{}", fmt::join(keys, ","));
}

std::string path_of(const process::Context& context) {
  const auto& arguments = context.arguments;
  constexpr std::chrono::days kUsual{30};
  const auto from = asked_day(arguments, "from", context.now, context.now - kUsual);
  const auto to = asked_day(arguments, "to", context.now, context.now);
  if (from > to) throw Error{ExitCode::usage, "--from must not be after --to"};
  auto path = fmt::format("/v1/usage?from={}&to={}&by={}", text::utc(from), text::utc(to), asked_keys(arguments));
  if (const auto user = arguments.value("user")) path += "&user=" + clients::url_encoded(*user);
  return path;
}

double seconds_of(const Json& sum, std::string_view key) { return sum[key].number().value_or(0); }

constexpr double kHour = 3600;

std::string part_text(double part, double all) { return fmt::format("{:.0f}%", 100 * part / all); }

/// Whole seconds; for people a text, and a blank instead of 0.
Cell seconds_cell(double seconds, std::string text) {
  return {static_cast<std::int64_t>(std::llround(seconds)), seconds > 0 ? std::move(text) : std::string{" "}};
}

/// A part of the resource-seconds; for people, of the whole.
Cell part_cell(const Json& sum, std::string_view key) {
  const auto seconds = seconds_of(sum, key);
  return seconds_cell(seconds, part_text(seconds, seconds_of(sum, "resource_seconds")));
}

Cell text_cell(const Json& value) { return value.is_null() ? Cell{} : Cell{value.text(), terminal::printable(value.text())}; }

/// For people, a blank instead of 0.
Cell count_cell(const Json& value) {
  const auto count = value.integer();
  return {count, count == 0 ? std::string{" "} : fmt::format("{}", count)};
}

std::vector<Cell> row_of(const Json& sum) {
  const auto seconds = seconds_of(sum, "resource_seconds");
  return {text_cell(sum["day"]),
          text_cell(sum["user"]),
          text_cell(sum["project"]),
          sum["campaign_id"].is_null() ? Cell{} : Cell{sum["campaign_id"].integer()},
          text_cell(sum["campaign_name"]),
          text_cell(sum["cluster_name"]),
          seconds_cell(seconds, fmt::format("{:.2f}", seconds / kHour)),
          part_cell(sum, "useful_seconds"),
          part_cell(sum, "failed_seconds"),
          part_cell(sum, "lost_seconds"),
          count_cell(sum["tasks"]),
          count_cell(sum["jobs"]),
          count_cell(sum["failed_jobs"]),
          count_cell(sum["lost_jobs"])};
}

terminal::Table table_of(const std::vector<Json>& sums, terminal::Heading heading) {
  terminal::Table table{{{"day", "Day"},
                         {"user", "User", Align::left, Shrink::last},
                         {"project", "Project", Align::left, Shrink::last},
                         {"campaign", "Campaign", Align::right},
                         {"campaign_name", "Name", Align::left, Shrink::when_needed},
                         {"cluster", "Cluster", Align::left, Shrink::last},
                         {"resource_seconds", "Core-hours", Align::right},
                         {"useful_seconds", "Useful", Align::right},
                         {"failed_seconds", "Failed", Align::right},
                         {"lost_seconds", "Lost", Align::right},
                         {"tasks", "Tasks", Align::right, Shrink::left_out},
                         {"jobs", "Jobs", Align::right, Shrink::left_out_first},
                         {"failed_jobs", "Failed jobs", Align::right, Shrink::left_out_first},
                         {"lost_jobs", "Lost jobs", Align::right, Shrink::left_out_first}},
                        {},
                        "No job has ended in these days.",
                        heading};
  for (const auto& sum : sums) table.rows.push_back(row_of(sum));
  return table;
}

/// `In all: 12.50 core-hours, 96% of them in jobs that did their task, …`; empty: nothing was used.
std::string summary(const std::vector<Json>& sums) {
  double all = 0, useful = 0, failed = 0, lost = 0;
  for (const auto& sum : sums) {
    all += seconds_of(sum, "resource_seconds");
    useful += seconds_of(sum, "useful_seconds");
    failed += seconds_of(sum, "failed_seconds");
    lost += seconds_of(sum, "lost_seconds");
  }
  if (all <= 0) return {};
  auto text = fmt::format("In all: {:.2f} core-hours: {} useful, {} of failed jobs, {} of jobs that were killed or preempted", all / kHour,
                          part_text(useful, all), part_text(failed, all), part_text(lost, all));
  const auto unknown = all - useful - failed - lost;
  constexpr double kShown = 0.005;
  if (unknown > kShown * all) text += fmt::format("; of {} the use was not recorded", part_text(unknown, all));
  return text + ".";
}

}  // namespace

std::optional<grid::Instant> day_of(std::string_view text, grid::Instant now) {
  constexpr std::size_t kLength = 10;
  if (text.size() == kLength && text[4] == '-' && text[7] == '-') {
    const auto year = text::whole_number(text.substr(0, 4), 1970, 9999);
    const auto month = text::whole_number(text.substr(5, 2), 1U, 12U);
    const auto day = text::whole_number(text.substr(8, 2), 1U, 31U);
    if (!year || !month || !day) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{*month}, std::chrono::day{*day}};
    return date.ok() ? std::optional{grid::Instant{std::chrono::sys_days{date}}} : std::nullopt;
  }
  const auto age = process::parse_duration(text);
  return age ? std::optional{now - *age} : std::nullopt;
}

process::Outcome gridusage(const process::Context& context) {
  const auto form = clients::form_of(context.arguments);
  const auto path = path_of(context);
  const auto output = terminal::make_output(form);
  ApiClient api{context.config};
  const auto sums = clients::all_items(api, path);
  const auto heading = context.arguments.has("headerless") ? terminal::Heading::left_out : terminal::Heading::shown;
  const auto table = table_of(sums, heading);
  auto text = terminal::render_human(table, output->screen());
  if (const auto line = summary(sums); !line.empty()) text += "\n" + terminal::wrap(line, output->screen().width, "  ") + "\n";
  output->show({.table = table,
                .text = text,
                .json = clients::dump(Json::of(std::vector<Json::Member>{{"items", Json::of(sums)}}), clients::Layout::one_line)});
  return ExitCode::ok;
}

}  // namespace gleaner::gridusage
