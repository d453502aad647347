#include "lib/store/jobs.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::exec;
using detail::get;
using detail::micros;
using detail::text;

LiveJob read_live(const pqxx::row& row) {
  LiveJob job;
  job.id = grid::JobId{row["id"].as<std::int64_t>()};
  job.remote = grid::RemoteJobId{row["remote_id"].as<std::int64_t>()};
  job.state = grid::job_state(text(row["state"])).value();
  job.campaign = grid::CampaignId{row["campaign_id"].as<std::int64_t>()};
  job.task = grid::TaskNumber{row["task"].as<std::int64_t>()};
  job.attempt = row["attempt"].as<int>();
  job.earlier = row["earlier"].as<int>();
  job.resources = get<int>(row["resources"]);
  job.resubmissions = row["resubmissions"].as<int>();
  job.charged = row["charged"].as<int>();
  job.kill_sent = row["kill_sent"].as<bool>();
  job.kill_reason = text(row["kill_reason"]);
  job.login = text(row["login"]);
  job.failures_in_a_row = row["failures_in_a_row"].as<int>();
  job.walltime = grid::Seconds{row["walltime_s"].as<std::int64_t>()};
  if (const auto most = get<std::int64_t>(row["max_walltime_s"])) job.max_walltime = grid::Seconds{*most};
  return job;
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::done: return "done";
    case Outcome::failed: return "failed";
    case Outcome::goes_back: return "return";
    case Outcome::keep: return "keep";
  }
  return "keep";
}

void add(Array& array, std::optional<int> value) { array.add(value ? std::optional<std::int64_t>{*value} : std::nullopt); }

}  // namespace

std::vector<LiveJob> live_jobs(Transaction& transaction, grid::ClusterId cluster) {
  std::vector<LiveJob> jobs;
  for (const auto& row : exec(transaction, sql::jobs_live, cluster.value())) jobs.push_back(read_live(row));
  return jobs;
}

void observe_jobs(Transaction& transaction, std::span<const Observation> observations) {
  if (observations.empty()) return;
  Array jobs, states, starts, resources;
  for (const auto& one : observations) {
    jobs.add(one.job.value());
    states.add(grid::name_of(one.state));
    starts.add(one.started_at);
    add(resources, one.resources);
  }
  exec(transaction, sql::jobs_observe, jobs.literal(), states.literal(), starts.literal(), resources.literal());
}

int end_jobs(Transaction& transaction, std::span<const Ending> endings, grid::Instant now) {
  if (endings.empty()) return 0;
  Array jobs, states, ends, statuses, starts, stops, resources, outcomes, charges, places, messages, walltimes;
  for (const auto& one : endings) {
    jobs.add(one.job.value());
    states.add(grid::name_of(one.state));
    ends.add(grid::name_of(one.end));
    add(statuses, one.exit_status);
    starts.add(one.started_at);
    stops.add(one.ended_at);
    add(resources, one.resources);
    outcomes.add(name_of(one.outcome));
    // A task whose walltime is raised is not to blame: the JDL's limit bounds it.
    charges.add(std::int64_t{grid::charge_of(one.end) == grid::Charge::task && !one.walltime ? 1 : 0});
    places.add(std::int64_t{static_cast<int>(one.place)});
    messages.add(std::string_view{one.message});
    walltimes.add(one.walltime ? std::optional{one.walltime->count()} : std::nullopt);
  }
  return exec(transaction, sql::jobs_end, jobs.literal(), states.literal(), ends.literal(), statuses.literal(), starts.literal(), stops.literal(),
              resources.literal(), outcomes.literal(), charges.literal(), places.literal(), messages.literal(), micros(now),
              walltimes.literal())[0][0]
      .as<int>();
}

void follow_job(Transaction& transaction, grid::JobId job, grid::RemoteJobId from, grid::RemoteJobId to) {
  exec(transaction, sql::jobs_follow, job.value(), from.value(), to.value());
}

std::vector<Twin> twins(Transaction& transaction, const LiveJob& job) {
  std::vector<Twin> found;
  for (const auto& row : exec(transaction, sql::jobs_twins, job.campaign.value(), job.task.value(), job.attempt, job.id.value())) {
    Twin twin;
    twin.id = grid::JobId{row["id"].as<std::int64_t>()};
    twin.state = grid::job_state(text(row["state"])).value();
    if (!row["ending"].is_null()) twin.end = grid::job_end(text(row["ending"]));
    found.push_back(twin);
  }
  return found;
}

bool reopen_twin(Transaction& transaction, const LiveJob& job) {
  return !exec(transaction, sql::launches_reopen, job.campaign.value(), job.task.value(), job.attempt, job.id.value()).empty();
}

std::vector<grid::RemoteJobId> known_remotes(Transaction& transaction, grid::ClusterId cluster, std::span<const grid::RemoteJobId> remotes) {
  Array array;
  for (const auto remote : remotes) array.add(remote.value());
  std::vector<grid::RemoteJobId> known;
  for (const auto& row : exec(transaction, sql::jobs_of_remote, cluster.value(), array.literal())) known.emplace_back(row[0].as<std::int64_t>());
  return known;
}

double waiting_resources(Transaction& transaction, grid::ClusterId cluster) {
  return exec(transaction, sql::jobs_waiting_resources, cluster.value())[0][0].as<double>();
}

std::vector<grid::CampaignId> finish_campaigns(Transaction& transaction, grid::Instant now) {
  exec(transaction, sql::campaigns_sweep);
  std::vector<grid::CampaignId> finished;
  for (const auto& row : exec(transaction, sql::campaigns_finish, micros(now))) finished.emplace_back(row[0].as<std::int64_t>());
  return finished;
}

}  // namespace gleaner::store
