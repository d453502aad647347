#pragma once
#include "updator/poll.hpp"

namespace gleaner::updator {

/// What a poll changed.
struct Changes {
  int observed = 0;  ///< jobs that went on to another state
  int ended = 0;
  int followed = 0;  ///< resubmitted by OAR itself
  int absent = 0;    ///< ours, and OAR says nothing of them: they stay as they are
};

/// Writes what a poll saw in one transaction: states, ends and their consequences, events, brakes,
/// the cluster's status.
[[nodiscard]] Changes apply_poll(store::Transaction& transaction, const fleet::Visit& visit, const std::vector<store::LiveJob>& live,
                                 const Poll& poll);

}  // namespace gleaner::updator
