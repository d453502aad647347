// Views of one campaign: figures, clusters, progress.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "clients/forecast.hpp"
#include "clients/gridstat/views.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::gridstat {

using clients::Json;
using terminal::Align;
using terminal::Cell;
using terminal::Ink;
using terminal::Shrink;
using terminal::Table;

namespace {

// CiGri's server reports this value if it has no throughput.
constexpr double kNoThroughput = 1e-15;
constexpr double kSecondsOfHour = 3600;

/// A line, or several that fit a terminal; one in a pipe.
std::string labelled(std::string_view label, std::string_view value, const Setting& setting) {
  constexpr std::size_t kLabel = 32;
  const auto columns = std::max(setting.screen.width, kLabel + 20) - kLabel;
  auto text = terminal::printable(value);
  if (setting.screen.is_limited && terminal::display_width(text) > columns) text = terminal::wrap(text, columns, {});
  for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1)) text.insert(end + 1, kLabel, ' ');
  return fmt::format("        {:<24}{}\n", fmt::format("{}:", label), text);
}

std::string duration_of(const Json& seconds) {
  return seconds.number() ? terminal::length(std::chrono::seconds{std::llround(*seconds.number())}) : "~";
}

std::string hourly(const Json& per_second) {
  const auto rate = per_second.number().value_or(0) * kSecondsOfHour;
  return rate > kNoThroughput * kSecondsOfHour ? fmt::format("{:.1f}", rate) : "~";
}

std::string brake_text(const Json& brake, grid::Instant now) {
  return fmt::format("{} (until {})", terminal::printable(brake["reason"].text()), terminal::near_time(brake["expires"].seconds(), now));
}

/// Why there is no forecast; empty: none of the reasons known here.
std::string why_none(const Json& stats, grid::Instant now) {
  const auto method = stats["forecast_method"].text();
  const auto since = method == "stale" ? stats["forecast_time"].time() : std::nullopt;
  return clients::why_none(method) + (since ? fmt::format(" (since {})", terminal::near_time(*since, now)) : "");
}

/// `in 2 h 10 min (1 h 50 min to 2 h 45 min)`.
std::string forecast_text(const Json& stats, std::string_view key, grid::Instant now) {
  const auto forecast = clients::forecast_of(stats, key, now);
  if (!forecast) {
    const auto why = why_none(stats, now);
    return why.empty() ? "~" : why;
  }
  if (forecast->expected.count() == 0 && forecast->latest.value_or(forecast->expected).count() == 0) return "at any moment";
  return "in " + clients::in_words(*forecast);
}

std::string forecasts_of(const Json& stats, const Setting& setting) {
  const auto now = setting.now;
  std::string text;
  if (!stats["forecast_start"].is_null()) text += labelled("Start", forecast_text(stats, "forecast_start", now), setting);
  text += labelled("End", forecast_text(stats, "forecast_end", now), setting);
  if (const auto end = stats["forecast_end"].time()) {
    const bool is_bound = stats["forecast_method"].text() == "walltime";
    const auto time = terminal::near_time(is_bound ? std::max(*end, stats["forecast_end_latest"].time().value_or(*end)) : *end, now);
    text += labelled("End at", is_bound ? time + " at the latest" : time, setting);
  }
  const auto basis = clients::basis_of(stats["forecast_method"].text());
  return basis.empty() ? text : text + labelled("Forecast from", basis, setting);
}

Cell cluster_state(const Json& cluster) {
  if (cluster["retired"].is_true()) return {std::string{"retired"}, "retired", Ink::faint};
  if (!cluster["enabled"].is_true()) return {std::string{"disabled"}, "disabled", Ink::warm};
  if (cluster["max_jobs"].whole() == 0) return {std::string{"off"}, "off", Ink::faint};
  if (!cluster["no_resources_since"].is_null()) return {std::string{"no live resources"}, "no live resources", Ink::bad};
  if (!cluster["brake"].is_null()) return {std::string{"braked"}, "braked", Ink::bad};
  if (cluster["reachable"].is_null()) return {std::string{"not asked yet"}, "not asked yet", Ink::faint};
  if (!cluster["reachable"].is_true()) return {std::string{"unreachable"}, "unreachable", Ink::bad};
  return {std::string{"ok"}, "ok", Ink::good};
}

std::string fixed(const Json& number, int digits) { return number.number() ? fmt::format("{:.{}f}", *number.number(), digits) : "~"; }

