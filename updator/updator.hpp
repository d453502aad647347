#pragma once
#include <string>

#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::updator {

/// What one run saw and changed.
struct Counts {
  int clusters = 0;     ///< polled
  int unreachable = 0;  ///< of them
  int observed = 0;
  int ended = 0;
  int followed = 0;
  int absent = 0;
  int finished = 0;  ///< campaigns
  [[nodiscard]] std::string summary() const;
};

/// One cycle: polls the clusters, each on its own, and writes what became of our jobs; then ends
/// the campaigns of which nothing is left. A cluster that does not answer is marked, keeps its
/// jobs as they are, and is asked again later and later.
Counts run_once(const process::Config& config, store::Database& database, store::Term term);

}  // namespace gleaner::updator
