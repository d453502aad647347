// gridctl, the real program, on a database of its own.
#include <algorithm>
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>
#include <pqxx/pqxx>

#include "lib/http/server.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/database.hpp"
#include "lib/store/migrations.hpp"
#include "tests/db/gridctl_fixture.hpp"
#include "tests/db/postgres.hpp"

namespace gleaner {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

using tests::Gridctl;

TEST_F(Gridctl, Document004_ScheduleNow_BeginsACycleOfTheConductor_WhoMustBeThere) {
  const auto nobody = run({"cycle"});
  EXPECT_EQ(nobody.end.exit_status, 5);
  EXPECT_THAT(nobody.output, HasSubstr("nobody conducts the grid: start almighty, or run 'almighty --once'"));
  store::Database conductor{conninfo};
  conductor.listen("gleaner_wake_up");
  const auto execute = [&](const char* sql) {
    pqxx::connection connection{conninfo};
    pqxx::work work{connection};
    work.exec(sql);
    work.commit();
  };
  execute("UPDATE lease SET holder = 'test', expires_at = now() + interval '1 hour'");
  bool is_asked = false;
  std::jthread cycle{[&] {
    is_asked = conductor.wait_for_notification(std::chrono::minutes{1}).has_value();
    execute("INSERT INTO cycles (term, started_at, ended_at) VALUES (1, clock_timestamp(), clock_timestamp() + interval '2 s')");
  }};
  const auto done = run({"cycle"});
  cycle.join();
  EXPECT_EQ(done.output, "a cycle has begun and ended; it took 2.0 s\n");
  EXPECT_TRUE(is_asked);
}

TEST_F(Gridctl, Tables_FitTerminalsOf60Columns) {
  ASSERT_EQ(code({"cluster", "add", "grenoble-north", "https://grenoble-north.example.org:6669/oarapi-priv", "--auth", "certificate",
                  "--certificate", "/etc/gleaner/grid.crt", "--key", "/etc/gleaner/grid.key", "--power", "12.5", "--flood", "0.25",
                  "--array-size", "1000"}),
            0);
  ASSERT_EQ(code({"user", "map", "emathi-the-second", "grenoble-north", "emathi"}), 0);
  ASSERT_EQ(code({"cluster", "disable", "grenoble-north"}), 0);
  pqxx::connection connection{conninfo};
  pqxx::work work{connection};
  work.exec("UPDATE audit SET acted_at = acted_at - interval '3 days', actor = 'emathi-the-second', origin = 'frontend, ada by sudo'");
  work.exec("UPDATE clusters SET max_resources = 10240");
  work.commit();
  environment.emplace_back("COLUMNS", "60");
  for (const auto& words : {std::vector<std::string>{"cluster", "list"}, {"audit"}, {"user", "list"}, {"event", "list", "--all"}}) {
    const auto said = run(words);
    ASSERT_TRUE(said.end.succeeded()) << said.output;
    std::istringstream lines{said.output};
    const auto begins_character = [](char c) { return (c & 0xc0) != 0x80; };
    for (std::string line; std::getline(lines, line);) EXPECT_LE(std::ranges::count_if(line, begins_character), 60) << said.output;
  }
}

TEST_F(Gridctl, AClusterWithoutLiveResources_IsListedAsSuch) {
  ASSERT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi"}), 0);
  const auto listed = [&](const std::string& changes) {
    pqxx::connection connection{conninfo};
    pqxx::work work{connection};
    work.exec("UPDATE clusters SET reachable = true, " + changes);
    work.commit();
    return run({"cluster", "list"}).output;
  };
  EXPECT_THAT(listed("max_resources = 0, suspected_resources = 12, dead_resources = 4, no_resources_since = now()"),
              ContainsRegex("no live resources *\n"));
  EXPECT_THAT(run({"cluster", "list", "--json"}).output,
              AllOf(HasSubstr(R"("state":"no live resources")"), HasSubstr(R"("suspected_resources":12)")));
  EXPECT_THAT(listed("max_resources = 4, suspected_resources = 8, no_resources_since = NULL"), HasSubstr("reachable, 8 suspected, 4 dead"));
  EXPECT_THAT(run({"cluster", "show", "alpha"}).output, ContainsRegex("suspected_resources +8"));
  EXPECT_THAT(listed("suspected_resources = 0"), ContainsRegex("reachable *\n")) << "administrators took the dead ones out themselves";
}

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

TEST_F(Gridctl, LimitsOfOneUser_AreSetOneByOne_ListedAndForgotten) {
  EXPECT_THAT(run({"user", "list-limits"}).output, HasSubstr("those of the configuration hold"));
  EXPECT_EQ(code({"user", "limit", "ada", "--campaigns", "5", "--submission", "4G"}), 0);
  EXPECT_EQ(code({"user", "limit", "ada", "--tasks", "2000000"}), 0);
  EXPECT_THAT(run({"user", "list-limits"}).output, AllOf(HasSubstr("ada"), HasSubstr("2000000"), HasSubstr("4G")));
  EXPECT_EQ(code({"user", "limit", "ada", "--campaigns", "default", "--submission", "default"}), 0);
  EXPECT_THAT(run({"user", "list-limits"}).output, AllOf(HasSubstr("2000000"), HasSubstr("default"), Not(HasSubstr("4G"))));
  EXPECT_EQ(code({"user", "limit", "ada", "--tasks", "default"}), 0);
  EXPECT_THAT(run({"user", "list-limits"}).output, Not(HasSubstr("ada")));
  EXPECT_EQ(code({"user", "limit", "ada"}), 2);
  EXPECT_EQ(code({"user", "limit", "ada", "--tasks", "many"}), 2);
  EXPECT_EQ(code({"user", "limit", "ada", "--submission", "-1"}), 2);
}

TEST_F(Gridctl, Limits_AreSetListedAndRemoved_AndWrongOnesRefused) {
  ASSERT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi"}), 0);
  EXPECT_EQ(code({"limit", "set", "running_jobs", "500"}), 0);
  EXPECT_EQ(code({"limit", "set", "resource_seconds", "3600", "--user", "ada", "--cluster", "alpha", "--days", "7"}), 0);
  const auto listed = run({"limit", "list"}).output;
  EXPECT_THAT(listed, AllOf(HasSubstr("the whole grid"), HasSubstr("user ada, cluster alpha"), HasSubstr("3600")));
  EXPECT_THAT(run({"limit", "set", "runing_jobs", "5"}).output, HasSubstr("did you mean 'running_jobs'?"));
  EXPECT_THAT(run({"limit", "set", "running_jobs", "many"}).output, HasSubstr("'many' is not a limit"));
  EXPECT_THAT(run({"limit", "set", "running_jobs", "5", "--days", "2"}).output, HasSubstr("--days is for resource_seconds"));
  EXPECT_THAT(run({"limit", "set", "resources", "5", "--cluster", "alpa"}).output, HasSubstr("did you mean 'alpha'?"));
  EXPECT_EQ(code({"limit", "set", "resources", "5", "--campaign", "9"}), 3);
  EXPECT_EQ(code({"limit", "remove", "1"}), 0);
  EXPECT_EQ(code({"limit", "remove", "1"}), 3);
}

TEST_F(Gridctl, ALimitForEach_IsListedSo_AndPairsWithoutSenseAreRefused) {
  EXPECT_EQ(code({"limit", "set", "nodes", "20", "--user", "each", "--project", "physics", "--silent", "30m"}), 0);
  EXPECT_THAT(run({"limit", "list"}).output, ContainsRegex("nodes +each user, project physics; not clusters silent for 30m"));
  EXPECT_EQ(code({"limit", "set", "nodes", "10", "--user", "each", "--project", "physics"}), 0);
  EXPECT_THAT(run({"limit", "list", "--quiet"}).output, testing::Eq("1\n")) << "it takes the place of the one before";
  EXPECT_THAT(run({"limit", "list"}).output, Not(HasSubstr("silent")));
  EXPECT_THAT(run({"limit", "set", "running_jobs", "5", "--user", "each", "--project", "each"}).output,
              HasSubstr("--user=each and --project=each: only one of them can be each"));
  EXPECT_THAT(run({"limit", "set", "running_jobs", "5", "--group", "each"}).output, HasSubstr("a user may be in several groups"));
  EXPECT_THAT(run({"limit", "set", "running_jobs", "5", "--user", "each", "--campaign", "9"}).output,
              HasSubstr("--user=each and --campaign=9: a campaign has only one user"));
  EXPECT_THAT(run({"limit", "set", "resource_seconds", "5", "--silent", "1h"}).output, HasSubstr("--silent and resource_seconds"));
  for (const auto* const wrong : {"soon", "0", "-1h", "0.1s", "9000d"})
    EXPECT_THAT(run({"limit", "set", "running_jobs", "5", fmt::format("--silent={}", wrong)}).output,
                HasSubstr(fmt::format("--silent={}: must be a time such as 30m", wrong)));
}

TEST_F(Gridctl, Shares_AreATreeOfProjectsAndUsers) {
  EXPECT_EQ(code({"share", "set", "user", "ada", "1", "--project", "physics"}), 3);
  EXPECT_EQ(code({"share", "set", "project", "physics", "60"}), 0);
  EXPECT_EQ(code({"share", "set", "project", "biology", "40"}), 0);
  EXPECT_EQ(code({"share", "set", "user", "ada", "1", "--project", "physics"}), 0);
  EXPECT_THAT(run({"share", "list"}).output, AllOf(HasSubstr("/physics/ada"), HasSubstr("60.0 %"), HasSubstr("40.0 %")));
  EXPECT_EQ(code({"share", "set", "department", "physics", "60"}), 2);
  EXPECT_EQ(code({"share", "set", "group", "chem", "1", "--project", "physics"}), 0);
  EXPECT_THAT(run({"share", "list"}).output, HasSubstr("/physics/chem"));
  EXPECT_EQ(code({"share", "set", "user", "bob", "1", "--project", "chem"}), 3) << "the members of a group are not listed";
  EXPECT_EQ(code({"share", "remove", "user", "ada"}), 3);
  EXPECT_EQ(code({"share", "remove", "project", "physics"}), 0);
  EXPECT_THAT(run({"share", "list"}).output, Not(HasSubstr("ada")));
}

TEST_F(Gridctl, AffinitiesAndPrioritiesOfUsers_AreEdited) {
  ASSERT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi"}), 0);
  EXPECT_EQ(code({"affinity", "add", "ada", "alpha"}), 0);
  EXPECT_THAT(run({"affinity", "list"}).output, HasSubstr("ada"));
  EXPECT_EQ(code({"affinity", "remove", "ada", "alpha"}), 0);
  EXPECT_EQ(code({"affinity", "remove", "ada", "alpha"}), 3);
  EXPECT_EQ(code({"user", "priority", "ada", "2"}), 0);
  EXPECT_EQ(code({"user", "priority", "ada", "8"}), 2);
  EXPECT_EQ(code({"project", "priority", "physics", "3"}), 0);
  EXPECT_EQ(code({"project", "priority", "physics", "1"}), 0);
  EXPECT_EQ(code({"group", "priority", "chem", "6"}), 0);
  EXPECT_THAT(run({"project", "priority", "physics", "high"}).output,
              HasSubstr("'high' is not a priority, 1 the highest and 7 the lowest"));
  EXPECT_THAT(run({"--csv", "priority", "list"}).output,
              AllOf(HasSubstr("user,ada,2"), HasSubstr("project,physics,1"), HasSubstr("group,chem,6")));
  EXPECT_THAT(run({"usage", "list"}).output, HasSubstr("Nothing was used"));
}

TEST_F(Gridctl, Cluster_IsAddedEditedDisabledAndRemoved) {
  EXPECT_EQ(code({"cluster", "edit", "alpha", "--url=http://localhost:1/api"}), 3);
  EXPECT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi", "--power", "2", "--cost", "1.5", "--transfer", "80", "--flood",
                  "0.3", "--array-size", "100"}),
            0);
  EXPECT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi"}), 4);
  EXPECT_EQ(stored("alpha").power, 2);
  EXPECT_EQ(stored("alpha").cost, 1.5);
  EXPECT_EQ(stored("alpha").transfer_mb_s, 80);
  EXPECT_EQ(stored("alpha").flood, 0.3);
  EXPECT_EQ(stored("alpha").array_size, 100);
  EXPECT_EQ(code({"cluster", "edit", "alpha", "--url=http://localhost:2/oarapi", "--flood", "default"}), 0);
  EXPECT_EQ(stored("alpha").url, "http://localhost:2/oarapi");
  EXPECT_EQ(stored("alpha").flood, std::nullopt);
  EXPECT_EQ(stored("alpha").power, 2);
  EXPECT_EQ(stored("alpha").cost, 1.5);
  EXPECT_EQ(stored("alpha").transfer_mb_s, 80);
  EXPECT_EQ(code({"cluster", "disable", "alpha"}), 0);
  EXPECT_FALSE(stored("alpha").enabled);
  EXPECT_EQ(code({"cluster", "enable", "alpha"}), 0);
  EXPECT_TRUE(stored("alpha").enabled);
  EXPECT_THAT(run({"cluster", "list", "--json"}).output, HasSubstr(R"("name":"alpha")"));
  EXPECT_EQ(code({"cluster", "remove", "alpha"}), 0);
  EXPECT_EQ(code({"cluster", "remove", "alpha"}), 3);
}

