#pragma once
#include <vector>

#include "lib/grid/flood.hpp"
#include "lib/store/kills.hpp"

namespace gleaner::nikita {

/// Our part of the queue of one cluster.
struct Queue {
  std::vector<store::WaitingJob> jobs;  ///< waiting jobs, the newest first
  int free_resources = 0;
  int max_resources = 0;
  double flood = 0;
};

struct Patience {
  std::chrono::milliseconds grace;    ///< a younger job is never wiped
  std::chrono::milliseconds timeout;  ///< an older job has waited too long
};

struct Wiped {
  std::vector<grid::JobId> excess;
  std::vector<grid::JobId> waited_too_long;
};

/// The waiting jobs to wipe: those beyond the flood and beyond what the free resources are about to take (counted in resources, the newest
/// first), and those that have waited too long and may find room elsewhere. Pure. Cost: O(waiting jobs). Source: document 003, step 9, and
/// Bzizou's note on Nikita.
[[nodiscard]] Wiped to_wipe(const Queue& queue, const Patience& patience, grid::Instant now);

}  // namespace gleaner::nikita
