#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// The figures of the database for GET /metrics. Cost: the campaigns in treatment or paused, the active pairs, the open events and
/// launches; rows of tasks and jobs are not read.
namespace gleaner::store::metrics {

struct Cycle {
  grid::Instant ended;
  double seconds = 0;
};

struct Grid {
  grid::Instant now;   ///< the database's clock
  std::string holder;  ///< of the lease, held or not
  std::int64_t term = 0;
  bool is_held = false;
  std::optional<grid::Instant> expires_at;  ///< empty: it was released
  std::optional<grid::Instant> taken_at;
  std::int64_t schema = 0;
  std::int64_t bytes = 0;
  std::optional<grid::Instant> cycle_began;  ///< of the last cycle, which may not have ended
  std::optional<Cycle> cycle;                ///< the last that ended
  std::int64_t in_treatment = 0;
  std::int64_t paused = 0;
  /// Tasks of these campaigns, by state.
  std::int64_t waiting = 0;
  std::int64_t launching = 0;
  std::int64_t submitted = 0;
  std::int64_t running = 0;
  std::int64_t done = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
};

struct Resources {
  grid::Instant time;
  int alive = 0;
  int free = 0;
  int used = 0;
  int ours = 0;
  int waiting = 0;  ///< of our waiting jobs
  std::optional<double> stress;
};

struct Cluster {
  std::string name;
  bool is_enabled = false;
  std::optional<bool> is_reachable;
  std::optional<grid::Instant> unreachable_since;
  int down = 0;
  std::optional<Resources> resources;  ///< empty: it was never polled
  /// Our jobs, by state.
  std::int64_t launching = 0;
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::int64_t unknown = 0;
  std::int64_t unknown_launches = 0;
  std::optional<grid::Instant> unknown_since;  ///< of the oldest
  bool is_braked = false;
};

struct OpenEvents {
  std::string code;
  std::int64_t events = 0;
};

struct Brakes {
  std::string target;  ///< cluster, campaign or pair
  bool by_hand = false;
  std::int64_t brakes = 0;
};

struct Total {
  std::string kind;
  std::string cluster;  ///< empty: the grid's
  std::string name;
  std::string result;
  std::int64_t times = 0;
  double amount = 0;
  std::vector<std::int64_t> buckets;
  std::optional<grid::Instant> last_at;
};

struct Figures {
  Grid grid;
  std::vector<Cluster> clusters;
  std::vector<OpenEvents> events;
  std::vector<Brakes> brakes;
  std::vector<Total> totals;
};

/// In five statements.
[[nodiscard]] Figures figures(Transaction& transaction);

}  // namespace gleaner::store::metrics
