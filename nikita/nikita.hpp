#pragma once
#include <string>

#include "lib/process/config.hpp"
#include "lib/store/database.hpp"
#include "nikita/clean.hpp"

namespace gleaner::nikita {

struct Counts {
  int wiped = 0;      ///< waiting jobs whose kill was requested in this turn
  int sent = 0;       ///< deletions sent
  int not_sent = 0;   ///< OAR did not answer, or refused: retried in the next cycle
  int left = 0;       ///< deletions left for the next cycle: the turn's time was over, or the cluster did not answer
  int signalled = 0;  ///< jobs that OAR signalled for a checkpoint
  int withheld = 0;   ///< claims made for cancelled tasks of pools
  int foreign = 0;    ///< not sent: OAR lists foreign jobs, or none, under their ids
  Cleaned cleaned;    ///< files on the clusters
  int purged = 0;     ///< campaigns that are gone, as their users wanted
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] bool is_idle() const {
    return wiped + sent + not_sent + left + signalled + withheld + foreign + cleaned.campaigns + cleaned.folders + cleaned.files + purged ==
           0;
  }  ///< it changed nothing
};

/// One cycle: requests kills of the jobs of cancelled campaigns, of superseded jobs, of waiting jobs beyond the flood, and of those that
/// waited too long; sends the deletions that are due, for jobs that OAR lists as ours; has OAR signal those whose checkpoint is due
/// (checkpoint.hpp); removes files of campaigns (clean.hpp), and campaigns that their users had deleted (purge.hpp). A job is
/// over only when a later cycle reads so in its state. Unreachable clusters are skipped. A turn ends in time (fleet::turn_budget), however
/// many deletions are due and however slow the cluster is; deletions that were not sent stay due.
Counts run_once(const process::Config& config, store::Database& database, store::Term term);

}  // namespace gleaner::nikita
