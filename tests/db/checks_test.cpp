// The laws of the database: each is broken by SQL, found, and repaired where it can be.
#include "lib/store/checks.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "lib/process/child.hpp"
#include "lib/store/detail.hpp"
#include "sql/catalogue.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner {
namespace {

using store::Reach;
using Result = store::Checked::Result;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr grid::Limits kLimits{.attempts = 50, .charged = 1, .walltime_factor = 1.5};

/// A grid in use. Campaign 1: task 0 done, 1 given back and planned again, 2 running, 3 waiting on alpha, 1 and 4 being launched on beta,
/// 5 and 6 given back by a void launch of alpha, 7 to 9 never taken. Campaign 2 is over. Campaign 3 has 4 tasks of one request, none taken.
class Checks : public tests::GridFixture {
 protected:
  Checks() {
    const auto campaign = a_campaign(10);
    const auto jobs = launched(campaign, alpha, 4);
    end(jobs[0], grid::JobEnd::done);
    end(jobs[1], grid::JobEnd::preempted);
    transact([&](store::Transaction& transaction) {
      store::Observation seen;
      seen.job = jobs[2].id;
      seen.state = grid::JobState::running;
      seen.started_at = now;
      seen.resources = 1;
      store::observe_jobs(transaction, std::array{seen});
    });
    begun(campaign, beta, 2);
    begun(campaign, alpha, 2);
    execute(R"(
      UPDATE launches SET state = 'void', settled_at = now() WHERE id = 3;
      UPDATE jobs SET state = 'error', ending = 'never_submitted', ended_at = now() WHERE launch_id = 3;
      UPDATE tasks SET state = 'waiting' WHERE campaign_id = 1 AND number IN (5, 6);
      INSERT INTO returned_tasks (campaign_id, number, cluster_id, fence, returned_at) SELECT 1, n, cluster_id, 3, now() FROM launches, generate_series(5, 6) AS n WHERE id = 3)");
    const auto over = a_campaign(1);
    end(launched(over, beta, 1).front(), grid::JobEnd::done);
    transact([&](store::Transaction& transaction) { EXPECT_EQ(store::finish_campaigns(transaction, now).size(), 1U); });
    a_campaign(4);
    execute(R"(
      UPDATE campaigns SET requests = 1 WHERE id = 3;
      UPDATE tasks SET request = 1 WHERE campaign_id = 3;
      INSERT INTO request_tasks SELECT 3, 1, number FROM tasks WHERE campaign_id = 3;
      INSERT INTO request_bags VALUES (3, 1, 0, 4))");
  }

  store::Checked check(const store::Law& law, Reach reach = Reach::all) {
    return store::check_law(database, law, reach, std::chrono::milliseconds{0});
  }

  /// The laws that do not hold, the leftovers too.
  std::vector<std::string> broken(Reach reach = Reach::all) {
    std::vector<std::string> names;
    for (const auto& law : store::laws()) {
      if (check(law, reach).result == Result::broken) names.emplace_back(law.name);
    }
    return names;
  }

  std::int64_t repair(const store::Law& law) { return store::repair_law(database, law, check(law).breaches, kLimits, "root", now); }

  /// As gridctl does: until nothing changes any more.
  void repair_all() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& law : store::laws()) changed = repair(law) > 0 || changed;
    }
  }
};

const store::Law& law_named(std::string_view name) {
  const auto known = store::laws();
  const auto found = std::ranges::find(known, name, &store::Law::name);
  if (found == known.end()) throw std::logic_error{fmt::format("no law {}", name)};
  return *found;
}

enum class Seen { always, with_all };
struct Breaker {
  const char* law;
  const char* sql;
  const char* undo = nullptr;  ///< of one that nothing repairs
  Seen seen = Seen::always;
};
void PrintTo(const Breaker& breaker, std::ostream* out) { *out << breaker.law; }

