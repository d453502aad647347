// gridctl, the real program, on a database of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <fmt/format.h>

#include "lib/process/child.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/migrations.hpp"
#include "tests/db/postgres.hpp"

namespace gleaner {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Gridctl : public ::testing::Test {
 protected:
  process::Captured run(std::vector<std::string> arguments) {
    const char* folder = std::getenv("GLEANER_BIN_DIR");
    arguments.insert(arguments.begin(), fmt::format("{}/gridctl", folder != nullptr ? folder : "build/bin"));
    auto captured = process::capture({.arguments = std::move(arguments), .environment = {{"GLEANER_DATABASE", conninfo}}}, std::chrono::minutes{1});
    if (!captured) throw std::runtime_error{captured.error()};
    return *captured;
  }
  int code(std::vector<std::string> arguments) { return run(std::move(arguments)).end.exit_status; }

  store::Cluster stored(const std::string& name) {
    store::Database database{conninfo};
    auto transaction = database.begin();
    return store::find_cluster(transaction, name).value();
  }

  std::string conninfo = tests::PrivatePostgres::instance().fresh_database();
};

TEST_F(Gridctl, EmptyDatabase_IsRefusedUntilItIsMigrated) {
  conninfo = tests::PrivatePostgres::instance().empty_database();
  const auto said = run({"cluster", "list"});
  EXPECT_EQ(said.end.exit_status, 4);
  EXPECT_THAT(said.output, HasSubstr("gridctl db migrate"));
  EXPECT_EQ(code({"db", "migrate"}), 0);
  EXPECT_THAT(run({"db", "migrate"}).output, HasSubstr("up to date"));
  EXPECT_EQ(code({"cluster", "list"}), 0);
  EXPECT_EQ(code({"db", "status"}), 0);
}

TEST_F(Gridctl, Cluster_IsAddedEditedDisabledAndRemoved) {
  EXPECT_EQ(code({"cluster", "edit", "alpha", "--url=http://localhost:1/api"}), 3);
  EXPECT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi", "--power", "2", "--flood", "0.3", "--array-size", "100"}), 0);
  EXPECT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi"}), 4);
  EXPECT_EQ(stored("alpha").power, 2);
  EXPECT_EQ(stored("alpha").flood, 0.3);
  EXPECT_EQ(stored("alpha").array_size, 100);
  EXPECT_EQ(code({"cluster", "edit", "alpha", "--url=http://localhost:2/oarapi", "--flood", "default"}), 0);
  EXPECT_EQ(stored("alpha").url, "http://localhost:2/oarapi");
  EXPECT_EQ(stored("alpha").flood, std::nullopt);
  EXPECT_EQ(stored("alpha").power, 2);
  EXPECT_EQ(code({"cluster", "disable", "alpha"}), 0);
  EXPECT_FALSE(stored("alpha").enabled);
  EXPECT_EQ(code({"cluster", "enable", "alpha"}), 0);
  EXPECT_TRUE(stored("alpha").enabled);
  EXPECT_THAT(run({"cluster", "list", "--json"}).output, HasSubstr(R"("name":"alpha")"));
  EXPECT_EQ(code({"cluster", "remove", "alpha"}), 0);
  EXPECT_EQ(code({"cluster", "remove", "alpha"}), 3);
}

TEST_F(Gridctl, MisspeltCluster_IsAnsweredWithTheClosestOne) {
  EXPECT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi"}), 0);
  EXPECT_THAT(run({"cluster", "disable", "alpah"}).output, HasSubstr("did you mean 'alpha'?"));
  EXPECT_EQ(code({"user", "map", "jane", "alpha", "jdoe"}), 0);
  EXPECT_EQ(code({"user", "map", "jane", "beta", "jdoe"}), 3);
}

TEST_F(Gridctl, BasicAuthentication_NeedsALoginAndTheFileOfItsPassword) {
  EXPECT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi", "--auth", "basic"}), 2);
  EXPECT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi", "--auth", "basik"}), 2);
  EXPECT_EQ(code({"cluster", "add", "alpha", "http://grid:secret@localhost:1/oarapi"}), 2);
  EXPECT_EQ(code({"cluster", "add", "alpha", "ftp://localhost/oarapi"}), 2);
  EXPECT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi", "--authentication=basic", "--login=grid", "--secret-file=/nonexistent"}), 0);
  EXPECT_EQ(stored("alpha").authentication, "basic");
}

TEST_F(Gridctl, Check_SaysWhatIsWrong_AndWhatToDo) {
  EXPECT_EQ(code({"cluster", "add", "alpha", "http://127.0.0.1:1/oarapi"}), 0);
  const auto said = run({"check"});
  EXPECT_EQ(said.end.exit_status, 5);
  EXPECT_THAT(said.output, AllOf(HasSubstr("no cycle has ever run"), HasSubstr("http://127.0.0.1:1/oarapi"), HasSubstr("gridctl cluster")));
}

TEST_F(Gridctl, Check_OfADatabaseThatIsNotThere_SaysSo) {
  conninfo = "host=/nonexistent dbname=none";
  const auto said = run({"check"});
  EXPECT_EQ(said.end.exit_status, 5);
  EXPECT_THAT(said.output, HasSubstr("start PostgreSQL"));
}

TEST_F(Gridctl, EventsAndBrakesOfAnEmptyGrid_AreNone) {
  EXPECT_THAT(run({"event", "list"}).output, HasSubstr("No event is open"));
  EXPECT_EQ(code({"event", "close", "7"}), 3);
  EXPECT_EQ(code({"event", "list", "7"}), 3);
  EXPECT_EQ(code({"brake", "clear", "7"}), 3);
  EXPECT_EQ(code({"brake", "clear", "any"}), 2);
}

TEST_F(Gridctl, Prune_RefusesAnAgeThatIsNone) {
  EXPECT_EQ(code({"prune", "--older-than", "long"}), 2);
  EXPECT_EQ(code({"prune", "--older-than", "90d", "--dry-run"}), 0);
}

}  // namespace
}  // namespace gleaner
