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
  int released = 0;   ///< tasks put into bags because those that they waited for are done
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] bool is_idle() const { return launches + set_aside + released == 0; }  ///< it changed nothing
};

/// One cycle. First the tasks that others' ends have set free go into their bags, in short transactions. Then, in one transaction: reads
/// the facts, plans, and writes the launches with their jobs, and the decisions. A campaign that cannot be planned is set aside: it gets
/// the event CANNOT_PLAN and a brake, and the others get their plan.
Counts run_once(const process::Config& config, store::Database& database, store::Term term, grid::Instant now);

}  // namespace gleaner::metascheduler