/// Each leaves the grid as it was, or as good.
constexpr Breaker kBreakers[] = {
    {"grid", "DELETE FROM grid", "INSERT INTO grid DEFAULT VALUES"},
    {"triggers", "ALTER TABLE jobs DISABLE TRIGGER count_jobs", "ALTER TABLE jobs ENABLE TRIGGER count_jobs"},
    {"triggers", "ALTER TRIGGER count_tasks ON tasks RENAME TO other", "ALTER TRIGGER other ON tasks RENAME TO count_tasks"},
    {"triggers", "ALTER TABLE campaigns DISABLE TRIGGER note_progress", "ALTER TABLE campaigns ENABLE TRIGGER note_progress"},
    {"triggers", "ALTER TABLE events DISABLE TRIGGER note_event", "ALTER TABLE events ENABLE TRIGGER note_event"},
    {"lease", "UPDATE lease SET expires_at = 'infinity'"},
    {"lease", "DELETE FROM lease"},
    {"lease", "UPDATE launches SET term = term + 5 WHERE state = 'launching'"},
    {"stray_job",
     "ALTER TABLE jobs DISABLE TRIGGER USER; INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt) VALUES (99, 99, 1, 0, 0);"
     "ALTER TABLE jobs ENABLE TRIGGER USER"},
    {"live_job_with_end", "UPDATE jobs SET ended_at = now(), ending = 'preempted' WHERE id = 4"},
    {"remote_id_twice", "UPDATE jobs SET remote_id = (SELECT remote_id FROM jobs WHERE id = 3) WHERE id = 4",
     "UPDATE jobs SET remote_id = 1003 WHERE id = 4"},
    {"job_fence", "UPDATE jobs SET fence = 99 WHERE id = 4", "UPDATE jobs SET fence = NULL"},
    {"launch_tag", "UPDATE launches SET tag = NULL WHERE id = 2", "UPDATE launches SET tag = 'tag-2' WHERE id = 2"},
    {"open_launch",
     "INSERT INTO launches (campaign_id, cluster_id, state, jobs, resources, term, planned_at) VALUES (1, 1, 'unknown', 1, 1, 0, now())"},
    {"attempt_behind", "UPDATE jobs SET attempt = 5 WHERE launch_id = 3", nullptr, Seen::with_all},
    {"over_with_tasks", "UPDATE campaigns SET state = 'terminated', ended_at = now() WHERE id = 1"},
    {"cursor", "UPDATE campaigns SET next_task = -1 WHERE id = 2"},
    {"request_bags", "UPDATE request_bags SET untaken = 3"},
    {"request_bags", "UPDATE campaigns SET next_task = 1 WHERE id = 3"},
    {"taken_ahead", "UPDATE campaigns SET next_task = 2 WHERE id = 1", "UPDATE campaigns SET next_task = 7 WHERE id = 1", Seen::with_all},
    {"skipped", "UPDATE campaigns SET skipped = 1 WHERE id = 1"},
    {"held", "UPDATE campaigns SET held = 1 WHERE id = 1"},
    {"cancelling", "UPDATE tasks SET cancelling = true WHERE campaign_id = 1 AND number = 8"},
    {"bag_entry", "INSERT INTO returned_tasks (campaign_id, number, returned_at) VALUES (1, 2, now())"},
    {"bag_entry", "INSERT INTO returned_tasks (campaign_id, number, returned_at) VALUES (1, 8, now())"},
    {"bag_entry", "INSERT INTO returned_tasks (campaign_id, number, returned_at) VALUES (99, 8, now())"},
    {"bag_request", "UPDATE returned_tasks SET request = 2"},
    {"claim", "UPDATE returned_tasks SET fence = 99 WHERE number = 5"},
    {"claim", "UPDATE returned_tasks SET cluster_id = 1, fence = 2 WHERE number = 5"},
    {"claim", "UPDATE returned_tasks SET fence = 3 WHERE number = 5"},
    {"claim", "UPDATE returned_tasks SET cluster_id = 99 WHERE number = 5"},
    {"lost_from_bag", "DELETE FROM returned_tasks WHERE number = 5"},
    {"campaign_end", "UPDATE campaigns SET ended_at = NULL WHERE id = 2"},
    {"campaign_end", "UPDATE campaigns SET ended_at = now() WHERE id = 1"},
    {"cleaned_pair", "UPDATE campaign_clusters SET cleaned_at = now() WHERE campaign_id = 1"},
    {"requested", "UPDATE campaigns SET requested = '{}' WHERE id = 1"},
    {"inputs_there", "UPDATE campaign_clusters SET inputs_sent = 3, inputs_there = '{[0,2),[5,7)}' WHERE campaign_id = 1"},
    {"inputs_there", "UPDATE campaign_clusters SET inputs_there = '{[0,2)}' WHERE campaign_id = 1"},
    {"inactive_pair", "UPDATE campaign_clusters SET active = false WHERE campaign_id = 1"},
    {"pair_counters", "UPDATE campaign_clusters SET running = running + 1 WHERE campaign_id = 1"},
    {"pair_counters", "UPDATE campaign_clusters SET unknown = 1 WHERE campaign_id = 2"},
    {"pair_results", "UPDATE campaign_clusters SET done = done + 1 WHERE campaign_id = 1",
     "UPDATE campaign_clusters SET done = done - 1 WHERE campaign_id = 1"},
    {"usage", "INSERT INTO usage (day, user_name, project, cluster_id, resource_seconds) VALUES ('2026-01-01', 'alice', '', 1, -5)"},
    {"usage", "INSERT INTO usage (day, user_name, project, cluster_id, resource_seconds) VALUES ('2026-01-02', 'alice', '', 1, 'NaN')"},
    {"future_brake",
     "INSERT INTO brakes (cluster_id, reason, created_at, expires_at) VALUES (1, 'test', now() + interval '1 year', now() + interval '1 year 1 minute')"},
    {"future_status", "INSERT INTO gridstatus VALUES (1, now() + interval '1 year', 1, 1, 0, 0, 0, 0, true, 1)"},
    {"future_probe", "UPDATE clusters SET next_probe_at = now() + interval '1 year'"},
    {"stale_outage",
     "UPDATE clusters SET reachable = true; INSERT INTO events (code, cluster_id, opened_at, last_at, message) VALUES ('CLUSTER_UNREACHABLE', 1, now(), now(), 'x')"},
    {"forecast_history",
     "INSERT INTO campaign_forecasts (campaign_id, made_at, method) VALUES (1, now(), 'none');"
     "INSERT INTO forecast_history (campaign_id, made_at, end_at, method) VALUES (1, now() + interval '1 year', now(), 'average')"},
    {"decision_history",
     "INSERT INTO decision_history (campaign_id, cluster_id, change, since, until, lasted, reason, subject) VALUES (1, 1, 1, now(), now() + "
     "interval '1 year', '1 s', 'full', '')"},
    {"leftover_kills", "INSERT INTO kill_requests VALUES (1, 'excess', now())"},
    {"leftover_brakes",
     "INSERT INTO brakes (campaign_id, reason, created_at, expires_at) VALUES (2, 'test', now(), now() + interval '1 minute')"},
    {"leftover_events", "INSERT INTO events (code, job_id, opened_at, last_at, message) VALUES ('TASK_ERROR', 99, now(), now(), 'x')"},
    {"leftover_forecasts", "INSERT INTO forecasts (campaign_id, cluster_id, job_ratio) VALUES (1, 99, 1)"},
    {"leftover_decisions",
     "INSERT INTO decisions (campaign_id, cluster_id, stage, reason, figures, jobs, since) VALUES (2, 0, 'x', 'x', '{}', 0, now())"},
    {"task_blocks", "UPDATE task_blocks SET done = done + 1 WHERE campaign_id = 1"},
    {"task_blocks", "DELETE FROM task_blocks WHERE campaign_id = 1"},
    {"task_blocks", "INSERT INTO task_blocks (campaign_id, block, done) VALUES (1, 7, 3)"},
    {"task_blocks", "UPDATE task_blocks SET done = 0 WHERE campaign_id = 2", nullptr, Seen::with_all},
    {"failure_groups",
     "INSERT INTO failure_groups (campaign_id, cluster_id, ending, pattern, stderr_line, tasks) VALUES (1, 1, 'walltime', '', '', 3)"},
    {"failure_groups",
     "INSERT INTO failure_groups (campaign_id, cluster_id, ending, pattern, stderr_line, tasks) VALUES (2, 1, 'walltime', '', '', -1)",
     nullptr, Seen::with_all},
    {"failure_groups", "UPDATE tasks SET failure = 99 WHERE campaign_id = 1 AND number = 2"},
    {"campaign_counters", "UPDATE campaigns SET done = done + 1, waiting = waiting - 1 WHERE id = 1"},
    {"campaign_counters", "UPDATE campaigns SET failed = 1 WHERE id = 2", nullptr, Seen::with_all},
    {"done_by_a_job", "UPDATE jobs SET ending = 'task_error' WHERE id = 1", "UPDATE jobs SET ending = 'done' WHERE id = 1", Seen::with_all},
    {"plan_quality", "DELETE FROM plan_quality", nullptr, Seen::with_all},
    {"plan_quality", "UPDATE plan_quality SET done = 0, started = 0", nullptr, Seen::with_all},
    {"ended_job", "UPDATE jobs SET ending = NULL WHERE id = 2", "UPDATE jobs SET ending = 'preempted' WHERE id = 2", Seen::with_all},
    {"missing_tasks", "UPDATE tasks SET number = 99 WHERE campaign_id = 1 AND number = 9; UPDATE campaigns SET total = 9 WHERE id = 1",
     "UPDATE tasks SET number = 9 WHERE campaign_id = 1 AND number = 99; UPDATE campaigns SET total = 10 WHERE id = 1", Seen::with_all},
    {"replica", "UPDATE tasks SET replica = 1, replica_lives = true WHERE campaign_id = 1 AND number = 2", nullptr, Seen::with_all},
    {"replica",
     "UPDATE campaigns SET jdl = '{\"replicas\": \"allowed\"}'; UPDATE tasks SET replica = 1, replica_lives = true WHERE campaign_id = 1 AND number = 2"},
};

