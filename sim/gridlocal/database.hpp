#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "lib/process/child.hpp"
#include "sim/gridlocal/place.hpp"
#include "sim/gridlocal/services.hpp"

namespace gleaner::gridlocal {

inline constexpr const char* kDatabaseService = "postgresql";

/// Starts the place's own PostgreSQL, and creates its files at first: a unix socket in a folder that only its owner can enter, no TCP.
/// Under root, it belongs to the user `postgres`. Throws process::Error if it does not start.
void start_database(const Place& place, Services& services);

/// Creates the files of a PostgreSQL in the folder, unless it has some. Throws process::Error.
void make_database_files(const std::filesystem::path& folder);
/// Runs it: with its socket in the folder, and these settings, `fsync=off`, besides.
[[nodiscard]] process::Command server_command(const std::filesystem::path& folder, const std::vector<std::string>& settings);
/// Where the server is, for libpq, without a database.
[[nodiscard]] std::string server_conninfo(const std::filesystem::path& folder);

/// Runs pg_dump on one of its databases. Throws process::Error.
void dump(const std::filesystem::path& folder, const std::string& database, const std::vector<std::string>& options);

/// The libpq conninfo of the database.
[[nodiscard]] std::string conninfo(const Place& place);

}  // namespace gleaner::gridlocal
