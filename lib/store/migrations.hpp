#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lib/store/database.hpp"

namespace gleaner::store {

/// Applies the migrations that the database does not have yet, each in its own transaction, under
/// a lock (two at once are safe); each ends the conductor's term. Returns the names of those applied. A database of the last version before
/// the first release has the schema of the first migration, which is recorded as applied. Throws WrongSchema when the database is newer
/// than this program, or of an older version before the first release.
std::vector<std::string> migrate(Database& database);

/// The script for psql that makes the roles and the database of a first installation. Its variables are at its beginning.
[[nodiscard]] std::string_view setup_script();

/// Throws WrongSchema, with the remedy, unless the schema is exactly this program's.
void check_schema(Database& database);
/// The same, of a connection that was checked before: others may have migrated the database since.
void check_schema(Transaction& transaction);

}  // namespace gleaner::store
