#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

/// The resources that campaigns will get of clusters that they share, played forward: as those that go before end, others get theirs.
/// docs/architecture/prediction.md, "Campaigns that share clusters".
namespace gleaner::prediction {

/// Freed resources go to the first in the order that has tasks for them; or to the user who holds least, for the first of that user's
/// campaigns.
enum class Sharing { in_order, among_users };

/// The jobs of a campaign on a cluster, and how they use it.
struct Claim {
  std::size_t cluster = 0;
  double width = 1;                                       ///< resources of a job
  double seconds = 0;                                     ///< for which a task holds them, on average; greater than 0
  double running = 0;                                     ///< jobs
  double most = std::numeric_limits<double>::infinity();  ///< jobs at a time
  bool is_open = false;                                   ///< whether further tasks go there
  std::optional<std::size_t> limit{};                     ///< that it shares with other claims
  double part = 1;                                        ///< of the limit, by a job; greater than 0
};

/// A campaign. Those before it in the order have smaller indices.
struct Sharer {
  int rank = 0;           ///< those of a lower one get nothing that those of a higher one (a smaller number) have tasks for
  std::size_t user = 0;   ///< the same number: the same user
  double waiting = 0;     ///< tasks in its bag
  double error = 0;       ///< of the seconds, relative: of what their mean was estimated from
  bool is_bound = false;  ///< the seconds are only a bound
  std::vector<Claim> claims;
};

/// When a bag is empty.
struct Emptying {
  double seconds = 0;  ///< from now
  double earlier = 0;  ///< seconds: the deviation before
  double later = 0;    ///< seconds: the deviation behind
  double slots = 1;    ///< jobs that run then
};

struct SharedCluster {
  double free = 0;    ///< resources
  double others = 0;  ///< resources that others than the grid hold, and that may become free, or more
};

/// Plays the campaigns forward as a fluid: of the slots that a campaign holds, a part ends in each step, and goes to whom the order gives
/// it, as far as the limits go: what the jobs of all their claims may take at a time. The deviation is that of plays with other durations,
/// and other resources. Empty for one whose bag does not become empty. Cost: O(steps * claims of campaigns that hold or get something);
/// some hundred steps, whatever the time.
[[nodiscard]] std::vector<std::optional<Emptying>> empty_bags(const std::vector<Sharer>& sharers,
                                                              const std::vector<SharedCluster>& clusters, Sharing sharing, double cycle,
                                                              const std::vector<double>& limits = {});

}  // namespace gleaner::prediction
