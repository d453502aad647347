#pragma once
#include <string>

#include "sim/gridlocal/place.hpp"
#include "sim/gridlocal/services.hpp"

namespace gleaner::gridlocal {

inline constexpr const char* kDatabaseService = "postgresql";

/// Starts the place's own PostgreSQL, and creates its files at first: a unix socket in a folder that only its owner can enter, no TCP.
/// Under root, it belongs to the user `postgres`. Throws process::Error if it does not start.
void start_database(const Place& place, Services& services);

/// The libpq conninfo of the database.
[[nodiscard]] std::string conninfo(const Place& place);

}  // namespace gleaner::gridlocal
