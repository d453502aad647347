#pragma once
#include <chrono>
#include <string>

namespace gleaner::store {

/// Time limits of a connection to the database. 0: no limit.
struct ConnectionLimits {
  /// Time after which a silent host at the other end is given up, by this program and by PostgreSQL, which then frees the session's locks.
  /// In whole seconds, at least 2.
  std::chrono::milliseconds dead_after{30'000};
  std::chrono::milliseconds statement{60'000};            ///< of one statement, which then throws Unavailable
  std::chrono::milliseconds lock{30'000};                 ///< of a statement's wait for another session's lock
  std::chrono::milliseconds idle_in_transaction{60'000};  ///< of a pause within a transaction; PostgreSQL then ends the session
  bool operator==(const ConnectionLimits&) const = default;
};

/// The conninfo with the settings of our sessions added, except those that it sets itself, or that the environment sets (PGOPTIONS,
/// PGCONNECT_TIMEOUT): these limits, and no compilation of queries (jit), which takes seconds where our short queries look expensive to
/// PostgreSQL. Without any limit nothing is added: some poolers take no startup options. A conninfo that libpq cannot read is returned
/// unchanged.
[[nodiscard]] std::string with_settings(const std::string& conninfo, const ConnectionLimits& limits);

}  // namespace gleaner::store
