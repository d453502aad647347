#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Facts about the grid as a whole; fleet::troubles() judges them.
namespace gleaner::store {

/// The present or last conductor.
struct Conduct {
  std::string holder;  ///< of the lease, as fleet::holder_name(); empty: nobody ever had it
  bool is_held = false;
  std::optional<grid::Instant> expires_at;  ///< of the lease; empty: it was released
  std::optional<grid::Instant> last_end;    ///< of a cycle; empty: none has ever ended
  grid::Instant schema_made;
};
[[nodiscard]] Conduct conduct(Transaction& transaction);

/// Since when campaigns are not planned, or not forecast, though cycles go on. Empty: they are.
struct Lapses {
  std::optional<grid::Instant> unplanned;
  std::optional<grid::Instant> unforecast;
};
[[nodiscard]] Lapses lapses(Transaction& transaction, grid::Instant now);

/// Something else that keeps the grid from its work.
struct Fault {
  std::string kind;     ///< database, module, law, cluster, brake, herald, outbox
  std::string subject;  ///< a name of that kind; of a brake, its cluster's
  std::optional<grid::Instant> since;
  std::string message;
  std::optional<std::string> set_by;  ///< of a brake: who set it by hand
  std::int64_t times = 1;             ///< of a module: how often it failed in a row
};
[[nodiscard]] std::vector<Fault> faults(Transaction& transaction, grid::Instant now);

/// Bytes.
[[nodiscard]] std::uint64_t database_size(Transaction& transaction);

}  // namespace gleaner::store
