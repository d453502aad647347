#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/store/changes.hpp"
#include "lib/store/checks.hpp"
#include "lib/store/clean.hpp"
#include "lib/store/events.hpp"
#include "lib/store/kills.hpp"
#include "lib/store/scripts.hpp"
#include "lib/store/views.hpp"
#include "tests/db/ends_fixture.hpp"

/// Prologues and epilogues in the database.
namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ScriptsInDatabase : public Ends {
 protected:
  ScriptsInDatabase() { execute("UPDATE clusters SET reachable = true"); }

  grid::CampaignId with_scripts(std::int64_t tasks, const std::string& prologue = "echo p", const std::string& epilogue = "echo e") {
    const auto campaign = a_campaign(tasks);
    execute(
        fmt::format("UPDATE campaign_clusters SET prologue = '{}', epilogue = '{}', prologue_walltime_s = 60, max_walltime_s = 9000, "
                    "output_directory = '/out' WHERE campaign_id = {}",
                    prologue, epilogue, campaign.value()));
    return campaign;
  }
  std::vector<grid::PairScripts> pairs() {
    std::vector<grid::PairScripts> found;
    transact([&](store::Transaction& transaction) { found = store::script_pairs(transaction, now); });
    return found;
  }
  /// Plans the scripts that are due, as the metascheduler does. Returns their names by cluster: "1 prologue, 2 prologue".
  std::string plan() {
    std::string planned;
    for (const auto& pair : pairs()) {
      const auto script = grid::script_to_run(pair.facts);
      if (!script) continue;
      transact([&](store::Transaction& transaction) { EXPECT_EQ(store::plan_script(transaction, pair, *script, term, now), 1); });
      planned += fmt::format("{}{} {}", planned.empty() ? "" : ", ", pair.cluster.value(), grid::name_of(*script));
    }
    return planned;
  }
  /// Has OAR accept the planned launches of a cluster.
  std::vector<store::LiveJob> accepted(grid::ClusterId cluster) {
    std::vector<store::LiveJob> live;
    transact([&](store::Transaction& transaction) {
      for (const auto& launch : store::planned_launches(transaction, cluster)) {
        EXPECT_TRUE(store::begin_launch(transaction, {launch.id, fmt::format("tag-{}", launch.id.value()), "alice"}, term, now));
        std::vector<store::AcceptedJob> jobs;
        for (const auto& line : store::launch_lines(transaction, launch.id)) jobs.push_back({line.job, grid::RemoteJobId{next_remote++}});
        store::accept_launch(transaction, launch.id, jobs, {}, now);
      }
      live = store::live_jobs(transaction, cluster);
    });
    return live;
  }
  /// Plans what is due, and has the scripts of the cluster end so.
  void run_script(grid::ClusterId cluster, grid::JobEnd how = grid::JobEnd::done) {
    plan();
    for (const auto& job : accepted(cluster)) end(job, how);
  }
  std::size_t finish() {
    std::size_t finished = 0;
    transact([&](store::Transaction& transaction) { finished = store::finish_campaigns(transaction, now).size(); });
    return finished;
  }
  std::string pair(const std::string& columns) {
    return value(fmt::format("SELECT {} FROM campaign_clusters WHERE cluster_id = 1 ORDER BY campaign_id DESC LIMIT 1", columns));
  }
  std::string state() { return value("SELECT state FROM campaigns ORDER BY id DESC LIMIT 1"); }
  std::string task(std::int64_t number) {
    return value(fmt::format("SELECT concat_ws(' ', state, attempt) FROM tasks WHERE number = {}", number));
  }
  /// Every law holds.
  std::string breaches() {
    std::string all;
    for (const auto& law : store::laws()) {
      // The time of these tests is not the database's.
      if (law.weight == store::Weight::leftover || law.name.find("future") != std::string_view::npos || law.name == "lease") continue;
      for (const auto& breach : store::check_law(database, law, store::Reach::all, {}).breaches.rows)
        all += fmt::format("{}: {}\n", law.name, breach.text);
    }
    return all;
  }
};