TEST_F(Gridctl, Document002_AClusterThatIsAdded_Edited_OrEnabled_WakesTheConductor) {
  store::Database conductor{conninfo};
  conductor.listen("gleaner_wake_up");
  const auto wakes = [&](std::vector<std::string> arguments) {
    EXPECT_EQ(code(std::move(arguments)), 0);
    return conductor.wait_for_notification(std::chrono::minutes{1});
  };
  EXPECT_TRUE(wakes({"cluster", "add", "alpha", "http://localhost:1/oarapi"}));
  EXPECT_TRUE(wakes({"cluster", "edit", "alpha", "--flood", "0.3"}));
  EXPECT_TRUE(wakes({"cluster", "disable", "alpha"}));
  EXPECT_TRUE(wakes({"cluster", "enable", "alpha"}));
}

TEST_F(Gridctl, MisspeltCluster_IsAnsweredWithTheClosestOne) {
  EXPECT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi"}), 0);
  EXPECT_THAT(run({"cluster", "disable", "alpah"}).output, HasSubstr("did you mean 'alpha'?"));
  EXPECT_EQ(code({"user", "map", "jane", "alpha", "jdoe"}), 0);
  EXPECT_EQ(code({"user", "map", "jane", "beta", "jdoe"}), 3);
}

TEST_F(Gridctl, Check_NamesEachProblem_AndItsRemedy) {
  EXPECT_EQ(code({"cluster", "add", "alpha", "http://127.0.0.1:1/oarapi"}), 0);
  const auto said = run({"check"});
  EXPECT_EQ(said.end.exit_status, 5);
  const auto unwrapped = std::regex_replace(said.output, std::regex{R"(\n {8,})"}, " ");
  EXPECT_THAT(unwrapped, AllOf(HasSubstr("no cycle has ever run"), HasSubstr("http://127.0.0.1:1/oarapi"),
                               HasSubstr("fix it with 'gridctl cluster edit alpha' --url")));
}

