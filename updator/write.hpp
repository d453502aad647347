#pragma once
#include "updator/judge.hpp"

/// Writing: what was judged, in one transaction.
namespace gleaner::updator {

/// What a turn changed.
struct Changes {
  int observed = 0;  ///< jobs that went on to another state
  int ended = 0;
  int followed = 0;  ///< resubmitted by OAR itself
  int absent = 0;    ///< ours, and OAR says nothing of them: they stay as they are
};

/// Writes states, ends and their consequences, events, brakes, the cluster's status. A job that the database refuses is left as it is,
/// with an event, and the others are written. `now` is the database's.
[[nodiscard]] Changes write(store::Transaction& transaction, const fleet::Visit& visit, const Poll& poll, const Judged& judged,
                            grid::Instant now);

}  // namespace gleaner::updator
