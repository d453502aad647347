#include "lib/store/migrations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/store/detail.hpp"
#include "sql/catalogue.hpp"

namespace gleaner::store {
namespace {

int newest() { return sql::migrations().empty() ? 0 : sql::migrations().back().number; }

/// The number of the last migration applied. Throws WrongSchema where the database has one that is not this program's.
int schema_version(Transaction& transaction) {
  int version = 0;
  for (const auto& row : detail::exec(transaction, sql::schema_history{})) {
    version = *row.number;
    const auto name = row.name.as<std::string>();
    if (version > newest()) continue;
    if (std::ranges::none_of(sql::migrations(), [&](const auto& known) { return known.number == version && known.name == name; }))
      throw WrongSchema{
          fmt::format("the database was made before the first release (it has the migration {}, which this program does not know): "
                      "its data cannot be kept. Make a new, empty database, and run 'gridctl db migrate'",
                      name)};
  }
  if (version > newest())
    throw WrongSchema{
        fmt::format("the database's schema has version {}, this program knows versions up to {}: use a newer Gleaner", version, newest())};
  return version;
}

}  // namespace

std::string_view setup_script() { return sql::setup_script(); }

std::vector<std::string> migrate(Database& database) {
  std::vector<std::string> applied;
  for (const auto& migration : sql::migrations()) {
    auto transaction = database.begin();
    detail::exec(transaction, sql::schema_lock{});
    detail::exec(transaction, sql::schema_create{});
    const int version = schema_version(transaction);
    if (migration.number <= version) continue;
    try {
      transaction.implementation().work.exec(std::string{migration.text});
    } catch (...) {
      detail::rethrow(migration.name);
    }
    detail::exec(transaction, sql::schema_applied{.number = migration.number, .name = migration.name});
    detail::exec(transaction, sql::lease_take_away{});
    transaction.commit();
    applied.emplace_back(migration.name);
  }
  return applied;
}

void check_schema(Database& database) {
  auto transaction = database.begin();
  check_schema(transaction);
}

void check_schema(Transaction& transaction) {
  const bool exists = detail::exec(transaction, sql::schema_exists{})[0].found.as<bool>();
  const int version = exists ? schema_version(transaction) : 0;
  if (version < newest())
    throw WrongSchema{
        fmt::format("the database's schema has version {}, this program needs {}: run 'gridctl db migrate'", version, newest())};
}

}  // namespace gleaner::store
