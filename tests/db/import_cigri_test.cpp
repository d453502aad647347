// Campaigns out of CiGri's database.
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <sstream>

#include "lib/store/checks.hpp"
#include "tests/db/import_fixture.hpp"

namespace gleaner::tests {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(ImportCigri, TasksThatAreToBeDone_ComePausedInTheOrderOfTheBag_AndNoOthers) {
  two_clusters();
  campaign(7, 10);
  job(7, "p1", "terminated");
  job(7, "p2", "event", {"RESUBMIT open"});      // CiGri gives it back at its next turn, before the others
  job(7, "p3", "event", {"EXIT_ERROR closed"});  // failed, and its user gave it back
  put_back(7, "p3");
  job(7, "p4", "event", {"EXIT_ERROR open"});  // failed, and nobody gave it back
  job(7, "p5", "terminated");                  // done, and all the same in the bag
  put_back(7, "p5");
  job(7, "p6", "to_launch");                     // its job was never sent
  job(7, "p8", "event", {"RESUBMIT_END open"});  // the same as p2, behind the others
  job(7, "p9", "event", {"RESUBMIT closed"});    // given back, and about to be the first
  put_back(7, "p9", 30);
  const auto said = import();
  EXPECT_EQ(said.end.exit_status, 1) << said.output;
  EXPECT_EQ(here("SELECT user_name || ' ' || name || ' ' || state || ' ' || total FROM campaigns"), "ada mesh paused 7");
  EXPECT_EQ(here("SELECT parameter FROM tasks ORDER BY number"), "p9 9\np2 2\np6 6\np0 0\np3 3\np7 7\np8 8");
  EXPECT_EQ(here("SELECT k.name FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id ORDER BY p.walltime_s"), "zeta\nalpha");
  EXPECT_EQ(here("SELECT jdl->>'params_shell' FROM campaigns"), "true") << "parameters are shell text in CiGri";
  EXPECT_EQ(here("SELECT act || ', ' || subject || ', ' || after FROM audit WHERE campaign_id IS NOT NULL"),
            "import cigri, campaign 1, {\"tasks\": 7, \"cigri_campaign\": 7}");
  EXPECT_THAT(said.output, AllOf(HasSubstr("1 task failed in CiGri: left out"), HasSubstr("gridevents -f -r -c 7"),
                                 HasSubstr("gridsub --resume 1"), HasSubstr("not here, for the reasons above: 1 task of campaign 7 mesh")));
  store::Database database{here_};
  for (const auto& law : store::laws()) {
    const auto checked = store::check_law(database, law, store::Reach::all, {});
    EXPECT_EQ(checked.result, store::Checked::Result::holds) << law.sentence;
  }
}

TEST_F(ImportCigri, CampaignWithTasksThatMayBeOnClusters_IsRefused_UnlessAnOptionDecidesTheirFate) {
  two_clusters();
  const auto with_live_tasks = [&](std::int64_t id) {
    campaign(id, 6);
    job(id, "p0", "running");
    job(id, "p1", "event");  // the answer got lost, and CiGri put the task back
    put_back(id, "p1");
    job(id, "p2", "event", {"STUCK_LAUNCHING_JOB open"});
    job(id, "p3", "event", {"OAR_AUTO_RESUBMIT closed", "EXIT_ERROR closed"});
    put_back(id, "p3");
    job(id, "p4", "event", {"RUNNER_SUBMIT_TIMEOUT closed", "EXIT_ERROR closed"});  // OAR had it all the same, and it is over
    put_back(id, "p4");
  };
  with_live_tasks(7);
  const auto refused = import();
  EXPECT_EQ(refused.end.exit_status, 1);
  EXPECT_THAT(refused.output, AllOf(HasSubstr("4 tasks are in jobs of CiGri (1, 2, 3, 4) that may be on clusters"),
                                    HasSubstr("--live-tasks leave-out"), HasSubstr("not here, for the reasons above: campaign 7 mesh")));
  EXPECT_EQ(here("SELECT count(*) FROM campaigns"), "0");

  const auto less = import({"--yes", "--live-tasks", "leave-out"});
  EXPECT_EQ(less.end.exit_status, 1);
  EXPECT_EQ(here("SELECT parameter FROM tasks ORDER BY number"), "p4 4\np5 5");
  EXPECT_THAT(less.output, AllOf(HasSubstr("may be on clusters: left out"), HasSubstr("4 tasks of campaign 7 mesh")));
  const auto again = import();
  EXPECT_EQ(again.end.exit_status, 1);
  EXPECT_THAT(again.output,
              AllOf(ContainsRegex("campaign +7 mesh +ada +2 +4 +1 +is here already"), HasSubstr("4 tasks of campaign 7 mesh")));

  with_live_tasks(8);
  const auto all = import({"--yes", "--campaigns", "8", "--live-tasks", "import"});
  EXPECT_EQ(all.end.exit_status, 0) << all.output;
  EXPECT_EQ(here("SELECT count(*) FROM tasks WHERE campaign_id = 2"), "6");
  EXPECT_EQ(import({"--yes", "--live-tasks", "perhaps"}).end.exit_status, 2);
}

TEST_F(ImportCigri, Again_TakesNothingTwice_AlsoWhenCigriWasDumpedAndRestoredElsewhere) {
  two_clusters();
  campaign(7, 3);
  ASSERT_EQ(import().end.exit_status, 0);
  campaign(8, 2);
  const auto said = import();
  EXPECT_EQ(said.end.exit_status, 0) << said.output;
  EXPECT_THAT(said.output,
              AllOf(ContainsRegex("campaign +7 mesh +ada +3 +1 +is here already"), ContainsRegex("campaign +8 mesh +ada +2 +2 +made"),
                    ContainsRegex("cluster +zeta +zeta +is here already")));
  EXPECT_EQ(here("SELECT count(*) FROM campaigns"), "2");
  EXPECT_EQ(here("SELECT count(*) FROM tasks"), "5");
  cigri_ = PrivatePostgres::instance().cigri_database();
  campaign(7, 3);
  EXPECT_THAT(import({"--yes", "--only", "campaigns"}).output, ContainsRegex("campaign +7 mesh +ada +3 +1 +is here already"));
  EXPECT_EQ(here("SELECT count(*) FROM tasks"), "5");
}

TEST_F(ImportCigri, CampaignThatWasPrunedHere_DoesNotComeBack) {
  two_clusters();
  campaign(7, 3);
  ASSERT_EQ(import().end.exit_status, 0);
  here("UPDATE campaigns SET state = 'cancelled', ended_at = now() - interval '1 day' RETURNING 1");
  const auto pruned =
      process::capture({.arguments = {program(), "prune", "--older-than", "1h", "--yes"}, .environment = {{"GLEANER_DATABASE", here_}}},
                       std::chrono::minutes{2});
  ASSERT_TRUE(pruned && pruned->end.succeeded()) << (pruned ? pruned->output : pruned.error());
  ASSERT_EQ(here("SELECT count(*) FROM campaigns"), "0");
  const auto said = import();
  EXPECT_EQ(said.end.exit_status, 0) << said.output;
  EXPECT_THAT(said.output, AllOf(ContainsRegex("campaign +7 mesh +ada +3 +1 +is here already"), HasSubstr("it was deleted here since")));
  EXPECT_EQ(here("SELECT count(*) FROM campaigns"), "0");
}

TEST_F(ImportCigri, KilledBetweenTwoCampaigns_LeavesTheFirstWhole_NothingOfTheSecond_AndTheNextOneTakesIt) {
  two_clusters();
  campaign(7, 2000);
  campaign(8, 2000);
  {
    pqxx::connection connection{here_};
    pqxx::work other{connection};
    other.exec("INSERT INTO imported_campaigns VALUES ('cigri', 8, '2026-11-20 10:00+00', 99, 1, 0)");
    auto child = process::Child::start(command({"--yes"}));
    ASSERT_TRUE(child) << child.error();
    // It waits for the end of the other import of campaign 8.
    const auto is_waiting = [&] { return here("SELECT count(*) FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted") == "1"; };
    while (!is_waiting()) ASSERT_FALSE(child->wait(process::Duration{10}));
    child->signal_group(SIGKILL);
    ASSERT_TRUE(child->wait(std::chrono::minutes{10}));
  }
  EXPECT_EQ(here("SELECT name || ' ' || total FROM campaigns"), "mesh 2000");
  EXPECT_EQ(here("SELECT string_agg(source_id::text, ' ') FROM imported_campaigns"), "7");
  PrivatePostgres::instance().wait_for_end_of_sessions(cigri_);
  const auto said = import();
  EXPECT_EQ(said.end.exit_status, 0) << said.output;
  EXPECT_EQ(here("SELECT campaign_id || ' ' || count(*) || ' ' || count(DISTINCT parameter) FROM tasks GROUP BY campaign_id ORDER BY 1"),
            "1 2000 2000\n" + here("SELECT max(id) || ' 2000 2000' FROM campaigns"));
  EXPECT_EQ(here("SELECT count(*) FROM campaigns"), "2");
}

TEST_F(ImportCigri, KilledWhileItWritesACampaign_LeavesNothingOfIt) {
  two_clusters();
  campaign(7, 2000);
  {
    pqxx::connection connection{here_};
    pqxx::work lock{connection};
    lock.exec("LOCK TABLE campaign_clusters IN SHARE MODE");
    auto child = process::Child::start(command({"--yes"}));
    ASSERT_TRUE(child) << child.error();
    // Its tasks are written, and it waits for the lock to write what it asks of the clusters.
    const auto is_waiting = [&] {
      return here("SELECT count(*) FROM pg_locks WHERE relation = 'campaign_clusters'::regclass AND NOT granted") == "1";
    };
    while (!is_waiting()) ASSERT_FALSE(child->wait(process::Duration{10}));
    child->signal_group(SIGKILL);
    ASSERT_TRUE(child->wait(std::chrono::minutes{10}));
  }
  EXPECT_EQ(here("SELECT (SELECT count(*) FROM campaigns) + (SELECT count(*) FROM imported_campaigns)"), "0");
}

TEST_F(ImportCigri, DatabaseThatGoesAway_EndsIt_AndWhatWasDoneIsShown) {
  two_clusters();
  campaign(7, 2);
  campaign(8, 2);
  const auto output = folder_ / "output";
  pqxx::connection connection{here_};
  pqxx::work other{connection};
  other.exec("INSERT INTO imported_campaigns VALUES ('cigri', 8, '2026-11-20 10:00+00', 99, 1, 0)");
  auto asked = command({"--yes"});
  asked.output = output;
  auto child = process::Child::start(asked);
  ASSERT_TRUE(child) << child.error();
  const std::string waiting = "FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted";
  while (here("SELECT count(*) " + waiting) != "1") ASSERT_FALSE(child->wait(process::Duration{10}));
  here("SELECT pg_terminate_backend(pid) " + waiting);
  const auto end = child->wait(std::chrono::minutes{10});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_status, 5) << content_of(output);
  EXPECT_THAT(content_of(output),
              AllOf(ContainsRegex("campaign +7 mesh +ada +2 +1 +made"), ContainsRegex("campaign +8 mesh .*cannot be taken"),
                    HasSubstr("gridsub --resume 1"), HasSubstr("the import ended early")));
}

