#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/durations.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/interval.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// What the predictor reads and writes.
namespace gleaner::store {

struct PredictionPair {
  grid::CampaignId campaign{0};
  grid::ClusterId cluster{0};
  bool active = true;  ///< false: no job of it was ever submitted
  std::optional<int> resources_per_job;
  int running = 0, waiting = 0;  ///< jobs
  std::int64_t resources_sum = 0, resources_jobs = 0;
  std::int64_t done = 0;
  double duration_sum = 0, duration_squares = 0;  ///< seconds
  std::optional<grid::Instant> last_start_at;
  std::optional<grid::Instant> last_accept_at;
  std::optional<double> job_ratio;
  int nsub = 0;
  double offered = 0;
  double flood = 0;
  int max_resources = 0;
  int free = 0;
  bool reachable = false;
  std::int64_t ended_in_window = 0;
  double walltime = 0;  ///< seconds
  std::optional<int> max_jobs;
};

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
