#include "lib/store/checkpoints.hpp"

#include <fmt/format.h>

#include "lib/store/batch.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::exec;
using detail::exec_prepared;

std::string literal_of(std::span<const grid::JobId> jobs) {
  Array array;
  for (const auto job : jobs) array.add(job.value());
  return array.literal();
}

}  // namespace

std::vector<CheckpointedPair> checkpointed_pairs(Transaction& transaction, grid::ClusterId cluster, grid::Instant now) {
  std::vector<CheckpointedPair> pairs;
  for (const auto& row : exec_prepared(transaction, sql::checkpoints_pairs{.cluster = cluster, .now = now}))
    pairs.push_back({.campaign = *row.campaign_id,
                     .period = row.period,
                     .cost = *row.cost,
                     .interruptions = {.jobs = *row.interruptions, .seconds = *row.exposed}});
  return pairs;
}

std::vector<DueSignal> due_signals(Transaction& transaction, grid::ClusterId cluster, std::span<const SignalPeriod> periods, int most,
                                   grid::Instant now) {
  Array campaigns, seconds;
  for (const auto& period : periods) {
    campaigns.add(period.campaign.value());
    seconds.add(period.seconds);
  }
  std::vector<DueSignal> due;
  for (const auto& row : exec_prepared(
           transaction, sql::checkpoints_due{.campaigns = campaigns, .periods = seconds, .cluster = cluster, .now = now, .most = most}))
    due.push_back({.job = *row.id,
                   .remote = *row.remote_id,
                   .campaign = *row.campaign_id,
                   .task = *row.task,
                   .attempt = *row.attempt,
                   .tag = row.tag.value_or(""),
                   .login = *row.login,
                   .signal = *row.signal});
  return due;
}

std::vector<grid::JobId> note_signals_sent(Transaction& transaction, std::span<const grid::JobId> jobs, grid::Instant now) {
  std::vector<grid::JobId> noted;
  write_batch(
      transaction, jobs,
      [&](std::span<const grid::JobId> part) {
        exec_prepared(transaction, sql::checkpoints_note_sent{.now = now, .jobs = literal_of(part)});
        noted.insert(noted.end(), part.begin(), part.end());
      },
      [&](grid::JobId job, const std::string& why) {
        note_refused(transaction, {}, fmt::format("the note that job {} is signalled for a checkpoint", job.value()), why, now);
      });
  return noted;
}

void note_signals_passed_on(Transaction& transaction, std::span<const grid::JobId> jobs) {
  if (!jobs.empty()) exec(transaction, sql::checkpoints_note_passed_on{.jobs = literal_of(jobs)});
}

std::vector<ReleasedTasks> release_kept_tasks(Transaction& transaction, grid::Instant waited_since, grid::Instant now) {
  std::vector<grid::CampaignId> due;
  for (const auto& row : exec_prepared(transaction, sql::checkpoints_due_release{.waited_since = waited_since}))
    due.push_back(*row.campaign_id);
  std::vector<ReleasedTasks> released;
  write_batch(
      transaction, due,
      [&](std::span<const grid::CampaignId> part) {
        Array campaigns;
        for (const auto id : part) campaigns.add(id.value());
        for (const auto& row : exec(transaction, sql::checkpoints_release{.campaigns = campaigns, .waited_since = waited_since}))
          released.push_back({.campaign = *row.campaign_id, .cluster = *row.cluster, .tasks = *row.tasks});
      },
      [&](grid::CampaignId campaign, const std::string& why) {
        note_refused(transaction, {.campaign = campaign, .cluster = {}}, "the release of tasks from the clusters with their checkpoints",
                     why, now);
      });
  return released;
}

std::optional<KeptTask> kept_task(Transaction& transaction, grid::CampaignId campaign, grid::TaskNumber task) {
  const auto rows = exec(transaction, sql::checkpoints_kept{.campaign = campaign, .task = task});
  if (rows.empty()) return std::nullopt;
  return KeptTask{.cluster = *rows[0].cluster, .since = *rows[0].since, .follows = *rows[0].follows};
}

}  // namespace gleaner::store
