#include "lib/fleet/kept_database.hpp"

#include <gtest/gtest.h>

#include <pqxx/pqxx>

#include "lib/store/migrations.hpp"
#include "tests/db/postgres.hpp"

namespace gleaner {
namespace {

auto& postgres() { return tests::PrivatePostgres::instance(); }

void execute(const std::string& conninfo, const std::string& statement) {
  pqxx::connection connection{conninfo};
  pqxx::work work{connection};
  work.exec(statement);
  work.commit();
}

TEST(KeptDatabase, IsOpenedOnce) {
  const auto conninfo = postgres().fresh_database();
  fleet::KeptDatabase kept;
  // A lock belongs to a connection: a second one would not get it.
  ASSERT_TRUE(kept.open(conninfo).try_lock(store::Database::Work::update, 1));
  EXPECT_TRUE(kept.open(conninfo).try_lock(store::Database::Work::update, 1));
  EXPECT_FALSE(fleet::KeptDatabase{}.open(conninfo).try_lock(store::Database::Work::update, 1));
}

TEST(KeptDatabase, ThatTheServerEnded_IsOpenedAgain) {
  const auto conninfo = postgres().fresh_database();
  fleet::KeptDatabase kept;
  static_cast<void>(kept.open(conninfo));
  // It returns when the session is over.
  execute(conninfo,
          "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()");
  EXPECT_NO_THROW(store::check_schema(kept.open(conninfo)));
}

TEST(KeptDatabase, OfAnotherName_IsAnotherOne) {
  const auto first = postgres().fresh_database();
  const auto second = postgres().fresh_database();
  fleet::KeptDatabase kept;
  ASSERT_TRUE(kept.open(first).try_lock(store::Database::Work::update, 1));
  static_cast<void>(kept.open(second));
  EXPECT_TRUE(fleet::KeptDatabase{}.open(first).try_lock(store::Database::Work::update, 1)) << "the first one is still open";
}

TEST(KeptDatabase, WithAnotherSchema_IsRefused) {
  fleet::KeptDatabase kept;
  EXPECT_THROW(static_cast<void>(kept.open(postgres().empty_database())), store::WrongSchema);
}

}  // namespace
}  // namespace gleaner
