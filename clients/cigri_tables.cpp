#include "clients/cigri_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/grid/cigri_words.hpp"
#include "lib/grid/script.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::clients {
namespace {

constexpr std::size_t kNameCharacters = 19;
constexpr std::size_t kUserCharacters = 16;

/// The first characters, and blanks up to as many: CiGri cuts without a mark.
std::string column(const Json& value, std::size_t characters) {
  constexpr unsigned kContinued = 0xC0U;
  constexpr unsigned kContinuation = 0x80U;
  const auto text = terminal::printable(value.text());
  std::size_t count = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool is_first_byte = (static_cast<unsigned char>(text[end]) & kContinued) != kContinuation;
    if (is_first_byte && count == characters) break;
    if (is_first_byte) ++count;
  }
  return text.substr(0, end) + std::string(characters - count, ' ');
}

/// To CiGri, a campaign with failed tasks is in treatment until somebody closes their events.
std::string state_of(const Json& campaign) {
  const bool waits_for_a_person = campaign["has_events"].is_true() && campaign["tasks"]["failed"].integer() > 0;
  const auto state = campaign["state"].text();
  return state == "terminated" && waits_for_a_person ? std::string{"in_treatment"} : state;
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
  auto text = value.is_null() ? std::string{} : dump(value, Layout::one_line);
  return text == R"("")" ? std::string{} : text;
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

/// CiGri's API has a whole 0 for no failure.
std::string percentage(const Json& ratio) {
  const auto value = ratio.number().value_or(0);
  return value == 0 ? std::string{"0 %"} : fmt::format("{:.1f} %", value * 100);
}

/// A prologue or an epilogue is done, or the campaign has none.
bool is_ok(const Json& script) { return script.is_null() || script.text() == "done"; }

std::string cigri_event(const Json& event) {
  auto line = fmt::format("{}: ({}) {}", event["id"].integer(), event["state"].text(), grid::cigri::event_code(event["code"].text()));
  if (const auto job = event["job_id"].whole()) line += fmt::format(" of job {}", *job);
  line += " at " + grid::cigri::date(event["date_open"].text());
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
    text += fmt::format("{:<11} {} {} {} {}{} {}\n", c["id"].integer(), column(c["name"], kNameCharacters),
                        column(c["user"], kUserCharacters), terminal::submission_time(c["submission_time"].seconds()),
                        letter_of(state_of(c)), c["has_events"].is_true() ? 'e' : ' ', cigri_progress(c));
  }
  return text;
}

std::string cigri_campaign(const Json& campaign, const Json& stats) {
  auto text = fmt::format("Campaign: {}\n", campaign["id"].integer());
  text +=
      fmt::format("  Name: {}\n  User: {}\n", terminal::printable(campaign["name"].text()), terminal::printable(campaign["user"].text()));
  text += fmt::format("  Date: {}\n", terminal::submission_time(campaign["submission_time"].seconds()));
  text += fmt::format("  State: {}{}\n", state_of(campaign), campaign["has_events"].is_true() ? " (events)" : " ");
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
  return text + "\n";
}

std::string cigri_tasks(const std::vector<Json>& tasks) {
  std::string text = " Jobs:\n";
  if (tasks.empty()) return text + "No jobs to print\n";
  for (const auto& task : tasks) {
    text += fmt::format("  {}: {},{},{},{},{},{}\n", task["id"].integer(), or_star(task["job_id"]), or_star(task["remote_id"]),
                        grid::cigri::task_state(task["state"].text(), task["job_state"].text()), or_star(task["cluster_name"]),
                        plain(task["name"]), plain(task["parameters"]));
  }
  return text;
}

