#include "api/connections.hpp"

#include <algorithm>

#include "lib/store/clock.hpp"
#include "lib/store/migrations.hpp"

namespace gleaner::api {
namespace {

constexpr int kMostInUse = 16;
constexpr std::size_t kMostIdle = 4;
constexpr auto kPatienceForConnection = std::chrono::seconds{10};

/// 0 means no limit.
process::Duration shorter(process::Duration limit, process::Duration patience) {
  return limit.count() == 0 ? patience : std::min(limit, patience);
}

}  // namespace

Connections::Connections(std::string conninfo, const process::Config& config)
    : conninfo_{std::move(conninfo)},
      longer_{.dead_after = config.database_dead_after,
              .statement = config.database_statement_timeout,
              .lock = config.database_lock_timeout,
              .idle_in_transaction = config.database_idle_timeout},
      limits_{.dead_after = config.database_dead_after,
              .statement = shorter(config.database_statement_timeout, config.api_patience),
              .lock = shorter(config.database_lock_timeout, config.api_patience),
              .idle_in_transaction = shorter(config.database_idle_timeout, config.api_patience)} {}

void Connections::wait_for_turn() {
  std::unique_lock lock{mutex_};
  if (!freed_.wait_for(lock, kPatienceForConnection, [&] { return in_use_ < kMostInUse; }))
    throw store::Unavailable{"all connections to the database are in use"};
  ++in_use_;
}

std::optional<store::Database> Connections::take_idle() {
  const std::lock_guard lock{mutex_};
  while (!idle_.empty()) {
    store::Database database = std::move(idle_.back());
    idle_.pop_back();
    if (database.seems_open()) return database;
  }
  return std::nullopt;
}

void Connections::give_back(std::optional<store::Database> database) {
  {
    const std::lock_guard lock{mutex_};
    --in_use_;
    if (database && idle_.size() < kMostIdle) idle_.push_back(std::move(*database));
  }
  freed_.notify_one();
}

grid::Instant Connections::carried_on() const {
  return reading_ ? reading_->time + std::chrono::floor<grid::Instant::duration>(grid::SteadyClock::now() - reading_->at) : grid::now();
}

grid::Instant Connections::known_now() const {
  const std::lock_guard lock{mutex_};
  return carried_on();
}

grid::Instant Connections::now() {
  constexpr std::chrono::seconds kCarriedOn{30};
  {
    const std::lock_guard lock{mutex_};
    const auto asked = grid::SteadyClock::now();
    if (asked_for_ && asked - *asked_for_ < kCarriedOn) return carried_on();
    asked_for_ = asked;
  }
  std::optional<grid::Instant> time;
  try {
    time = read([](store::Transaction& transaction) { return store::now(transaction); });
  } catch (const std::exception&) {
    // The request itself reports it, if it needs the database.
  }
  const auto answered = grid::SteadyClock::now();
  const std::lock_guard lock{mutex_};
  if (time) reading_ = Reading{*time, answered};
  return carried_on();
}

store::Database Connections::open() const {
  store::Database database{conninfo_, limits_};
  store::check_schema(database);
  return database;
}

Connections::Lease::Lease(Connections& from) : from_{from} {
  from_.wait_for_turn();
  try {
    database_ = from_.take_idle();
    if (!database_) {
      is_new_ = true;
      database_.emplace(from_.open());
    }
  } catch (...) {
    from_.give_back({});
    throw;
  }
}

Connections::Lease::~Lease() {
  if (!kept_) database_.reset();
  from_.give_back(std::move(database_));
}

}  // namespace gleaner::api
