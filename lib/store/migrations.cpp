#include "lib/store/migrations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/store/detail.hpp"
#include "sql/catalogue.hpp"

namespace gleaner::store {
namespace {

/// The first and the last migration of the versions before the first release. Where the last one was applied, the schema is that of the
/// first migration of now, which took the place of them all.
constexpr std::string_view kFirstBeforeTheRelease = "0001_schema";
constexpr std::string_view kLastBeforeTheRelease = "0050_former_needs";

int newest() { return sql::migrations().empty() ? 0 : sql::migrations().back().number; }

bool is_known(int number, std::string_view name) {
  return std::ranges::any_of(sql::migrations(), [&](const auto& known) { return known.number == number && known.name == name; });
}

struct Applied {
  int number;
  std::string name;
};

std::vector<Applied> history(Transaction& transaction) {
  std::vector<Applied> applied;
  for (const auto& row : detail::exec(transaction, sql::schema_history{})) applied.push_back({*row.number, row.name.as<std::string>()});
  return applied;
}

/// Whether the last version before the first release made this schema.
bool is_to_be_adopted(const std::vector<Applied>& applied) {
  return !applied.empty() && applied.front().name == kFirstBeforeTheRelease && applied.back().name == kLastBeforeTheRelease;
}

std::string refusal(const Applied& unknown, const std::vector<Applied>& applied) {
  const auto made = fmt::format(
      "the database was made before the first release (it has the migration {}, which this program does not know): ", unknown.name);
  if (applied.front().name != kFirstBeforeTheRelease)
    return made + "its data cannot be kept. Make a new, empty database, and run 'gridctl db migrate'";
  return fmt::format(
      "{}its last migration is {}. To keep its data, run 'gridctl db migrate' of the last version before the release first, which brings it "
      "to {}, and then that of this program. Else make a new, empty database, and run 'gridctl db migrate'",
      made, applied.back().name, kLastBeforeTheRelease);
}

/// The number of the last migration applied. Throws WrongSchema where the database has one that is not this program's.
int schema_version(const std::vector<Applied>& applied) {
  int version = 0;
  for (const auto& migration : applied) {
    version = migration.number;
    if (version <= newest() && !is_known(version, migration.name)) throw WrongSchema{refusal(migration, applied)};
  }
  if (version > newest())
    throw WrongSchema{
        fmt::format("the database's schema has version {}, this program knows versions up to {}: use a newer Gleaner", version, newest())};
  return version;
}

/// Puts the first migration into the place of those before the release.
void adopt(Transaction& transaction) {
  const auto& first = sql::migrations().front();
  detail::exec(transaction, sql::schema_forget{});
  detail::exec(transaction, sql::schema_applied{.number = first.number, .name = first.name});
  detail::exec(transaction, sql::lease_take_away{});
}

}  // namespace

std::string_view setup_script() { return sql::setup_script(); }

std::vector<std::string> migrate(Database& database) {
  std::vector<std::string> applied;
  for (const auto& migration : sql::migrations()) {
    auto transaction = database.begin();
    detail::exec(transaction, sql::schema_lock{});
    detail::exec(transaction, sql::schema_create{});
    const auto before = history(transaction);
    if (is_to_be_adopted(before)) {
      adopt(transaction);
      transaction.commit();
      applied.emplace_back(migration.name);
      continue;
    }
    if (migration.number <= schema_version(before)) continue;
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
  const auto applied = exists ? history(transaction) : std::vector<Applied>{};
  if (is_to_be_adopted(applied))
    throw WrongSchema{fmt::format(
        "the database is of the last version before the first release (its last migration is {}): run 'gridctl db migrate', which keeps "
        "its data",
        applied.back().name)};
  const int version = schema_version(applied);
  if (version < newest())
    throw WrongSchema{
        fmt::format("the database's schema has version {}, this program needs {}: run 'gridctl db migrate'", version, newest())};
}

}  // namespace gleaner::store
