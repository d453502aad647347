#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "lib/grid/time.hpp"
#include "lib/grid/unavailable.hpp"

namespace gleaner::store {

/// PostgreSQL cannot be reached, or went away in the middle: try again later.
struct Unavailable : grid::Unavailable {
  using grid::Unavailable::Unavailable;
};

/// Somebody else conducts the grid now: nothing of this transaction was written.
struct LeaseLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The database's schema is not the one of this program.
struct WrongSchema : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A lease's term; every write of a module carries the one that it was given.
using Term = std::int64_t;

class Database;

/// One short transaction; rolled back unless committed. Never open across an HTTP call.
class Transaction {
 public:
  struct Implementation;
  ~Transaction();
  Transaction(Transaction&&) noexcept;
  Transaction& operator=(Transaction&&) = delete;

  void commit();
  [[nodiscard]] Implementation& implementation() { return *implementation_; }

 private:
  friend class Database;
  explicit Transaction(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

/// One connection. Opened at construction; throws Unavailable. Not for two threads at once.
class Database {
 public:
  explicit Database(const std::string& conninfo);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  /// For reads, and for the writes of users.
  [[nodiscard]] Transaction begin();
  /// For the writes of a module: throws LeaseLost when the term is not the lease's any more.
  [[nodiscard]] Transaction begin(Term term);

  /// A lock of this connection on one cluster's work of one module; false when another connection
  /// has it. It is gone with the connection.
  enum class Work : std::int32_t { update = 1, wipe = 2, launch = 3 };
  [[nodiscard]] bool try_lock(Work work, std::int64_t cluster);
  void unlock(Work work, std::int64_t cluster);

  void listen(const std::string& channel);
  /// Waits for a notification on the channel of listen(), for the other descriptor to be readable,
  /// or for the end of the time. True when a notification came.
  [[nodiscard]] bool wait_for_notification(std::chrono::milliseconds at_most, int other_descriptor = -1);

  /// False when the server has ended this connection, which does nothing and listens to nothing
  /// now. Asks nobody.
  [[nodiscard]] bool seems_open() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Runs the work in a transaction and commits it, again when PostgreSQL saw a deadlock or a
/// conflict (at most 5 times).
void transact(Database& database, std::optional<Term> term, const std::function<void(Transaction&)>& work);

/// The channel on which submissions, kills, resumes… wake the conductor up.
inline constexpr const char* kWakeUp = "gleaner_wake_up";
void wake_up(Transaction& transaction);

/// This grid's own token, part of the names of its jobs.
[[nodiscard]] std::string grid_token(Transaction& transaction);

}  // namespace gleaner::store
