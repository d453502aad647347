#pragma once
#include <string>

#include "lib/process/config.hpp"
#include "lib/store/database.hpp"
#include "nikita/clean.hpp"

namespace gleaner::nikita {

struct Counts {
  int wiped = 0;     ///< waiting jobs newly condemned
  int sent = 0;      ///< jobs whose deletion was asked for
  int not_sent = 0;  ///< OAR could not be asked, or said no: again in the next cycle
  int left = 0;      ///< deletions for the next cycle: this turn's time was over, or the cluster answered nothing more
  int foreign = 0;   ///< not asked for: under their ids OAR has other jobs, or none
  Cleaned cleaned;   ///< files on the clusters
  [[nodiscard]] std::string summary() const;
};

/// One cycle: condemns the jobs of cancelled campaigns, the waiting jobs beyond the flood and those
/// that waited too long; asks OAR for the deletions that are due, of jobs that it has seen to be ours;
/// removes what campaigns left (clean.hpp).
/// A job is over only when its state says so, in a later cycle. Clusters that cannot be reached are
/// left alone. However many deletions are due, and however slow the cluster is, a turn ends in time
/// (fleet::turn_budget); what was not asked for stays due.
Counts run_once(const process::Config& config, store::Database& database, store::Term term);

}  // namespace gleaner::nikita
