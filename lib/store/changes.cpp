#include "lib/store/changes.hpp"

#include "lib/store/dependencies.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/requests.hpp"

namespace gleaner::store {

using detail::exec;

std::optional<SubmittedCampaign> submitted_campaign(Transaction& transaction, grid::CampaignId campaign) {
  const auto rows = exec(transaction, sql::changes_campaign{.campaign = campaign});
  if (rows.empty()) return std::nullopt;
  const auto row = rows[0];
  return SubmittedCampaign{.user = *row.user_name,
                           .state = row.state.as(grid::campaign_state),
                           .type = row.type.as(grid::campaign_type),
                           .jdl = *row.jdl,
                           .tasks = *row.total,
                           .requests = *row.requests,
                           .sealed = *row.sealed};
}

void lock_appends(Transaction& transaction, grid::CampaignId campaign) {
  exec(transaction, sql::changes_lock_appends{.campaign = campaign});
}

bool append_tasks(Transaction& transaction, grid::CampaignId campaign, TaskRange tasks, std::optional<double> mean_input_mb) {
  if (exec(transaction, sql::changes_append{.tasks = tasks.count, .input_mb = mean_input_mb, .campaign = campaign, .first = tasks.first})
          .empty())
    return false;
  exec(transaction, sql::campaigns_uncleaned{.campaign = campaign});
  wake_up(transaction);
  return true;
}

bool edit_campaign(Transaction& transaction, grid::CampaignId campaign, const EditedCampaign& edited) {
  if (exec(transaction, sql::changes_edit{.name = edited.name, .jdl = edited.jdl, .campaign = campaign, .before = edited.before}).empty())
    return false;
  exec(transaction, sql::changes_keep_needs{.before = edited.before, .campaign = campaign});
  for (const auto& cluster : edited.clusters) {
    if (!add_campaign_cluster(transaction, campaign, cluster)) return false;
  }
  if (edited.requests > 0) exec(transaction, sql::campaigns_sum_requests{.campaign = campaign});
  exec(transaction, sql::changes_planned_walltimes{.campaign = campaign});
  follow_again(transaction, campaign);
  wake_up(transaction);
  return true;
}

void record_change(Transaction& transaction, grid::CampaignId campaign, const CampaignChange& change, grid::Instant now) {
  const auto& tasks = change.tasks;
  exec(transaction, sql::changes_record{
                        .campaign = campaign,
                        .author = change.author,
                        .now = now,
                        .edits = change.edits,
                        .first = tasks ? std::optional{tasks->first} : std::nullopt,
                        .tasks = tasks ? tasks->count : 0,
                        .key = change.idempotency_key,
                        .digest = change.idempotency_key ? std::optional{change.digest} : std::nullopt,
                    });
}

std::optional<RepeatedAppend> find_append(Transaction& transaction, grid::CampaignId campaign, const std::string& key) {
  const auto rows = exec(transaction, sql::changes_find_append{.campaign = campaign, .key = key});
  if (rows.empty()) return std::nullopt;
  return RepeatedAppend{.tasks = {.first = *rows[0].first_task, .count = *rows[0].tasks}, .digest = *rows[0].digest};
}

std::vector<RecordedChange> recorded_changes(Transaction& transaction, grid::CampaignId campaign, int most) {
  std::vector<RecordedChange> changes;
  for (const auto& row : exec(transaction, sql::changes_list{.campaign = campaign, .limit = most})) {
    RecordedChange change{.author = *row.changed_by, .at = *row.changed_at, .edits = *row.edits, .tasks = {}};
    if (row.first_task.has_value()) change.tasks = TaskRange{.first = *row.first_task, .count = *row.tasks};
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace gleaner::store