TEST_F(ScriptsInDatabase, APrologue_IsOneJobOnEachCluster_NotBestEffort_InTheHome) {
  const auto campaign = with_scripts(4);
  EXPECT_EQ(plan(), "1 prologue, 2 prologue");
  EXPECT_EQ(plan(), "") << "once";
  transact([&](store::Transaction& transaction) {
    const auto launches = store::planned_launches(transaction, alpha);
    ASSERT_THAT(launches, SizeIs(1));
    const auto& launch = launches[0];
    EXPECT_EQ(launch.script, grid::Script::prologue);
    EXPECT_EQ(launch.exec_file, "echo p");
    EXPECT_EQ(launch.exec_directory, "$HOME");
    EXPECT_EQ(launch.request, "/resource_id=1");
    EXPECT_EQ(launch.walltime, grid::Seconds{60});
    EXPECT_FALSE(launch.best_effort);
    EXPECT_EQ(launch.output_directory, "");
    const auto lines = store::launch_lines(transaction, launch.id);
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_EQ(lines[0].task, grid::TaskNumber{-1});
  });
  EXPECT_EQ(counters(campaign).launching, 0) << "a script is no task of the bag";
  const auto live = accepted(alpha);
  ASSERT_THAT(live, SizeIs(1));
  EXPECT_EQ(live[0].output_directory, "");
  EXPECT_FALSE(live[0].max_walltime);
  EXPECT_EQ(breaches(), "");
}

TEST_F(ScriptsInDatabase, TheCountersOfTasks_AreTheTasksAlone_AndTheUsageIsAll) {
  const auto campaign = with_scripts(2);
  run_script(alpha);
  EXPECT_EQ(pair("concluded || ' ' || done || ' ' || duration_sum || ' ' || resources_jobs"), "0 0 0 0");
  EXPECT_EQ(value("SELECT count(*) FROM durations"), "0");
  EXPECT_EQ(value("SELECT resource_seconds FROM usage"), "10");
  EXPECT_EQ(value("SELECT first_start_at IS NULL FROM campaigns"), "t");
  for (const auto& job : launched(campaign, alpha, 2)) end(job, grid::JobEnd::done);
  EXPECT_EQ(counters(campaign).done, 2);
  EXPECT_EQ(pair("concluded || ' ' || done || ' ' || duration_sum || ' ' || resources_jobs"), "2 2 20 2");
  EXPECT_EQ(breaches(), "");
}

TEST_F(ScriptsInDatabase, TheEpilogue_FollowsTheLastTask_WhereSomethingRan_AndTheCampaignEndsAfterIt) {
  const auto campaign = with_scripts(2);
  run_script(alpha);
  EXPECT_EQ(value("SELECT count(*) FROM jobs WHERE cluster_id = 2 AND state = 'planned'"), "1");
  auto jobs = launched(campaign, alpha, 2);
  end(jobs[0], grid::JobEnd::done);
  EXPECT_EQ(plan(), "");
  end(jobs[1], grid::JobEnd::task_error);
  EXPECT_EQ(finish(), 0U);
  EXPECT_EQ(plan(), "1 epilogue") << "beta's prologue has not started";
  EXPECT_EQ(finish(), 0U);
  for (const auto& job : accepted(alpha)) end(job, grid::JobEnd::done);
  EXPECT_EQ(finish(), 0U) << "beta's prologue is under way";
  for (const auto& job : accepted(beta)) end(job, grid::JobEnd::done);
  EXPECT_EQ(plan(), "2 epilogue");
  for (const auto& job : accepted(beta)) end(job, grid::JobEnd::done);
  EXPECT_EQ(plan(), "");
  EXPECT_EQ(finish(), 1U);
  EXPECT_EQ(state(), "terminated");
  EXPECT_EQ(breaches(), "");
}

