#include "lib/store/database.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <initializer_list>
#include <stdexcept>
#include <string_view>

#include "lib/store/detail.hpp"
#include "lib/store/watcher.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::store {

struct Database::Implementation {
  explicit Implementation(const std::string& conninfo) : connection{conninfo} {}
  pqxx::connection connection;
  Prepared prepared;
  std::vector<std::pair<std::string, std::shared_ptr<bool>>> channels;  ///< those of listen(), and whether somebody notified
};

namespace {

std::atomic<Watcher*> watcher_of_all{nullptr};

void report(void (Watcher::*event)()) {
  if (auto* const watcher = watcher_of_all.load(std::memory_order_relaxed)) (watcher->*event)();
}

std::string first_line(std::string_view text) { return std::string{text.substr(0, text.find('\n'))}; }

template <class Work>
auto guarded(std::string_view what, Work&& work) {
  try {
    return work();
  } catch (...) {
    detail::rethrow(what);
  }
}

}  // namespace

Transaction::Transaction(std::unique_ptr<Implementation> implementation) : implementation_{std::move(implementation)} {}
Transaction::~Transaction() = default;
Transaction::Transaction(Transaction&&) noexcept = default;

void watch(Watcher* watcher) { watcher_of_all = watcher; }

void Transaction::commit() {
  report(&Watcher::before_commit);
  guarded("commit", [&] { implementation_->work.commit(); });
  report(&Watcher::after_commit);
}

Database::Database(const std::string& conninfo, const ConnectionLimits& limits) {
  report(&Watcher::before_connection);
  try {
    implementation_ = std::make_unique<Implementation>(with_settings(conninfo, limits));
  } catch (const std::exception& error) {
    throw Unavailable{fmt::format("the database cannot be reached: {}", first_line(error.what()))};
  }
}

Database::~Database() = default;
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;

Transaction Database::begin() {
  report(&Watcher::before_transaction);
  return guarded("begin", [&] {
    return Transaction{std::make_unique<Transaction::Implementation>(implementation_->connection, implementation_->prepared)};
  });
}

Transaction Database::begin(Term term) {
  auto transaction = begin();
  const auto held = detail::exec_prepared(transaction, sql::lease_guard{.term = term});
  if (held.empty()) throw LeaseLost{fmt::format("term {} is over: another conductor holds the lease", term)};
  transaction.implementation().now = *held[0].now;
  return transaction;
}

bool Database::try_lock(Work work, std::int64_t cluster) {
  report(&Watcher::before_transaction);
  const sql::locks_try query{.work = static_cast<int>(work), .cluster = cluster};
  return *detail::exec_alone(implementation_->connection, implementation_->prepared, query)[0].taken;
}

void Database::unlock(Work work, std::int64_t cluster) {
  report(&Watcher::before_transaction);
  const sql::locks_release query{.work = static_cast<int>(work), .cluster = cluster};
  detail::exec_alone(implementation_->connection, implementation_->prepared, query);
}

void Database::listen(const std::string& channel) {
  guarded("listen", [&] { implementation_->channels.emplace_back(channel, detail::listen_to(implementation_->connection, channel)); });
}

std::optional<std::string> Database::wait_for_notification(std::chrono::milliseconds at_most, int other_descriptor) {
  return guarded("wait for a notification", [&]() -> std::optional<std::string> {
    const auto take = [&]() -> std::optional<std::string> {
      for (const auto& [channel, notified] : implementation_->channels) {
        if (std::exchange(*notified, false)) return channel;
      }
      return std::nullopt;
    };
    implementation_->connection.get_notifs();
    auto channel = take();
    if (!channel) {
      std::array waiting{pollfd{.fd = implementation_->connection.sock(), .events = POLLIN, .revents = 0},
                         pollfd{.fd = other_descriptor, .events = POLLIN, .revents = 0}};
      poll(waiting.data(), waiting.size(), static_cast<int>(at_most.count()));
      implementation_->connection.get_notifs();
      channel = take();
    }
    return channel;
  });
}

bool Database::seems_open() const {
  // An idle server sends nothing: readable data announces its end of the connection.
  pollfd item{.fd = implementation_->connection.sock(), .events = POLLIN, .revents = 0};
  return item.fd >= 0 && poll(&item, 1, 0) == 0;
}

