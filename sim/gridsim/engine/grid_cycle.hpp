#pragma once
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/store/headroom.hpp"
#include "lib/store/quality.hpp"
#include "sim/gridsim/engine/book.hpp"
#include "sim/gridsim/engine/cluster.hpp"

namespace gleaner::gridsim {

/// The actions of one cycle for one pair, if there were any.
struct PairCycle {
  grid::Instant time;
  int campaign = 0;
  int cluster = 0;
  double job_ratio = 0;
  int free = 0;       ///< free resources by the cycle's status
  int running = 0;    ///< jobs
  int waiting = 0;    ///< jobs
  int wiped = 0;      ///< jobs
  int submitted = 0;  ///< jobs
};

/// The outcomes of the ratios, by cluster and algorithm (empty: the first ratio).
using RatioFigures = std::map<std::pair<int, std::string_view>, grid::PlanFigures>;

/// One cycle of the grid, by production's code: the updator's poll, the predictor (predictor::forecasts_of), nikita (nikita::to_wipe), the
/// metascheduler (snapshot_of, planner::plan, submitted_of) and the runner's submissions, sequential on each cluster and parallel across
/// clusters.
class GridCycle {
 public:
  GridCycle(World& world, Book& book) : world_{world}, book_{book} {}

  /// The end of the cycle: the last submission is answered.
  grid::Instant run(std::span<const Cluster> clusters, grid::Instant now);

  [[nodiscard]] const std::vector<PairCycle>& history() const { return history_; }
  [[nodiscard]] const RatioFigures& ratios() const { return ratios_; }

 private:
  void watch_local(grid::Instant now);
  void predict(grid::Instant now);
  void wipe(grid::Instant now);
  void remove(std::span<const grid::JobId> jobs, grid::Instant now);
  void preempt(std::span<const grid::JobId> jobs, grid::Instant at);
  grid::Instant plan(grid::Instant now);
  [[nodiscard]] grid::Instant submit(const std::vector<int>& jobs, grid::ClusterId cluster, grid::Instant at);
  void record(const grid::PlanningFacts& facts, std::span<const store::Submitted> submitted, grid::Instant now);

  World& world_;
  Book& book_;
  std::map<std::pair<int, int>, int> wiped_;
  std::vector<PairCycle> history_;
  RatioFigures ratios_;
  std::map<grid::ClusterId, store::LocalFacts> local_;
  std::map<grid::ClusterId, grid::LocalWatch> watches_;
  std::size_t seen_starts_ = 0;  ///< of local jobs, in World::local_waits
};

}  // namespace gleaner::gridsim
