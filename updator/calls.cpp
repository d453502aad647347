#include "updator/calls.hpp"

#include <algorithm>

namespace gleaner::updator {

bool is_polled(const store::CallsOfCluster& one, std::span<const store::CallsOfCluster> all, grid::Instant now, process::Duration period,
               process::Duration status_max_age) {
  // A poll or a call of the future: the clock was set back.
  if (one.waits || !one.polled || *one.polled > now) return true;
  const auto since = now - *one.polled;
  if (one.called && *one.called <= now && now - *one.called < kCallsExpected)
    return since >= std::min<grid::Instant::duration>(kPeriodsOfCallers * period, status_max_age / 2);
  return since >= period || std::ranges::none_of(all, &store::CallsOfCluster::waits);
}

}  // namespace gleaner::updator