/// An OAR that knows griduser1 alone, and repeats every name that it is given, as OAR does; or wants credentials first.
http::Response oar_answer(const http::Request& request, bool wants_credentials) {
  http::Response response;
  response.headers.add("Content-Type", "application/json");
  const auto user = std::string{request.headers.find("X_REMOTE_IDENT").value_or("")};
  if (wants_credentials) {
    response.status = 401;
    response.body = "{}";
  } else if (request.path.ends_with("/version.json")) {
    response.body = R"({"oar_version": "2.5.9", "api_timestamp": 1})";
  } else if (request.path.ends_with("/whoami.json")) {
    response.body = R"({"authenticated_user": ")" + user + R"("})";
  } else if (request.path.find("/media/ls/") != std::string::npos && user != "griduser1") {
    response.status = 404;
    response.body = R"({"title": "Not found", "code": 404, "message": "User not found"})";
  } else {
    response.body = R"({"items": [], "total": 0, "offset": 0, "links": []})";
  }
  return response;
}

std::unique_ptr<http::Server> an_oar(bool wants_credentials) {
  http::ServerOptions options;
  options.tcp = http::TcpEndpoint{"127.0.0.1", 0};
  return std::move(http::Server::start(std::move(options), [=](const http::Request& request) {
                     return oar_answer(request, wants_credentials);
                   }).value());
}

