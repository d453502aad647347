#pragma once
#include "updator/judge.hpp"

/// Writes in one transaction what was judged.
namespace gleaner::updator {

/// The changes of one turn, as numbers of jobs.
struct Changes {
  int observed = 0;  ///< jobs whose state changed
  int ended = 0;
  int followed = 0;  ///< resubmitted by OAR itself
  int absent = 0;    ///< our jobs that OAR does not list: they keep their state
};

/// Writes states, ends and their consequences, events, brakes and the cluster's status. A job that the database refuses keeps its state,
/// with an event, and the others are written. `now` is the database's time.
[[nodiscard]] Changes write(store::Transaction& transaction, const fleet::Visit& visit, const Poll& poll, const Judged& judged,
                            grid::Instant now);

}  // namespace gleaner::updator