namespace {

enum class Savepoints { none, made };
enum class End { committed, undone };

/// False when a part was refused and no savepoint could contain it.
bool transact_once(Database& database, std::optional<Term> term, const std::function<void(Transaction&)>& work, End end,
                   Savepoints savepoints) {
  auto transaction = term ? database.begin(*term) : database.begin();
  auto& implementation = transaction.implementation();
  implementation.savepoints = savepoints == Savepoints::made;
  try {
    work(transaction);
  } catch (const Refused&) {
    if (!implementation.refused_part) throw;
    return false;
  }
  if (end == End::committed) transaction.commit();
  return true;
}

void transact_until(End end, Database& database, std::optional<Term> term, const std::function<void(Transaction&)>& work) {
  // Refusals are rare: savepoints are made only after one.
  auto savepoints = Savepoints::none;
  for (int tries = 1;; ++tries) {
    try {
      if (transact_once(database, term, work, end, savepoints)) return;
      savepoints = Savepoints::made;
    } catch (const pqxx::transaction_rollback&) {
      constexpr int kMostTries = 5;
      if (tries >= kMostTries) throw;
    }
  }
}

}  // namespace

void transact(Database& database, std::optional<Term> term, const std::function<void(Transaction&)>& work) {
  transact_until(End::committed, database, term, work);
}

void rehearse(Database& database, const std::function<void(Transaction&)>& work) {
  transact_until(End::undone, database, std::nullopt, work);
}

void set_limits(Transaction& transaction, const ConnectionLimits& limits) {
  detail::exec(transaction, sql::grid_set_limits{.statement_ms = limits.statement.count(),
                                                 .lock_ms = limits.lock.count(),
                                                 .pause_ms = limits.idle_in_transaction.count()});
}

void wake_up(Transaction& transaction) { detail::exec(transaction, sql::grid_wake_up{}); }

std::string grid_token(Transaction& transaction) { return *detail::exec(transaction, sql::grid_token{})[0].token; }

namespace detail {
namespace {

bool begins_with_one_of(std::string_view state, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) { return state.starts_with(beginning); });
}

/// lock_timeout (55P03), statement_timeout or a cancellation (57014).
bool is_a_time_limit(std::string_view state) { return begins_with_one_of(state, {"55P03", "57014"}); }

/// Whether the same statement may succeed later: connection lost (08), read-only server (25006), session idle for too long (25P03), no disk
/// space or memory (53), server stop (57), disk error of the server (58).
bool is_passing(std::string_view state) { return begins_with_one_of(state, {"08", "25006", "25P03", "53", "57", "58"}); }

/// Whether other values would have been accepted. Excludes statements that are wrong for all values (42), and those in a transaction that
/// is already lost (25).
bool is_about_values(std::string_view state) { return !state.empty() && !begins_with_one_of(state, {"25", "42"}); }

}  // namespace

void rethrow(std::string_view what) {
  try {
    throw;
  } catch (const pqxx::transaction_rollback&) {
    throw;
  } catch (const pqxx::broken_connection& error) {
    throw Unavailable{fmt::format("the database went away during '{}': {}", what, first_line(error.what()))};
  } catch (const pqxx::in_doubt_error& error) {
    throw Unavailable{fmt::format("the database went away at the commit of '{}': {}", what, first_line(error.what()))};
  } catch (const pqxx::undefined_table& error) {
    throw WrongSchema{fmt::format("the database has no such table ({}): run 'gridctl db migrate'", first_line(error.what()))};
  } catch (const pqxx::sql_error& error) {
    const std::string_view state = error.sqlstate();
    if (is_a_time_limit(state)) throw TimedOut{fmt::format("'{}' took too long: {}", what, first_line(error.what()))};
    if (is_passing(state)) throw Unavailable{fmt::format("the database stopped during '{}': {}", what, first_line(error.what()))};
    const auto why = fmt::format("query '{}': {}", what, error.what());
    if (is_about_values(state)) throw Refused{why};
    throw std::logic_error{why};
  } catch (const pqxx::failure& error) {
    throw Unavailable{fmt::format("the database failed during '{}': {}", what, first_line(error.what()))};
  }
}

std::string text_array(std::span<const std::string> values) {
  Array array;
  for (const auto& value : values) array.add(std::string_view{value});
  return array.literal();
}

std::vector<std::int64_t> numbers_in(std::string_view array) {
  const auto unreadable = [&] { return std::logic_error{fmt::format("'{}' is no array of whole numbers", array)}; };
  std::vector<std::int64_t> numbers;
  auto rest = array;
  if (!rest.starts_with('{')) throw unreadable();
  for (rest.remove_prefix(1); rest != "}";) {
    const auto number = text::take_whole_number(rest);
    if (!number) throw unreadable();
    numbers.push_back(*number);
    if (rest.starts_with(',')) rest.remove_prefix(1);
  }
  return numbers;
}

void Array::add(std::string_view value) {
  std::string quoted{"\""};
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  put(quoted + '"');
}

void Array::add(std::optional<grid::Instant> value) { add(micros(value)); }

}  // namespace detail
}  // namespace gleaner::store