TEST_F(ImportCigri, ManyTasks_TakeConstantMemory) {
  two_clusters();
  campaign(7, 10);
  const auto most_of_children = [] {
    struct rusage usage {};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    return usage.ru_maxrss;  // kB
  };
  ASSERT_EQ(import().end.exit_status, 0);
  const auto before = most_of_children();
  campaign(8, 200'000);
  cigri("UPDATE parameters SET param = name || repeat(' x', 250) WHERE campaign_id = 8");
  ASSERT_EQ(import().end.exit_status, 0);
  EXPECT_EQ(here("SELECT total FROM campaigns ORDER BY id"), "10\n200000");
  EXPECT_LT(most_of_children() - before, 40'000) << "its parameters are 100 MB";
}

TEST_F(ImportCigri, DryRun_ListsWhatWouldCome_AndChangesNothing) {
  two_clusters();
  cigri("UPDATE clusters SET api_auth_type = 'password', api_username = 'grid', api_password = 'sesame' WHERE name = 'zeta'");
  cigri("INSERT INTO users_mapping (grid_login, cluster_login, cluster_id) VALUES ('ada', 'lovelace', 1)");
  campaign(7, 3);
  campaign(8, 2, R"({"name":"lost","clusters":{"omega":{"exec_file":"x"}}})");
  job(8, "p1", "event", {"EXIT_ERROR open"});
  const auto said = import({"--dry-run"});
  EXPECT_EQ(said.end.exit_status, 1) << said.output;
  EXPECT_THAT(said.output,
              AllOf(ContainsRegex("cluster +zeta +zeta +would be made"), ContainsRegex("user +login on zeta +ada +lovelace +would be made"),
                    ContainsRegex("campaign +7 mesh +ada +3 +would be made"), ContainsRegex("campaign +8 mesh +ada +1 +cannot be taken"),
                    HasSubstr("omega"), HasSubstr("campaign 8 mesh: 1 task failed in CiGri"), HasSubstr("nothing was changed"),
                    Not(HasSubstr("sesame"))));
  EXPECT_EQ(here("SELECT count(*) FROM clusters"), "0");
  EXPECT_EQ(here("SELECT count(*) FROM campaigns"), "0");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "secrets"));
}

