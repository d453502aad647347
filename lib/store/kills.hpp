#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Kills: what Nikita reads and writes.
namespace gleaner::store {

/// Why a job is to be killed: its campaign is cancelled, it waits beyond the flood, or for
/// too long, its task waits for another copy, it gives way to a campaign of higher priority, it does not
/// begin, it runs beyond its walltime, it came late, or an administrator gave it up.
enum class KillReason { cancelled, excess, waited_too_long, replica, preempted, impatient, overdue, late, lost };

/// Every job of a cancelled campaign is to be killed.
void request_kills_of_cancelled(Transaction& transaction, grid::Instant now);

/// Jobs that their tasks wait for no longer are to be killed: superseded by a replica, or late.
void request_kills_of_superseded(Transaction& transaction, grid::Instant now);

/// A request that the database refuses is left out, with an event that names the job.
void request_kills(Transaction& transaction, std::span<const grid::JobId> jobs, KillReason reason, grid::Instant now);

struct PendingKill {
  grid::JobId job{0};
  grid::RemoteJobId remote{0};
  grid::CampaignId campaign{0};
  grid::TaskNumber task{0};
  int attempt = 0;
  std::string tag;  ///< its name in OAR
  KillReason reason = KillReason::cancelled;
  int sends = 0;
  std::optional<grid::RemoteJobId> array;
  int array_jobs = 0;
  std::string login;
};
/// Not asked for since `unsent_since`; those asked for least first.
/// Those that were not sent yet, or longer ago than `again`.
[[nodiscard]] std::vector<PendingKill> pending_kills(Transaction& transaction, grid::ClusterId cluster, grid::Instant now,
                                                     grid::Seconds again = {});
void note_kills_sent(Transaction& transaction, std::span<const grid::JobId> jobs, grid::Instant now);

struct WaitingJob {
  grid::JobId id{0};
  grid::CampaignId campaign{0};
  grid::Instant submitted_at;
  std::optional<int> resources_per_job;
  std::optional<double> job_ratio;
  std::optional<grid::Instant> last_start_at, last_accept_at;  ///< of the pair
};
/// The newest first, without those that are to be killed already.
[[nodiscard]] std::vector<WaitingJob> waiting_jobs(Transaction& transaction, grid::ClusterId cluster);

}  // namespace gleaner::store
