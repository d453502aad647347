#pragma once
#include <string>

#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::updator {

/// The results of one run, as numbers of jobs unless stated.
struct Counts {
  int clusters = 0;     ///< polled
  int unreachable = 0;  ///< of these, the clusters that could not be polled
  int observed = 0;
  int ended = 0;
  int followed = 0;
  int absent = 0;
  int finished = 0;  ///< campaigns
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] bool is_idle() const { return unreachable + observed + ended + followed + absent + finished == 0; }  ///< it changed nothing
};

/// One cycle: polls each cluster independently, writes the new states and ends of our jobs, and then ends the campaigns that have no work
/// left. A cluster that does not answer is marked unreachable, keeps its jobs as they are, and is probed at growing intervals.
Counts run_once(const process::Config& config, store::Database& database, store::Term term);

}  // namespace gleaner::updator