/// The state of a prologue or an epilogue, if a cluster of the campaign has one.
Cell script_cell(const Json& state) {
  if (state.is_null()) return {std::string{}, "-", Ink::faint};
  const auto text = state.text();
  const auto ink = text == "failed" ? Ink::bad : text == "done" ? Ink::good : Ink::plain;
  return {text, text == "not_run" ? std::string{"not run"} : text, ink};
}

Table clusters_table(const Json& campaign, Detail detail) {
  const auto full = [&](std::string title) { return detail == Detail::all ? title : std::string{}; };
  const auto of_scripts = [&](std::string_view key, std::string title) {
    const auto& clusters = campaign["clusters"].members();
    return std::ranges::any_of(clusters, [&](const auto& one) { return !one.second[key].is_null(); }) ? title : std::string{};
  };
  Table table{{{"name", "Cluster", Align::left, Shrink::last},
               {"state", "State", Align::left, Shrink::when_needed},
               {"active", "Active", Align::right},
               {"queued", "Queued", Align::right},
               {"done", "Done", Align::right},
               {"throughput", "Jobs/h", Align::right, Shrink::left_out},
               {"ratio", "Ratio", Align::right, Shrink::left_out_first},
               {"average", "Average", Align::right, Shrink::left_out},
               {"stddev", full("Stddev"), Align::right, Shrink::left_out_first},
               {"resources", full("Resources"), Align::left, Shrink::left_out},
               {"prologue", of_scripts("prologue", "Prologue"), Align::left},
               {"epilogue", of_scripts("epilogue", "Epilogue"), Align::left}},
              {}};
  for (const auto& [id, c] : campaign["clusters"].members()) {
    table.rows.push_back({Cell{c["cluster_name"].text()}, cluster_state(c), Cell{c["active_jobs"].integer()},
                          Cell{c["queued_jobs"].integer()}, Cell{c["done_jobs"].integer()}, Cell{hourly(c["jobs_throughput"])},
                          Cell{fixed(c["job_ratio"], 3)}, Cell{duration_of(c["average_jobs_duration"])},
                          Cell{fixed(c["stddev_jobs_duration"], 2)}, Cell{c["resources"].text()}, script_cell(c["prologue"]),
                          script_cell(c["epilogue"])});
  }
  return table;
}

/// `terminated: 2 of 3 tasks failed`.
std::string status_of(const Json& campaign) {
  auto status = campaign["state"].text();
  const auto failed = campaign["tasks"]["failed"].integer();
  if (status == "terminated" && failed > 0)
    status += fmt::format(": {} of {} failed", failed, terminal::counted(campaign["total_tasks"].integer(), "task"));
  return status;
}

/// `campaign 12 (mesh), task by task: done`.
std::string first_of(const Json& dependency) {
  const auto kind = dependency["kind"].text();
  auto text = fmt::format("campaign {}", dependency["campaign_id"].integer());
  text += dependency["name"].is_null() ? " (deleted)" : fmt::format(" ({})", dependency["name"].text());
  if (kind == "after_each") text += ", task by task";
  if (kind == "after_any_end") text += ", however it ends";
  return text + (dependency["met"].is_true() ? ": over" : ": not over");
}

std::string head_of(const Json& campaign, const Setting& setting) {
  auto text = fmt::format("Campaign {}\n", campaign["id"].integer());
  text += labelled("Name", campaign["name"].text(), setting);
  text += labelled("User", campaign["user"].text(), setting);
  text += labelled("Type", campaign["type"].text(), setting);
  text += labelled("State", status_of(campaign), setting);
  for (const auto& one : campaign["dependencies"].items()) text += labelled("After", first_of(one), setting);
  text += labelled("Submitted", terminal::near_time(campaign["submission_time"].seconds(), setting.now), setting);
  if (const auto start = campaign["first_start_time"].time())
    text += labelled("First job started", terminal::near_time(*start, setting.now), setting);
  if (const auto end = campaign["end_time"].time()) text += labelled("Ended", terminal::near_time(*end, setting.now), setting);
  text += labelled("Errors to Fix", campaign["has_events"].is_true() ? "true" : "false", setting);
  if (!campaign["brake"].is_null()) text += labelled("Stopped", brake_text(campaign["brake"], setting.now), setting);
  return text;
}

