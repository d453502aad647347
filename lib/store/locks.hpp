#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "lib/grid/id.hpp"
#include "lib/store/database.hpp"

/// Locks on work: a module's on one cluster, or one that is for the whole grid.
namespace gleaner::store {

/// Takes the whole grid's lock on a work that is one transaction, until its end. False when another transaction holds it.
[[nodiscard]] bool try_lock_until_commit(Transaction& transaction, Database::Work work);

/// The connection that holds a lock.
struct LockHolder {
  std::int64_t pid = 0;           ///< of PostgreSQL's process, for pg_terminate_backend
  std::string host;               ///< of its program; empty: the database's own machine
  std::chrono::seconds silent{};  ///< since it last began or ended a statement
};
/// The holder of the lock on a cluster's work, or on one for the whole grid. Empty: the lock is free.
[[nodiscard]] std::optional<LockHolder> lock_holder(Transaction& transaction, Database::Work work, std::optional<grid::ClusterId> cluster);

}  // namespace gleaner::store
