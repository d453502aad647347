#pragma once
#include <string>

#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::predictor {

struct Counts {
  int pairs = 0;
  [[nodiscard]] std::string summary() const;
};

/// One cycle: corrects the job ratio of each campaign on each cluster by what became of the jobs
/// last submitted, and forecasts the campaigns' ends.
Counts run_once(const process::Config& config, store::Database& database, store::Term term, grid::Instant now);

}  // namespace gleaner::predictor
