#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/checkpoint.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Checkpoints (lib/grid/checkpoint.hpp): the signals for them, and the tasks that wait where theirs are.
namespace gleaner::store {

/// A live campaign with checkpoints and running jobs on a cluster.
struct CheckpointedPair {
  grid::CampaignId campaign{0};
  std::optional<double> period;  ///< seconds; empty: the optimal one
  double cost = 0;               ///< seconds
  grid::Interruptions interruptions;
};
/// Cost: O(running jobs of such campaigns on the cluster).
[[nodiscard]] std::vector<CheckpointedPair> checkpointed_pairs(Transaction& transaction, grid::ClusterId cluster, grid::Instant now);

/// The period of a campaign, in seconds.
struct SignalPeriod {
  grid::CampaignId campaign{0};
  double seconds = 0;
};

/// A running job whose next signal is due.
struct DueSignal {
  grid::JobId job{0};
  grid::RemoteJobId remote{0};
  grid::CampaignId campaign{0};
  grid::TaskNumber task{0};
  int attempt = 0;
  std::string tag;  ///< its name in OAR
  std::string login;
  std::string signal;  ///< its name, without SIG
};
/// At most `most`, the most overdue first.
[[nodiscard]] std::vector<DueSignal> due_signals(Transaction& transaction, grid::ClusterId cluster, std::span<const SignalPeriod> periods,
                                                 int most, grid::Instant now);
/// Before the signals are sent: none is repeated before another period is over, whatever becomes of it. Returns those of which
/// it was noted; of the others an event says why not.
std::vector<grid::JobId> note_signals_sent(Transaction& transaction, std::span<const grid::JobId> jobs, grid::Instant now);
/// OAR passed these on.
void note_signals_passed_on(Transaction& transaction, std::span<const grid::JobId> jobs);

/// Tasks that need not wait any longer for the cluster with their checkpoint.
struct ReleasedTasks {
  grid::CampaignId campaign{0};
  std::string cluster;
  std::int64_t tasks = 0;
};
std::vector<ReleasedTasks> release_kept_tasks(Transaction& transaction, grid::Instant waited_since, grid::Instant now);

/// The cluster that a waiting task is kept for; empty: it may go anywhere, or is bound to one by a launch.
struct KeptTask {
  std::string cluster;
  grid::Instant since;
  bool follows = false;  ///< because a task that it comes after ran there; false: because of its checkpoint
};
[[nodiscard]] std::optional<KeptTask> kept_task(Transaction& transaction, grid::CampaignId campaign, grid::TaskNumber task);

}  // namespace gleaner::store
