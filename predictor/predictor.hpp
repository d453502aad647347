#pragma once
#include <string>

#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::predictor {

struct Counts {
  int campaigns = 0;  ///< that have a forecast
  int limited = 0;    ///< clusters under stress
  [[nodiscard]] std::string summary() const;
};

/// One cycle: corrects the job ratio of each campaign on each cluster by what became of the jobs
/// last submitted, forecasts the campaigns' ends, and sets how many jobs the clusters under stress take.
Counts run_once(const process::Config& config, store::Database& database, store::Term term, grid::Instant now);

}  // namespace gleaner::predictor