/// Each in a grid of its own, which is another one afterwards.
constexpr Breaker kGreatBreakers[] = {
    {"retired_cluster", "UPDATE clusters SET retired_at = now() WHERE id = 2"},
    {"job_of_launch", "UPDATE launches SET state = 'accepted' WHERE id = 2"},
    {"job_without_remote_id", "UPDATE jobs SET remote_id = NULL WHERE id = 4"},
    {"claim", "UPDATE clusters SET retired_at = now() WHERE id = 1"},
    {"unwanted_job",
     "UPDATE tasks SET attempt = 7 WHERE campaign_id = 1 AND number = 3; UPDATE launches SET settled_at = '2020-01-01' WHERE id = 1"},
    {"task_without_job", "UPDATE jobs SET state = 'error', ending = 'node_failure', started_at = now(), ended_at = now() WHERE id = 4"},
    {"task_without_job",
     "UPDATE campaigns SET state = 'cancelled', ended_at = now(); UPDATE tasks SET state = 'cancelled' WHERE campaign_id = 1 AND number IN (5, 6);"
     "DELETE FROM returned_tasks; UPDATE jobs SET state = 'error', ending = 'node_failure', ended_at = now() WHERE id = 4",
     nullptr, Seen::with_all},
    {"cursor", "UPDATE campaigns SET next_task = 11 WHERE id = 1"},
    {"request_bags", "UPDATE request_bags SET next_task = 2", nullptr, Seen::with_all},
    {"done_twice",
     "INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, ending, ended_at) SELECT launch_id, campaign_id, cluster_id, task, attempt,"
     " state, ending, ended_at FROM jobs WHERE id = 1",
     "DELETE FROM jobs WHERE id = (SELECT max(id) FROM jobs)", Seen::with_all},
};

