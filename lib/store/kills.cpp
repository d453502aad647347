#include "lib/store/kills.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "lib/store/batch.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::exec;
using detail::exec_prepared;

std::string ids(std::span<const grid::JobId> jobs) {
  Array array;
  for (const auto job : jobs) array.add(job.value());
  return array.literal();
}

std::string_view name_of(KillReason reason) {
  switch (reason) {
    case KillReason::cancelled: return "cancelled";
    case KillReason::task_cancelled: return "task_cancelled";
    case KillReason::excess: return "excess";
    case KillReason::waited_too_long: return "waited_too_long";
    case KillReason::replica: return "replica";
    case KillReason::preempted: return "preempted";
    case KillReason::impatient: return "impatient";
    case KillReason::overdue: return "overdue";
    case KillReason::late: return "late";
    case KillReason::lost: return "lost";
    case KillReason::resent: return "resent";
  }
  return "cancelled";
}

/// A kind of request that is refused is repeated in the next cycle; the other kinds, and the clusters' own requests, continue.
template <class Query>
void request_all(Transaction& transaction, std::string_view what, grid::Instant now) {
  write_or_note(transaction, {}, what, now, [&] { exec_prepared(transaction, Query{.now = now}); });
}

KillReason kill_reason(std::string_view name) {
  for (const auto reason :
       {KillReason::cancelled, KillReason::task_cancelled, KillReason::excess, KillReason::waited_too_long, KillReason::replica,
        KillReason::preempted, KillReason::impatient, KillReason::overdue, KillReason::late, KillReason::lost, KillReason::resent}) {
    if (name == name_of(reason)) return reason;
  }
  throw std::logic_error{"a kill request has a reason that nobody knows"};
}

}  // namespace

void request_kills_of_cancelled(Transaction& transaction, grid::Instant now) {
  request_all<sql::kills_request_cancelled>(transaction, "the requests to kill the jobs of cancelled campaigns", now);
}

void request_kills_of_cancelled_tasks(Transaction& transaction, grid::Instant now) {
  request_all<sql::kills_request_cancelled_tasks>(transaction, "the requests to kill the jobs of cancelled tasks", now);
}

void request_kills_of_superseded(Transaction& transaction, grid::Instant now) {
  request_all<sql::kills_request_superseded>(transaction, "the requests to kill jobs that no task waits for", now);
}

void request_kills(Transaction& transaction, std::span<const grid::JobId> jobs, KillReason reason, grid::Instant now) {
  write_batch(
      transaction, jobs,
      [&](std::span<const grid::JobId> part) {
        exec(transaction, sql::kills_request{.reason = name_of(reason), .now = now, .jobs = ids(part)});
      },
      [&](grid::JobId job, const std::string& why) {
        note_refused(transaction, {}, fmt::format("the request to kill job {} ({})", job.value(), name_of(reason)), why, now);
      });
}

void request_kills_of_resent(Transaction& transaction, std::span<const grid::JobId> jobs, grid::Instant now) {
  write_batch(
      transaction, jobs,
      [&](std::span<const grid::JobId> part) { exec(transaction, sql::kills_request_resent{.now = now, .jobs = ids(part)}); },
      [&](grid::JobId job, const std::string& why) {
        note_refused(transaction, {}, fmt::format("the request to kill what was submitted in place of job {}", job.value()), why, now);
      });
}

void drop_kills_of_resent(Transaction& transaction, std::span<const grid::JobId> jobs) {
  exec(transaction, sql::kills_drop_resent{.jobs = ids(jobs)});
}

std::vector<PendingKill> pending_kills(Transaction& transaction, grid::ClusterId cluster, grid::Instant now, grid::Seconds again) {
  std::vector<PendingKill> kills;
  for (const auto& row : exec_prepared(transaction, sql::kills_pending{.cluster = cluster, .sent_before = now - again, .now = now})) {
    PendingKill kill;
    kill.job = *row.job_id;
    kill.remote = *row.remote_id;
    kill.campaign = *row.campaign_id;
    kill.task = *row.task;
    kill.attempt = *row.attempt;
    kill.tag = row.tag.value_or("");
    kill.reason = kill_reason(row.reason.as<std::string>());
    kill.sends = *row.sends;
    kill.array = row.array_id;
    kill.array_jobs = *row.array_jobs;
    kill.login = *row.login;
    kills.push_back(std::move(kill));
  }
  return kills;
}

std::vector<grid::JobId> note_kills_sent(Transaction& transaction, std::span<const grid::JobId> jobs, grid::Instant now) {
  std::vector<grid::JobId> noted;
  write_batch(
      transaction, jobs,
      [&](std::span<const grid::JobId> part) {
        exec(transaction, sql::kills_note_sent{.now = now, .jobs = ids(part)});
        noted.insert(noted.end(), part.begin(), part.end());
      },
      [&](grid::JobId job, const std::string& why) {
        note_refused(transaction, {}, fmt::format("the note that job {} is deleted", job.value()), why, now);
      });
  return noted;
}

void note_not_withheld(Transaction& transaction, std::span<const grid::JobId> jobs, grid::Instant now) {
  write_batch(
      transaction, jobs, [&](std::span<const grid::JobId> part) { exec(transaction, sql::kills_note_not_withheld{.jobs = ids(part)}); },
      [&](grid::JobId job, const std::string& why) {
        note_refused(transaction, {}, fmt::format("the note that pooled job {} was not withheld", job.value()), why, now);
      });
}

std::vector<PooledTask> pooled_tasks_to_withhold(Transaction& transaction, grid::ClusterId cluster, grid::Instant now) {
  std::vector<PooledTask> tasks;
  for (const auto& row : exec_prepared(transaction, sql::kills_to_withhold{.cluster = cluster, .now = now}))
    tasks.push_back({*row.id, *row.campaign_id, *row.fence, *row.task, *row.attempt, *row.login});
  return tasks;
}

std::vector<WaitingJob> waiting_jobs(Transaction& transaction, grid::ClusterId cluster) {
  std::vector<WaitingJob> jobs;
  for (const auto& row : exec_prepared(transaction, sql::kills_waiting{.cluster = cluster})) {
    WaitingJob job;
    job.id = *row.id;
    job.campaign = *row.campaign_id;
    job.submitted_at = *row.submitted_at;
    job.resources_per_job = row.resources_per_job;
    job.job_ratio = row.job_ratio;
    job.last_start_at = row.last_start_at;
    job.last_accept_at = row.last_accept_at;
    jobs.push_back(job);
  }
  return jobs;
}

}  // namespace gleaner::store
