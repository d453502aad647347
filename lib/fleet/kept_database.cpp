#include "lib/fleet/kept_database.hpp"

#include "lib/store/migrations.hpp"

namespace gleaner::fleet {

store::Database& KeptDatabase::open(const std::string& conninfo) {
  if (!database_ || conninfo != conninfo_ || !database_->seems_open()) {
    database_.reset();
    store::Database fresh{conninfo};
    store::check_schema(fresh);
    database_ = std::move(fresh);
    conninfo_ = conninfo;
  }
  return *database_;
}

}  // namespace gleaner::fleet
