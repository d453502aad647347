#include "lib/store/migrations.hpp"

#include <fmt/format.h>

#include "lib/store/detail.hpp"
#include "sql/catalogue.hpp"

namespace gleaner::store {
namespace {

int schema_version(Transaction& transaction) {
  detail::exec(transaction, sql::schema_create{});
  return *detail::exec(transaction, sql::schema_version{})[0].version;
}

int newest() { return sql::migrations().empty() ? 0 : sql::migrations().back().number; }

void refuse_newer(int version) {
  if (version > newest())
    throw WrongSchema{
        fmt::format("the database's schema has version {}, this program knows versions up to {}: use a newer Gleaner", version, newest())};
}

}  // namespace

std::vector<std::string> migrate(Database& database) {
  std::vector<std::string> applied;
  for (const auto& migration : sql::migrations()) {
    auto transaction = database.begin();
    detail::exec(transaction, sql::schema_lock{});
    const int version = schema_version(transaction);
    refuse_newer(version);
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
  const bool exists = detail::exec(transaction, sql::schema_exists{})[0].found.as<bool>();
  const int version = exists ? detail::exec(transaction, sql::schema_version{})[0].version.as<int>() : 0;
  refuse_newer(version);
  if (version < newest())
    throw WrongSchema{
        fmt::format("the database's schema has version {}, this program needs {}: run 'gridctl db migrate'", version, newest())};
}

}  // namespace gleaner::store
