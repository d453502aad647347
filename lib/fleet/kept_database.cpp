#include "lib/fleet/kept_database.hpp"

#include "lib/store/migrations.hpp"

namespace gleaner::fleet {

store::ConnectionLimits connection_limits(const process::Config& config) {
  return {.dead_after = config.database_dead_after,
          .statement = config.database_statement_timeout,
          .lock = config.database_lock_timeout,
          .idle_in_transaction = config.database_idle_timeout};
}

store::Database& KeptDatabase::open(const std::string& address, const store::ConnectionLimits& limits) {
  const auto conninfo = store::with_settings(address, limits);
  if (!database_ || conninfo != conninfo_ || !database_->seems_open()) {
    database_.reset();
    store::Database fresh{address, limits};
    store::check_schema(fresh);
    database_ = std::move(fresh);
    conninfo_ = conninfo;
  }
  return *database_;
}

}  // namespace gleaner::fleet
