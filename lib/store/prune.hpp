#pragma once
#include <cstdint>

#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

namespace gleaner::store {

/// Number of rows to delete, or deleted.
struct Pruned {
  std::int64_t campaigns = 0;
  std::int64_t tasks = 0;
  std::int64_t jobs = 0;
  std::int64_t statuses = 0;
  std::int64_t cycles = 0;
  std::int64_t events = 0;
  std::int64_t forecasts = 0;
  std::int64_t acts = 0;  ///< of the audit
};

/// The rows that `prune` would delete, and campaigns whose last jobs are not known to be over.
[[nodiscard]] Pruned count_prunable(Transaction& transaction, grid::Instant before);

/// Deletes the campaigns that ended before, and the clusters' figures, cycles, closed events, kept forecasts and acts that are older; at most
/// `batch` rows in a transaction. It may be interrupted at any time, and run again.
Pruned prune(Database& database, grid::Instant before, std::int64_t batch = 10'000);

}  // namespace gleaner::store