TEST_F(ImportCigri, WhileOthersAreConnectedToCigrisDatabase_CampaignsAreRefused_AndClustersAndUsersAreNot) {
  two_clusters();
  campaign(7, 2);
  const pqxx::connection daemon{cigri_};
  const auto refused = import();
  EXPECT_EQ(refused.end.exit_status, 4);
  EXPECT_THAT(refused.output, AllOf(HasSubstr("1 other session (gleaner"), HasSubstr("stop CiGri"), HasSubstr("--only clusters,users")));
  EXPECT_EQ(here("SELECT count(*) FROM clusters"), "0");
  EXPECT_THAT(import({"--dry-run"}).output, AllOf(HasSubstr("note: CiGri's database has 1 other session"), HasSubstr("7 mesh")));
  EXPECT_EQ(import({"--yes", "--only", "clusters,users"}).end.exit_status, 0);
  EXPECT_EQ(here("SELECT count(*) FROM clusters"), "2");
  EXPECT_EQ(import({"--yes", "--while-cigri-runs"}).end.exit_status, 0);
  EXPECT_EQ(here("SELECT count(*) FROM campaigns"), "1");
}

TEST_F(ImportCigri, CampaignsThatTheirUsersHadPaused_AreNotAmongThoseToResume) {
  two_clusters();
  for (const std::int64_t id : {7, 8, 9}) campaign(id, 1);
  cigri(
      "UPDATE campaigns SET state = 'paused' WHERE id IN (8, 9);"
      "INSERT INTO events (class, code, state, campaign_id, date_open) VALUES ('campaign', 'PAUSED', 'closed', 8, now() - interval '2 days'),"
      " ('campaign', 'PAUSED', 'closed', 9, now() - interval '10 minutes')");
  EXPECT_THAT(import({"--yes", "--drained", "1h"}).output,
              AllOf(HasSubstr("its jobs are over: 'gridsub --resume 1,3'"), HasSubstr("who resume them here: 'gridsub --resume 2'")));
  EXPECT_EQ(here("SELECT DISTINCT state FROM campaigns"), "paused");
  here("UPDATE campaigns SET state = 'in_treatment' WHERE id = 3 RETURNING 1");
  EXPECT_THAT(import().output, AllOf(HasSubstr("imported before, and still paused: 'gridsub --resume 1'"),
                                     HasSubstr("who resume them here: 'gridsub --resume 2'")));
  EXPECT_EQ(import({"--yes", "--drained", "soon"}).end.exit_status, 2);
}

