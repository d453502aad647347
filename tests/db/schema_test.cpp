#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <pqxx/pqxx>
#include <regex>
#include <string>
#include <vector>

#include "lib/store/database.hpp"
#include "lib/store/lease.hpp"
#include "lib/store/migrations.hpp"
#include "sql/catalogue.hpp"
#include "sql/queries.hpp"
#include "tests/db/postgres.hpp"
#include "tests/named_queries.hpp"

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

/// A program's output, or its error message.
std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe{popen((command + " 2>&1").c_str(), "r"), pclose};
  std::string output;
  std::array<char, 4096> part{};
  while (const auto size = std::fread(part.data(), 1, part.size(), pipe.get())) output.append(part.data(), size);
  return output;
}

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// Without the tables before the names of columns: from PostgreSQL 16 on, a view of one table is printed without them.
std::string unqualified(const std::string& text) { return std::regex_replace(text, std::regex{R"(\b[a-z_]+\.([a-z_]))"}, "$1"); }

/// The schema of a new database: one that was adopted from before the first release, or upgraded, has the columns of some tables in another
/// order (tests/db/releases_test.cpp compares those).
TEST(Schema, SchemaSql_IsWhatTheMigrationsMake) {
  const char* variable = std::getenv("GLEANER_SOURCE_DIR");
  const std::filesystem::path root{variable ? variable : "."};
  const auto conninfo = postgres().empty_database();  // a fresh one may have what records the transitions of a run
  store::Database database{conninfo};
  static_cast<void>(store::migrate(database));
  const auto made = output_of((root / "tools/schema").string() + " --of '" + conninfo + "'");
  const auto written = contents_of(root / "sql/schema.sql");
  const auto heading = written.find("\n\n");
  ASSERT_NE(heading, std::string::npos) << "sql/schema.sql is missing or empty: run tools/schema";
  EXPECT_EQ(unqualified(made), unqualified(written.substr(heading + 2)))
      << "The migrations make another schema than sql/schema.sql has. Run tools/schema and "
         "commit sql/schema.sql together with the migration.";
}

/// The text of the WrongSchema that it throws, or empty.
template <class Action>
std::string refusal_of(Action action) {
  try {
    action();
  } catch (const store::WrongSchema& refused) {
    return refused.what();
  }
  return {};
}

std::string history_of(pqxx::connection& connection) {
  pqxx::work work{connection};
  return work.exec("SELECT string_agg(number || ' ' || name, ', ' ORDER BY number) FROM schema_migrations").at(0).at(0).as<std::string>();
}

/// Makes this the history, of "NUMBER NAME", in a database that has the table of it.
void set_history(pqxx::connection& connection, const std::string& history) {
  pqxx::work work{connection};
  work.exec("DELETE FROM schema_migrations");
  work.exec(
      "INSERT INTO schema_migrations (number, name) SELECT split_part(m, ' ', 1)::integer, split_part(m, ' ', 2) FROM regexp_split_to_table(" +
      work.quote(history) + ", ', ') m");
  work.commit();
}

/// That of the versions before the first release, up to a number.
std::string history_before_the_release(int last) {
  std::string history = "1 0001_schema";
  for (int number = 3; number < last; ++number) history += fmt::format(", {0} {0:04}_subject", number);
  return history + (last == 50 ? ", 50 0050_former_needs" : fmt::format(", {0} {0:04}_subject", last));
}

/// Refused by the programs and by the migration, with this text.
void expect_refused(const std::string& conninfo, const testing::Matcher<std::string>& said) {
  store::Database database{conninfo};
  EXPECT_THAT(refusal_of([&] { store::check_schema(database); }), said);
  EXPECT_THAT(refusal_of([&] { static_cast<void>(store::migrate(database)); }), said);
}

/// Long before the first release, the schema was made by migrations of the same numbers, up to 22.
TEST(Schema, DatabaseOfLongBeforeTheFirstRelease_IsRefused_AndLeftAsItIs) {
  for (const std::string history :
       {"1 0001_grid", "1 0001_grid, 2 0002_admission_rules", "1 0001_grid, 2 0002_admission_rules, 22 0022_forecast_history"}) {
    SCOPED_TRACE(history);
    const auto conninfo = postgres().empty_database();
    pqxx::connection connection{conninfo};
    pqxx::nontransaction{connection}.exec(std::string{sql::schema_create::kText});
    set_history(connection, history);
    expect_refused(conninfo, AllOf(testing::HasSubstr("made before the first release (it has the migration 0001_grid"),
                                   testing::HasSubstr("its data cannot be kept. Make a new, empty database")));
    EXPECT_EQ(history_of(connection), history);
    pqxx::work work{connection};
    EXPECT_EQ(
        work.exec("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'").at(0).at(0).as<int>(), 1)
        << "only schema_migrations";
  }
}

TEST(Schema, DatabaseOfAnOlderVersionBeforeTheFirstRelease_IsRefused_WithTheWayToKeepItsData) {
  for (const int last : {3, 49}) {
    const auto conninfo = postgres().fresh_database();
    pqxx::connection connection{conninfo};
    const auto history = history_before_the_release(last);
    set_history(connection, history);
    expect_refused(conninfo,
                   AllOf(testing::HasSubstr("made before the first release (it has the migration 0001_schema"),
                         testing::HasSubstr(fmt::format("its last migration is {:04}_subject", last)),
                         testing::HasSubstr("'gridctl db migrate' of the last version before the release first, which brings it to "
                                            "0050_former_needs")));
    EXPECT_EQ(history_of(connection), history);
  }
}

