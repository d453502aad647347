#include <gtest/gtest.h>

#include <pqxx/pqxx>

#include "lib/store/database.hpp"
#include "lib/store/migrations.hpp"
#include "sql/catalogue.hpp"
#include "tests/db/postgres.hpp"

namespace gleaner {
namespace {

auto& postgres() { return tests::PrivatePostgres::instance(); }

TEST(Schema, FreshDatabase_HasEveryMigration) {
  store::Database database{postgres().fresh_database()};
  EXPECT_NO_THROW(store::check_schema(database));
  EXPECT_TRUE(store::migrate(database).empty());
}

TEST(Schema, EmptyDatabase_IsRefusedUntilItIsMigrated) {
  store::Database database{postgres().empty_database()};
  EXPECT_THROW(store::check_schema(database), store::WrongSchema);
  EXPECT_EQ(store::migrate(database).size(), sql::migrations().size());
  EXPECT_NO_THROW(store::check_schema(database));
}

TEST(Schema, EveryNamedQuery_IsAcceptedByPostgreSQL) {
  pqxx::connection connection{postgres().fresh_database()};
  ASSERT_FALSE(sql::queries().empty());
  for (const auto& query : sql::queries()) {
    const std::string name{query.name};
    try {
      connection.prepare(name, std::string{query.text});
#if PQXX_VERSION_MAJOR < 7
      connection.prepare_now(name);
#endif
    } catch (const std::exception& error) {
      ADD_FAILURE() << name << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace gleaner
