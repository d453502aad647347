#pragma once
#include <string>

#include "sim/world/database.hpp"

namespace gleaner::world {

/// The statements of production that took PostgreSQL longest in this world, with the names of sql/queries: a line each. Only of a database
/// that counts them (WorldDatabase::Counting).
[[nodiscard]] std::string heaviest_statements(WorldDatabase& database, int most);

}  // namespace gleaner::world
