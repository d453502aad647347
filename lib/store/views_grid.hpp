#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/database.hpp"
#include "lib/store/views.hpp"

/// Views of the grid for users: clusters and events.
namespace gleaner::store::views {

/// The stress of a cluster, and the limit on our jobs that follows.
struct Stress {
  std::optional<double> factor;  ///< OAR's, at the newest poll
  std::optional<double> usual_factor;
  std::optional<int> response_ms;  ///< latency of a small request, at the newest poll
  std::optional<double> calm_response_ms;
  std::optional<int> job_limit;  ///< empty: the cluster is not under stress
  std::string signal = "none";   ///< stress_factor, latency or durations
  std::string reason;            ///< the signal with its figures
  std::optional<grid::Instant> since;
};

struct ClusterView {
  Cluster cluster;
  std::optional<GridStatus> status;  ///< the newest
  std::optional<Brake> brake;
  Stress stress;
  int learnt_headroom = 0;  ///< in resources, where the headroom is `auto`
};
/// By name.
[[nodiscard]] std::vector<ClusterView> clusters(Transaction& transaction, grid::Instant now);

/// Figures of one cluster at one time, in resources.
struct Usage {
  grid::Instant time;
  grid::ClusterId cluster{0};
  std::string name;
  int max_resources = 0;
  int free = 0;
  int used = 0;
  int ours = 0;
};
[[nodiscard]] std::vector<Usage> usage_now(Transaction& transaction);
/// A time range; views show the last figures in each slice, by time and then by name.
struct Span {
  grid::Instant from;
  grid::Instant to;
  grid::Seconds slice;
};
[[nodiscard]] std::vector<Usage> usage(Transaction& transaction, const Span& span);

struct EventView {
  std::int64_t id = 0;
  std::string code;
  std::string state;  ///< open or closed
  std::optional<std::int64_t> campaign;
  std::optional<std::int64_t> cluster;
  std::string cluster_name;
  std::optional<std::int64_t> job;
  std::int64_t occurrences = 1;
  grid::Instant opened_at;
  grid::Instant last_at;
  std::optional<grid::Instant> closed_at;
  std::string message;
  std::string output;  ///< the last lines of stderr, for `user` and administrators alone; empty: none
  std::string user;    ///< of the campaign; empty: of none
};
enum class Which { open, all };
/// Open events of the campaign and of its clusters; or all of its own.
[[nodiscard]] Page<EventView> campaign_events(Transaction& transaction, grid::CampaignId campaign, Which which, Window window);
/// Events of the user's campaigns.
[[nodiscard]] Page<EventView> user_events(Transaction& transaction, const std::string& user, Which which, Window window);
/// Events of no campaign.
[[nodiscard]] Page<EventView> grid_events(Transaction& transaction, Which which, Window window);
[[nodiscard]] std::optional<EventView> event(Transaction& transaction, std::int64_t id);

struct Cycle {
  grid::Instant started_at;
  std::optional<grid::Instant> ended_at;
};
[[nodiscard]] std::optional<Cycle> last_cycle(Transaction& transaction);

struct KeptCycle {
  std::int64_t id = 0;
  std::int64_t term = 0;
  Cycle cycle;
  std::optional<std::string> modules;  ///< JSON: what came of each turn (almighty/cycle.cpp); empty: the cycle has not ended
};
/// Those before this id, the newest first, `most` at most.
[[nodiscard]] std::vector<KeptCycle> cycles(Transaction& transaction, std::int64_t before, std::int64_t most);

}  // namespace gleaner::store::views
