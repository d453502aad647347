#pragma once
#include <string>

#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::predictor {

struct Counts {
  int campaigns = 0;  ///< that have a forecast
  int limited = 0;    ///< clusters whose jobs are limited because of stress
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] bool is_idle() const { return limited == 0; }  ///< it changed nothing
};

/// One cycle: corrects the job ratio of each pair by how the jobs last submitted fared, forecasts the campaigns' starts and ends, and sets
/// how many jobs each cluster under stress takes.
Counts run_once(const process::Config& config, store::Database& database, store::Term term, grid::Instant now);

}  // namespace gleaner::predictor
