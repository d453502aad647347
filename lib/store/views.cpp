#include "lib/store/views.hpp"

#include <utility>

#include "lib/store/detail.hpp"
#include "lib/store/views_detail.hpp"

namespace gleaner::store::views {
namespace {

using store::detail::exec;
using store::detail::get;
using store::detail::get_instant;
using store::detail::instant;
using store::detail::number_array;
using store::detail::text;

TaskCounts read_counts(const pqxx::row& row, grid::CampaignState state) {
  TaskCounts counts{row["waiting"].as<std::int64_t>(), row["launching"].as<std::int64_t>(), row["submitted"].as<std::int64_t>(),
                    row["running"].as<std::int64_t>(), row["done"].as<std::int64_t>(),      row["failed"].as<std::int64_t>(),
                    row["cancelled"].as<std::int64_t>()};
  // A task that comes back while its campaign is being cancelled is still counted as waiting.
  if (state == grid::CampaignState::cancelled) counts.cancelled += std::exchange(counts.waiting, 0);
  return counts;
}

std::optional<grid::Interval> get_interval(const pqxx::field& earliest, const pqxx::field& latest) {
  if (earliest.is_null() || latest.is_null()) return std::nullopt;
  return grid::Interval{*get_instant(earliest), *get_instant(latest)};
}

Forecast read_forecast(const pqxx::row& row) {
  return {.start = get_instant(row["forecast_start"]),
          .start_between = get_interval(row["start_earliest"], row["start_latest"]),
          .end = get_instant(row["forecast_end"]),
          .end_between = get_interval(row["end_earliest"], row["end_latest"]),
          .method = get<std::string>(row["method"])};
}

Campaign read_campaign(const pqxx::row& row) {
  Campaign campaign;
  campaign.id = grid::CampaignId{row["id"].as<std::int64_t>()};
  campaign.name = text(row["name"]);
  campaign.user = text(row["user_name"]);
  campaign.type = text(row["type"]);
  campaign.state = grid::campaign_state(text(row["state"])).value();
  campaign.submitted_at = instant(row["submitted_at"].as<std::int64_t>());
  campaign.first_start_at = get_instant(row["first_start_at"]);
  campaign.ended_at = get_instant(row["ended_at"]);
  campaign.total = row["total"].as<std::int64_t>();
  campaign.next_task = row["next_task"].as<std::int64_t>();
  campaign.tasks = read_counts(row, campaign.state);
  campaign.has_events = row["has_events"].as<bool>();
  const bool over = campaign.state == grid::CampaignState::terminated || campaign.state == grid::CampaignState::cancelled;
  if (!over) campaign.forecast = read_forecast(row);
  return campaign;
}

CampaignCluster read_campaign_cluster(const pqxx::row& row) {
  CampaignCluster c;
  c.cluster = grid::ClusterId{row["cluster_id"].as<std::int64_t>()};
  c.name = text(row["name"]);
  c.enabled = row["enabled"].as<bool>();
  c.retired = row["retired"].as<bool>();
  c.reachable = get<bool>(row["reachable"]);
  c.priority = row["priority"].as<int>();
  c.exec_file = text(row["exec_file"]);
  c.exec_directory = text(row["exec_directory"]);
  c.resources = text(row["resources"]);
  c.resources_per_job = get<int>(row["resources_per_job"]);
  c.walltime = grid::Seconds{row["walltime_s"].as<std::int64_t>()};
  c.properties = text(row["properties"]);
  c.project = text(row["project"]);
  c.best_effort = row["best_effort"].as<bool>();
  c.max_jobs = get<int>(row["max_jobs"]);
  c.launching = row["launching"].as<int>();
  c.waiting = row["waiting"].as<int>();
  c.running = row["running"].as<int>();
  c.unknown = row["unknown"].as<int>();
  c.concluded = row["concluded"].as<std::int64_t>();
  c.done = row["done"].as<std::int64_t>();
  c.duration_sum = row["duration_sum"].as<double>();
  c.duration_squares = row["duration_squares"].as<double>();
  c.started = row["resources_jobs"].as<std::int64_t>();
  c.failures_in_a_row = row["failures_in_a_row"].as<int>();
  c.job_ratio = get<double>(row["job_ratio"]);
  c.throughput = get<double>(row["throughput"]);
  c.method = get<std::string>(row["method"]);
  c.forecast_end = get_instant(row["forecast_end"]);
  c.brake = detail::read_brake(row);
  if (const auto most = get<std::int64_t>(row["max_walltime_s"])) c.max_walltime = grid::Seconds{*most};
  c.durations = get<std::int64_t>(row["durations"]).value_or(0);
  c.most_durations = get<double>(row["most_durations"]);
  return c;
}

}  // namespace

std::int64_t count_of(const TaskCounts& counts, grid::TaskState state) {
  switch (state) {
    case grid::TaskState::waiting: return counts.waiting;
    case grid::TaskState::launching: return counts.launching;
    case grid::TaskState::submitted: return counts.submitted;
    case grid::TaskState::running: return counts.running;
    case grid::TaskState::done: return counts.done;
    case grid::TaskState::failed: return counts.failed;
    case grid::TaskState::cancelled: return counts.cancelled;
  }
  return 0;
}

Page<Campaign> campaigns(Transaction& transaction, const CampaignFilter& filter, Window window) {
  std::optional<std::string> ids;
  if (filter.ids) ids = number_array(std::span<const std::int64_t>{*filter.ids});
  const auto states = detail::state_array(filter.states);
  Page<Campaign> page;
  for (const auto& row : exec(transaction, sql::views_campaigns{
                                               .ids = ids,
                          .states = states,
                          .user = filter.user,
                          .from = filter.submitted_from,
                          .before = filter.submitted_before,
                          .limit = window.limit,
                          .offset = window.offset,
                                           }))
    page.items.push_back(read_campaign(row));
  const auto shown = static_cast<std::int64_t>(page.items.size());
  page.total = window.offset + shown;
  if (shown == window.limit || shown == 0)
    page.total =
        exec(transaction,
             sql::views_campaigns_total{
                 .ids = ids, .states = states, .user = filter.user, .from = filter.submitted_from, .before = filter.submitted_before})[0][0]
            .as<std::int64_t>();
  return page;
}

std::optional<Campaign> campaign(Transaction& transaction, grid::CampaignId id) {
  const std::vector<std::int64_t> ids{id.value()};
  const auto rows = exec(transaction, sql::views_campaigns{
                                          .ids = number_array(std::span<const std::int64_t>{ids}),
                                          .states = std::nullopt,
                                          .user = std::nullopt,
                                          .from = std::nullopt,
                                          .before = std::nullopt,
                                          .limit = 1,
                                          .offset = 0,
                                      });
  if (rows.empty()) return std::nullopt;
  return read_campaign(rows[0]);
}

std::vector<CampaignCluster> campaign_clusters(Transaction& transaction, grid::CampaignId campaign, grid::Instant now) {
  std::vector<CampaignCluster> all;
  for (const auto& row : exec(transaction, sql::views_campaign_clusters{.share = kMostJobs, .now = now, .campaign = campaign}))
    all.push_back(read_campaign_cluster(row));
  return all;
}

std::optional<Brake> campaign_brake(Transaction& transaction, grid::CampaignId campaign, grid::Instant now) {
  const auto rows = exec(transaction, sql::views_brake{.campaign = campaign, .now = now});
  if (rows.empty()) return std::nullopt;
  return detail::read_brake(rows[0]);
}

std::optional<std::string> jdl(Transaction& transaction, grid::CampaignId campaign) {
  const auto rows = exec(transaction, sql::views_jdl{.campaign = campaign});
  if (rows.empty()) return std::nullopt;
  return text(rows[0][0]);
}

std::vector<Decision> decisions(Transaction& transaction, grid::CampaignId campaign) {
  std::vector<Decision> all;
  for (const auto& row : exec(transaction, sql::views_decisions{.campaign = campaign})) {
    Decision decision;
    if (const auto cluster = get<std::int64_t>(row["cluster_id"])) decision.cluster = grid::ClusterId{*cluster};
    decision.cluster_name = text(row["cluster"]);
    decision.stage = text(row["stage"]);
    decision.reason = text(row["reason"]);
    decision.sentence = text(row["sentence"]);
    decision.jobs = row["jobs"].as<int>();
    decision.since = instant(row["since"].as<std::int64_t>());
    all.push_back(std::move(decision));
  }
  return all;
}

}  // namespace gleaner::store::views