TEST_F(ScriptsInDatabase, WhereNothingStarted_ThereIsNoEpilogue) {
  with_scripts(2, "");
  execute("UPDATE tasks SET state = 'cancelled'");
  execute("UPDATE campaigns SET next_task = 2");
  EXPECT_EQ(plan(), "");
  EXPECT_EQ(finish(), 1U);
}

TEST_F(ScriptsInDatabase, AFailedPrologue_StopsItsPairAlone_AndTheFixRunsItAgain) {
  with_scripts(2);
  plan();
  const auto live_jobs = accepted(alpha);
  ASSERT_THAT(live_jobs, SizeIs(1));
  all_ended({live_jobs[0]}, 3);
  poll.ours[live_jobs[0].remote].started = now;
  poll.stderr_tails.insert_or_assign(live_jobs[0].id, "no such module\n");
  apply(live_jobs);
  EXPECT_EQ(task(-1), "failed 0");
  EXPECT_EQ(value("SELECT string_agg(code, ' ') FROM events"), "PROLOGUE_FAILED");
  EXPECT_THAT(stored.event().message, HasSubstr("the prologue, job"));
  EXPECT_THAT(stored.event().output, HasSubstr("no such module"));
  EXPECT_EQ(pair("failures_in_a_row"), "0") << "its failure is no task's";
  EXPECT_EQ(stored.brakes().size(), 0U);
  EXPECT_EQ(grid::preparation_of(pairs()[0].facts), grid::Preparation::prologue_failed);
  EXPECT_EQ(plan(), "");
  const auto event = std::stoll(value("SELECT id FROM events"));
  transact([&](store::Transaction& transaction) { EXPECT_TRUE(store::fix_event(transaction, event, now)); });
  EXPECT_EQ(task(-1), "waiting 1");
  EXPECT_EQ(breaches(), "");
  EXPECT_EQ(plan(), "1 prologue");
  for (const auto& job : accepted(alpha)) end(job, grid::JobEnd::done);
  EXPECT_EQ(grid::preparation_of(pairs()[0].facts), grid::Preparation::ready);
}

TEST_F(ScriptsInDatabase, AFailedEpilogue_EndsItsCampaign_AndTheFixOpensItAgain) {
  const auto campaign = with_scripts(1, "");
  for (const auto& job : launched(campaign, alpha, 1)) end(job, grid::JobEnd::done);
  run_script(alpha, grid::JobEnd::task_error);
  EXPECT_EQ(task(-2), "failed 0");
  EXPECT_EQ(finish(), 1U);
  transact([&](store::Transaction& transaction) { store::fix_campaign_events(transaction, campaign, now); });
  EXPECT_EQ(state(), "in_treatment");
  EXPECT_EQ(task(-2), "waiting 1");
  EXPECT_EQ(plan(), "1 epilogue");
  for (const auto& job : accepted(alpha)) end(job, grid::JobEnd::done);
  EXPECT_EQ(finish(), 1U);
  EXPECT_EQ(breaches(), "");
}

