#pragma once
#include <vector>

#include "lib/grid/quality.hpp"
#include "lib/terminal/quality_table.hpp"
#include "sim/gridsim/engine/scenario.hpp"
#include "sim/gridsim/engine/simulation.hpp"

namespace gleaner::gridsim {

/// How good a simulation's plans were, as production counts it (lib/grid/quality.hpp). Jobs that are not over are not counted.
struct PlanQuality {
  std::vector<terminal::PlanLine> plans;          ///< by cluster, algorithm and type of campaign
  std::vector<terminal::ForecastLine> forecasts;  ///< by cluster (empty: several) and method
  grid::PlanFigures all_plans;
  grid::ForecastFigures all_forecasts;
};
[[nodiscard]] PlanQuality quality_of(const Scenario& scenario, const Outcome& outcome);

/// A job of the cluster that is over, as it is judged.
[[nodiscard]] grid::JudgedJob judged(const Job& job);

}  // namespace gleaner::gridsim
