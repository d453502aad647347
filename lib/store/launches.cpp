#include "lib/store/launches.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::exec;
using detail::get;
using detail::get_instant;
using detail::micros;
using detail::text;

std::string ids(std::span<const grid::LaunchId> launches) {
  Array array;
  for (const auto launch : launches) array.add(launch.value());
  return array.literal();
}

LaunchToMake read_launch(const pqxx::row& row) {
  LaunchToMake launch;
  launch.id = grid::LaunchId{row["id"].as<std::int64_t>()};
  launch.campaign = grid::CampaignId{row["campaign_id"].as<std::int64_t>()};
  launch.jobs = row["jobs"].as<int>();
  launch.campaign_state = grid::campaign_state(text(row["campaign_state"])).value();
  launch.campaign_name = text(row["campaign_name"]);
  launch.user = text(row["user_name"]);
  launch.login = text(row["login"]);
  launch.exec_file = text(row["exec_file"]);
  launch.exec_directory = text(row["exec_directory"]);
  launch.request = text(row["request"]);
  launch.walltime = grid::Seconds{row["walltime_s"].as<std::int64_t>()};
  launch.memory_mb = get<std::int64_t>(row["memory_mb"]);
  launch.memory_property = text(row["memory_property"]);
  launch.memory_unit_mb = row["memory_unit_mb"].as<int>();
  launch.properties = text(row["properties"]);
  launch.project = text(row["project"]);
  launch.job_types = text(row["job_types"]);
  launch.best_effort = row["best_effort"].as<bool>();
  return launch;
}

UnsettledLaunch read_unsettled(const pqxx::row& row) {
  UnsettledLaunch launch;
  launch.id = grid::LaunchId{row["id"].as<std::int64_t>()};
  launch.campaign = grid::CampaignId{row["campaign_id"].as<std::int64_t>()};
  launch.tag = text(row["tag"]);
  launch.state = grid::launch_state(text(row["state"])).value();
  launch.jobs = row["jobs"].as<int>();
  launch.looks = row["looks"].as<int>();
  launch.launching_at = *get_instant(row["launching_at"]);
  launch.settled_at = get_instant(row["settled_at"]);
  launch.last_look_at = get_instant(row["last_look_at"]);
  launch.error = text(row["error"]);
  launch.login = text(row["login"]);
  return launch;
}

}  // namespace

std::vector<LaunchToMake> planned_launches(Transaction& transaction, grid::ClusterId cluster) {
  std::vector<LaunchToMake> launches;
  for (const auto& row : exec(transaction, sql::launches_planned, cluster.value())) launches.push_back(read_launch(row));
  return launches;
}

std::vector<grid::LaunchId> stranded_launches(Transaction& transaction) {
  std::vector<grid::LaunchId> launches;
  for (const auto& row : exec(transaction, sql::clusters_lost_launches)) launches.emplace_back(row[0].as<std::int64_t>());
  return launches;
}

std::vector<LaunchLine> launch_lines(Transaction& transaction, grid::LaunchId launch) {
  std::vector<LaunchLine> lines;
  for (const auto& row : exec(transaction, sql::launches_lines, launch.value())) {
    LaunchLine line;
    line.job = grid::JobId{row["id"].as<std::int64_t>()};
    line.task = grid::TaskNumber{row["task"].as<std::int64_t>()};
    line.attempt = row["attempt"].as<int>();
    line.form = text(row["form"]).at(0);
    line.parameter = text(row["parameter"]);
    lines.push_back(std::move(line));
  }
  return lines;
}

bool begin_launch(Transaction& transaction, grid::LaunchId launch, const std::string& tag, Term term, grid::Instant now) {
  return !exec(transaction, sql::launches_begin, launch.value(), tag, term, micros(now)).empty();
}

int accept_launch(Transaction& transaction, grid::LaunchId launch, std::span<const AcceptedJob> jobs, std::optional<grid::RemoteJobId> array,
                  grid::Instant now) {
  Array local, remote;
  for (const auto& job : jobs) {
    local.add(job.job.value());
    remote.add(job.remote.value());
  }
  const auto array_id = array ? std::optional{array->value()} : std::nullopt;
  const auto rows = exec(transaction, sql::launches_accept, launch.value(), local.literal(), remote.literal(), array_id, micros(now));
  return rows.empty() ? 0 : rows[0][0].as<int>();
}

void mark_unknown(Transaction& transaction, std::span<const grid::LaunchId> launches, const std::string& error) {
  exec(transaction, sql::launches_unknown, ids(launches), error);
}

std::vector<grid::LaunchId> interrupted_launches(Transaction& transaction, grid::ClusterId cluster) {
  std::vector<grid::LaunchId> launches;
  for (const auto& row : exec(transaction, sql::launches_interrupted, cluster.value())) launches.emplace_back(row[0].as<std::int64_t>());
  return launches;
}

void give_back(Transaction& transaction, const GiveBack& what, grid::Instant now) {
  exec(transaction, sql::launches_give_back, what.launch.value(), std::string{grid::name_of(what.state)}, what.back == Back::same_cluster,
       what.error, micros(now));
}

std::vector<UnsettledLaunch> unsettled_launches(Transaction& transaction, grid::ClusterId cluster, grid::Instant void_since) {
  std::vector<UnsettledLaunch> launches;
  for (const auto& row : exec(transaction, sql::launches_unsettled, cluster.value(), micros(void_since))) launches.push_back(read_unsettled(row));
  return launches;
}

void note_look(Transaction& transaction, std::span<const grid::LaunchId> launches, grid::Instant now) {
  exec(transaction, sql::launches_looked, ids(launches), micros(now));
}

}  // namespace gleaner::store