class Breaches : public Checks {
 protected:
  /// Breaks a law, and repairs it alone, or undoes it.
  void break_and_mend(const Breaker& breaker) {
    const auto& law = law_named(breaker.law);
    ASSERT_EQ(check(law).result, Result::holds) << "before it is broken";
    execute(breaker.sql);
    const auto found = check(law);
    ASSERT_EQ(found.result, Result::broken);
    EXPECT_GT(found.breaches.count, 0);
    EXPECT_THAT(found.breaches.rows.front().text, Not(IsEmpty()));
    EXPECT_EQ(check(law, Reach::live).result == Result::broken, breaker.seen == Seen::always);
    EXPECT_EQ(law.repair.empty(), breaker.undo != nullptr);
    const auto repaired = store::repair_law(database, law, found.breaches, kLimits, "root", now);
    EXPECT_EQ(repaired > 0, breaker.undo == nullptr);
    if (breaker.undo != nullptr) {
      EXPECT_EQ(check(law).result, Result::broken) << "nothing was changed";
      execute(breaker.undo);
    } else {
      EXPECT_NE(value(fmt::format("SELECT count(*) FROM declarations WHERE what = 'repair' AND subject = '{}' AND declared_by = 'root'",
                                  breaker.law)),
                "0");
      EXPECT_NE(value(fmt::format(
                    "SELECT count(*) FROM events WHERE code = 'REPAIRED' AND state = 'closed' AND message LIKE 'root repaired % law {} %'",
                    breaker.law)),
                "0");
    }
    EXPECT_EQ(check(law).result, Result::holds);
  }
};
class GreatBreach : public Breaches, public ::testing::WithParamInterface<Breaker> {};
TEST_P(GreatBreach, IsFound_AndRepairedWhereItCanBe_WithWhatItUncovers) {
  break_and_mend(GetParam());
  repair_all();
  EXPECT_THAT(broken(), IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(OfALaw, GreatBreach, ::testing::ValuesIn(kGreatBreakers),
                         [](const auto& one) { return fmt::format("{}_{}", one.param.law, one.index); });

TEST_F(Breaches, OfEveryLawAreFound_AndRepairedWhereTheyCanBe) {
  ASSERT_THAT(broken(), IsEmpty()) << "a grid in use breaks no law";
  for (const auto& breaker : kBreakers) {
    SCOPED_TRACE(breaker.sql);
    break_and_mend(breaker);
    if (HasFatalFailure()) return;
  }
  repair_all();
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Breaches, OfTheLawOfTriggers_AreFound_WhicheverTriggerIsDisabled) {
  std::istringstream triggers{
      value("SELECT string_agg(tgrelid::regclass || ' ' || tgname, E'\\n' ORDER BY 1) FROM pg_trigger "
            "WHERE NOT tgisinternal AND tgname <> 'note_transitions'")};  // that one is of these tests (transitions.cpp)
  int count = 0;
  for (std::string table, name; triggers >> table >> name; ++count) {
    execute(fmt::format("ALTER TABLE {} DISABLE TRIGGER {}", table, name));
    const auto found = check(law_named("triggers"));
    ASSERT_EQ(found.result, Result::broken) << table << " " << name;
    EXPECT_EQ(found.breaches.rows.front().text, fmt::format("the trigger {} of {} is disabled", name, table));
    execute(fmt::format("ALTER TABLE {} ENABLE TRIGGER {}", table, name));
  }
  EXPECT_GE(count, 45);
  EXPECT_EQ(check(law_named("triggers")).result, Result::holds);
}

TEST(Laws, EachHasASentence_ARepairOnlyWhereItsQueryNamesOne_AndABreakerHere) {
  for (const auto& law : store::laws()) {
    EXPECT_THAT(std::string{law.sentence}, ::testing::EndsWith(".")) << law.name;
    const auto breaks = [&](const Breaker& breaker) { return breaker.law == law.name; };
    EXPECT_TRUE(std::ranges::any_of(kBreakers, breaks) || std::ranges::any_of(kGreatBreakers, breaks)) << law.name;
  }
  for (const auto& query : sql::queries()) {
    if (!query.name.starts_with("checks.") || query.text.find("AS breaches") == std::string_view::npos) continue;
    EXPECT_NO_THROW(law_named(query.name.substr(7))) << "a law that nothing checks";
  }
}

TEST_F(Checks, TaskWithoutAJob_GoesBackWithANewAttempt_AndPaysNothing) {
  execute("UPDATE jobs SET state = 'error', ending = 'node_failure', started_at = now(), ended_at = now() WHERE id = 4");
  ASSERT_EQ(repair(law_named("task_without_job")), 1);
  EXPECT_EQ(value("SELECT state || ' ' || attempt || ' ' || uncounted || ' ' || charged FROM tasks WHERE campaign_id = 1 AND number = 3"),
            "waiting 1 1 0");
  EXPECT_EQ(value("SELECT count(*) FROM returned_tasks WHERE number = 3 AND cluster_id IS NULL AND fence IS NULL"), "1");
  EXPECT_EQ(counters(grid::CampaignId{1}), recount(grid::CampaignId{1}));
}

TEST_F(Checks, TaskLostFromTheBag_ThatHadAJob_GetsANewAttempt_AndOneThatHadNoneKeepsIts) {
  execute("DELETE FROM returned_tasks WHERE number = 5; UPDATE campaigns SET next_task = 8 WHERE id = 1");
  ASSERT_EQ(repair(law_named("lost_from_bag")), 2);
  EXPECT_EQ(value("SELECT string_agg(number || ':' || attempt, ' ' ORDER BY number) FROM tasks WHERE campaign_id = 1 AND number IN (5, 7)"),
            "5:1 7:0");
}

TEST_F(Checks, OrphanThatDidItsTask_WhichItsUserHadCancelled_BreaksNoLaw) {
  const grid::LaunchId void_launch{3};
  transact([&](store::Transaction& transaction) { EXPECT_TRUE(store::cancel_campaign(transaction, grid::CampaignId{1}, now)); });
  std::vector<store::LiveJob> orphans;
  transact([&](store::Transaction& transaction) {
    std::vector<store::AcceptedJob> accepted;
    for (const auto& line : store::launch_lines(transaction, void_launch))
      accepted.push_back({line.job, grid::RemoteJobId{900 + line.task.value()}});
    store::accept_launch(transaction, void_launch, accepted, std::nullopt, now);
    for (const auto& job : store::live_jobs(transaction, alpha)) {
      if (job.task.value() >= 5 && job.campaign == grid::CampaignId{1}) orphans.push_back(job);
    }
  });
  ASSERT_EQ(orphans.size(), 2U);
  for (const auto& orphan : orphans) end(orphan, grid::JobEnd::done);
  EXPECT_EQ(value("SELECT count(*) FROM tasks WHERE campaign_id = 1 AND number IN (5, 6) AND state = 'cancelled'"), "2");
  EXPECT_EQ(value("SELECT count(*) FROM jobs WHERE launch_id = 3 AND ending = 'done'"), "2");
  EXPECT_EQ(check(law_named("done_by_a_job")).result, Result::holds);
}

TEST_F(Checks, Repair_WaitsForAModuleThatWrites) {
  execute("UPDATE campaign_clusters SET running = running + 1 WHERE campaign_id = 1");
  store::Database other{conninfo};
  auto module = other.begin(term);
  store::Database impatient{conninfo};
  {
    auto transaction = impatient.begin();
    transaction.implementation().work.exec("SET lock_timeout = '50ms'");
    transaction.commit();
  }
  const auto& law = law_named("pair_counters");
  EXPECT_THROW(store::repair_law(impatient, law, check(law).breaches, kLimits, "root", now), std::exception);
  module.commit();
  EXPECT_GT(store::repair_law(impatient, law, check(law).breaches, kLimits, "root", now), 0);
}

TEST_F(Checks, LawThatTakesTooLong_IsUnchecked) {
  store::Database other{conninfo};
  auto transaction = other.begin();
  transaction.implementation().work.exec("LOCK TABLE returned_tasks");
  EXPECT_EQ(store::check_law(database, law_named("bag_entry"), Reach::live, std::chrono::milliseconds{50}).result, Result::unchecked);
  EXPECT_EQ(store::check_law(database, law_named("usage"), Reach::live, std::chrono::minutes{10}).result, Result::holds);
}

class GridctlDbCheck : public Checks {
 protected:
  process::Captured run(std::vector<std::string> arguments) {
    const char* folder = std::getenv("GLEANER_BIN_DIR");
    arguments.insert(arguments.begin(), {fmt::format("{}/gridctl", folder != nullptr ? folder : "build/bin"), "db", "check"});
    auto captured =
        process::capture({.arguments = std::move(arguments), .environment = {{"GLEANER_DATABASE", conninfo}}}, std::chrono::minutes{10});
    if (!captured) throw std::runtime_error{captured.error()};
    return *captured;
  }
};

TEST_F(GridctlDbCheck, ReportsEachBrokenLaw_RepairsIt_AndItsExitStatusShowsWhetherOneIsBroken) {
  auto said = run({});
  EXPECT_EQ(said.end.exit_status, 0) << said.output;
  EXPECT_THAT(said.output, AllOf(HasSubstr("laws hold"), HasSubstr("only checked with --full")));
  execute(
      "UPDATE campaign_clusters SET running = running + 1 WHERE campaign_id = 1; UPDATE jobs SET ending = NULL WHERE id = 2;"
      "INSERT INTO events (code, opened_at, last_at, message) VALUES ('LAW_BROKEN_pair_counters', now(), now(), 'x')");
  said = run({});
  EXPECT_EQ(said.end.exit_status, 1);
  EXPECT_THAT(said.output, AllOf(HasSubstr("pair_counters, 2 rows"), HasSubstr("campaign 1 counts on cluster"), HasSubstr("--repair"),
                                 HasSubstr("1 law is broken"), Not(HasSubstr("ended_job"))));
  said = run({"--full"});
  EXPECT_THAT(said.output, AllOf(HasSubstr("ended_job, 1 row"), HasSubstr("an administrator must judge"), HasSubstr("2 laws are broken")));
  EXPECT_EQ(run({"--full", "--quiet"}).output.substr(0, 24), "pair_counters\nended_job\n");
  EXPECT_THAT(run({"--json"}).output,
              AllOf(HasSubstr(R"("law":"pair_counters","state":"broken","rows":2)"), HasSubstr(R"("state":"unchecked")")));
  said = run({"--repair"});
  EXPECT_EQ(said.end.exit_status, 0) << said.output;
  EXPECT_THAT(said.output, HasSubstr("repaired pair_counters, 2 rows"));
  EXPECT_EQ(value("SELECT state FROM events WHERE code = 'LAW_BROKEN_pair_counters'"), "closed");
  EXPECT_EQ(run({"--full", "--repair"}).end.exit_status, 1) << "what an administrator must judge stays broken";
}

TEST_F(GridctlDbCheck, LeftoversAreShown_AndBreakNoLaw) {
  execute("INSERT INTO kill_requests VALUES (1, 'excess', now())");
  const auto said = run({});
  EXPECT_EQ(said.end.exit_status, 0);
  EXPECT_THAT(said.output, HasSubstr("leftover leftover_kills, 1 row"));
  EXPECT_EQ(run({"--repair"}).end.exit_status, 0);
  EXPECT_EQ(value("SELECT count(*) FROM kill_requests"), "0");
}

}  // namespace
}  // namespace gleaner
