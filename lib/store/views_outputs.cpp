#include "lib/store/views_outputs.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store::views {
namespace {

using store::detail::exec;

std::optional<OutputJob> read_output_job(const sql::views_outputs::Row& row) {
  if (!row.remote_id.has_value()) return std::nullopt;
  OutputJob job;
  job.attempt = *row.attempt;
  job.remote_id = *row.remote_id;
  job.cluster = *row.cluster_id;
  job.cluster_name = *row.cluster;
  job.login = row.login.value_or("");
  job.exec_directory = row.exec_directory.value_or("");
  job.output_directory = row.output_directory.value_or("");
  job.pooled = row.pooled.value_or(false);
  return job;
}

}  // namespace

std::vector<TaskOutputs> outputs(Transaction& transaction, grid::CampaignId campaign, std::int64_t from, std::int64_t end) {
  std::vector<TaskOutputs> all;
  for (const auto& row : exec(transaction, sql::views_outputs{.campaign = campaign, .from = from, .end = end})) {
    TaskOutputs task;
    task.number = *row.number;
    task.state = row.state.as(grid::task_state);
    task.job = read_output_job(row);
    all.push_back(std::move(task));
  }
  return all;
}

std::optional<OutputJob> output_job(Transaction& transaction, grid::CampaignId campaign, grid::TaskNumber task, int attempt) {
  const auto rows = exec(transaction, sql::views_output_of{.campaign = campaign, .task = task, .attempt = attempt});
  if (rows.empty()) return std::nullopt;
  OutputJob job;
  job.attempt = attempt;
  job.remote_id = *rows[0].remote_id;
  job.cluster = *rows[0].cluster_id;
  job.cluster_name = *rows[0].cluster;
  job.login = rows[0].login.value_or("");
  job.exec_directory = *rows[0].exec_directory;
  job.output_directory = *rows[0].output_directory;
  job.pooled = *rows[0].pooled;
  return job;
}

std::optional<grid::ClusterId> output_reader(Transaction& transaction, const HomeToRead& home) {
  const auto rows = exec(transaction, sql::views_output_reader{.campaign = home.campaign, .login = home.login, .cluster = home.cluster});
  return rows.empty() ? std::nullopt : std::optional{rows[0].id.as<grid::ClusterId>()};
}

}  // namespace gleaner::store::views
