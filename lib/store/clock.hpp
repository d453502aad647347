#pragma once
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

namespace gleaner::store {

/// The database's clock: the one that every age is measured by, whichever host a module runs on.
[[nodiscard]] grid::Instant now(Transaction& transaction);
[[nodiscard]] grid::Instant now(Database& database);

}  // namespace gleaner::store
