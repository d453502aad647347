#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "lib/grid/id.hpp"
#include "lib/store/database.hpp"

/// Who is at work: a module on one cluster, or one that decides for the whole grid.
namespace gleaner::store {

/// For a work that is one transaction: takes the whole grid's lock on it until the end of this one. False when another transaction
/// has it.
[[nodiscard]] bool try_lock_until_commit(Transaction& transaction, Database::Work work);

/// The connection that has a lock.
struct LockHolder {
  std::int64_t pid = 0;           ///< of PostgreSQL's process, for pg_terminate_backend
  std::string host;               ///< where its program runs; empty: on the database's own machine
  std::chrono::seconds silent{};  ///< since it last began or ended a statement
};
/// Of a cluster's work, or of one that is the whole grid's. Nothing when the lock is free now.
[[nodiscard]] std::optional<LockHolder> lock_holder(Transaction& transaction, Database::Work work, std::optional<grid::ClusterId> cluster);

}  // namespace gleaner::store
