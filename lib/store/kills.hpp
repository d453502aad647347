#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Kill requests: Nikita's queries.
namespace gleaner::store {

/// Why a job is to be killed, in the order of the enum: its campaign is cancelled; its task alone is cancelled; it is in excess of the
/// flood; it waits too long; its task waits for another copy only; it gives way to a campaign of higher priority; it does not begin; it
/// runs beyond its walltime; it is late; an administrator declared it lost; OAR submitted another in its place, which is the one to be
/// killed.
enum class KillReason { cancelled, task_cancelled, excess, waited_too_long, replica, preempted, impatient, overdue, late, lost, resent };

/// Requests kills of all jobs of cancelled campaigns.
void request_kills_of_cancelled(Transaction& transaction, grid::Instant now);

/// Requests kills of the jobs of tasks that their users cancelled: of a pooled task, that of the carrier that carries it out, and its
/// claim.
void request_kills_of_cancelled_tasks(Transaction& transaction, grid::Instant now);

/// Requests kills of jobs that their tasks do not wait for any more: superseded by a replica, or late.
void request_kills_of_superseded(Transaction& transaction, grid::Instant now);

/// If the database refuses a request, it is left out, and an event names the job.
void request_kills(Transaction& transaction, std::span<const grid::JobId> jobs, KillReason reason, grid::Instant now);

/// Requests that what OAR may have submitted in place of jobs that are over is deleted. Their other requests are over.
void request_kills_of_resent(Transaction& transaction, std::span<const grid::JobId> jobs, grid::Instant now);
/// Nothing was submitted in place of these jobs, or it is over.
void drop_kills_of_resent(Transaction& transaction, std::span<const grid::JobId> jobs);

struct PendingKill {
  grid::JobId job{0};
  grid::RemoteJobId remote{0};  ///< of the job; what was submitted in its place (KillReason::resent) has another
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
/// Kill requests that were not sent yet, or longer ago than `again`. Those sent least often come first.
[[nodiscard]] std::vector<PendingKill> pending_kills(Transaction& transaction, grid::ClusterId cluster, grid::Instant now,
                                                     grid::Seconds again = {});
/// Before they are deleted. Returns those of which it was noted: of the others an event says why not, and they must not be deleted.
std::vector<grid::JobId> note_kills_sent(Transaction& transaction, std::span<const grid::JobId> jobs, grid::Instant now);

/// A pooled task that its user cancelled, and that no carrier is known to have taken.
struct PooledTask {
  grid::JobId job{0};
  grid::CampaignId campaign{0};
  grid::LaunchId fence{0};
  grid::TaskNumber task{0};
  int attempt = 0;
  std::string login;
};
/// Those that have no claim of the grid yet (note_kills_sent), of launches that were sent; at most 1000, those tried least often first, and
/// campaigns in turn.
[[nodiscard]] std::vector<PooledTask> pooled_tasks_to_withhold(Transaction& transaction, grid::ClusterId cluster, grid::Instant now);
/// They could not be claimed: they are tried again later, and after the others.
void note_not_withheld(Transaction& transaction, std::span<const grid::JobId> jobs, grid::Instant now);

struct WaitingJob {
  grid::JobId id{0};
  grid::CampaignId campaign{0};
  grid::Instant submitted_at;
  std::optional<int> resources_per_job;
  std::optional<double> job_ratio;
  std::optional<grid::Instant> last_start_at, last_accept_at;  ///< of the pair
};
/// The newest first, without jobs that have a kill request.
[[nodiscard]] std::vector<WaitingJob> waiting_jobs(Transaction& transaction, grid::ClusterId cluster);

}  // namespace gleaner::store
