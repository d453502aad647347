#pragma once
#include <string>

#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::metascheduler {

struct Counts {
  int campaigns = 0;
  int launches = 0;
  int jobs = 0;
  int set_aside = 0;  ///< campaigns that could not be planned
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] bool is_idle() const { return launches + set_aside == 0; }  ///< it changed nothing
};

/// One cycle, in one transaction: reads the facts, plans, and writes the launches with their jobs, and the decisions. A campaign that
/// cannot be planned is set aside: it gets the event CANNOT_PLAN and a brake, and the others get their plan.
Counts run_once(const process::Config& config, store::Database& database, store::Term term, grid::Instant now);

}  // namespace gleaner::metascheduler
