#include "lib/store/views_tasks.hpp"

#include <algorithm>

#include "lib/store/detail.hpp"
#include "lib/store/views_detail.hpp"

namespace gleaner::store::views {
namespace {

using store::detail::exec;

ParameterForm read_form(const sql::TextField& field) { return field.value_or("") == "a" ? ParameterForm::arguments : ParameterForm::line; }

std::optional<LastJob> read_last_job(const sql::views_tasks::Row& row) {
  if (!row.job.has_value()) return std::nullopt;
  LastJob job;
  job.id = *row.job;
  job.cluster = *row.cluster;
  job.state = row.job_state.as(grid::job_state);
  job.remote_id = row.remote_id;
  job.ending = row.ending;
  job.exit_status = row.exit_status;
  job.launch = *row.launch_id;
  job.resources = row.resources;
  job.submitted_at = row.submitted_at;
  job.started_at = row.started_at;
  job.ended_at = row.ended_at;
  return job;
}

Task read_task(const sql::views_tasks::Row& row, const Campaign& campaign) {
  Task task;
  task.number = *row.number;
  task.form = read_form(row.form);
  task.parameter = *row.parameter;
  task.state = row.state.as(grid::task_state);
  // Cancelling does not write the tasks that were never taken.
  const bool cancelled = campaign.state == grid::CampaignState::cancelled;
  if (cancelled && task.state == grid::TaskState::waiting) task.state = grid::TaskState::cancelled;
  task.cancelling = *row.cancelling;
  task.held_by = row.held_by;
  task.held_at = row.held_at;
  task.attempt = *row.attempt;
  task.charged = *row.charged;
  task.job = read_last_job(row);
  return task;
}

Job read_job(const sql::views_jobs::Row& row) {
  Job job;
  job.id = *row.id;
  job.campaign = *row.campaign_id;
  job.user = *row.user_name;
  job.task = *row.task;
  job.form = read_form(row.form);
  job.parameter = row.parameter.value_or("");
  job.launch = *row.launch_id;
  job.tag = row.tag;
  job.cluster = *row.cluster_id;
  job.cluster_name = *row.cluster;
  job.state = row.state.as(grid::job_state);
  job.attempt = *row.attempt;
  job.remote_id = row.remote_id;
  job.exit_status = row.exit_status;
  job.ending = row.ending;
  job.resources = row.resources;
  job.submitted_at = row.submitted_at;
  job.started_at = row.started_at;
  job.ended_at = row.ended_at;
  job.checkpointed_at = row.checkpointed_at;
  job.resubmissions = *row.resubmissions;
  job.cpu_seconds = row.cpu_s;
  job.peak_memory = row.peak_memory_mb;
  job.io_mb = row.io_mb;
  job.message = row.message;
  job.login = *row.login;
  job.pooled = *row.pooled;
  job.exec_directory = *row.exec_directory;
  job.output_directory = *row.output_directory;
  return job;
}

/// Limit on the parameters of one page: a few of 64 kB are as much as thousands of ordinary ones.
constexpr std::int64_t kMostParameterBytes = std::int64_t{2} << 20U;

bool contains(const std::vector<grid::TaskState>& states, grid::TaskState state) {
  return std::ranges::find(states, state) != states.end();
}

/// The states to search for in the table, where the untaken tasks of a cancelled campaign still wait.
std::vector<grid::TaskState> stored_states(std::vector<grid::TaskState> states, const Campaign& campaign) {
  if (campaign.state != grid::CampaignState::cancelled) return states;
  std::erase(states, grid::TaskState::waiting);
  if (contains(states, grid::TaskState::cancelled)) states.push_back(grid::TaskState::waiting);
  return states;
}

/// Empty groups, and those of other campaigns, have none.
std::int64_t tasks_of_failure(Transaction& transaction, const Campaign& campaign, std::int64_t failure) {
  const auto counted = exec(transaction, sql::failures_count{.failure = failure, .campaign = campaign.id});
  return counted.empty() ? 0 : counted[0].tasks.as<std::int64_t>();
}

std::int64_t total_of(Transaction& transaction, const TaskFilter& filter, const Campaign& campaign) {
  if (filter.held) return campaign.held_tasks;
  if (filter.failure) return tasks_of_failure(transaction, campaign, *filter.failure);
  if (filter.states.empty()) return campaign.total;
  std::int64_t total = 0;
  for (const auto state : filter.states) total += count_of(campaign.tasks, state);
  return total;
}

}  // namespace

Page<Task> tasks(Transaction& transaction, const Campaign& campaign, const TaskFilter& filter, Window window) {
  Page<Task> page;
  page.total = total_of(transaction, filter, campaign);
  if (page.total == 0) return page;
  const auto states = stored_states(filter.states, campaign);
  // All tasks that were never taken wait or are cancelled.
  const bool any_ahead = states.empty() || contains(states, grid::TaskState::waiting) || contains(states, grid::TaskState::cancelled);
  const auto end = any_ahead ? campaign.total : campaign.next_task;
  // Without a filter, the n-th task has number n: no row has to be counted.
  const auto from = states.empty() ? filter.from + window.offset : filter.from;
  const auto skip = states.empty() ? std::int64_t{0} : window.offset;
  const auto rows = exec(transaction, sql::views_tasks{
                                          .campaign = campaign.id,
                                          .from = from,
                                          .end = end,
                                          .held = filter.held,
                                          .failure = filter.failure,
                                          .states = detail::state_array(states),
                                          .limit = window.limit,
                                          .offset = skip,
                                          .some_held = campaign.held_tasks > 0,
                                          .bytes = kMostParameterBytes,
                                      });
  for (const auto& row : rows) page.items.push_back(read_task(row, campaign));
  page.is_cut = !rows.empty() && rows[0].found.as<std::int64_t>() > static_cast<std::int64_t>(rows.size());
  return page;
}

std::optional<Job> job(Transaction& transaction, grid::JobId id) {
  const auto rows = exec(transaction, sql::views_jobs{.job = id, .campaign = std::nullopt, .task = std::nullopt});
  if (rows.empty()) return std::nullopt;
  return read_job(rows[0]);
}

std::vector<Job> jobs_of_task(Transaction& transaction, grid::CampaignId campaign, grid::TaskNumber task) {
  std::vector<Job> all;
  for (const auto& row : exec(transaction, sql::views_jobs{.job = std::nullopt, .campaign = campaign, .task = task}))
    all.push_back(read_job(row));
  return all;
}

}  // namespace gleaner::store::views
