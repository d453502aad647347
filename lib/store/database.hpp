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

/// PostgreSQL cannot be reached, went away in the middle, takes no writes now (read-only, a full disk), or took too long: try again
/// later.
struct Unavailable : grid::Unavailable {
  using grid::Unavailable::Unavailable;
};

/// A statement took too long, or waited too long for a lock. The connection is good; who else uses it is not concerned.
struct TimedOut : Unavailable {
  using Unavailable::Unavailable;
};

/// Somebody else conducts the grid now: nothing of this transaction was written.
struct LeaseLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// PostgreSQL refused a statement for the values in it. The transaction is of no use any more, unless it goes back to a savepoint
/// (see batch.hpp).
struct Refused : std::logic_error {
  using std::logic_error::logic_error;
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
  explicit Database(const std::string& conninfo, const ConnectionLimits& limits = {});
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  /// For reads, and for the writes of users.
  [[nodiscard]] Transaction begin();
  /// For the writes of a module: throws LeaseLost when the term is not the lease's any more.
  [[nodiscard]] Transaction begin(Term term);

  /// A lock of this connection on one cluster's work of one module; false when another connection
  /// has it. It is gone with the connection. More in locks.hpp.
  enum class Work : std::int32_t { update = 1, wipe = 2, launch = 3, plan = 4, predict = 5 };
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
/// conflict (at most 5 times), and once more when it refused a part that may be taken back alone
/// (see batch.hpp).
void transact(Database& database, std::optional<Term> term, const std::function<void(Transaction&)>& work);

/// Other limits for the statements, locks and pauses of this transaction alone.
void set_limits(Transaction& transaction, const ConnectionLimits& limits);

/// The channel on which submissions, kills, resumes… wake the conductor up.
inline constexpr const char* kWakeUp = "gleaner_wake_up";
void wake_up(Transaction& transaction);

/// This grid's own token, part of the names of its jobs.
[[nodiscard]] std::string grid_token(Transaction& transaction);

}  // namespace gleaner::store
