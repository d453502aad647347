#include "lib/store/declarations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lib/store/dependencies.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"
#include "lib/store/jobs.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::exec;
using detail::Rows;

JobAtRisk read_job(const auto& row) {
  JobAtRisk job;
  job.id = *row.id;
  job.state = row.state.as(grid::job_state);
  job.campaign = *row.campaign_id;
  job.cluster = *row.cluster_id;
  job.cluster_name = *row.cluster;
  job.launch = *row.launch_id;
  job.task = *row.task;
  job.remote = row.remote_id;
  return job;
}

template <class Query>
std::vector<JobAtRisk> read_jobs(const Rows<Query>& rows) {
  std::vector<JobAtRisk> jobs;
  for (const auto& row : rows) jobs.push_back(read_job(row));
  return jobs;
}

template <class Id>
std::string array_of(const std::set<Id>& ids) {
  Array array;
  for (const auto id : ids) array.add(id.value());
  return array.literal();
}

std::string by(const Declarer& author) { return author.reason.empty() ? author.name : fmt::format("{} ({})", author.name, author.reason); }

/// The first few numbers.
std::string listed(const std::set<grid::TaskNumber>& tasks) {
  constexpr std::size_t kMost = 20;
  std::string list;
  std::size_t shown = 0;
  for (const auto task : tasks) {
    if (shown++ == kMost) return fmt::format("{} and {} more", list, tasks.size() - kMost);
    list += fmt::format("{}{}", list.empty() ? "" : ", ", task.value());
  }
  return list;
}

/// The subject of one event: a campaign on a cluster.
struct Given {
  std::string cluster;
  Risk risk;
  std::set<grid::TaskNumber> tasks;
};
using GivenUp = std::map<std::pair<grid::CampaignId, grid::ClusterId>, Given>;

void add(Risk& risk, const JobAtRisk& job) {
  if (job.state == grid::JobState::running) ++risk.running;
  else if (job.state == grid::JobState::remote_waiting) ++risk.waiting;
  else if (job.state != grid::JobState::planned) ++risk.unknown;
}

void open_events(Transaction& transaction, std::string_view code, const GivenUp& given_up, const Declarer& author, grid::Instant now) {
  for (const auto& [pair, given] : given_up) {
    const auto message =
        fmt::format("{} gave up {} on {}: {} elsewhere with a new attempt, and may run twice if one of these jobs goes on: {}", by(author),
                    describe(given.risk), given.cluster, given.tasks.size() == 1 ? "the task goes" : "the tasks go", listed(given.tasks));
    open_event(transaction,
               {.code = code,
                .target = {.campaign = pair.first, .cluster = pair.second},
                .job = {},
                .message = message,
                .occurrences = static_cast<std::int64_t>(given.tasks.size())},
               now);
  }
}

/// One job of each task: two jobs of one attempt must not each leave the task to the other.
std::vector<SettlingFacts> first_of_each_task(std::vector<SettlingFacts> facts) {
  std::set<std::pair<grid::CampaignId, grid::TaskNumber>> seen;
  std::erase_if(facts, [&](const SettlingFacts& one) { return !seen.insert({one.campaign, one.number}).second; });
  return facts;
}

/// Ends these jobs as lost, and returns those that could be ended.
std::set<grid::JobId> end_as_lost(Transaction& transaction, std::span<const JobAtRisk> jobs, const grid::Limits& limits,
                                  const std::string& message, grid::Instant now) {
  std::vector<grid::JobId> left;
  std::ranges::transform(jobs, std::back_inserter(left), &JobAtRisk::id);
  std::set<grid::JobId> ended;
  for (auto round = first_of_each_task(facts_for_settling(transaction, left)); !round.empty();
       round = first_of_each_task(facts_for_settling(transaction, left))) {
    std::vector<Verdict> verdicts;
    for (auto& facts : round) {
      Verdict verdict{.left = std::move(facts), .state = grid::JobState::error, .end = grid::JobEnd::lost, .message = message};
      verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, verdict.end, grid::Deletion::none, limits);
      ended.insert(verdict.left.id);
      verdicts.push_back(std::move(verdict));
    }
    settle_jobs(transaction, verdicts, now);
    std::erase_if(left, [&](grid::JobId job) { return ended.contains(job); });
  }
  return ended;
}

std::int64_t release(Transaction& transaction, std::optional<grid::ClusterId> cluster, std::optional<grid::LaunchId> launch,
                     const Declarer& author, grid::Instant now) {
  GivenUp given_up;
  const auto rows = exec(transaction, sql::declarations_release_bound_tasks{.cluster = cluster, .launch = launch, .now = now});
  for (const auto& row : rows) {
    auto& given = given_up[{*row.campaign_id, *row.cluster_id}];
    given.cluster = *row.cluster;
    given.tasks.insert(*row.number);
    ++given.risk.bound;
  }
  open_events(transaction, "TASKS_RELEASED", given_up, author, now);
  return static_cast<std::int64_t>(rows.size());
}

}  // namespace

void hold_lease(Transaction& transaction) { exec(transaction, sql::checks_hold_lease{}); }