TEST_F(ScriptsInDatabase, AScriptThatCameBack_WaitsForItsClusterAlone_AndIsNoTaskOfTheBag) {
  const auto campaign = with_scripts(2);
  execute("UPDATE campaigns SET jdl = '{\"replicas\": \"allowed\"}'");
  plan();
  transact([&](store::Transaction& transaction) {
    const auto launch = store::planned_launches(transaction, alpha).at(0).id;
    EXPECT_TRUE(store::begin_launch(transaction, {launch, "tag", "alice"}, term, now));
    store::mark_unknown(transaction, std::array{launch}, "lost", now);
    store::give_back(transaction, {.launch = launch, .from = grid::LaunchState::unknown, .error = "lost"}, many_attempts, now);
    EXPECT_THAT(store::bound_tasks(transaction), IsEmpty()) << "no other cluster can run it";
  });
  EXPECT_EQ(value("SELECT cluster_id || ' ' || (fence IS NOT NULL) FROM returned_tasks WHERE number = -1"), "1 true");
  EXPECT_EQ(task(-1), "waiting 0") << "the same attempt: the claim decides, should the lost one come";
  transact([&](store::Transaction& transaction) {
    EXPECT_EQ(store::plan_launch(transaction, {.campaign = campaign, .cluster = alpha, .jobs = 9, .resources = 9}, term, now), 2);
  });
  EXPECT_EQ(breaches(), "");
  execute("UPDATE campaigns SET waiting = 1, submitted = 0, launching = 1");
  EXPECT_EQ(plan(), "1 prologue");
  EXPECT_EQ(value("SELECT count(DISTINCT coalesce(fence, launch_id)) FROM jobs WHERE task = -1"), "1");
}

TEST_F(ScriptsInDatabase, ACancelledCampaign_KillsItsPrologue_AndRunsItsEpilogue) {
  const auto campaign = with_scripts(5);
  run_script(alpha);
  const auto jobs = launched(campaign, alpha, 1);
  const auto prologue = accepted(beta);
  transact([&](store::Transaction& transaction) {
    store::observe_jobs(transaction, std::array{store::Observation{prologue.at(0).id, grid::JobState::running, now, 1}});
    EXPECT_TRUE(store::cancel_campaign(transaction, campaign, now));
    store::request_kills_of_cancelled(transaction, now);
    store::request_kills_of_superseded(transaction, now);
  });
  EXPECT_EQ(stored.kills().size(), 2U);
  EXPECT_EQ(plan(), "") << "its jobs still live";
  take_back(jobs[0]);
  take_back(prologue[0]);
  EXPECT_EQ(task(-3), "cancelled 0");
  EXPECT_EQ(plan(), "1 epilogue, 2 epilogue");
  transact([&](store::Transaction& transaction) {
    EXPECT_EQ(store::planned_launches(transaction, alpha).at(0).campaign_state, grid::CampaignState::in_treatment) << "it is submitted";
  });
  const auto epilogue = accepted(alpha);
  transact([&](store::Transaction& transaction) {
    store::request_kills_of_cancelled(transaction, now);
    store::request_kills_of_superseded(transaction, now);
  });
  EXPECT_EQ(value("SELECT count(*) FROM kill_requests k JOIN jobs j ON j.id = k.job_id WHERE j.task = -2"), "0");
  end(epilogue.at(0), grid::JobEnd::preempted);
  EXPECT_EQ(finish(), 0U);
  EXPECT_EQ(task(-2), "waiting 1") << "it is not cancelled with its campaign";
  EXPECT_EQ(plan(), "1 epilogue");
  for (const auto& job : accepted(alpha)) end(job, grid::JobEnd::done);
  for (const auto& job : accepted(beta)) end(job, grid::JobEnd::done);
  EXPECT_EQ(plan(), "");
  EXPECT_EQ(state(), "cancelled");
  EXPECT_EQ(breaches(), "");
}

TEST_F(ScriptsInDatabase, AppendedTasks_GetThePrologueAndTheEpilogueAgain) {
  const auto campaign = with_scripts(1);
  run_script(alpha);
  for (const auto& job : accepted(beta)) end(job, grid::JobEnd::done);
  for (const auto& job : launched(campaign, alpha, 1)) end(job, grid::JobEnd::done);
  EXPECT_EQ(plan(), "1 epilogue, 2 epilogue");
  for (const auto cluster : {alpha, beta}) {
    for (const auto& job : accepted(cluster)) end(job, grid::JobEnd::done);
  }
  EXPECT_EQ(finish(), 1U);
  transact([&](store::Transaction& transaction) {
    store::write_numbered_tasks(transaction, campaign, 1, 1);
    EXPECT_TRUE(store::append_tasks(transaction, campaign, {.first = 1, .count = 1}, {}));
  });
  EXPECT_EQ(plan(), "1 prologue, 2 prologue");
  for (const auto cluster : {alpha, beta}) {
    for (const auto& job : accepted(cluster)) end(job, grid::JobEnd::done);
  }
  EXPECT_EQ(plan(), "");
  for (const auto& job : launched(campaign, alpha, 1)) end(job, grid::JobEnd::done);
  EXPECT_EQ(plan(), "1 epilogue, 2 epilogue");
  EXPECT_EQ(task(-2), "launching 1");
  EXPECT_EQ(breaches(), "");
}