/// `1 matlab for each task (48 of 50 in use)`.
std::string need_text(const Json& need) {
  const auto used = need["used"].number().value_or(0);
  const auto most = need["most"].number();
  return fmt::format("{} {} for each task ({})", need["each"].integer(), need["consumable"].text(),
                     most ? fmt::format("{:g} of {:g} in use", used, *most) : fmt::format("{:g} in use", used));
}

std::string counts_of(const Json& campaign, const Json& stats, const Setting& setting) {
  const auto& tasks = campaign["tasks"];
  auto text = labelled("Running", fmt::format("{}", tasks["running"].integer()), setting);
  const auto held = campaign["held_tasks"].integer();
  text += labelled("Waiting", fmt::format("{}{}", waiting_of(campaign), held > 0 ? fmt::format(" ({} held)", held) : ""), setting);
  text += labelled("Terminated", fmt::format("{}", tasks["done"].integer()), setting);
  if (tasks["failed"].integer() > 0) text += labelled("Failed", fmt::format("{}", tasks["failed"].integer()), setting);
  if (tasks["cancelled"].integer() > 0) text += labelled("Cancelled", fmt::format("{}", tasks["cancelled"].integer()), setting);
  for (const auto& need : stats["needs"].items()) text += labelled("Needs", need_text(need), setting);
  text += labelled("Progress", progress_of(campaign), setting);
  return text + labelled("Duration", duration_of(stats["elapsed_time"]), setting);
}

/// Advice on the walltime, once enough jobs have ended: with a longer one than necessary, jobs do not fit into gaps between reservations;
/// with a shorter one, they are killed.
std::string walltime_advice(const Json& cluster, const Setting& setting) {
  constexpr std::int64_t kEnough = 20;
  constexpr double kMargin = 1.2;
  const auto& most = cluster["most_durations"];
  const auto asked = cluster["walltime"].whole();
  if (most.is_null() || !asked || most["jobs"].integer() < kEnough) return {};
  const grid::Seconds within{static_cast<std::int64_t>(std::ceil(most["seconds"].number().value_or(0)))};
  const auto enough =
      grid::round_up_walltime(grid::Seconds{static_cast<std::int64_t>(std::ceil(static_cast<double>(within.count()) * kMargin))});
  auto text =
      fmt::format("{}: {:.0f} % of the tasks ended within {}; walltime {} asked", terminal::printable(cluster["cluster_name"].text()),
                  most["share"].number().value_or(0) * 100, grid::format_walltime(within), grid::format_walltime(grid::Seconds{*asked}));
  const bool much_too_long = grid::Seconds{*asked} > 2 * enough;
  if (much_too_long || grid::Seconds{*asked} < within) text += fmt::format(", {} would do for them", grid::format_walltime(enough));
  return fitted(text, setting);
}

/// Tasks whose profile was measured, before it says anything of the others.
constexpr std::int64_t kEnoughMeasured = 5;

/// How busy its tasks keep the processors, where their nodes report it.
std::string processors_used(const Json& cluster, const Setting& setting) {
  const auto& profile = cluster["profile"];
  const auto jobs = profile["cpu_jobs"].integer();
  const auto wall = profile["command_seconds"].number().value_or(0);
  if (jobs < kEnoughMeasured || wall <= 0) return {};
  return fitted(fmt::format("{}: {} kept {:.2g} processors busy on average", terminal::printable(cluster["cluster_name"].text()),
                            terminal::counted(jobs, "measured task"), profile["cpu_seconds"].number().value_or(0) / wall),
                setting);
}

/// A memory_mb with a margin over the peak, in hundreds of MB.
std::int64_t enough_memory(std::int64_t peak_mb) {
  constexpr std::int64_t kStep = 100, kMarginInTenths = 12;
  return (peak_mb * kMarginInTenths / 10 / kStep + 1) * kStep;
}

/// The memory usage of its tasks, and advice on memory_mb: with more than necessary, they do not go to nodes that would do; with less, they
/// go to nodes that are too small.
std::string memory_advice(const Json& cluster, const Setting& setting) {
  const auto& profile = cluster["profile"];
  const auto jobs = profile["memory_jobs"].integer();
  const auto peak = profile["peak_memory_mb"].whole();
  if (!peak || jobs < kEnoughMeasured) return {};
  auto text = fmt::format("{}: {} took {} MB of memory at most", terminal::printable(cluster["cluster_name"].text()),
                          terminal::counted(jobs, "measured task"), *peak);
  const auto enough = enough_memory(*peak);
  const auto asked = profile["memory_mb"].whole();
  if (asked) text += fmt::format("; memory_mb {} asked", *asked);
  if (asked && (*asked < *peak || *asked > 2 * enough)) text += fmt::format(", {} would do for them", enough);
  if (!asked && profile["cluster_states_memory"].is_true()) text += fmt::format("; memory_mb {} would keep them off smaller nodes", enough);
  return fitted(text, setting);
}

