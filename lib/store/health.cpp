#include "lib/store/health.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

using detail::exec;

Conduct conduct(Transaction& transaction) {
  Conduct conduct;
  const auto rows = exec(transaction, sql::health_conductor{});
  if (rows.empty()) return conduct;  // a broken law
  const auto row = rows[0];
  conduct.holder = row.holder.value_or("");
  conduct.is_held = *row.held;
  conduct.expires_at = row.expires_at;
  conduct.last_end = row.last_end;
  conduct.schema_made = *row.schema_made;
  return conduct;
}

Lapses lapses(Transaction& transaction, grid::Instant now) {
  const auto rows = exec(transaction, sql::health_lapses{.now = now});
  return {.unplanned = rows[0].unplanned, .unforecast = rows[0].unforecast};
}

std::vector<Fault> faults(Transaction& transaction, grid::Instant now) {
  std::vector<Fault> faults;
  for (const auto& row : exec(transaction, sql::health_faults{.now = now}))
    faults.push_back({*row.kind, *row.subject, row.since, *row.message, row.set_by, *row.times});
  return faults;
}

std::uint64_t database_size(Transaction& transaction) {
  const std::int64_t bytes = *exec(transaction, sql::health_database_size{})[0].bytes;
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace gleaner::store