/// Its schema is that of the first migration, which took the place of those before, but for the order of columns.
TEST(Schema, DatabaseOfTheLastVersionBeforeTheFirstRelease_IsAdopted_WithItsData) {
  pqxx::connection fresh{postgres().fresh_database()};
  const auto history = history_of(fresh);
  const auto conninfo = postgres().empty_database();
  pqxx::connection connection{conninfo};
  {
    pqxx::work work{connection};
    work.exec(std::string{sql::migrations().front().text});
    work.exec(
        "CREATE TABLE schema_migrations (number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())");
    work.commit();
  }
  set_history(connection, history_before_the_release(50));
  {
    pqxx::work work{connection};
    work.exec("INSERT INTO user_priorities (user_name, priority) VALUES ('alice', 2)");
    work.commit();
  }
  store::Database database{conninfo};
  EXPECT_THAT(refusal_of([&] { store::check_schema(database); }),
              AllOf(testing::HasSubstr("run 'gridctl db migrate'"), testing::HasSubstr("keeps its data")));
  EXPECT_EQ(history_of(connection), history_before_the_release(50));
  const auto term = store::acquire_lease(database, "conductor", std::chrono::hours{1});
  ASSERT_TRUE(term);

  const auto applied = store::migrate(database);
  ASSERT_FALSE(applied.empty());
  EXPECT_EQ(applied.front(), sql::migrations().front().name);
  EXPECT_EQ(history_of(connection), history);
  EXPECT_NO_THROW(store::check_schema(database));
  EXPECT_FALSE(store::renew_lease(database, *term, std::chrono::hours{1})) << "its term ended, as at each migration";
  EXPECT_TRUE(store::migrate(database).empty());
  pqxx::work work{connection};
  EXPECT_EQ(work.exec("SELECT priority FROM user_priorities WHERE user_name = 'alice'").at(0).at(0).as<int>(), 2);
}

TEST(Schema, DatabaseOfANewerProgram_IsRefused_AndLeftAsItIs) {
  const auto conninfo = postgres().fresh_database();
  pqxx::connection connection{conninfo};
  {
    pqxx::work work{connection};
    work.exec("INSERT INTO schema_migrations (number, name) SELECT max(number) + 1, 'of_tomorrow' FROM schema_migrations");
    work.commit();
  }
  const auto history = history_of(connection);
  store::Database database{conninfo};
  EXPECT_THAT(refusal_of([&] { store::check_schema(database); }), testing::HasSubstr("use a newer Gleaner"));
  EXPECT_THAT(refusal_of([&] { static_cast<void>(store::migrate(database)); }), testing::HasSubstr("use a newer Gleaner"));
  EXPECT_EQ(history_of(connection), history);
}

/// The conductor checks the schema when it takes a lease, and no module writes under another.
TEST(Schema, EachMigrationEndsTheTermOfWhoConducts) {
  store::Database database{postgres().fresh_database()};
  const auto first = store::acquire_lease(database, "conductor", std::chrono::hours{1});
  EXPECT_EQ(first, static_cast<store::Term>(sql::migrations().size()) + 1) << "the first one makes the lease, with term 0";
  EXPECT_TRUE(store::migrate(database).empty());
  EXPECT_TRUE(store::renew_lease(database, *first, std::chrono::hours{1})) << "nothing was applied";
}

TEST(Schema, EveryNamedQuery_IsAcceptedByPostgreSQL_AndGivesTheColumnsOfItsRow_InTheTypesOfItsStruct) {
  tests::expect_accepted(postgres().fresh_database(), sql::queries(), true);
}

TEST(Schema, EveryCompositeType_HasTheColumnsOfItsStruct_InTheirOrderAndTypes) {
  pqxx::connection connection{postgres().fresh_database()};
  pqxx::work work{connection};
  std::vector<std::string> made;
  for (const auto& row : work.exec("SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) FROM pg_class c "
                                   "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
                                   "WHERE c.relkind = 'c' AND c.relnamespace = 'public'::regnamespace ORDER BY c.relname, a.attnum"))
    made.push_back(row[0].as<std::string>());
  std::vector<std::string> known;
  for (const auto& composite : sql::composites())
    for (std::size_t place = 0; place < composite.columns.size(); ++place)
      known.push_back(fmt::format("{}.{} {}", composite.name, composite.columns[place], composite.column_types[place]));
  EXPECT_FALSE(known.empty());
  EXPECT_EQ(made, known) << "run tools/schema";
}

TEST(Schema, QueriesForOtherSystemsDatabases_AreAcceptedThere) {
  tests::expect_accepted(postgres().cigri_database(), sql::foreign_queries());
}

/// Else no index on states would be used, and each row would cost a call.
TEST(Schema, NamesOfStates_AreReplacedByTheStates) {
  pqxx::connection connection{postgres().fresh_database()};
  pqxx::work work{connection};
  for (const std::string condition :
       {"jobs t WHERE is_live(state)", "jobs t WHERE is_open(state)", "jobs t WHERE is_remote(state)", "launches t WHERE is_open(state)",
        "campaigns t WHERE is_live(state)", "campaigns t WHERE is_over(state)", "tasks t WHERE is_in_flight(state)",
        "tasks t WHERE next_attempt(t) = 1", "returned_tasks t WHERE goes_before_new(t)", "campaign_clusters t WHERE live_jobs(t) = 1"}) {
    std::string plan;
    for (const auto& row : work.exec("EXPLAIN SELECT FROM " + condition)) plan += std::string{row[0].c_str()} + '\n';
    const auto function = condition.substr(condition.find("WHERE ") + 6, condition.find('(') - condition.find("WHERE ") - 5);
    EXPECT_EQ(plan.find(function), std::string::npos) << condition << "\n" << plan;
  }
}

}  // namespace
}  // namespace gleaner
