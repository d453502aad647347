#include "lib/store/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "lib/store/batch.hpp"
#include "lib/store/dependencies.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"
#include "lib/store/failures.hpp"
#include "lib/store/launches.hpp"
#include "lib/text/clean.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::exec;
using detail::exec_prepared;
using detail::ids_in;
using detail::ids_of;

LiveJob read_live(const sql::jobs_live::Row& row) {
  LiveJob job;
  job.id = *row.id;
  job.remote = *row.remote_id;
  job.state = row.state.as(grid::job_state);
  job.campaign = *row.campaign_id;
  job.task = *row.task;
  job.attempt = *row.attempt;
  job.launch = *row.launch_id;
  job.fence = *row.fence;
  job.tag = row.tag.value_or("");
  job.resources = row.resources;
  job.resubmissions = *row.resubmissions;
  job.absent_since = row.absent_since;
  job.over_since = row.over_since;
  job.launching_since = row.launching_since;
  job.kill_sent = *row.kill_sent;
  job.kill_reason = row.kill_reason.value_or("");
  job.login = *row.login;
  job.failures_in_a_row = *row.failures_in_a_row;
  job.last_unbegun = row.last_unbegun;
  job.walltime = *row.walltime_s;
  job.carries = *row.carries;
  job.pool_files = *row.pool_files;
  job.side_by_side = *row.side_by_side;
  job.max_walltime = row.max_walltime_s;
  job.exec_directory = *row.exec_directory;
  job.output_directory = *row.output_directory;
  job.request = row.request.value_or("");
  return job;
}

/// The numbers of a comma list.
std::vector<int> numbers_of(std::string_view list) {
  std::vector<int> numbers;
  while (const auto number = text::take_whole_number<int>(list)) {
    numbers.push_back(*number);
    if (!list.empty()) list.remove_prefix(1);
  }
  return numbers;
}

SettlingFacts read_facts(const sql::jobs_facts::Row& row) {
  SettlingFacts facts;
  facts.id = *row.id;
  facts.state = row.state.as(grid::job_state);
  facts.campaign = *row.campaign_id;
  facts.number = *row.task;
  facts.launch = *row.launch_id;
  facts.fence = row.fence;
  auto& task = facts.task;
  task.state = row.task_state.as(grid::task_state);
  task.attempt = *row.task_attempt;
  task.replica = row.replica;
  task.replica_lives = *row.replica_lives;
  task.charged = *row.charged;
  task.counted = *row.counted;
  task.max_attempts = row.max_attempts;
  task.retries = row.retries;
  facts.retry_on = numbers_of(row.retry_on.value_or(""));
  task.cancelled = *row.cancelled;
  auto& job = facts.job;
  job.attempt = *row.attempt;
  job.contender_lives = *row.contender_lives;
  job.claim_taken = *row.claim_taken;
  job.orphan_may_come = *row.orphan_may_come;
  job.other_copy_runs = *row.other_copy_runs;
  job.walltime = *row.walltime_s;
  job.max_walltime = row.max_walltime_s;
  job.checkpoints = *row.checkpoints;
  job.signalled = *row.signalled;
  job.has_checkpoint = *row.has_checkpoint;
  return facts;
}

sql::verdict verdict_row(const Verdict& verdict) {
  const auto& next = verdict.settlement;
  const bool fails = !verdict.lacked_program && grid::is_failure(verdict.end, next, verdict.left.task);
  return {
      .id = verdict.left.id,
      .leaves = grid::name_of(verdict.left.state),
      .state = grid::name_of(verdict.state),
      .ending = grid::name_of(verdict.end),
      .exit_status = verdict.exit_status,
      .started_at = verdict.started_at,
      .ended_at = verdict.ended_at,
      .checkpointed_at = verdict.checkpointed_at,
      .resources = verdict.resources,
      .message = text::clean_text(verdict.message, {.lines = text::Lines::kept}),
      .failure = fails ? 1 : 0,
      .moves = next.moves,
      .task_leaves = grid::name_of(verdict.left.task.state),
      .attempt_leaves = verdict.left.task.attempt,
      .task_state = grid::name_of(next.state),
      .attempt = next.attempt,
      .charge = next.charged ? 1 : 0,
      .counted = next.counted,
      .priority = static_cast<int>(next.place),
      .bound = next.bound,
      .kept = next.kept,
      .walltime_s = next.walltime ? std::optional{next.walltime->count()} : std::nullopt,
      .duration = verdict.duration,
      .run_ending = verdict.run_end ? std::optional{grid::name_of(*verdict.run_end)} : std::nullopt,
      .command = verdict.command,
      .wall = verdict.wall,
      .cpu = verdict.cpu,
      .peak = verdict.peak_memory,
      .io = verdict.io_mb,
  };
}

void add(Array& array, std::optional<int> value) { array.add(value ? std::optional<std::int64_t>{*value} : std::nullopt); }

}  // namespace

