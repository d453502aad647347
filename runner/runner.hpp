#pragma once
#include <string>

#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::runner {

struct Counts {
  int launches = 0;  ///< posted
  int accepted = 0;
  int refused = 0;
  int unknown = 0;  ///< POSTs whose answer was lost
  int given_back = 0;
  int found = 0;     ///< jobs of launches without an answer, adopted
  int released = 0;  ///< tasks of void launches that may go to other clusters
  int inputs = 0;    ///< pieces of input files that were brought to clusters
  int programs = 0;  ///< programs of jobs that were put into homes on clusters
  [[nodiscard]] std::string summary() const;
  /// It changed nothing.
  [[nodiscard]] bool is_idle() const { return launches + given_back + found + released + inputs + programs == 0; }
};

/// One cycle: settles the launches whose fate is unknown, then makes the planned ones, on each cluster independently.
Counts run_once(const process::Config& config, store::Database& database, store::Term term);

}  // namespace gleaner::runner
