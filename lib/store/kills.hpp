#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Kills and cleaning: what Nikita reads and writes.
namespace gleaner::store {

/// Why a job is to be killed: its campaign is cancelled, it waits beyond the flood, or for
/// too long, its task waits for another copy, or it gives way
/// to a campaign of higher priority.
enum class KillReason { cancelled, excess, waited_too_long, replica, preempted };

/// Every job of a cancelled campaign is to be killed.
void request_kills_of_cancelled(Transaction& transaction, grid::Instant now);

/// Jobs of replicated tasks that these wait for no longer are to be killed.
void request_kills_of_superseded(Transaction& transaction, grid::Instant now);

void request_kills(Transaction& transaction, std::span<const grid::JobId> jobs, KillReason reason, grid::Instant now);

struct PendingKill {
  grid::JobId job{0};
  grid::RemoteJobId remote{0};
  grid::CampaignId campaign{0};
  KillReason reason = KillReason::cancelled;
  int sends = 0;
  std::optional<grid::RemoteJobId> array;
  int array_jobs = 0;
  std::string login;
};
/// Not asked for since `unsent_since`.
[[nodiscard]] std::vector<PendingKill> pending_kills(Transaction& transaction, grid::ClusterId cluster, grid::Instant unsent_since);
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

struct ToClean {
  grid::CampaignId campaign{0};
  std::string login;
};
[[nodiscard]] std::vector<ToClean> campaigns_to_clean(Transaction& transaction, grid::ClusterId cluster, grid::Instant ended_before,
                                                      grid::Instant void_since);
void note_cleaned(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, grid::Instant now);

}  // namespace gleaner::store