std::vector<LiveJob> live_jobs(Transaction& transaction, grid::ClusterId cluster) {
  std::vector<LiveJob> jobs;
  for (const auto& row : exec_prepared(transaction, sql::jobs_live{.cluster = cluster})) jobs.push_back(read_live(row));
  return jobs;
}

std::vector<SubmittedJob> submitted_jobs(Transaction& transaction, grid::ClusterId cluster, std::span<const grid::JobId> jobs) {
  std::vector<SubmittedJob> submitted;
  for (const auto& row : exec(transaction, sql::jobs_submitted{.jobs = ids_of(jobs), .cluster = cluster}))
    submitted.push_back(
        {.job = {*row.campaign_id, *row.task, *row.attempt, *row.id}, .remote = *row.remote_id, .tag = *row.tag, .login = *row.login});
  return submitted;
}

std::vector<Pool> live_pools(Transaction& transaction, grid::ClusterId cluster) {
  std::vector<Pool> pools;
  std::map<grid::LaunchId, std::size_t> places;
  std::vector<LiveJob> models;  // what the pooled jobs of each launch have in common
  Array launches;
  for (const auto& row : exec_prepared(transaction, sql::pools_live{.cluster = cluster})) {
    Pool pool;
    pool.launch = *row.id;
    pool.state = row.state.as(grid::launch_state);
    pool.live_carriers = *row.carriers;
    pool.closed_at = row.closed_at;
    pool.last_end = row.last_end;
    pool.may_come = *row.may_come;
    pool.files = *row.files;
    pool.may_be_unseen = *row.may_be_unseen;
    pool.walltime = *row.walltime_s;
    pool.duration = *row.pool_s;
    LiveJob model;
    model.state = grid::JobState::pooled;
    model.campaign = *row.campaign_id;
    model.launch = pool.launch;
    model.login = *row.login;
    model.failures_in_a_row = *row.failures_in_a_row;
    model.last_unbegun = row.last_unbegun;
    model.exec_directory = *row.exec_directory;
    model.output_directory = *row.output_directory;
    model.walltime = *row.walltime_s;
    model.max_walltime = row.max_walltime_s;
    launches.add(pool.launch.value());
    places.emplace(pool.launch, pools.size());
    pools.push_back(std::move(pool));
    models.push_back(std::move(model));
  }
  if (pools.empty()) return pools;
  for (const auto& row : exec(transaction, sql::pools_carriers{.launches = launches})) {
    Carrier carrier{.end = {},
                    .ended_at = row.ended_at,
                    .job = *row.id,
                    .fence = *row.fence,
                    .task = *row.task,
                    .attempt = *row.attempt,
                    .command_over = *row.command_over};
    if (row.ending.has_value()) carrier.end = row.ending.as(grid::job_end);
    pools[places.at(*row.launch_id)].carriers.emplace(*row.remote_id, carrier);
  }
  for (const auto& row : exec(transaction, sql::pools_jobs{.launches = launches})) {
    const auto place = places.at(*row.launch_id);
    auto job = models[place];
    job.id = *row.id;
    job.fence = *row.fence;
    job.task = *row.task;
    job.attempt = *row.attempt;
    if (row.remote_id.has_value()) job.remote = *row.remote_id;
    pools[place].jobs.push_back(std::move(job));
  }
  return pools;
}

void note_carriers(Transaction& transaction, std::span<const Claimed> claimed, grid::Instant now) {
  write_batch(
      transaction, claimed,
      [&](std::span<const Claimed> part) {
        Array jobs, carriers;
        for (const auto& one : part) {
          jobs.add(one.job.value());
          carriers.add(one.carrier.value());
        }
        exec(transaction, sql::pools_note_carriers{.jobs = jobs, .remote_ids = carriers, .now = now});
      },
      [&](const Claimed& one, const std::string& why) {
        note_refused(transaction, {}, fmt::format("the carrier of job {}", one.job.value()), why, now);
      });
}

void note_read(Transaction& transaction, const ReadPools& read, grid::Instant at) {
  if (read.launches.empty() && read.carriers.empty()) return;
  Array launches;
  for (const auto launch : read.launches) launches.add(launch.value());
  write_or_note(transaction, {}, "which files of pools were read", at, [&] {
    exec_prepared(transaction, sql::pools_note_read{.now = at, .launches = launches, .carriers = ids_of(read.carriers)});
  });
}

void observe_jobs(Transaction& transaction, std::span<const Observation> observations) {
  if (observations.empty()) return;
  Array jobs, states, starts, resources, seen;
  for (const auto& one : observations) {
    jobs.add(one.job.value());
    states.add(grid::name_of(one.state));
    starts.add(one.started_at);
    add(resources, one.resources);
    seen.add(one.seen);
  }
  exec_prepared(transaction, sql::jobs_observe{.jobs = jobs, .states = states, .starts = starts, .resources = resources, .seen = seen});
}

