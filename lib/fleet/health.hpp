#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/process/config.hpp"
#include "lib/store/health.hpp"

/// Whether the grid works, for GET /health, `gridctl check`, and everybody who reads what the grid states.
namespace gleaner::fleet {

/// A reason why the grid does not work as it should.
struct Trouble {
  std::string kind;  ///< conductor, size, or one of store::Fault
  std::string subject;
  std::optional<grid::Instant> since;
  std::string message;
  std::string remedy;
  bool is_wanted = false;    ///< somebody ordered it: a brake set by hand
  bool fails_again = false;  ///< a module of the whole grid, whose last three turns failed
};

/// That nobody conducts, or that cycles do not end; empty: they do. Pure.
/// - An almighty whose lease ran out died, or lost the database: known after twice the lease, at least 15 s more than the lease.
/// - One that was stopped may come back: three periods, at least a minute.
/// - Cron may leave three minutes between two cycles.
/// - While the lease is held, and before the first cycle, a cycle may take as long as all modules may.
[[nodiscard]] std::optional<Trouble> standstill(const store::Conduct& conduct, const process::Config& config, grid::Instant now);

/// All troubles of the grid, the conductor's first. Cost: a few index look-ups.
[[nodiscard]] std::vector<Trouble> troubles(store::Transaction& transaction, const process::Config& config, grid::Instant now);

}  // namespace gleaner::fleet
