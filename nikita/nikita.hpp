#pragma once
#include <string>

#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::nikita {

struct Counts {
  int wiped = 0;      ///< waiting jobs newly condemned
  int sent = 0;       ///< jobs whose deletion was asked for
  int not_sent = 0;   ///< OAR could not be asked, or said no: again in the next cycle
  int cleaned = 0;    ///< ended campaigns of which nothing is left on a cluster
  [[nodiscard]] std::string summary() const;
};

/// One cycle: condemns the jobs of cancelled campaigns, the waiting jobs beyond the flood and those
/// that waited too long; asks OAR for the deletions that are due; removes what ended campaigns left.
/// A job is over only when its state says so, in a later cycle. Clusters that cannot be reached are
/// left alone.
Counts run_once(const process::Config& config, store::Database& database, store::Term term);

}  // namespace gleaner::nikita
