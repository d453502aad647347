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

/// What is shown to users: the grid itself, its clusters and its events.
namespace gleaner::store::views {

struct ClusterView {
  Cluster cluster;
  std::optional<GridStatus> status;  ///< the newest
  std::optional<Brake> brake;
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
/// The last figures in each slice of the time, by time and then by name.
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
};
enum class Which { open, all };
/// The open ones of the campaign and of its clusters; or all that are its own.
[[nodiscard]] Page<EventView> campaign_events(Transaction& transaction, grid::CampaignId campaign, Which which, Window window);
/// Those of no campaign.
[[nodiscard]] Page<EventView> grid_events(Transaction& transaction, Which which, Window window);
[[nodiscard]] std::optional<EventView> event(Transaction& transaction, std::int64_t id);

struct Cycle {
  grid::Instant started_at;
  std::optional<grid::Instant> ended_at;
};
[[nodiscard]] std::optional<Cycle> last_cycle(Transaction& transaction);

}  // namespace gleaner::store::views
