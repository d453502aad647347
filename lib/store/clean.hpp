#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// What campaigns leave on the clusters: claims, and the files of their jobs.
namespace gleaner::store {

struct ToClean {
  grid::CampaignId campaign{0};
  std::vector<std::string> logins;  ///< in whose homes its folder may be
};
/// Ended campaigns of which nothing can come any more, by id, the first few after one.
/// @param quiet_since  no launch was given up since, and no job ended that OAR may start late: both may still come
[[nodiscard]] std::vector<ToClean> campaigns_to_clean(Transaction& transaction, grid::ClusterId cluster, grid::Instant ended_before,
                                                      grid::Instant quiet_since, grid::CampaignId after = grid::CampaignId{0});
/// Whether the campaign has ended: one whose tasks were given back in the meantime goes on, and so do its claims.
[[nodiscard]] bool is_over(Transaction& transaction, grid::CampaignId campaign);
/// False, and nothing changes, when the campaign goes on by now.
bool note_cleaned(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, grid::Instant now);

/// The folder of a launch, of a campaign that has many files on the cluster.
struct LaunchFolder {
  grid::CampaignId campaign{0};
  grid::LaunchId launch{0};
  grid::LaunchState state = grid::LaunchState::accepted;
  std::string login;
  std::optional<grid::Instant> settled_at;      ///< accepted, refused or given up
  std::optional<grid::Instant> never_began_at;  ///< the last end of a job of it that OAR may start late
  int attempts = 0;                             ///< claimed in it, of tasks that are not settled
  std::int64_t files = 0;                       ///< at most
  std::int64_t all_files = 0;                   ///< of the campaign there, at most
  std::int64_t target = 0;                      ///< to which these are brought down
};
/// By campaign, the oldest of each first; of campaigns with no more files than their target none.
[[nodiscard]] std::vector<LaunchFolder> crowded_folders(Transaction& transaction, grid::ClusterId cluster, grid::Instant quiet_since);

using Attempt = std::pair<grid::TaskNumber, int>;
/// Of tasks that are not settled, claimed in the folder of the launch.
[[nodiscard]] std::vector<Attempt> attempts_in(Transaction& transaction, grid::ClusterId cluster, grid::LaunchId launch);

void note_folder_removed(Transaction& transaction, grid::LaunchId launch, grid::Instant now);
void note_files(Transaction& transaction, grid::LaunchId launch, std::int64_t files);

}  // namespace gleaner::store