TEST_F(Gridctl, CheckAsAUserOfTheCluster_IsBelievedWhenOarActsAsThatUser) {
  const auto oar = an_oar(false);
  EXPECT_EQ(code({"cluster", "add", "alpha", oar->url() + "/oarapi"}), 0);
  EXPECT_THAT(run({"check", "--as", "griduser1"}).output,
              AllOf(HasSubstr("ok    alpha: takes us for griduser1"), Not(HasSubstr("can do nothing"))));
  const auto said = std::regex_replace(run({"check", "--as", "nobody"}).output, std::regex{R"(\n {8,})"}, " ");
  EXPECT_THAT(said,
              AllOf(HasSubstr("wrong alpha: takes us for nobody when asked as nobody, but can do nothing as this user: refused (404)"),
                    HasSubstr("'gridctl user map nobody alpha LOGIN'")));
  EXPECT_EQ(code({"user", "map", "nobody", "alpha", "griduser1"}), 0);
  const auto mapped = std::regex_replace(run({"check", "--as", "nobody"}).output, std::regex{R"(\n {8,})"}, " ");
  EXPECT_THAT(mapped, AllOf(HasSubstr("ok    alpha: takes us for griduser1 when asked as griduser1, the login of nobody there"),
                            Not(HasSubstr("can do nothing"))));
  oar->stop();
}