/// `0.003`, `1.2`, `12`, `340`.
std::string rate_text(double mb_s) { return mb_s < 9.95 ? fmt::format("{:.2g}", mb_s) : fmt::format("{:.0f}", mb_s); }

/// How much its tasks read and write, where their nodes report it.
std::string traffic_of_tasks(const Json& cluster, const Setting& setting) {
  const auto& profile = cluster["profile"];
  const auto jobs = profile["io_jobs"].integer();
  const auto wall = profile["io_seconds"].number().value_or(0);
  if (jobs < kEnoughMeasured || wall <= 0) return {};
  return fitted(fmt::format("{}: {} read and wrote {} MB/s a task on average", terminal::printable(cluster["cluster_name"].text()),
                            terminal::counted(jobs, "measured task"), rate_text(profile["io_mb"].number().value_or(0) / wall)),
                setting);
}

/// `0.05 s`, `1.2 s`, `40 s`, `4 min`.
std::string briefly(double seconds) {
  constexpr double kWhole = 9.5;
  if (seconds < kWhole) return fmt::format("{:.2g} s", seconds);
  return clients::in_words({.expected = std::chrono::seconds{std::llround(seconds)}});
}

/// The campaign's gain by pools, where the JDL does not state whether it has any.
std::string grouping_advice(const Json& gain, const Setting& setting) {
  if (gain.is_null()) return {};
  constexpr char kJoined = '#';  // between a number and its unit, which stay on one line
  const auto time = [&](std::string_view key) {
    auto text = briefly(gain[key].number().value_or(0));
    std::ranges::replace(text, ' ', kJoined);
    return text;
  };
  auto text = terminal::wrap(fmt::format("tasks take {}, their jobs {}: temporal_grouping would end this campaign in {} instead of {}",
                                         time("task_seconds"), time("job_seconds"), time("grouped_end_seconds"), time("end_seconds")),
                             setting.screen.width, "  ");
  std::ranges::replace(text, kJoined, ' ');
  return text + "\n";
}

/// `12%`.
std::string percentage(double part, double whole) { return fmt::format("{:.0f}%", std::min(1.0, part / whole) * 100); }

/// An ended campaign's usage, beside the resources that it requested and held.
std::string efficiency_of(const Json& efficiency, const Setting& setting) {
  std::string text;
  const auto asked = efficiency["walltime_asked"].number().value_or(0);
  const auto held = efficiency["resource_seconds_held"].number().value_or(0);
  if (asked > 0)
    text +=
        labelled("Walltime used",
                 percentage(efficiency["walltime_used"].number().value_or(0), asked) + " of what was asked for the done tasks", setting);
  if (held > 0)
    text += labelled("Cores used",
                     fmt::format("{} of {:.2f} core-hours held went into done tasks",
                                 percentage(efficiency["resource_seconds_used"].number().value_or(0), held), held / kSecondsOfHour),
                     setting);
  return text.empty() ? text : "\nEfficiency:\n" + text;
}

/// `100 tasks appended (200 to 299)`, `clusters.alpha.walltime: "1:00:00" -> "2:00:00"`.
std::vector<std::string> lines_of(const Json& change) {
  std::vector<std::string> lines;
  if (const auto tasks = change["tasks"].integer(); tasks > 0) {
    const auto first = change["first_task"].integer();
    lines.push_back(fmt::format("{} appended ({} to {})", terminal::counted(tasks, "task"), first, first + tasks - 1));
  }
  const auto side = [](const Json& value) { return value.is_null() ? "(default)" : clients::dump(value, clients::Layout::one_line); };
  for (const auto& edit : change["edits"].items())
    lines.push_back(fmt::format("{}: {} -> {}", edit["path"].text(), side(edit["before"]), side(edit["after"])));
  return lines;
}

