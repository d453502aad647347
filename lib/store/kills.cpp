#include "lib/store/kills.hpp"

#include <stdexcept>

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::exec;
using detail::get;
using detail::get_instant;
using detail::micros;
using detail::text;

std::string ids(std::span<const grid::JobId> jobs) {
  Array array;
  for (const auto job : jobs) array.add(job.value());
  return array.literal();
}

std::string_view name_of(KillReason reason) {
  switch (reason) {
    case KillReason::cancelled: return "cancelled";
    case KillReason::excess: return "excess";
    case KillReason::waited_too_long: return "waited_too_long";
    case KillReason::replica: return "replica";
    case KillReason::preempted: return "preempted";
  }
  return "cancelled";
}

KillReason kill_reason(std::string_view name) {
  for (const auto reason : {KillReason::cancelled, KillReason::excess, KillReason::waited_too_long, KillReason::replica, KillReason::preempted}) {
    if (name == name_of(reason)) return reason;
  }
  throw std::logic_error{"a kill request has a reason that nobody knows"};
}

}  // namespace

void request_kills_of_cancelled(Transaction& transaction, grid::Instant now) { exec(transaction, sql::kills_request_cancelled, micros(now)); }

void request_kills_of_superseded(Transaction& transaction, grid::Instant now) { exec(transaction, sql::kills_request_superseded, micros(now)); }

void request_kills(Transaction& transaction, std::span<const grid::JobId> jobs, KillReason reason, grid::Instant now) {
  if (jobs.empty()) return;
  exec(transaction, sql::kills_request, ids(jobs), std::string{name_of(reason)}, micros(now));
}

std::vector<PendingKill> pending_kills(Transaction& transaction, grid::ClusterId cluster, grid::Instant unsent_since) {
  std::vector<PendingKill> kills;
  for (const auto& row : exec(transaction, sql::kills_pending, cluster.value(), micros(unsent_since))) {
    PendingKill kill;
    kill.job = grid::JobId{row["job_id"].as<std::int64_t>()};
    kill.remote = grid::RemoteJobId{row["remote_id"].as<std::int64_t>()};
    kill.campaign = grid::CampaignId{row["campaign_id"].as<std::int64_t>()};
    kill.reason = kill_reason(text(row["reason"]));
    kill.sends = row["sends"].as<int>();
    if (const auto array = get<std::int64_t>(row["array_id"])) kill.array = grid::RemoteJobId{*array};
    kill.array_jobs = row["array_jobs"].as<int>();
    kill.login = text(row["login"]);
    kills.push_back(std::move(kill));
  }
  return kills;
}

void note_kills_sent(Transaction& transaction, std::span<const grid::JobId> jobs, grid::Instant now) {
  if (!jobs.empty()) exec(transaction, sql::kills_sent, ids(jobs), micros(now));
}

std::vector<WaitingJob> waiting_jobs(Transaction& transaction, grid::ClusterId cluster) {
  std::vector<WaitingJob> jobs;
  for (const auto& row : exec(transaction, sql::kills_waiting, cluster.value())) {
    WaitingJob job;
    job.id = grid::JobId{row["id"].as<std::int64_t>()};
    job.campaign = grid::CampaignId{row["campaign_id"].as<std::int64_t>()};
    job.submitted_at = *get_instant(row["submitted_at"]);
    job.resources_per_job = get<int>(row["resources_per_job"]);
    job.job_ratio = get<double>(row["job_ratio"]);
    job.last_start_at = get_instant(row["last_start_at"]);
    job.last_accept_at = get_instant(row["last_accept_at"]);
    jobs.push_back(job);
  }
  return jobs;
}

std::vector<ToClean> campaigns_to_clean(Transaction& transaction, grid::ClusterId cluster, grid::Instant ended_before, grid::Instant void_since) {
  std::vector<ToClean> campaigns;
  for (const auto& row : exec(transaction, sql::kills_to_clean, cluster.value(), micros(ended_before), micros(void_since)))
    campaigns.push_back({grid::CampaignId{row["campaign_id"].as<std::int64_t>()}, text(row["login"])});
  return campaigns;
}

void note_cleaned(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, grid::Instant now) {
  exec(transaction, sql::kills_cleaned, campaign.value(), cluster.value(), micros(now));
}

}  // namespace gleaner::store
