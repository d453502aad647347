#include "lib/store/launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lib/store/batch.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"
#include "lib/store/jobs.hpp"
#include "lib/text/clean.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::exec;
using detail::exec_prepared;
using detail::ids_in;
using detail::ids_of;

LaunchToMake read_launch(const sql::launches_planned::Row& row) {
  LaunchToMake launch;
  launch.id = *row.id;
  launch.campaign = *row.campaign_id;
  launch.jobs = *row.jobs;
  launch.campaign_state = row.campaign_state.as(grid::campaign_state);
  launch.campaign_name = *row.campaign_name;
  launch.user = *row.user_name;
  launch.login = *row.login;
  launch.exec_file = *row.exec_file;
  launch.exec_directory = *row.exec_directory;
  if (row.script.has_value())
    launch.script = row.script.as<std::string>() == grid::name_of(grid::Script::prologue) ? grid::Script::prologue : grid::Script::epilogue;
  launch.request = *row.request;
  launch.walltime = *row.walltime_s;
  launch.to_measure = *row.to_measure;
  if (row.pool_s.has_value()) launch.pool = grid::Seconds{*row.pool_s};
  launch.side_by_side = *row.side_by_side;
  launch.memory_mb = row.memory_mb;
  launch.beside = row.beside;
  launch.leaves = *row.leaves;
  launch.memory_property = *row.memory_property;
  launch.memory_unit_mb = *row.memory_unit_mb;
  launch.properties = *row.properties;
  launch.project = *row.project;
  launch.job_types = *row.job_types;
  launch.best_effort = *row.best_effort;
  launch.output_directory = *row.output_directory;
  launch.output_files = *row.output_files;
  launch.input_files = *row.input_files;
  launch.placeholders = *row.placeholders;
  launch.params_shell = *row.params_shell;
  launch.gives = *row.gives;
  launch.checkpoint_signal = row.checkpoint_signal.value_or("");
  launch.checkpoint_cost = row.checkpoint_cost_s.value_or(grid::Seconds{0});
  launch.shares_home = *row.shares_home;
  return launch;
}

UnsettledLaunch read_unsettled(const sql::launches_unsettled::Row& row) {
  UnsettledLaunch launch;
  launch.id = *row.id;
  launch.campaign = *row.campaign_id;
  launch.tag = *row.tag;
  launch.state = row.state.as(grid::launch_state);
  launch.missing = *row.missing;
  launch.looks = *row.looks;
  launch.voids = *row.voids;
  launch.launching_at = *row.launching_at;
  launch.unknown_at = *row.unknown_at;
  launch.settled_at = row.settled_at;
  launch.last_look_at = row.last_look_at;
  launch.error = row.error.value_or("");
  launch.login = *row.login;
  return launch;
}

BoundTasks read_bound(const sql::launches_bound_tasks::Row& row) {
  BoundTasks tasks;
  tasks.launch = *row.launch;
  tasks.campaign = *row.campaign_id;
  tasks.cluster = *row.cluster_id;
  tasks.cluster_name = *row.cluster;
  tasks.replicas_allowed = *row.replicas;
  tasks.retired = *row.retired;
  tasks.tasks = *row.tasks;
  tasks.since = *row.since;
  return tasks;
}

/// The jobs of OAR that a launch has now, each with its consequences for its task.
struct Adopted {
  grid::JobId job{0};
  grid::RemoteJobId remote{0};
  bool moves = true;
  bool again = false;
};

int write_ids(Transaction& transaction, grid::LaunchId launch, std::span<const Adopted> jobs, std::optional<grid::RemoteJobId> array,
              grid::Instant now) {
  Array local, remote, moves, again;
  for (const auto& job : jobs) {
    local.add(job.job.value());
    again.add(std::string_view{job.again ? "t" : "f"});
    remote.add(job.remote.value());
    moves.add(std::string_view{job.moves ? "t" : "f"});
  }
  const auto rows = exec_prepared(transaction, sql::launches_accept{
                                                   .launch = launch,
                                                   .jobs = local,
                                                   .remote_ids = remote,
                                                   .moves = moves,
                                                   .again = again,
                                                   .now = now,
                                                   .array_id = array,
                                               });
  return *rows[0].jobs;
}

bool is_of(const SettlingFacts& facts, const grid::JobIdentity& identity) {
  return facts.campaign == identity.campaign && facts.number == identity.task && facts.job.attempt == identity.attempt;
}

}  // namespace

std::vector<LaunchToMake> planned_launches(Transaction& transaction, grid::ClusterId cluster) {
  std::vector<LaunchToMake> launches;
  for (const auto& row : exec_prepared(transaction, sql::launches_planned{.enough_measured = kEnoughMeasured, .cluster = cluster}))
    launches.push_back(read_launch(row));
  return launches;
}

std::vector<grid::LaunchId> stranded_launches(Transaction& transaction) {
  return ids_in<grid::LaunchId>(exec_prepared(transaction, sql::launches_stranded{}));
}

std::vector<LaunchLine> launch_lines(Transaction& transaction, grid::LaunchId launch) {
  std::vector<LaunchLine> lines;
  for (const auto& row : exec_prepared(transaction, sql::launches_lines{.launch = launch})) {
    LaunchLine line;
    line.job = *row.id;
    line.task = *row.task;
    line.attempt = *row.attempt;
    line.fence = *row.fence;
    line.pooled = *row.pooled;
    line.form = row.form.as<std::string>().at(0);
    line.parameter = *row.parameter;
    line.cancelling = *row.cancelling;
    lines.push_back(std::move(line));
  }
  return lines;
}