TEST_F(ScriptsInDatabase, APrologueThatWaitsWhileItsClaimsAreRemoved_RunsInANewAttempt) {
  const auto campaign = with_scripts(1);
  run_script(alpha);
  for (const auto& job : accepted(beta)) end(job, grid::JobEnd::never_began);
  EXPECT_EQ(task(-3), "waiting 0");
  for (const auto& job : launched(campaign, alpha, 1)) end(job, grid::JobEnd::done);
  plan();
  for (const auto cluster : {alpha, beta}) {
    for (const auto& job : accepted(cluster)) end(job, grid::JobEnd::done);
  }
  EXPECT_EQ(finish(), 1U);
  EXPECT_EQ(task(-3), "waiting 0");
  transact([&](store::Transaction& transaction) { EXPECT_TRUE(store::note_cleaned(transaction, campaign, beta, now)); });
  EXPECT_EQ(task(-3), "waiting 1") << "should the job that was thought not to have begun have begun, its claim shows it no more";
  EXPECT_EQ(breaches(), "");
}

TEST_F(ScriptsInDatabase, AnEpilogueOfARetiredCluster_HoldsNoCampaign) {
  const auto campaign = with_scripts(1, "");
  for (const auto& job : launched(campaign, alpha, 1)) end(job, grid::JobEnd::done);
  EXPECT_EQ(finish(), 0U);
  execute("UPDATE clusters SET retired_at = now(), enabled = false WHERE id = 1");
  EXPECT_EQ(plan(), "");
  EXPECT_EQ(finish(), 1U);
  execute("UPDATE clusters SET retired_at = NULL, enabled = true WHERE id = 1");
  EXPECT_EQ(plan(), "") << "none begins when the campaign is over";
  EXPECT_EQ(value(fmt::format("SELECT has_scripts_left({})", campaign.value())), "f")
      << "its files can be removed, and the campaign purged";
}

TEST_F(ScriptsInDatabase, ABrakeOrAnUnusableCluster_HoldsTheScript) {
  const auto campaign = with_scripts(1);
  execute("UPDATE clusters SET enabled = false WHERE id = 2");
  transact([&](store::Transaction& transaction) {
    store::set_brake(transaction, {.campaign = campaign, .cluster = alpha}, "broken", {grid::Seconds{60}, grid::Seconds{60}}, now);
  });
  EXPECT_EQ(plan(), "");
  now += grid::Seconds{61};
  EXPECT_EQ(plan(), "1 prologue");
}

TEST_F(ScriptsInDatabase, TheViewShowsBoth) {
  const auto campaign = with_scripts(1, "echo p", "");
  const auto shown = [&] {
    std::vector<store::views::CampaignCluster> all;
    transact([&](store::Transaction& transaction) { all = store::views::campaign_clusters(transaction, campaign, now); });
    return all.at(0).prologue.value_or("none") + " " + all.at(0).epilogue.value_or("none");
  };
  EXPECT_EQ(shown(), "not_run none");
  plan();
  EXPECT_EQ(shown(), "launching none");
  for (const auto& job : accepted(alpha)) end(job, grid::JobEnd::done);
  EXPECT_EQ(shown(), "done none");
}

}  // namespace
}  // namespace gleaner::tests
