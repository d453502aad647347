#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "lib/grid/time.hpp"
#include "lib/grid/unavailable.hpp"
#include "lib/store/connection_limits.hpp"

namespace gleaner::store {

/// PostgreSQL cannot be reached, closed the connection, accepts no writes now (read-only, a full disk), or exceeded a time limit. The same
/// work may succeed later.
struct Unavailable : grid::Unavailable {
  using grid::Unavailable::Unavailable;
};

/// A statement, or its wait for a lock, exceeded its time limit. The connection is still usable.
struct TimedOut : Unavailable {
  using Unavailable::Unavailable;
};

/// Another conductor holds the lease now: nothing of this transaction was written.
struct LeaseLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// PostgreSQL refused a statement for its values. The transaction is lost, unless it is rolled back to a savepoint (see batch.hpp).
struct Refused : std::logic_error {
  using std::logic_error::logic_error;
};

/// The database's schema differs from this program's.
struct WrongSchema : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A lease's term; every write of a module carries its own.
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
  explicit Database(const std::string& conninfo, const ConnectionLimits& limits = {});
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  /// For reads, and for users' writes.
  [[nodiscard]] Transaction begin();
  /// For a module's writes: throws LeaseLost when the lease has another term now.
  [[nodiscard]] Transaction begin(Term term);

  /// Tries to take this connection's lock on a module's work on one cluster; false when another connection holds it. The lock ends with the
  /// connection. More in locks.hpp.
  enum class Work : std::int32_t { update = 1, wipe = 2, launch = 3, plan = 4, predict = 5 };
  [[nodiscard]] bool try_lock(Work work, std::int64_t cluster);
  void unlock(Work work, std::int64_t cluster);

  /// May be called for several channels.
  void listen(const std::string& channel);
  /// Waits for a notification on a channel of listen(), until the other descriptor is readable, or until the time limit.
  /// @return the channel of one that came; of several channels, the one that was listened to first; empty: none came
  [[nodiscard]] std::optional<std::string> wait_for_notification(std::chrono::milliseconds at_most, int other_descriptor = -1);

  /// False when the server has closed this connection, which is idle and listens to no channel now. Makes no request.
  [[nodiscard]] bool seems_open() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Runs the work in a transaction and commits it. Repeats it after a deadlock or a conflict (5 times at most), and once more after a
/// refusal that a savepoint can contain (see batch.hpp).
void transact(Database& database, std::optional<Term> term, const std::function<void(Transaction&)>& work);

/// As transact, but undoes the work at its end.
void rehearse(Database& database, const std::function<void(Transaction&)>& work);

/// Sets other limits for the statements, locks and pauses of this transaction.
void set_limits(Transaction& transaction, const ConnectionLimits& limits);

/// The channel on which submissions, kills and resumes wake the conductor up.
inline constexpr const char* kWakeUp = "gleaner_wake_up";
void wake_up(Transaction& transaction);

/// The token of this grid's first epoch, by which the grid is known.
[[nodiscard]] std::string grid_token(Transaction& transaction);

}  // namespace gleaner::store