TEST_F(ImportCigri, Table_FitsANarrowTerminal) {
  two_clusters();
  cigri("INSERT INTO users_mapping (grid_login, cluster_login, cluster_id) VALUES ('ada', 'lovelace', 1)");
  campaign(123456, 3);
  job(123456, "p1", "event", {"EXIT_ERROR open"});
  ASSERT_EQ(import().end.exit_status, 1);
  auto narrow = command({"--yes"});
  narrow.environment.emplace_back("COLUMNS", "60");
  const auto said = process::capture(narrow, std::chrono::minutes{10}, {.errors = process::Exchange::Errors::apart});
  ASSERT_TRUE(said) << said.error();
  EXPECT_THAT(said->output, AllOf(HasSubstr("campaign  12345"), HasSubstr("is here already")));
  std::istringstream lines{said->output};
  const auto begins_character = [](char c) { return (c & 0xc0) != 0x80; };
  for (std::string line; std::getline(lines, line);) EXPECT_LE(std::ranges::count_if(line, begins_character), 60) << line;
}

TEST_F(ImportCigri, Quiet_PrintsTheNumbersOfTheNewCampaigns) {
  two_clusters();
  campaign(7, 1);
  campaign(8, 1);
  EXPECT_EQ(import({"--yes", "-q"}, {.errors = process::Exchange::Errors::apart}).output, "1\n2\n");
}