bool begin_launch(Transaction& transaction, const LaunchIntent& intent, Term term, grid::Instant now) {
  return !exec_prepared(transaction,
                        sql::launches_begin{.tag = intent.tag, .login = intent.login, .term = term, .now = now, .launch = intent.launch})
              .empty();
}

std::vector<BegunLaunch> begun_launches(Transaction& transaction, std::span<const grid::LaunchId> launches) {
  std::vector<BegunLaunch> begun;
  for (const auto& row : exec_prepared(transaction, sql::launches_begun{.launches = ids_of(launches)})) {
    begun.push_back({.id = *row.id,
                     .state = row.state.as(grid::launch_state),
                     .term = *row.term,
                     .campaign = row.campaign_state.as(grid::campaign_state),
                     .launching_at = *row.launching_at});
  }
  return begun;
}

int accept_launch(Transaction& transaction, grid::LaunchId launch, std::span<const AcceptedJob> jobs,
                  std::optional<grid::RemoteJobId> array, grid::Instant now) {
  std::vector<Adopted> adopted;
  for (const auto& job : jobs) adopted.push_back({job.job, job.remote});
  return write_ids(transaction, launch, adopted, array, now);
}

void bound_arrays(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, int jobs) {
  exec(transaction, sql::launches_bound_arrays{.jobs = jobs, .campaign = campaign, .cluster = cluster});
}

int adopt_jobs(Transaction& transaction, grid::LaunchId launch, std::span<const grid::FoundJob> found,
               std::optional<grid::RemoteJobId> array, grid::Instant now) {
  std::map<grid::JobId, const grid::FoundJob*> by_id;
  std::vector<grid::JobId> jobs;
  for (const auto& job : found) {
    by_id.emplace(job.job, &job);
    jobs.push_back(job.job);
  }
  std::vector<Adopted> adopted;
  for (const auto& facts : facts_for_settling(transaction, jobs)) {
    const auto& job = *by_id.at(facts.id);
    if (facts.launch != launch || !is_of(facts, job.identity)) continue;
    adopted.push_back({job.job, job.remote, grid::adoption_of(facts.task, facts.job.attempt).moves, job.again});
  }
  return adopted.empty() ? 0 : write_ids(transaction, launch, adopted, array, now);
}

void mark_unknown(Transaction& transaction, std::span<const grid::LaunchId> launches, const std::string& error, grid::Instant now) {
  write_batch(
      transaction, launches,
      [&](std::span<const grid::LaunchId> part) {
        exec(transaction, sql::launches_mark_unknown{.error = text::clean_text(error), .now = now, .launches = ids_of(part)});
      },
      [&](grid::LaunchId launch, const std::string& why) {
        note_refused(transaction, {}, fmt::format("that launch {} has no answer", launch.value()), why, now);
      });
}

std::vector<grid::LaunchId> interrupted_launches(Transaction& transaction, grid::ClusterId cluster) {
  return ids_in<grid::LaunchId>(exec_prepared(transaction, sql::launches_interrupted{.cluster = cluster}));
}

bool give_back(Transaction& transaction, const GiveBack& what, const grid::Limits& limits, grid::Instant now) {
  const auto launch = exec(transaction, sql::launches_give_back{
                                            .state = grid::name_of(what.to),
                                            .now = now,
                                            .error = text::clean_text(what.error),
                                            .maybe_sent = what.sent == grid::Sent::maybe,
                                            .launch = what.launch,
                                            .leaves = grid::name_of(what.from),
                                        });
  if (launch.empty()) return false;
  const auto jobs = ids_in<grid::JobId>(exec(transaction, sql::launches_open_jobs{.launch = what.launch}));
  std::vector<Verdict> verdicts;
  for (auto& facts : facts_for_settling(transaction, jobs)) {
    const grid::Unsubmitted unsubmitted{.sent = what.sent, .fenced = facts.fence.has_value(), .replicas_allowed = *launch[0].replicas};
    Verdict verdict;
    verdict.state = grid::JobState::error;
    verdict.end = grid::JobEnd::never_submitted;
    verdict.settlement = grid::settle_unsubmitted(facts.task, facts.job, unsubmitted, limits);
    verdict.left = std::move(facts);
    verdicts.push_back(std::move(verdict));
  }
  settle_jobs(transaction, verdicts, now);
  return true;
}

std::vector<UnsettledLaunch> unsettled_launches(Transaction& transaction, grid::ClusterId cluster, grid::Instant void_since) {
  std::vector<UnsettledLaunch> launches;
  for (const auto& row : exec_prepared(transaction, sql::launches_unsettled{.cluster = cluster, .void_since = void_since}))
    launches.push_back(read_unsettled(row));
  return launches;
}

void note_look(Transaction& transaction, std::span<const grid::LaunchId> launches, grid::Instant now) {
  exec(transaction, sql::launches_note_look{.now = now, .launches = ids_of(launches)});
}

bool awaits_launches(Transaction& transaction, grid::ClusterId cluster, grid::Instant void_since) {
  return *exec_prepared(transaction, sql::launches_awaited{.cluster = cluster, .void_since = void_since})[0].awaited;
}

std::vector<BoundTasks> bound_tasks(Transaction& transaction) {
  std::vector<BoundTasks> tasks;
  for (const auto& row : exec_prepared(transaction, sql::launches_bound_tasks{})) tasks.push_back(read_bound(row));
  return tasks;
}

std::vector<grid::TaskNumber> release_tasks(Transaction& transaction, grid::LaunchId launch, grid::Instant now) {
  std::vector<grid::TaskNumber> tasks;
  for (const auto& row : exec(transaction, sql::launches_release_tasks{.now = now, .launch = launch})) tasks.push_back(*row.number);
  std::ranges::sort(tasks);
  return tasks;
}

}  // namespace gleaner::store
