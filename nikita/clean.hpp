#pragma once
#include <string>

#include "lib/fleet/fleet.hpp"

namespace gleaner::nikita {

struct Cleaned {
  int campaigns = 0;  ///< ended ones, of which nothing is left there
  int folders = 0;    ///< of launches of campaigns that go on
  int files = 0;      ///< single ones, of tasks that are settled
};

/// Removes what campaigns left on a cluster: all of those that have ended, and of those that go on as many files of settled tasks as
/// keep them within 10 for each live job, and 1000. Within a time limit of its own and the turn's: the rest goes in the next turns.
/// Nothing goes that a job may still claim (grid::may_be_removed).
[[nodiscard]] Cleaned clean(fleet::Visit& visit, const std::string& token);

}  // namespace gleaner::nikita
