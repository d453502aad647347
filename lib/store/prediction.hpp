#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/grid/durations.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/interval.hpp"
#include "lib/grid/planning_facts.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"
#include "lib/store/planning.hpp"

/// Queries of the predictor.
namespace gleaner::store {

/// An algorithm of the job ratio on a pair, where each pair has its own (prediction::Trial).
struct AlgorithmTrial {
  std::string algorithm;
  double job_ratio = 1;  ///< jobs per resource
  double waste = 0;      ///< resources
};

/// A limit of `gridctl limit` that the last plan met on a pair. Pairs with the same `shared` have it together.
struct MetLimit {
  /// Its number, and the user, project or campaign, where each of them has such a limit.
  std::pair<std::int64_t, std::string> shared;
  double most = 0;  ///< at a time, in the unit of the limit
  /// The part of one job, in that unit; empty: its resources, or 1, by `is_of_resources`.
  std::optional<double> job_needs{};
  bool is_of_resources = false;
};

/// A pair, and the cluster's figures that its forecast needs.
struct PredictionPair : grid::PairFacts {
  double flood = 0;
  int max_resources = 0;
  double whole_nodes = 0;  ///< resources of a job's nodes if each is the biggest; 0: unknown
  int free_resources = 0;
  bool reachable = false;
  /// Whether tasks of the bag are sent there. They would be, if `without_resources`: OAR had a live resource for them; `braked`: no brake
  /// held the cluster or the pair.
  enum class Access { closed, without_resources, braked, open } access = Access::closed;
  std::optional<double> start_cost{};  ///< seconds, as ClusterFacts::start_cost
  std::int64_t ended_in_window = 0;    ///< jobs, in the window of the throughput
  std::vector<AlgorithmTrial> trials{};
  double kept_resources = 0;  ///< of the cluster, for others, if the last plan met that
  std::optional<MetLimit> limit{};
};
[[nodiscard]] PredictionPair prediction_pair(const grid::PairFacts& facts, const grid::ClusterFacts& cluster);

/// The jobs that a cluster had of a campaign, and its progress there, when a forecast was kept.
struct KeptPair {
  std::string cluster;
  double job_ratio = 1;   ///< jobs per resource
  std::string algorithm;  ///< that computed the ratio
  double throughput = 0;  ///< jobs a second
  int submitted = 0;      ///< jobs, in the cycle before
  int running = 0;        ///< jobs
};
/// A kept forecast of a campaign's end.
struct KeptForecast {
  grid::Instant made;
  grid::Instant end;
  std::optional<grid::Interval> end_between{};
  std::string method{};
  std::vector<KeptPair> pairs{};  ///< those that had a job, by the cluster's name
};

struct PredictionCampaign {
  grid::CampaignId id{0};
  std::string user;
  grid::Instant submitted_at;
  std::optional<grid::Instant> first_start_at;
  std::int64_t remaining = 0;
  std::int64_t running = 0;
  double running_seconds = 0;  ///< for which its running jobs have run, in all
  std::int64_t ended_in_window = 0;
  std::int64_t waiting = 0;  ///< tasks in the bag
  std::int64_t held = 0;     ///< of them, those that a user holds, or that wait outside of the bag for what is given to them
  bool paused = false;
  bool awaits = false;   ///< another campaign comes first
  bool follows = false;  ///< tasks of it wait for those of another campaign, one by one
  bool braked = false;   ///< the campaign as a whole
  grid::CampaignType type = grid::CampaignType::default_;
  int priority = grid::kNormalPriority;
  bool pools = false;                     ///< its jobs may take several tasks
  bool side_by_side = false;              ///< as many at a time as they have cores
  std::optional<KeptForecast> last_kept;  ///< when it was made, and its end, alone
  grid::Durations earlier;                ///< earlier jobs of its user with its command; none once the campaign has a done task
};
/// The part that the campaign's facts determine.
[[nodiscard]] PredictionCampaign prediction_campaign(const grid::CampaignFacts& facts);

struct PredictionFacts {
  std::vector<PredictionPair> pairs;
  std::vector<PredictionCampaign> campaigns;
};
/// @param window_begin  of the throughput
[[nodiscard]] PredictionFacts prediction_facts(Transaction& transaction, const ClusterDefaults& defaults, grid::Instant window_begin,
                                               grid::Instant now);

/// The forecast of a pair.
struct PairForecast {
  grid::ClusterId cluster{0};
  double job_ratio = 1;             ///< jobs per resource
  double throughput = 0;            ///< jobs a second
  std::string_view algorithm = {};  ///< that computed the ratio; its name, of static lifetime
  std::string_view verdict = {};    ///< on the ratio before: too_big, too_small, right; of static lifetime
  int waiting = 0;                  ///< jobs of the pair that the verdict is based on
  int free = 0;                     ///< resources that were free then
  std::vector<AlgorithmTrial> trials = {};
};
/// The forecast of a campaign.
struct StoredForecast {
  grid::CampaignId campaign{0};
  std::vector<PairForecast> pairs;
  std::optional<grid::Instant> end;
  std::optional<grid::Interval> end_between;
  std::optional<grid::Instant> start;  ///< empty once a job of it has started
  std::optional<grid::Interval> start_between;
  std::string method;
  bool is_kept = false;  ///< whether the end is kept in the history
};
/// If the database refuses data of a campaign, all of that campaign is left out, with an event.
void write_forecasts(Transaction& transaction, std::span<const StoredForecast> forecasts, grid::Instant now);

/// The kept forecasts of a campaign's end, the oldest first; at most some hundreds (predictor/algorithms/history.hpp).
[[nodiscard]] std::vector<KeptForecast> forecast_history(Transaction& transaction, grid::CampaignId campaign);

}  // namespace gleaner::store