/// The last changes, the oldest first.
std::string changes_of(const Json& campaign, const Setting& setting) {
  Table table{{{"time", "Time"}, {"user", "User"}, {"change", "Change", Align::left, Shrink::when_needed}}, {}};
  for (const auto& change : campaign["changes"].items() | std::views::reverse) {
    for (const auto& line : lines_of(change))
      table.rows.push_back({Cell{terminal::near_time(change["time"].seconds(), setting.now)}, Cell{change["user"].text()}, Cell{line}});
  }
  return table.rows.empty() ? std::string{} : "\nChanges:\n" + terminal::render_human(table, setting.screen);
}

}  // namespace

std::string progress_of(const Json& campaign) {
  const auto total = campaign["total_tasks"].integer();
  const auto done = campaign["tasks"]["done"].integer();
  return fmt::format("{}/{} ({}%)", done, total, total > 0 ? done * 100 / total : 0);
}

bool is_live(const Json& campaign) {
  const auto state = campaign["state"].text();
  return state == "in_treatment" || state == "paused";
}

std::string fitted(const std::string& sentence, const Setting& setting) {
  return (setting.screen.is_limited ? terminal::wrap(sentence, setting.screen.width, "  ") : sentence) + "\n";
}

std::string rate_of(const Json& stats) {
  const auto rate = hourly(stats["jobs_throughput"]);
  return rate == "~" ? rate : rate + " jobs/hour";
}

std::string campaign_view(const Json& campaign, const Json& stats, Detail detail, const Setting& setting) {
  auto text = head_of(campaign, setting) + counts_of(campaign, stats, setting);
  text += "\nForecasts:\n";
  text += labelled("Throughput", rate_of(stats), setting);
  text += labelled("Average", duration_of(stats["average_jobs_duration"]), setting);
  text += labelled("Stddev", fixed(stats["stddev_jobs_duration"], 2), setting);
  if (is_live(campaign)) text += forecasts_of(stats, setting) + grouping_advice(stats["grouping_gain"], setting);
  text += labelled("Failures rate", fmt::format("{:.1f}%", stats["failures_rate"].number().value_or(0) * 100), setting);
  text += labelled("Resubmit rate", fmt::format("{:.1f}%", stats["resubmit_rate"].number().value_or(0) * 100), setting);
  text += efficiency_of(stats["efficiency"], setting);
  text += "\nClusters:\n" + terminal::render_human(clusters_table(campaign, detail), setting.screen);
  for (const auto& [id, cluster] : campaign["clusters"].members()) {
    if (!cluster["brake"].is_null())
      text += fitted(
          fmt::format("{}: stopped: {}", terminal::printable(cluster["cluster_name"].text()), brake_text(cluster["brake"], setting.now)),
          setting);
    text += walltime_advice(cluster, setting) + processors_used(cluster, setting) + memory_advice(cluster, setting) +
            traffic_of_tasks(cluster, setting);
  }
  return text + changes_of(campaign, setting);
}

std::string progress_view(const Json& campaign, const Json& stats, const Setting& setting) {
  const auto total = campaign["total_tasks"].integer();
  const auto done = campaign["tasks"]["done"].integer();
  const auto& tasks = campaign["tasks"];
  auto title = fmt::format("Campaign {} {} ({}): {}", campaign["id"].integer(), campaign["name"].text(), campaign["user"].text(),
                           campaign["state"].text());
  title = terminal::printable(title);
  auto text = (setting.screen.is_limited ? terminal::shorten(title, setting.screen.width) : title) + "\n";
  const auto fraction = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  const auto counts = fmt::format(" {}", progress_of(campaign));
  const auto width = setting.screen.width > counts.size() + 10 ? setting.screen.width - counts.size() : 10;
  text += terminal::painted(Ink::good, terminal::bar(fraction, width), setting.screen) + counts + "\n";
  auto line = fmt::format("running {}, waiting {}", tasks["running"].integer(), waiting_of(campaign));
  if (tasks["failed"].integer() > 0) line += fmt::format(", failed {}", tasks["failed"].integer());
  line += fmt::format("; {}", rate_of(stats));
  if (is_live(campaign) && !stats["forecast_start"].is_null())
    line += fmt::format("; starts {}", forecast_text(stats, "forecast_start", setting.now));
  const auto why = why_none(stats, setting.now);
  if (is_live(campaign)) line += "; " + (why.empty() ? "ends " + forecast_text(stats, "forecast_end", setting.now) : why);
  return text + terminal::wrap(line, setting.screen.width, "  ") + "\n";
}

}  // namespace gleaner::gridstat
