#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/durations.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/interval.hpp"
#include "lib/grid/planning_facts.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// What the predictor reads and writes.
namespace gleaner::store {

/// A pair, and the cluster's figures that its forecast needs.
struct PredictionPair : grid::PairFacts {
  double flood = 0;
  int max_resources = 0;
  int free_resources = 0;
  bool reachable = false;
  std::int64_t ended_in_window = 0;  ///< jobs, in the window of the throughput
};
[[nodiscard]] PredictionPair prediction_pair(const grid::PairFacts& facts, const grid::ClusterFacts& cluster);

/// A forecast of a campaign's end in the history of its forecasts.
struct KeptForecast {
  grid::Instant made;
  grid::Instant end;
  std::optional<grid::Interval> end_between{};
  std::string method{};
};

struct PredictionCampaign {
  grid::CampaignId id{0};
  grid::Instant submitted_at;
  std::optional<grid::Instant> first_start_at;
  std::int64_t remaining = 0;
  std::int64_t running = 0;
  std::int64_t ended_in_window = 0;
  bool paused = false;
  std::optional<KeptForecast> last_kept;  ///< when it was made, and the end alone
  grid::Durations earlier;                ///< of earlier campaigns of its user with its command, while it has done nothing
};

struct PredictionFacts {
  std::vector<PredictionPair> pairs;
  std::vector<PredictionCampaign> campaigns;
};
[[nodiscard]] PredictionFacts prediction_facts(Transaction& transaction, double default_flood, grid::Instant window_begin);

/// Of a campaign on one cluster.
struct PairForecast {
  grid::ClusterId cluster{0};
  double job_ratio = 1;   ///< jobs per resource
  double throughput = 0;  ///< jobs a second
};
/// Of a campaign.
struct StoredForecast {
  grid::CampaignId campaign{0};
  std::vector<PairForecast> pairs;
  std::optional<grid::Instant> end;
  std::optional<grid::Interval> end_between;
  std::optional<grid::Instant> start;  ///< while no job of it has started
  std::optional<grid::Interval> start_between;
  std::string method;
  bool is_kept = false;  ///< the end goes into the history too
};
/// What the database refuses of a campaign is left out, all of that campaign, with an event.
void write_forecasts(Transaction& transaction, std::span<const StoredForecast> forecasts, grid::Instant now);

/// The forecasts of a campaign's end that were kept, the first one first; at most some hundreds (predictor/algorithms/history.hpp).
[[nodiscard]] std::vector<KeptForecast> forecast_history(Transaction& transaction, grid::CampaignId campaign);

}  // namespace gleaner::store