TEST_F(ImportCigri, DamagedCampaign_CostsItsOwn) {
  two_clusters();
  const auto damaged = [&](std::int64_t id, const std::string& parameter) {
    campaign(id, 2);
    cigri(fmt::format("UPDATE parameters SET param = {} WHERE campaign_id = {} AND name = 'p1'", parameter, id));
  };
  campaign(1, 2, R"({"name":"cut","clusters":{"alpha":)");
  campaign(2, 2, "[1,2]");
  campaign(3, 2);
  cigri("UPDATE campaigns SET jdl = NULL WHERE id = 3");
  campaign(4, 2, R"({"name":"slip","clusters":{"alpha":{"exec_file":"x","waltime":"1:0:0"}}})");
  campaign(5, 2, R"({"name":"trial","clusters":{"alpha":{"exec_file":"x","test_mode":"true"}}})");
  damaged(6, "repeat('x', 70000)");
  damaged(7, "'it''s'");
  campaign(8, 2, kJdl, "eve\nX_REMOTE_IDENT: root");
  campaign(9, 2);
  cigri("UPDATE campaigns SET submission_time = 'infinity' WHERE id = 9");
  campaign(10, 2, R"({"name":"nul","clusters":{"alpha":{"exec_file":"a\u0000b"}}})");
  campaign(-11, 2);
  campaign(12, 0);
  damaged(13, "NULL");
  campaign(14, 1, kJdl, "");
  const auto said = import();
  EXPECT_EQ(said.end.exit_status, 1);
  EXPECT_EQ(here("SELECT source_id FROM imported_campaigns ORDER BY campaign_id"), "-11\n6\n7\n13") << said.output;
  EXPECT_EQ(here("SELECT string_agg(parameter, ',' ORDER BY number) FROM tasks GROUP BY campaign_id ORDER BY campaign_id"),
            "p0 0,p1 1\np0 0\np0 0\np0 0,p1");
  EXPECT_THAT(said.output, AllOf(HasSubstr("did you mean 'walltime'"), HasSubstr("test_mode"), HasSubstr("longer than 64 kB"),
                                 HasSubstr("quotes and backslashes"), HasSubstr("no name of a user"), HasSubstr("nothing to take")));
}

TEST_F(ImportCigri, BracesInACommand_StayThere_AndTheParameterIsAppended) {
  two_clusters();
  campaign(7, 1, R"({"name":"braces","clusters":{"alpha":{"exec_file":"find . -name '*.gz' -exec gunzip {} + ; run {1}"}}})");
  const auto said = import();
  EXPECT_EQ(said.end.exit_status, 0) << said.output;
  EXPECT_EQ(here("SELECT placeholders FROM campaigns"), "f") << "they would be places for the parameter";
  EXPECT_EQ(here("SELECT exec_file FROM campaign_clusters"), "find . -name '*.gz' -exec gunzip {} + ; run {1}");
}

TEST_F(ImportCigri, NumbersInAJdl_AreTexts_SoThatAWalltimeIsInHours) {
  two_clusters();
  campaign(7, 1, R"({"name":12,"clusters":{"alpha":{"exec_file":"x","walltime":2,"max_jobs":5}}})");
  campaign(8, 1,
           R"({"name":"common","walltime":100,"clusters":{"alpha":{"exec_file":"x","walltime":"0:30:00"},"zeta":{"exec_file":"x"}}})");
  const auto said = import();
  EXPECT_EQ(said.end.exit_status, 0) << said.output;
  EXPECT_EQ(here("SELECT name FROM campaigns ORDER BY id"), "12\ncommon");
  EXPECT_EQ(here("SELECT p.walltime_s FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id ORDER BY p.campaign_id, k.name"),
            "7200\n1800\n360000");
}

