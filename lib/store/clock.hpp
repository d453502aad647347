#pragma once
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

namespace gleaner::store {

/// The time by the database's clock. Every age is measured by it, whichever host a module runs on.
[[nodiscard]] grid::Instant now(Transaction& transaction);
[[nodiscard]] grid::Instant now(Database& database);

}  // namespace gleaner::store