TEST_F(Gridctl, CheckOfAClusterThatWantsCredentials_NamesTheWayThatTheGridIsToProveItself) {
  const auto oar = an_oar(true);
  EXPECT_EQ(code({"cluster", "add", "alpha", oar->url() + "/oarapi"}), 0);
  const auto said = std::regex_replace(run({"check", "--as", "ada"}).output, std::regex{R"(\n {8,})"}, " ");
  EXPECT_THAT(said, AllOf(HasSubstr("the grid sends no proof (--auth none)"), Not(HasSubstr("is the login right"))));
  oar->stop();
}

TEST_F(Gridctl, Check_OfADatabaseThatIsNotThere_ReportsThat) {
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

TEST_F(Gridctl, Prune_OfWhatIsYoungerThanTheRetention_NeedsYes) {
  EXPECT_THAT(run({"prune", "--older-than", "1m"}).output, AllOf(HasSubstr("would delete 0 campaigns"), HasSubstr("the retention, 90d")));
  EXPECT_EQ(code({"prune", "--older-than", "1m", "--yes"}), 0);
}

TEST_F(Gridctl, Audit_ShowsWhoChangedWhat_BeforeAndAfter) {
  EXPECT_THAT(run({"audit"}).output, HasSubstr("Nobody has changed anything."));
  ASSERT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi"}), 0);
  ASSERT_EQ(code({"limit", "set", "running_jobs", "500"}), 0);
  ASSERT_EQ(code({"cluster", "edit", "alpha", "--power", "2"}), 0);
  ASSERT_EQ(code({"user", "map", "ada", "alpha", "lovelace"}), 0);
  ASSERT_EQ(code({"user", "unmap", "ada", "alpha"}), 0);
  ASSERT_EQ(code({"limit", "remove", "1"}), 0);
  EXPECT_EQ(code({"limit", "remove", "1"}), 3) << "what changes nothing is no act";
  const auto listed = run({"audit", "--csv"}).output;
  EXPECT_THAT(listed, ContainsRegex(",limit remove,limit 1 running_jobs,[^\n]*most: 500"));
  EXPECT_THAT(listed, ContainsRegex(",user unmap,login of ada on alpha,[^\n]*login: lovelace"));
  EXPECT_THAT(listed, ContainsRegex(",cluster edit,cluster alpha,power: 1 -> 2,"));
  EXPECT_THAT(listed, ContainsRegex(",cluster add,cluster alpha,"));
  EXPECT_EQ(std::ranges::count(listed, '\n'), 7) << listed;
  EXPECT_THAT(run({"audit", "--json"}).output, AllOf(HasSubstr(R"("before":{"power": 1})"), HasSubstr(R"("after":{"power": 2})")));
  EXPECT_THAT(run({"audit", "--user", "nobody-else"}).output, HasSubstr("Nobody has changed anything."));
  EXPECT_EQ(code({"audit", "--since", "yesterday"}), 2);
  EXPECT_EQ(code({"audit", "campaign"}), 2);
}

TEST_F(Gridctl, Audit_HasWhatIsChangedBySql_AndNothingOfTheModules) {
  ASSERT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi"}), 0);
  pqxx::connection connection{conninfo};
  pqxx::work work{connection};
  work.exec("UPDATE clusters SET enabled = false");
  work.exec("UPDATE clusters SET reachable = false, failed_polls = 3");
  work.exec("UPDATE clusters SET enabled = false");
  work.exec("INSERT INTO brakes (cluster_id, reason, created_at, expires_at) SELECT id, 'down', now(), now() FROM clusters");
  work.exec("DELETE FROM brakes");
  work.commit();
  const auto listed = run({"audit", "--csv"}).output;
  EXPECT_EQ(std::ranges::count(listed, '\n'), 3) << listed;
  EXPECT_THAT(listed, HasSubstr(",sql,UPDATE,cluster alpha,enabled: true -> false,"));
}

TEST_F(Gridctl, ALogin_IsListed_AndForgotten) {
  ASSERT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi"}), 0);
  EXPECT_THAT(run({"user", "list"}).output, HasSubstr("one name on the grid and on all clusters"));
  ASSERT_EQ(code({"user", "map", "ada", "alpha", "lovelace"}), 0);
  EXPECT_THAT(run({"user", "list", "--csv"}).output, HasSubstr("ada,alpha,lovelace"));
  EXPECT_EQ(code({"user", "unmap", "ada", "alpha"}), 0);
  const auto again = run({"user", "unmap", "ada", "alpha"});
  EXPECT_EQ(again.end.exit_status, 3);
  EXPECT_THAT(again.output, HasSubstr("gridctl user list"));
}

TEST_F(Gridctl, OneCluster_AndOneEvent_AreShownWhole) {
  ASSERT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi", "--power", "3"}), 0);
  EXPECT_THAT(run({"cluster", "show", "alpha"}).output,
              AllOf(HasSubstr("http://localhost:1/oarapi"), HasSubstr("as configured"), HasSubstr("not asked yet")));
  EXPECT_EQ(code({"cluster", "show", "beta"}), 3);
  const std::string message(300, 'm');
  pqxx::connection connection{conninfo};
  pqxx::work work{connection};
  work.exec("INSERT INTO events (code, opened_at, last_at, message) VALUES ('NOBODY', now(), now(), '" + message + "')");
  work.commit();
  EXPECT_THAT(run({"event", "show", "1"}).output, AllOf(HasSubstr("NOBODY"), HasSubstr(message)));
  EXPECT_EQ(code({"event", "show", "2"}), 3);
}

}  // namespace
}  // namespace gleaner
