#pragma once
#include <chrono>
#include <string>

namespace gleaner::store {

/// How long a connection to the database waits for what. Zero: for ever.
struct ConnectionLimits {
  /// Until a host at the other end that answers nothing is given up: by this program and by PostgreSQL, which then frees the locks of
  /// the session. In whole seconds, at least 2.
  std::chrono::milliseconds dead_after{30'000};
  std::chrono::milliseconds statement{60'000};            ///< one statement; it ends with Unavailable
  std::chrono::milliseconds lock{30'000};                 ///< the same of one that waits for another session's lock
  std::chrono::milliseconds idle_in_transaction{60'000};  ///< a transaction in which nothing happens; PostgreSQL ends the session
};

/// The conninfo with these limits, but for those that it sets itself, or that the environment sets (PGOPTIONS, PGCONNECT_TIMEOUT). One
/// that libpq cannot read is returned as it is.
[[nodiscard]] std::string with_limits(const std::string& conninfo, const ConnectionLimits& limits);

}  // namespace gleaner::store
