#pragma once
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/epochs.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Epochs: a restored database gives ids again, so that what carries another epoch is not evidence about what is new.
namespace gleaner::store {

/// The epochs that led to this database, after is_recovering.
[[nodiscard]] grid::Epochs current_epochs(Transaction& transaction, grid::Instant now);

/// Whether a cluster that answers is still to be looked at: nothing is planned before. If the database is another one than that in which
/// the current epoch began, it was restored, and an epoch begins here (begin_epoch). Every turn and every submission calls this, or
/// current_epochs, before it gives an id.
[[nodiscard]] bool is_recovering(Transaction& transaction, grid::Instant now);

/// Begins an epoch, as after a restore. Launches that are planned may have been sent before it: they are searched for under the tag that
/// they would have. Input files are sent again. The event DATABASE_RESTORED, one for the grid and one for each campaign that is not over,
/// says what is not known.
grid::Epoch begin_epoch(Transaction& transaction, grid::Instant now);

// The work of the grid between the dump and the restore. On each cluster, the launches that were made then are looked for before any is
// made.

/// Since when jobs on the cluster may be unknown. Empty: all are known.
[[nodiscard]] std::optional<grid::Instant> recover_from(Transaction& transaction, grid::ClusterId cluster);
void note_recovered(Transaction& transaction, grid::ClusterId cluster);
/// The logins under which campaigns that are not over may have jobs there.
[[nodiscard]] std::vector<std::string> logins_to_recover(Transaction& transaction, grid::ClusterId cluster);
[[nodiscard]] std::set<grid::LaunchId> known_launches(Transaction& transaction, std::span<const grid::LaunchId> launches);

struct UnknownJob {
  grid::JobIdentity job;
  std::optional<grid::LaunchId> fence;  ///< the earlier launch in whose folder its attempt is claimed; empty: its own
  bool pooled = false;
};
struct UnknownLaunch {
  grid::LaunchId launch{0};
  grid::CampaignId campaign{0};
  std::string tag;
  std::string login;
  std::vector<UnknownJob> jobs;
};
/// For each launch: whether its campaign's user may have made it there. False for a live campaign whose user has another login; those of
/// campaigns that are over are true, and are taken over with no job.
[[nodiscard]] std::vector<bool> may_be_taken_over(Transaction& transaction, grid::ClusterId cluster,
                                                  std::span<const UnknownLaunch* const> launches);
/// Writes the launch as one whose answer was lost, so that the runner finds its jobs by its tag. Left out are jobs of tasks that are over
/// or had a later attempt, scripts, what the database has no task for, ids that it has not given, and all jobs of a login that is not
/// that of the campaign's user. Returns the number of jobs written.
int take_over(Transaction& transaction, grid::ClusterId cluster, const UnknownLaunch& launch, grid::Instant since, grid::Instant now);

}  // namespace gleaner::store