std::string cigri_job(const Json& job) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) { text += fmt::format("{}: {}\n", name, value); };
  const auto script = grid::script_of(grid::TaskNumber{job["task"].integer()});
  add("id", plain(job["id"]));
  add("param", plain(job["parameters"]));
  add("grid_user", plain(job["user"]));
  add("campaign_id", plain(job["campaign_id"]));
  add("param_id", script ? std::string{"0"} : plain(job["task"]));
  add("batch_id", plain(job["launch_id"]));
  add("cluster_id", plain(job["cluster_id"]));
  add("collect_id", {});
  add("state", std::string{grid::cigri::job_state(job["state"].text(), job["ending"].text())});
  const auto code = job["exit_code"].whole();
  add("return_code", code ? fmt::format("{}", grid::cigri::return_code(*code)) : std::string{});
  for (const auto* time : {"submission_time", "start_time", "stop_time"}) add(time, grid::cigri::date(job[time].text()));
  add("node_name", {});
  add("resources_used", plain(job["resources_used"]));
  add("remote_id", plain(job["remote_id"]));
  add("tag", script ? std::string{grid::name_of(*script)} : std::string{});
  add("runner_options", "{}");
  add("nodb", {});
  add("cluster_name", plain(job["cluster_name"]));
  return text;
}

std::string cigri_events(const std::vector<Json>& events) {
  if (events.empty()) return "No events!\n";
  const std::string rule = std::string(78, '-') + "\n";
  std::string text;
  for (const auto& event : events) text += rule + cigri_event(event);
  return text + rule;
}

namespace {

std::string name_line(const Json& cluster) {
  return fmt::format("{}: {}", cluster["id"].integer(), terminal::printable(cluster["name"].text()));
}

/// `0.25/0.8`: the stress factor, and the one that is too much.
std::string stress_of(const Json& cluster) {
  constexpr double kUsualMost = 0.8;
  const auto& stress = cluster["stress"];
  return fmt::format("{:g}/{:g}", stress["stress_factor"].number().value_or(0), stress["stress_max"].number().value_or(kUsualMost));
}

std::string info_line(const Json& cluster) {
  auto line = fmt::format("{} , {} (stress:{}", name_line(cluster), terminal::printable(grid::cigri::host_of(cluster["api_url"].text())),
                          stress_of(cluster));
  if (cluster["blacklisted"].is_true()) line += ", BLACKLISTED";
  if (cluster["under_stress"].is_true()) line += ", UNDER_STRESS";
  return line + ")\n";
}

}  // namespace

std::string cigri_clusters(const std::vector<Json>& clusters) {
  std::string text;
  for (const auto& cluster : clusters) text += name_line(cluster) + "\n";
  return text;
}

std::string cigri_infos(const std::vector<Json>& clusters) {
  std::string text;
  for (const auto& cluster : clusters) text += info_line(cluster);
  return text;
}

std::string cigri_details(const std::vector<Json>& clusters) {
  std::string text;
  for (const auto& cluster : clusters) {
    const auto add = [&](std::string_view name, const std::string& value) { text += fmt::format("    {}: {}\n", name, value); };
    text += name_line(cluster) + "\n";
    for (const auto* name : {"id", "name", "api_url"}) add(name, plain(cluster[name]));
    add("api_auth_type", std::string{grid::cigri::authentication(cluster["api_auth_type"].text())});
    add("api_auth_header", plain(cluster["api_auth_header"]));
    add("api_chunk_size", fmt::format("{}", grid::cigri::kChunkSize));
    add("api_limit", fmt::format("{}", grid::cigri::kLimit));
    add("ssh_host", terminal::printable(grid::cigri::host_of(cluster["api_url"].text())));
    add("batch", std::string{grid::cigri::batch(cluster["api"].text())});
    add("resource_unit", std::string{grid::cigri::kResourceUnit});
    add("power", plain(cluster["power"]));
    add("properties", plain(cluster["properties"]));
    add("stress_factor", stress_of(cluster));
    for (const auto* name : {"enabled", "blacklisted", "under_stress"}) add(name, plain(cluster[name]));
  }
  return text;
}

std::string cigri_usage(const std::vector<Json>& clusters) {
  std::string text;
  for (const auto& cluster : clusters) {
    text += info_line(cluster);
    const auto& status = cluster["status"];
    if (status.is_null() || cluster["blacklisted"].is_true()) {
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
