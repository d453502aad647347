#pragma once
#include <string>

#include "lib/fleet/fleet.hpp"
#include "lib/grid/epochs.hpp"

namespace gleaner::nikita {

struct Cleaned {
  int campaigns = 0;  ///< finished campaigns of which no file is left on the cluster
  int folders = 0;    ///< of launches of unfinished campaigns
  int files = 0;      ///< single files, of settled tasks
};

/// Removes the files of campaigns from a cluster: all of finished campaigns; of the others as many files of settled tasks as keep them
/// within 10 files per live job, and 1000. Bounded by a time limit of its own and the turn's; the next turns continue. No file is removed
/// that a job may still claim (grid::may_be_removed).
[[nodiscard]] Cleaned clean(fleet::Visit& visit, const grid::Epochs& epochs);

}  // namespace gleaner::nikita
