#pragma once
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Files that campaigns leave on the clusters: claims, and the files of their jobs.
namespace gleaner::store {

struct ToClean {
  grid::CampaignId campaign{0};
  std::vector<std::string> logins;  ///< the users in whose homes its folder may be
};
/// Ended campaigns of which no file can appear any more: the first few that were not tried since `tried_before`, those tried longest ago
/// first.
/// @param quiet_since  since then no launch became void, and no job ended that OAR may start late
[[nodiscard]] std::vector<ToClean> campaigns_to_clean(Transaction& transaction, grid::ClusterId cluster, grid::Instant ended_before,
                                                      grid::Instant quiet_since, grid::Instant tried_before);
/// Whether the campaign is over. If tasks were given back in the meantime, it is live again, and its claims are in use.
[[nodiscard]] bool is_over(Transaction& transaction, grid::CampaignId campaign);
/// Records that the campaign's folder was removed. False, with no change, when the campaign is live again.
bool note_cleaned(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, grid::Instant now);

/// Records that the removal of these campaigns' files there was tried: others come first now.
void note_cleaning_tried(Transaction& transaction, std::span<const grid::CampaignId> campaigns, grid::ClusterId cluster, grid::Instant now);

/// A launch's folder, in a campaign with many files on the cluster.
struct LaunchFolder {
  grid::CampaignId campaign{0};
  grid::LaunchId launch{0};
  grid::LaunchState state = grid::LaunchState::accepted;
  std::string login;
  std::optional<grid::Instant> settled_at;      ///< when it became accepted, refused or void
  std::optional<grid::Instant> never_began_at;  ///< the last end of a job of it that OAR may start late
  bool pool = false;                            ///< its jobs take pooled tasks
  int attempts = 0;                             ///< attempts of unsettled tasks that are claimed in it
  std::int64_t files = 0;                       ///< upper bound
  std::int64_t all_files = 0;                   ///< of the campaign there, upper bound
  std::int64_t target = 0;                      ///< number of the campaign's files to reach
};
/// By campaign, the one that was tried longest ago first; the oldest folder of each first. Campaigns with no more files than their target
/// are left out.
[[nodiscard]] std::vector<LaunchFolder> crowded_folders(Transaction& transaction, grid::ClusterId cluster, grid::Instant quiet_since);

using Attempt = std::pair<grid::TaskNumber, int>;
/// The attempts of unsettled tasks that are claimed in the launch's folder.
[[nodiscard]] std::vector<Attempt> attempts_in(Transaction& transaction, grid::ClusterId cluster, grid::LaunchId launch);

void note_folder_removed(Transaction& transaction, grid::LaunchId launch, grid::Instant now);
void note_files(Transaction& transaction, grid::LaunchId launch, std::int64_t files);

}  // namespace gleaner::store
