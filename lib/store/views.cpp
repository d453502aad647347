#include "lib/store/views.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "lib/store/detail.hpp"
#include "lib/store/views_detail.hpp"

namespace gleaner::store::views {
namespace {

using store::detail::exec;
using store::detail::number_array;

constexpr const char* kNotRun = "not_run";

TaskCounts read_counts(const sql::views_campaigns::Row& row, grid::CampaignState state) {
  TaskCounts counts{*row.waiting, *row.launching, *row.submitted, *row.running, *row.done, *row.failed, *row.cancelled};
  // A task that returns to the bag while its campaign is being cancelled is still counted as waiting.
  if (state == grid::CampaignState::cancelled) counts.cancelled += std::exchange(counts.waiting, 0);
  return counts;
}

std::optional<grid::Interval> get_interval(const sql::IntegerField& earliest, const sql::IntegerField& latest) {
  if (!earliest.has_value() || !latest.has_value()) return std::nullopt;
  return grid::Interval{*earliest, *latest};
}

/// A campaign is paused, and resumed, and tasks are held and released, before the predictor sees it.
Forecast read_forecast(const sql::views_campaigns::Row& row, grid::CampaignState state) {
  constexpr const char* kPaused = "paused";
  constexpr const char* kHeld = "held";
  Forecast none;
  none.made = row.forecast_made;
  const auto method = row.method.value_or("none");
  const bool is_paused = state == grid::CampaignState::paused;
  const bool has_held = row.held.as<std::int64_t>() > 0;
  none.method = is_paused ? kPaused : has_held ? kHeld : "none";
  if (is_paused || method == kPaused || (!has_held && method == kHeld)) return none;
  if (has_held && row.forecast_end.has_value()) {
    none.start = row.forecast_start;
    none.start_between = get_interval(row.start_earliest, row.start_latest);
    return none;
  }
  return {.made = row.forecast_made,
          .start = row.forecast_start,
          .start_between = get_interval(row.start_earliest, row.start_latest),
          .end = row.forecast_end,
          .end_between = get_interval(row.end_earliest, row.end_latest),
          .method = row.method};
}

Campaign read_campaign(const sql::views_campaigns::Row& row) {
  Campaign campaign;
  campaign.id = *row.id;
  campaign.name = *row.name;
  campaign.user = *row.user_name;
  campaign.project = *row.project;
  campaign.type = *row.type;
  campaign.state = row.state.as(grid::campaign_state);
  campaign.submitted_at = *row.submitted_at;
  campaign.first_start_at = row.first_start_at;
  campaign.ended_at = row.ended_at;
  campaign.total = *row.total;
  campaign.next_task = *row.next_task;
  campaign.tasks = read_counts(row, campaign.state);
  campaign.held_tasks = *row.held;
  campaign.has_events = *row.has_events;
  campaign.grouping = row.grouping.as(grid::grouping);
  const bool over = campaign.state == grid::CampaignState::terminated || campaign.state == grid::CampaignState::cancelled;
  if (!over) campaign.forecast = read_forecast(row, campaign.state);
  return campaign;
}

CampaignCluster read_campaign_cluster(const sql::views_campaign_clusters::Row& row) {
  CampaignCluster c;
  c.cluster = *row.cluster_id;
  c.name = *row.name;
  c.enabled = *row.enabled;
  c.retired = *row.retired;
  c.reachable = row.reachable;
  c.no_resources_since = row.no_resources_since;
  c.priority = *row.priority;
  c.exec_file = *row.exec_file;
  c.exec_directory = *row.exec_directory;
  c.resources = *row.resources;
  c.resources_per_job = row.resources_per_job;
  c.walltime = *row.walltime_s;
  c.properties = *row.properties;
  c.project = *row.project;
  c.best_effort = *row.best_effort;
  c.max_jobs = row.max_jobs;
  c.launching = *row.launching;
  c.waiting = *row.waiting;
  c.running = *row.running;
  c.unknown = *row.unknown;
  c.concluded = *row.concluded;
  c.done = *row.done;
  c.duration_sum = *row.duration_sum;
  c.duration_squares = *row.duration_squares;
  c.ended = *row.ended;
  c.failures_in_a_row = *row.failures_in_a_row;
  c.job_ratio = row.job_ratio;
  c.throughput = row.throughput;
  if (row.changed_at.has_value()) {
    c.ratio_change = RatioChange{.at = *row.changed_at,
                                 .before = *row.ratio_before,
                                 .algorithm = *row.algorithm,
                                 .verdict = *row.verdict,
                                 .submitted = *row.seen_nsub,
                                 .offered = *row.seen_offered,
                                 .waiting = *row.seen_waiting,
                                 .free = *row.seen_free};
  }
  c.brake = detail::read_brake(row);
  c.max_walltime = row.max_walltime_s;
  c.durations = row.durations.value_or(std::int64_t{0});
  c.most_durations = row.most_durations;
  c.start_costs = {.jobs = *row.measured, .command_seconds = *row.command_s, .held_seconds = *row.held_s};
  c.cpu_jobs = *row.cpu_jobs;
  c.cpu_seconds = *row.cpu_s;
  c.cpu_wall_seconds = *row.cpu_wall_s;
  c.memory_jobs = *row.memory_jobs;
  c.peak_memory = row.peak_memory_mb;
  c.io_jobs = *row.io_jobs;
  c.io_mb = *row.io_mb;
  c.io_wall_seconds = *row.io_wall_s;
  c.memory_mb = row.memory_mb;
  c.states_memory = *row.states_memory;
  if (*row.has_prologue) c.prologue = row.prologue.value_or(kNotRun);
  // One that ended before the last jobs is to be run again.
  const auto epilogue = row.epilogue.value_or(kNotRun);
  if (*row.has_epilogue) c.epilogue = *row.epilogue_due && epilogue == "done" ? kNotRun : epilogue;
  return c;
}

void add_dependencies(Transaction& transaction, std::span<Campaign> campaigns) {
  std::vector<std::int64_t> ids;
  for (const auto& campaign : campaigns) ids.push_back(campaign.id.value());
  if (ids.empty()) return;
  for (auto& dependency : dependencies_of(transaction, ids)) {
    const auto campaign = std::ranges::find(campaigns, dependency.campaign, &Campaign::id);
    if (campaign != campaigns.end()) campaign->dependencies.push_back(std::move(dependency));
  }
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
  const auto reader = filter.readers ? std::optional{filter.readers->user} : std::nullopt;
  const auto projects = store::detail::text_array(filter.readers ? filter.readers->projects : std::vector<std::string>{});
  Page<Campaign> page;
  for (const auto& row : exec(transaction, sql::views_campaigns{
                                               .ids = ids,
                          .states = states,
                          .unfixed = filter.unfixed,
                          .ended_from = filter.ended_from,
                          .user = filter.user,
                          .reader = reader,
                          .projects = projects,
                          .from = filter.submitted_from,
                          .before = filter.submitted_before,
                          .limit = window.limit,
                          .offset = window.offset,
                                           }))
    page.items.push_back(read_campaign(row));
  add_dependencies(transaction, page.items);
  const auto shown = static_cast<std::int64_t>(page.items.size());
  page.total = window.offset + shown;
  if (shown == window.limit || shown == 0) {
    const auto rows = exec(transaction, sql::views_campaigns_total{
                                            .ids = ids,
                                            .states = states,
                                            .unfixed = filter.unfixed,
                                            .ended_from = filter.ended_from,
                                            .user = filter.user,
                                            .reader = reader,
                                            .projects = projects,
                                            .from = filter.submitted_from,
                                            .before = filter.submitted_before,
                                        });
    page.total = *rows[0].campaigns;
  }
  return page;
}

std::optional<Owner> owner(Transaction& transaction, const OwnedObject& object) {
  const auto rows = exec(transaction, sql::views_owner{.campaign = object.campaign, .job = object.job, .event = object.event});
  if (rows.empty()) return std::nullopt;
  return Owner{*rows[0].id, *rows[0].user_name, *rows[0].project};
}

std::optional<Campaign> campaign(Transaction& transaction, grid::CampaignId id) {
  const std::vector<std::int64_t> ids{id.value()};
  const auto rows = exec(transaction, sql::views_campaigns{
                                          .ids = number_array(std::span<const std::int64_t>{ids}),
                                          .states = std::nullopt,
                                          .unfixed = false,
                                          .ended_from = std::nullopt,
                                          .user = std::nullopt,
                                          .reader = std::nullopt,
                                          .projects = std::nullopt,
                                          .from = std::nullopt,
                                          .before = std::nullopt,
                                          .limit = 1,
                                          .offset = 0,
                                      });
  if (rows.empty()) return std::nullopt;
  auto campaign = read_campaign(rows[0]);
  add_dependencies(transaction, std::span{&campaign, 1});
  return campaign;
}

std::vector<CampaignCluster> campaign_clusters(Transaction& transaction, grid::CampaignId campaign, grid::Instant now) {
  std::vector<CampaignCluster> all;
  for (const auto& row : exec(transaction, sql::views_campaign_clusters{.share = kMostJobs, .now = now, .campaign = campaign}))
    all.push_back(read_campaign_cluster(row));
  return all;
}

std::optional<Efficiency> efficiency(Transaction& transaction, grid::CampaignId campaign) {
  const auto rows = exec(transaction, sql::views_efficiency{.campaign = campaign});
  if (rows.empty()) return std::nullopt;
  Efficiency found;
  found.asked = rows[0].asked_s;
  found.used = *rows[0].used_s;
  found.held = rows[0].held;
  found.worked = rows[0].worked;
  return found;
}

std::vector<Need> needs(Transaction& transaction, grid::CampaignId campaign) {
  std::vector<Need> all;
  for (const auto& row : exec(transaction, sql::views_needs{.campaign = campaign}))
    all.push_back({*row.consumable, *row.each, *row.used, row.most});
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
  return rows[0].jdl;
}

std::vector<Decision> decisions(Transaction& transaction, grid::CampaignId campaign, grid::Instant now) {
  std::vector<Decision> all;
  for (const auto& row : exec(transaction, sql::views_decisions{.campaign = campaign, .now = now}))
    all.push_back(detail::read_decision(row));
  return all;
}

std::vector<grid::ReasonPeriod> decision_history(Transaction& transaction, grid::CampaignId campaign, grid::Instant from,
                                                 grid::Instant now) {
  std::vector<grid::ReasonPeriod> all;
  for (const auto& row : exec(transaction, sql::views_decision_history{.campaign = campaign, .from = from, .now = now})) {
    all.push_back({.cluster = row.cluster_id,
                   .cluster_name = row.cluster.value_or(""),
                   .since = *row.since,
                   .until = row.until,
                   .lasted = grid::Length{row.lasted.as<std::int64_t>()},
                   .summed = row.summed.as<bool>(),
                   .reason = *row.reason,
                   .subject = *row.subject});
  }
  return all;
}

}  // namespace gleaner::store::views