void note_waits(Transaction& transaction, std::span<const Waits> waits, grid::Instant now) {
  write_batch(
      transaction, waits,
      [&](std::span<const Waits> part) {
        Array jobs, absent, over, launching;
        for (const auto& one : part) {
          jobs.add(one.job.value());
          absent.add(one.absent);
          over.add(one.over);
          launching.add(one.launching);
        }
        exec_prepared(transaction, sql::jobs_note_waits{.jobs = jobs, .absent = absent, .over = over, .launching = launching});
      },
      [&](const Waits& one, const std::string& why) {
        note_refused(transaction, {}, fmt::format("since when job {} waits", one.job.value()), why, now);
      });
}

AbsentJobs absent_jobs(Transaction& transaction, grid::ClusterId cluster, grid::Instant since_before) {
  const auto row = exec_prepared(transaction, sql::jobs_absent{.cluster = cluster, .since_before = since_before})[0];
  return {*row.jobs, row.first};
}

std::vector<SettlingFacts> facts_for_settling(Transaction& transaction, std::span<const grid::JobId> jobs) {
  if (jobs.empty()) return {};
  const auto ids = ids_of(jobs);
  exec_prepared(transaction, sql::jobs_lock_tasks{.jobs = ids});
  std::vector<SettlingFacts> facts;
  for (const auto& row : exec_prepared(transaction, sql::jobs_facts{.jobs = ids})) facts.push_back(read_facts(row));
  return facts;
}

/// Stores what the settled tasks gave to others.
void give(Transaction& transaction, std::span<const Verdict> verdicts) {
  Array jobs, given;
  for (const auto& verdict : verdicts) {
    if (verdict.given.empty() || verdict.settlement.state != grid::TaskState::done) continue;
    jobs.add(verdict.left.id.value());
    given.add(verdict.given);
  }
  if (jobs.empty()) return;
  exec(transaction, sql::jobs_give{.jobs = jobs, .given = given});
}

int settle_jobs(Transaction& transaction, std::span<const Verdict> verdicts, grid::Instant now) {
  if (verdicts.empty()) return 0;
  std::vector<sql::verdict> rows;
  rows.reserve(verdicts.size());
  std::ranges::transform(verdicts, std::back_inserter(rows), verdict_row);
  const int ended = *exec_prepared(transaction, sql::jobs_settle{.verdicts = rows, .now = now})[0].ended;
  give(transaction, verdicts);
  group_failures(transaction, verdicts);
  return ended;
}

void follow_job(Transaction& transaction, grid::JobId job, grid::RemoteJobId from, grid::RemoteJobId to) {
  exec(transaction, sql::jobs_follow{.to = to, .job = job, .from = from});
}

void forget_job(Transaction& transaction, grid::JobId job, grid::RemoteJobId remote, std::string_view why) {
  exec(transaction, sql::jobs_forget{.job = job, .remote_id = remote, .reason = why});
}

void accept_found(Transaction& transaction, std::span<const grid::JobId> jobs, grid::Instant now) {
  exec(transaction, sql::launches_accept_found{.now = now, .jobs = ids_of(jobs)});
}

bool revive_job(Transaction& transaction, grid::JobId job, grid::RemoteJobId remote, const LiveJob& twin) {
  return !exec(transaction,
               sql::jobs_revive{.remote_id = remote, .job = job, .campaign = twin.campaign, .task = twin.task, .attempt = twin.attempt})
              .empty();
}

bool reopen_twin(Transaction& transaction, const LiveJob& job) {
  return !exec(transaction, sql::jobs_reopen_twin{.campaign = job.campaign, .task = job.task, .attempt = job.attempt, .duplicate = job.id})
              .empty();
}

double waiting_resources(Transaction& transaction, grid::ClusterId cluster) {
  return *exec_prepared(transaction, sql::jobs_waiting_resources{.cluster = cluster})[0].waiting;
}

std::vector<grid::CampaignId> finish_campaigns(Transaction& transaction, grid::Instant now) {
  write_or_note(transaction, {}, "the end of tasks that returned to the bags of cancelled campaigns", now,
                [&] { exec_prepared(transaction, sql::campaigns_sweep{}); });
  const auto due = ids_in<grid::CampaignId>(exec_prepared(transaction, sql::campaigns_settled{}));
  std::vector<grid::CampaignId> finished;
  write_batch(
      transaction, due,
      [&](std::span<const grid::CampaignId> part) {
        for (const auto& row : exec(transaction, sql::campaigns_finish{.now = now, .campaigns = ids_of(part)})) finished.push_back(*row.id);
      },
      [&](grid::CampaignId campaign, const std::string& why) {
        note_refused(transaction, {.campaign = campaign, .cluster = {}}, "its end", why, now);
      });
  if (!finished.empty())
    write_or_note(transaction, {}, "who waits in vain for campaigns that are over", now, [&] { note_ended(transaction, finished, now); });
  write_or_note(transaction, {}, "the end of brakes of campaigns that are over", now,
                [&] { exec_prepared(transaction, sql::checks_drop_brakes{}); });
  write_or_note(transaction, {}, "the end of kill requests of jobs that are over", now,
                [&] { exec_prepared(transaction, sql::checks_drop_kills{}); });
  return finished;
}

}  // namespace gleaner::store