/// PostgreSQL checks no bytes in such a database, and older ones of CiGri's are so.
TEST_F(ImportCigri, BytesThatAreNotUtf8_CostTheirOwnCampaign) {
  cigri_ = PrivatePostgres::instance().cigri_database(" ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
  two_clusters();
  campaign(7, 2);
  campaign(8, 2);
  campaign(9, 2);
  cigri("UPDATE parameters SET param = E'caf\\xe9' WHERE campaign_id = 7 AND name = 'p1'");
  cigri("UPDATE parameters SET param = E'caf\\xc3\\xa9' WHERE campaign_id = 8 AND name = 'p1'");
  cigri("UPDATE campaigns SET name = E'caf\\xe9' WHERE id = 9");
  const auto said = import();
  EXPECT_EQ(said.end.exit_status, 1);
  EXPECT_THAT(said.output, AllOf(HasSubstr("campaign 7 mesh: the database refuses it: invalid byte sequence"), HasSubstr("campaign 9:")));
  EXPECT_EQ(here("SELECT parameter FROM tasks ORDER BY number"), "p0 0\ncafé");
}

TEST_F(ImportCigri, PropertiesOfACluster_HoldForAllJobsThere) {
  two_clusters();
  cigri("UPDATE clusters SET properties = 'local=''NO''' WHERE name = 'zeta'");
  cigri("UPDATE clusters SET properties = 'a; drop' WHERE name = 'alpha'");
  campaign(7, 1);
  const auto said = import();
  EXPECT_EQ(here("SELECT name || ' ' || properties FROM clusters ORDER BY name"), "alpha \nzeta local='NO'");
  EXPECT_THAT(said.output, AllOf(HasSubstr("cluster zeta: its properties 'local='NO'' hold for all jobs there now"),
                                 HasSubstr("gridctl cluster edit zeta --properties none"),
                                 HasSubstr("cluster alpha: its properties 'a; drop' are not taken")));
}

TEST_F(ImportCigri, KeysThatCigriKeepsWithEachCluster_AreThoseOfTheCampaign_AndIdleOnesAreLeftOut) {
  two_clusters();
  const auto jdl = [](std::string_view zeta, std::string_view alpha) {
    return fmt::format(R"({{"name":"keys","clusters":{{"zeta":{{"exec_file":"x",{}}},"alpha":{{"exec_file":"x",{}}}}}}})", zeta, alpha);
  };
  campaign(7, 1, jdl(R"("temporal_grouping":"true")", R"("temporal_grouping":"true")"));
  campaign(8, 1, jdl(R"("temporal_grouping":"true")", R"("temporal_grouping":"false")"));
  campaign(9, 1,
           jdl(R"("dimensional_grouping":"true","output_gathering_method":"iRods","output_destination":"far.example.org:/data")",
               R"("temporal_grouping":"false","dimensional_grouping":"false","output_gathering_method":"None")"));
  const auto said = import();
  EXPECT_EQ(said.end.exit_status, 0) << said.output;
  EXPECT_EQ(
      here("SELECT source_id || ' ' || coalesce(c.jdl->>'temporal_grouping', '-') || ' ' || coalesce(c.jdl->>'dimensional_grouping', '-')"
           " FROM campaigns c JOIN imported_campaigns i ON i.campaign_id = c.id ORDER BY 1"),
      "7 true -\n8 true -\n9 - -");
  EXPECT_THAT(said.output, AllOf(Not(HasSubstr("campaign 7 mesh: temporal_grouping")),
                                 HasSubstr("campaign 8 mesh: temporal_grouping of 1 of its 2 clusters is that of the whole campaign"),
                                 HasSubstr("clusters.zeta.dimensional_grouping: 'true' had no effect in CiGri, and is left out"),
                                 HasSubstr("clusters.zeta.output_gathering_method: 'iRods' had no effect"),
                                 HasSubstr("clusters.zeta.output_destination: 'far.example.org:/data' had no effect")));
}

TEST_F(ImportCigri, TasksWhoseParametersNoShellCouldRead_AreLeftOut_AndTheOthersCome) {
  two_clusters();
  campaign(7, 6);
  cigri("UPDATE parameters SET param = name || ' it''s' WHERE name <> 'p1' AND name <> 'p5'");
  campaign(8, 2);
  cigri("UPDATE parameters SET param = 'it''s' WHERE campaign_id = 8");
  const auto trial = import({"--dry-run"});
  EXPECT_THAT(trial.output, ContainsRegex("campaign +7 mesh +ada +2 +4 +would be made"));
  const auto said = import();
  EXPECT_EQ(said.end.exit_status, 1) << said.output;
  EXPECT_EQ(here("SELECT campaign_id || ' ' || number || ' ' || parameter FROM tasks ORDER BY number"), "1 0 p1 1\n1 1 p5 5");
  EXPECT_EQ(here("SELECT total FROM campaigns"), "2");
  EXPECT_EQ(here("SELECT source_id || ' ' || tasks || ' ' || left_out FROM imported_campaigns"), "7 2 4");
  EXPECT_THAT(said.output, AllOf(HasSubstr("campaign 7 mesh: 4 tasks cannot be carried out: left out: parameter 1 (p0 it's): "),
                                 HasSubstr("; …"), HasSubstr("4 tasks of campaign 7 mesh"), HasSubstr("campaign 8 mesh: parameter")));
  EXPECT_THAT(import().output, ContainsRegex("campaign +7 mesh +ada +2 +4 +1 +is here already"));
}

TEST_F(ImportCigri, PartsCampaignsAndUsers_CanBeChosen) {
  two_clusters();
  campaign(7, 2);
  campaign(8, 2, kJdl, "bob");
  campaign(9, 2);
  ASSERT_EQ(import({"--yes", "--only", "clusters"}).end.exit_status, 0);
  EXPECT_EQ(here("SELECT count(*) FROM campaigns"), "0");
  ASSERT_EQ(import({"--yes", "--user", "bob"}).end.exit_status, 0);
  EXPECT_EQ(here("SELECT user_name FROM campaigns"), "bob");
  ASSERT_EQ(import({"--yes", "--campaigns", "9"}).end.exit_status, 0);
  EXPECT_EQ(here("SELECT source_id FROM imported_campaigns ORDER BY campaign_id"), "8\n9");
  const auto none = import({"--yes", "--campaigns", "10"});
  EXPECT_EQ(none.end.exit_status, 1);
  EXPECT_THAT(none.output, HasSubstr("CiGri has no campaign of this number that is in treatment or paused"));
}

TEST_F(ImportCigri, WithoutAYes_OrWithAWrongDatabase_NothingIsDone) {
  two_clusters();
  EXPECT_EQ(import({}).end.exit_status, 4) << "stdin is no terminal";
  EXPECT_EQ(import({"--only", "cluster"}).end.exit_status, 2);
  EXPECT_EQ(import({"--only", "users", "--campaigns", "7"}).end.exit_status, 2);
  EXPECT_EQ(import({"--only", "clusters,users", "--live-tasks", "import"}).end.exit_status, 2);
  EXPECT_EQ(import({"--only", "clusters,users", "--drained", "6h"}).end.exit_status, 2);
  EXPECT_EQ(import({"--only", "clusters,users", "--while-cigri-runs"}).end.exit_status, 2);
  EXPECT_EQ(import({"--only", "clusters", "--user", "ada"}).end.exit_status, 2);
  EXPECT_EQ(here("SELECT count(*) FROM clusters"), "0");
  cigri_ = "dbname=cigri3 password=secret";
  EXPECT_EQ(import().end.exit_status, 2);
  cigri_ = "host=/nonexistent dbname=cigri3";
  EXPECT_EQ(import().end.exit_status, 5);
  cigri_ = PrivatePostgres::instance().empty_database();
  const auto other = import();
  EXPECT_EQ(other.end.exit_status, 4);
  EXPECT_THAT(other.output, HasSubstr("this is no database of CiGri 3"));
}

}  // namespace
}  // namespace gleaner::tests
