#include "lib/store/clean.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::exec_prepared;

}  // namespace

std::vector<ToClean> campaigns_to_clean(Transaction& transaction, grid::ClusterId cluster, grid::Instant ended_before,
                                        grid::Instant quiet_since, grid::Instant tried_before) {
  std::vector<ToClean> campaigns;
  for (const auto& row : exec_prepared(
           transaction, sql::clean_campaigns{
                            .cluster = cluster, .ended_before = ended_before, .tried_before = tried_before, .quiet_since = quiet_since})) {
    const grid::CampaignId campaign = *row.campaign_id;
    if (campaigns.empty() || campaigns.back().campaign != campaign) campaigns.push_back({.campaign = campaign, .logins = {}});
    if (row.login.has_value()) campaigns.back().logins.push_back(*row.login);
  }
  return campaigns;
}

bool is_over(Transaction& transaction, grid::CampaignId campaign) {
  return *exec(transaction, sql::clean_is_over{.campaign = campaign})[0].is_over;
}

bool note_cleaned(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, grid::Instant now) {
  return !exec_prepared(transaction, sql::clean_note_cleaned{.cluster = cluster, .campaign = campaign, .now = now}).empty();
}

void note_cleaning_tried(Transaction& transaction, std::span<const grid::CampaignId> campaigns, grid::ClusterId cluster,
                         grid::Instant now) {
  exec(transaction, sql::clean_note_tried{.now = now, .cluster = cluster, .campaigns = detail::ids_of(campaigns)});
}

std::vector<LaunchFolder> crowded_folders(Transaction& transaction, grid::ClusterId cluster, grid::Instant quiet_since) {
  std::vector<LaunchFolder> folders;
  for (const auto& row : exec_prepared(transaction, sql::clean_crowded_folders{.cluster = cluster, .quiet_since = quiet_since})) {
    folders.push_back({.campaign = *row.campaign_id,
                       .launch = *row.id,
                       .state = row.state.as(grid::launch_state),
                       .login = *row.login,
                       .settled_at = row.settled_at,
                       .never_began_at = row.never_began_at,
                       .pool = *row.pool,
                       .attempts = *row.attempts,
                       .files = *row.files,
                       .all_files = *row.all_files,
                       .target = *row.target});
  }
  return folders;
}

std::vector<Attempt> attempts_in(Transaction& transaction, grid::ClusterId cluster, grid::LaunchId launch) {
  std::vector<Attempt> attempts;
  for (const auto& row : exec(transaction, sql::clean_attempts_in{.cluster = cluster, .launch = launch}))
    attempts.emplace_back(*row.task, *row.attempt);
  return attempts;
}

void note_folder_removed(Transaction& transaction, grid::LaunchId launch, grid::Instant now) {
  exec(transaction, sql::clean_note_folder_removed{.now = now, .launch = launch});
}

void note_files(Transaction& transaction, grid::LaunchId launch, std::int64_t files) {
  exec(transaction, sql::clean_note_files{.files = files, .launch = launch});
}

}  // namespace gleaner::store
