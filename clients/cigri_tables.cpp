#include "clients/cigri_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lib/grid/cigri_words.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::clients {
namespace {

constexpr std::size_t kNameColumns = 19;
constexpr std::size_t kUserColumns = 16;

std::string column(const Json& value, std::size_t columns) {
  return terminal::pad_right(terminal::shorten(terminal::printable(value.text()), columns), columns);
}

/// `80/200 (40%)`.
std::string cigri_progress(const Json& campaign) {
  const auto total = campaign["total_tasks"].integer();
  const auto done = campaign["tasks"]["done"].integer();
  return fmt::format("{}/{} ({}%)", done, total, total > 0 ? done * 100 / total : 0);
}

char letter_of(const std::string& state) {
  if (state == "cancelled") return 'C';
  if (state == "in_treatment") return 'R';
  if (state == "terminated") return 'T';
  return state == "paused" ? 'P' : '?';
}

/// A number, a text or a truth as Ruby prints it; null is empty.
std::string plain(const Json& value) {
  if (!value.text().empty()) return terminal::printable(value.text());
  return value.is_null() ? std::string{} : dump(value, Layout::one_line);
}

std::string or_star(const Json& value) { return value.is_null() ? std::string{"*"} : plain(value); }

std::string per_hour(const Json& per_second) {
  constexpr double kLeast = 0.01;
  const auto rate = per_second.number().value_or(0) * 3600;
  return (rate < kLeast ? std::string{"~"} : fmt::format("{:.1f}", rate)) + " jobs/h";
}

std::string hours(const Json& seconds) {
  constexpr double kMost = 10000;
  const auto time = seconds.number().value_or(0) / 3600;
  return (time > kMost ? std::string{"~"} : fmt::format("{:.1f}", time)) + " hours";
}

std::string percentage(const Json& ratio) { return fmt::format("{:.1f} %", ratio.number().value_or(0) * 100); }

/// A prologue or an epilogue is done, or the campaign has none.
bool is_ok(const Json& script) { return script.is_null() || script.text() == "done"; }

std::string cigri_event(const Json& event) {
  auto line = fmt::format("{}: ({}) {}", event["id"].integer(), event["state"].text(), grid::cigri::event_code(event["code"].text()));
  if (const auto job = event["job_id"].whole()) line += fmt::format(" of job {}", *job);
  const auto opened = event["date_open"].time();
  line += " at " + (opened ? terminal::local_time(*opened) : event["date_open"].text());
  if (!event["cluster_name"].is_null()) line += " on " + event["cluster_name"].text();
  auto text = terminal::printable(line) + "\n";
  const auto message = event["message"].text();
  for (std::size_t begin = 0; begin < message.size();) {
    const auto end = std::min(message.find('\n', begin), message.size());
    text += terminal::printable(message.substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return text;
}

}  // namespace

bool is_cigri_style(const process::Config& config) { return config.style == "cigri"; }

std::string cigri_campaigns(const std::vector<Json>& campaigns, terminal::Heading heading) {
  std::string text;
  if (heading == terminal::Heading::shown)
    text =
        "Campaign id Name                User             Submission time     S  Progress\n"
        "----------- ------------------- ---------------- ------------------- -- --------\n";
  for (const auto& c : campaigns) {
    text += fmt::format("{:<11} {} {} {} {}{} {}\n", c["id"].integer(), column(c["name"], kNameColumns), column(c["user"], kUserColumns),
                        terminal::submission_time(c["submission_time"].seconds()), letter_of(c["state"].text()),
                        c["has_events"].is_true() ? 'e' : ' ', cigri_progress(c));
  }
  return text;
}

std::string cigri_campaign(const Json& campaign, const Json& stats) {
  auto text = fmt::format("Campaign: {}\n", campaign["id"].integer());
  text +=
      fmt::format("  Name: {}\n  User: {}\n", terminal::printable(campaign["name"].text()), terminal::printable(campaign["user"].text()));
  text += fmt::format("  Date: {}\n", terminal::submission_time(campaign["submission_time"].seconds()));
  text += fmt::format("  State: {}{}\n", campaign["state"].text(), campaign["has_events"].is_true() ? " (events)" : " ");
  text += fmt::format("  Progress: {}\n  Stats: \n", cigri_progress(campaign));
  for (const auto* key : {"average_jobs_duration", "stddev_jobs_duration"}) text += fmt::format("    {}: {}\n", key, plain(stats[key]));
  text +=
      fmt::format("    jobs_throughput: {}\n    remaining_time: {}\n", per_hour(stats["jobs_throughput"]), hours(stats["remaining_time"]));
  for (const auto* key : {"failures_rate", "resubmit_rate"}) text += fmt::format("    {}: {}\n", key, percentage(stats[key]));
  text += "  Clusters: \n";
  for (const auto& [id, cluster] : campaign["clusters"].members()) {
    text += fmt::format("    {}:\n", terminal::printable(cluster["cluster_name"].text()));
    for (const auto* key : {"active_jobs", "queued_jobs"}) text += fmt::format("      {}: {}\n", key, plain(cluster[key]));
    for (const auto* script : {"prologue", "epilogue"}) text += fmt::format("      {}_ok: {}\n", script, is_ok(cluster[script]));
  }
  return text;
}

std::string cigri_tasks(const std::vector<Json>& tasks) {
  std::string text = "  Jobs:\n";
  if (tasks.empty()) return text + "No jobs to print\n";
  for (const auto& task : tasks) {
    text += fmt::format("    {}: {},{},{},{},{},{}\n", task["id"].integer(), or_star(task["job_id"]), or_star(task["remote_id"]),
                        grid::cigri::task_state(task["state"].text(), task["job_state"].text()), or_star(task["cluster_name"]),
                        plain(task["name"]), plain(task["parameters"]));
  }
  return text;
}

Json cigri_job(const Json& job) {
  using Name = std::pair<std::string_view, std::string_view>;
  constexpr std::array kNames{Name{"user", "grid_user"}, Name{"task", "param_id"}, Name{"parameters", "param"},
                              Name{"launch_id", "batch_id"}, Name{"exit_code", "return_code"}};
  std::vector<Json::Member> members;
  for (const auto& [key, value] : job.members()) {
    const auto* const name = std::ranges::find(kNames, key, &Name::first);
    auto& member = members.emplace_back(name == kNames.end() ? key : std::string{name->second}, value);
    if (key == "state") member.second = Json::of(std::string{grid::cigri::job_state(value.text(), job["ending"].text())});
    if (key == "exit_code" && value.whole()) member.second = Json::of(grid::cigri::return_code(*value.whole()));
  }
  return Json::of(std::move(members));
}

std::string cigri_events(const std::vector<Json>& events) {
  if (events.empty()) return "No events!\n";
  const std::string rule = std::string(78, '-') + "\n";
  std::string text;
  for (const auto& event : events) text += rule + cigri_event(event);
  return text + rule;
}

std::string cigri_clusters(const std::vector<Json>& clusters) {
  std::string text;
  for (const auto& cluster : clusters)
    text += fmt::format("{}: {}\n", cluster["id"].integer(), terminal::printable(cluster["name"].text()));
  return text;
}

std::string cigri_usage(const std::vector<Json>& clusters) {
  std::string text;
  for (const auto& cluster : clusters) {
    text += fmt::format("{}: {}\n", cluster["id"].integer(), terminal::printable(cluster["name"].text()));
    const auto& status = cluster["status"];
    if (status.is_null()) {
      text += "    Data temporarily unavailable\n";
      continue;
    }
    auto max = cluster["max_resources"].integer();
    for (const auto* out : {"suspected_resources", "absent_resources", "dead_resources"}) max += cluster[out].whole().value_or(0);
    const auto used = status["used"].integer();
    text += fmt::format("    max_resources: {}\n    used_resources: {}\n    used_by_cigri: {}\n    unavailable_resources: {}\n", max, used,
                        status["our_running"].integer(), std::max<std::int64_t>(0, max - used - status["free"].integer()));
  }
  return text;
}

}  // namespace gleaner::clients
