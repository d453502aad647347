#pragma once
#include <vector>

#include "lib/grid/flood.hpp"
#include "lib/store/kills.hpp"

namespace gleaner::nikita {

/// The queue of one cluster, as far as it is ours.
struct Queue {
  std::vector<store::WaitingJob> jobs;  ///< that wait, the newest first
  int free_resources = 0;
  int max_resources = 0;
  double flood = 0;
};

struct Patience {
  std::chrono::milliseconds grace;    ///< a younger job is never wiped
  std::chrono::milliseconds timeout;  ///< an older one has waited too long
};

struct Wiped {
  std::vector<grid::JobId> excess;
  std::vector<grid::JobId> waited_too_long;
};

/// Which waiting jobs are to go. Those beyond the flood and beyond what the free resources are
/// about to take, counted in resources, the newest first; and those that have waited too long, which
/// may find room elsewhere. Source: spec/003, step 9, and Bzizou's note on Nikita.
[[nodiscard]] Wiped to_wipe(const Queue& queue, const Patience& patience, grid::Instant now);

}  // namespace gleaner::nikita