void declare(Transaction& transaction, const Declaration& d, grid::Instant now) {
  exec(transaction, sql::declarations_add{
                        .what = d.what,
                        .subject = d.subject,
                        .author = d.author.name,
                        .reason = d.author.reason,
                        .message = d.message,
                        .now = now,
                    });
}

std::vector<JobAtRisk> live_jobs_of(Transaction& transaction, grid::JobId job) {
  return read_jobs(exec(transaction, sql::declarations_live_jobs_of{.job = job, .launch = std::nullopt, .cluster = std::nullopt}));
}

std::vector<JobAtRisk> live_jobs_of(Transaction& transaction, grid::LaunchId launch) {
  return read_jobs(exec(transaction, sql::declarations_live_jobs_of{.job = std::nullopt, .launch = launch, .cluster = std::nullopt}));
}

std::vector<JobAtRisk> live_jobs_of(Transaction& transaction, grid::ClusterId cluster) {
  return read_jobs(exec(transaction, sql::declarations_live_jobs_of{.job = std::nullopt, .launch = std::nullopt, .cluster = cluster}));
}

std::vector<JobAtRisk> live_jobs_among(Transaction& transaction, std::span<const grid::JobId> jobs) {
  return read_jobs(exec(transaction, sql::declarations_live_jobs_among{.jobs = array_of(std::set<grid::JobId>{jobs.begin(), jobs.end()})}));
}

Risk risk_of(std::span<const JobAtRisk> jobs) {
  Risk risk;
  for (const auto& job : jobs) add(risk, job);
  return risk;
}

std::string describe(const Risk& risk) {
  std::vector<std::string> parts;
  const auto add_part = [&](std::int64_t count, std::string_view one, std::string_view many) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  add_part(risk.running, "job that runs", "jobs that run");
  add_part(risk.waiting, "job that waits", "jobs that wait");
  add_part(risk.unknown, "job of unknown fate", "jobs of unknown fate");
  add_part(risk.bound, "task that waits for a job of a void launch", "tasks that wait for jobs of void launches");
  if (parts.empty()) return "nothing";
  std::string sentence = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) sentence += (i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return sentence;
}

std::int64_t lose_jobs(Transaction& transaction, std::span<const JobAtRisk> jobs, const grid::Limits& limits, const Declarer& author,
                       grid::Instant now) {
  const auto message = fmt::format("declared lost by {}", by(author));
  const auto ended = end_as_lost(transaction, jobs, limits, message, now);
  GivenUp given_up;
  std::set<grid::LaunchId> launches;
  for (const auto& job : jobs) {
    if (!ended.contains(job.id)) continue;
    launches.insert(job.launch);
    auto& given = given_up[{job.campaign, job.cluster}];
    given.cluster = job.cluster_name;
    given.tasks.insert(job.task);
    add(given.risk, job);
  }
  exec(transaction, sql::declarations_kill{.now = now, .jobs = array_of(ended)});
  exec(transaction, sql::declarations_void{.now = now, .error = message, .launches = array_of(launches)});
  open_events(transaction, "DECLARED_LOST", given_up, author, now);
  return static_cast<std::int64_t>(ended.size());
}

std::int64_t release_bound_tasks(Transaction& transaction, grid::ClusterId cluster, const Declarer& author, grid::Instant now) {
  return release(transaction, cluster, std::nullopt, author, now);
}

std::int64_t release_bound_tasks(Transaction& transaction, grid::LaunchId launch, const Declarer& author, grid::Instant now) {
  return release(transaction, std::nullopt, launch, author, now);
}

std::int64_t bound_tasks_of(Transaction& transaction, grid::ClusterId cluster) {
  return *exec(transaction, sql::declarations_bound_tasks_of{.cluster = cluster, .launch = std::nullopt})[0].tasks;
}

std::optional<KnownLaunch> find_launch(Transaction& transaction, grid::LaunchId launch) {
  const auto rows = exec(transaction, sql::declarations_find_launch{.launch = launch});
  if (rows.empty()) return std::nullopt;
  return KnownLaunch{rows[0].state.as(grid::launch_state), *rows[0].campaign_id, *rows[0].cluster};
}

std::optional<KnownJob> find_job(Transaction& transaction, grid::JobId job) {
  const auto rows = exec(transaction, sql::declarations_find_job{.job = job});
  if (rows.empty()) return std::nullopt;
  return KnownJob{rows[0].state.as(grid::job_state), *rows[0].ending};
}

bool retire_cluster(Transaction& transaction, grid::ClusterId cluster, grid::Instant now) {
  if (exec(transaction, sql::declarations_retire{.now = now, .cluster = cluster}).empty()) return false;
  exec(transaction, sql::events_close_of_retired{.now = now, .cluster = cluster, .kept = kBlacklisted});
  note_files_out_of_reach(transaction, cluster, now);
  follow_again(transaction, std::nullopt);
  return true;
}

std::optional<std::int64_t> bring_back_cluster(Transaction& transaction, grid::ClusterId cluster, grid::Instant now) {
  const auto rows = exec(transaction, sql::declarations_bring_back{.cluster = cluster, .now = now});
  if (rows.empty()) return std::nullopt;
  note_files_in_reach(transaction, cluster, now);
  follow_again(transaction, std::nullopt);
  return *rows[0].kills;
}

}  // namespace gleaner::store
