#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>
#include <set>

#include "lib/store/kills.hpp"
#include "lib/store/replicas.hpp"
#include "lib/store/requests.hpp"
#include "tests/db/grid_fixture.hpp"
#include "tests/seed.hpp"

namespace gleaner::tests {
namespace {

using grid::JobEnd;

/// Tasks that run on alpha, and their second copies on beta.
class Replicas : public GridFixture {
 protected:
  grid::CampaignId replicable(std::int64_t tasks) {
    const auto campaign = a_campaign(tasks);
    execute(R"(UPDATE campaigns SET jdl = '{"replicas": "allowed"}')");
    return campaign;
  }
  void runs(const store::LiveJob& job, grid::Instant since) {
    transact([&](store::Transaction& t) {
      store::observe_jobs(
          t, std::array{store::Observation{.job = job.id, .state = grid::JobState::running, .started_at = since, .resources = 1}});
    });
  }
  void runs(const store::LiveJob& job) { runs(job, now); }
  enum class Place { elsewhere, beside };
  int replicate(grid::CampaignId campaign, grid::ClusterId cluster, int jobs, std::optional<double> longer_than = {},
                Place place = Place::elsewhere) {
    int got = 0;
    transact([&](store::Transaction& t) {
      got = store::plan_replicas(
          t, {.campaign = campaign, .cluster = cluster, .jobs = jobs, .longer_than = longer_than, .beside = place == Place::beside}, term,
          now);
    });
    return got;
  }
  grid::LaunchId begun_replica(grid::ClusterId cluster) {
    grid::LaunchId id{0};
    transact([&](store::Transaction& t) {
      id = store::planned_launches(t, cluster).back().id;
      EXPECT_TRUE(store::begin_launch(t, {.launch = id, .tag = fmt::format("tag-{}", id.value()), .login = "alice"}, term, now));
    });
    return id;
  }
  void accept(grid::LaunchId launch) {
    transact([&](store::Transaction& t) {
      std::vector<store::AcceptedJob> jobs;
      for (const auto& line : store::launch_lines(t, launch)) jobs.push_back({line.job, grid::RemoteJobId{next_remote++}});
      store::accept_launch(t, launch, jobs, std::nullopt, now);
    });
  }
  std::vector<store::LiveJob> live(grid::ClusterId cluster) {
    std::vector<store::LiveJob> jobs;
    transact([&](store::Transaction& t) { jobs = store::live_jobs(t, cluster); });
    return jobs;
  }
  /// A campaign of one task with two live copies.
  struct Two {
    grid::CampaignId campaign;
    store::LiveJob first, second;
  };
  Two two_copies(grid::JobState second = grid::JobState::running) {
    const auto campaign = replicable(1);
    const auto first = launched(campaign, alpha, 1)[0];
    runs(first);
    EXPECT_EQ(replicate(campaign, beta, 1), 1);
    accept(begun_replica(beta));
    const auto copy = live(beta).at(0);
    if (second == grid::JobState::running) runs(copy);
    return {campaign, first, copy};
  }
  [[nodiscard]] std::string task() const {
    const auto task = stored.task();
    return fmt::format("{} {} {} {}", task.state, task.attempt, task.charged, task.replica_lives ? "t" : "f");
  }
  std::size_t kills(grid::ClusterId cluster) {
    std::size_t found = 0;
    transact([&](store::Transaction& t) {
      store::request_kills_of_superseded(t, now);
      for (const auto& kill : store::pending_kills(t, cluster, now)) found += kill.reason == store::KillReason::replica ? 1 : 0;
    });
    return found;
  }
  std::string done_by_clusters() {
    return value("SELECT string_agg(concat_ws(' ', done, concluded), ', ' ORDER BY cluster_id) FROM campaign_clusters");
  }
};

TEST_F(Replicas, AreOnlyForCampaignsThatAllowThem_ForRunningTasks_ElsewhereAndOnce) {
  const auto campaign = a_campaign(3);
  const auto jobs = launched(campaign, alpha, 2);
  runs(jobs[0]);
  EXPECT_EQ(replicate(campaign, beta, 5), 0) << "nobody allowed it";
  execute(R"(UPDATE campaigns SET jdl = '{"replicas": "allowed"}')");
  EXPECT_EQ(replicate(campaign, alpha, 5), 0) << "it runs there";
  EXPECT_EQ(replicate(campaign, beta, 5), 1) << "the other task does not run yet";
  EXPECT_EQ(replicate(campaign, beta, 5), 0) << "it has one";
  EXPECT_EQ(value("SELECT concat_ws(' ', attempt, task, state) FROM jobs ORDER BY id DESC LIMIT 1"), "1 0 planned");
  EXPECT_EQ(counters(campaign), recount(campaign));
}

TEST_F(Replicas, OnTheSameCluster_AvoidTheNodesOfTheFirstJob_WhileItRuns) {
  const auto campaign = replicable(3);
  const auto jobs = launched(campaign, alpha, 3);
  runs(jobs[0], now - grid::Seconds{100});
  runs(jobs[1]);
  EXPECT_EQ(replicate(campaign, beta, 5, {}, Place::beside), 0) << "none runs there";
  EXPECT_EQ(replicate(campaign, alpha, 5, {}, Place::beside), 2);
  const auto avoided = [&] {
    std::vector<std::optional<grid::RemoteJobId>> remotes;
    transact([&](store::Transaction& t) {
      for (const auto& launch : store::planned_launches(t, alpha)) {
        EXPECT_EQ(launch.jobs, 1);
        remotes.push_back(launch.beside);
      }
    });
    return remotes;
  };
  EXPECT_THAT(avoided(), testing::ElementsAre(jobs[0].remote, jobs[1].remote));
  EXPECT_EQ(replicate(campaign, alpha, 5, {}, Place::beside), 0) << "each has one";
  EXPECT_EQ(replicate(campaign, beta, 5), 0);
  end(jobs[0], JobEnd::preempted);
  EXPECT_THAT(avoided(), testing::ElementsAre(std::nullopt, jobs[1].remote)) << "its replica may go anywhere now";
  EXPECT_EQ(counters(campaign), recount(campaign));
}

TEST_F(Replicas, OnTheSameCluster_TheFirstSuccessCounts_AndTheOtherIsKilled) {
  const auto campaign = replicable(1);
  const auto first = launched(campaign, alpha, 1)[0];
  runs(first);
  ASSERT_EQ(replicate(campaign, alpha, 1, {}, Place::beside), 1);
  accept(begun_replica(alpha));
  const auto second = live(alpha).at(1);
  runs(second);
  end(second, JobEnd::done);
  EXPECT_EQ(counters(campaign).done, 1);
  EXPECT_EQ(kills(alpha), 1U);
  end(first, JobEnd::killed_by_us);
  EXPECT_EQ(counters(campaign), recount(campaign));
  EXPECT_EQ(counters(campaign).done, 1);
  EXPECT_EQ(stored.returned_tasks().size(), 0U);
}

TEST_F(Replicas, GoToTheLongestRunning_OrOnlyToThoseThatRunTooLong) {
  const auto campaign = replicable(4);
  const auto jobs = launched(campaign, alpha, 4);
  for (std::size_t i = 0; i < jobs.size(); ++i) runs(jobs[i], now - grid::Seconds{static_cast<int>(i) * 100});
  EXPECT_EQ(replicate(campaign, beta, 4, 250.0), 1);
  EXPECT_EQ(value("SELECT number FROM tasks WHERE replica_lives"), "3");
  EXPECT_EQ(replicate(campaign, beta, 2), 2);
  EXPECT_EQ(value("SELECT string_agg(number::text, ' ' ORDER BY number) FROM tasks WHERE replica_lives"), "1 2 3");
}

TEST_F(Replicas, MayBeCountedBeforehand_AndThoseThatAreExpectedToBeOver) {
  const auto campaign = replicable(30);
  const auto jobs = launched(campaign, alpha, 25);
  for (std::size_t i = 0; i < 20; ++i) end(jobs[i], JobEnd::done);  // each took 10 s
  runs(jobs[20], now - grid::Seconds{8});
  runs(jobs[21], now - grid::Seconds{12});
  runs(jobs[22], now - grid::Seconds{500});
  transact([&](store::Transaction& t) {
    const auto found = store::replicable_tasks(t, 0.95, 20, now);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].cluster, alpha);
    EXPECT_EQ(found[0].tasks, 3);
    EXPECT_EQ(found[0].expired, 2);
    EXPECT_NEAR(found[0].expected.value(), 10.5, 0.6);
    EXPECT_EQ(store::replicable_tasks(t, 0.95, 21, now)[0].expired, 0) << "too little is known";
  });
  EXPECT_EQ(replicate(campaign, beta, 1, 100.0), 1);
  transact([&](store::Transaction& t) { EXPECT_EQ(store::replicable_tasks(t, 0.95, 20, now)[0].tasks, 2); });
}

TEST_F(Replicas, TheFirstSuccess_SettlesTheTask_AndTheOtherCopyIsKilled) {
  for (const bool first_wins : {true, false}) {
    const auto [campaign, first, second] = two_copies();
    const auto& winner = first_wins ? first : second;
    const auto& loser = first_wins ? second : first;
    const auto losers = first_wins ? beta : alpha;
    end(winner, JobEnd::done);
    EXPECT_EQ(counters(campaign).done, 1);
    EXPECT_EQ(kills(losers), 1U);
    EXPECT_EQ(kills(first_wins ? alpha : beta), 0U);
    end(loser, JobEnd::killed_by_us);
    EXPECT_EQ(counters(campaign), recount(campaign));
    EXPECT_EQ(counters(campaign).done, 1);
    EXPECT_EQ(stored.returned_tasks().size(), 0U);
    EXPECT_EQ(done_by_clusters(), first_wins ? "1 1, 0 0" : "0 0, 1 1");
    execute("TRUNCATE campaigns, tasks, jobs, launches, kill_requests CASCADE");
  }
}

TEST_F(Replicas, Document000_WhatTheCopyThatSucceedsGives_IsStored_AndNothingOfTheOther) {
  for (const bool first_wins : {true, false}) {
    const auto [campaign, first, second] = two_copies();
    execute(R"(UPDATE campaigns SET jdl = '{"replicas": "allowed", "gives": ["n"]}')");
    const auto ends = [&](const store::LiveJob& job, const std::string& given) {
      transact([&](store::Transaction& t) {
        store::Verdict verdict{.left = store::facts_for_settling(t, std::array{job.id}).at(0), .started_at = now, .ended_at = now};
        verdict.given = given;
        verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, verdict.end, grid::Deletion::none, many_attempts);
        store::settle_jobs(t, std::array{verdict}, now);
      });
    };
    ends(first_wins ? first : second, "n=1");
    ends(first_wins ? second : first, "n=2");
    EXPECT_EQ(value("SELECT string_agg(given, ' ') FROM task_gives g JOIN tasks t USING (campaign_id, number, attempt)"), "n=1");
    execute("TRUNCATE campaigns, tasks, jobs, launches, kill_requests CASCADE");
  }
}

TEST_F(Replicas, ASecondSuccess_CountsNothing) {
  const auto [campaign, first, second] = two_copies();
  end(second, JobEnd::done);
  end(first, JobEnd::done);
  EXPECT_EQ(counters(campaign), (Counters{0, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(done_by_clusters(), "0 0, 1 1");
  EXPECT_EQ(value("SELECT sum(jobs) FROM completions"), "1");
  EXPECT_EQ(value("SELECT sum(jobs) FROM durations"), "1");
}

TEST_F(Replicas, ACopyThatFails_ChangesNothingWhileTheOtherLives_AndTheLastDecides) {
  const auto [campaign, first, second] = two_copies();
  end(first, JobEnd::task_error);
  EXPECT_EQ(task(), "running 1 0 f");
  EXPECT_EQ(kills(beta), 0U);
  EXPECT_EQ(stored.returned_tasks().size(), 0U);
  end(second, JobEnd::preempted);
  EXPECT_EQ(task(), "waiting 2 0 f");
  EXPECT_EQ(stored.returned_tasks().size(), 1U);
  const auto third = launched(campaign, beta, 1)[0];
  EXPECT_EQ(third.attempt, 2);
  runs(third);
  EXPECT_EQ(replicate(campaign, alpha, 1), 0) << "once in its life";
  end(third, JobEnd::task_error);
  EXPECT_EQ(task(), "failed 2 1 f");
  store::transact(database, std::nullopt,
                  [&](store::Transaction& t) { EXPECT_EQ(store::retry_failed_tasks(t, {.campaign = campaign}, now).size(), 1U); });
  EXPECT_EQ(task(), "waiting 3 0 f");
}

TEST_F(Replicas, ASecondCopyThatIsPreempted_LeavesTheFirst_AndItsNumberIsNotUsedAgain) {
  const auto [campaign, first, second] = two_copies();
  end(second, JobEnd::preempted);
  EXPECT_EQ(task(), "running 0 0 f");
  end(first, JobEnd::preempted);
  EXPECT_EQ(task(), "waiting 2 0 f");
  EXPECT_EQ(counters(campaign), recount(campaign));
}

TEST_F(Replicas, WhenTheFirstEnds_TheTaskIsWhereTheSecondIs) {
  const auto [campaign, first, second] = two_copies(grid::JobState::remote_waiting);
  EXPECT_EQ(counters(campaign).running, 1);
  end(first, JobEnd::node_failure);
  EXPECT_EQ(task(), "submitted 1 0 f");
  runs(second);
  EXPECT_EQ(task(), "running 1 0 f");
  end(second, JobEnd::done);
  EXPECT_EQ(counters(campaign), (Counters{0, 0, 0, 0, 1, 0, 0}));
}

TEST_F(Replicas, ASecondCopyThatOarResubmits_DoesNotMakeTheTaskWait) {
  const auto two = two_copies();
  transact([&](store::Transaction& t) { store::follow_job(t, two.second.id, two.second.remote, grid::RemoteJobId{77}); });
  transact([&](store::Transaction& t) {
    store::observe_jobs(t, std::array{store::Observation{
                               .job = two.second.id, .state = grid::JobState::remote_waiting, .started_at = {}, .resources = {}}});
  });
  EXPECT_EQ(task(), "running 0 0 t");
  end(two.second, JobEnd::duplicate);
  end(two.first, JobEnd::done);
  EXPECT_EQ(counters(two.campaign).done, 1);
}

TEST_F(Replicas, AVoidLaunchOfASecondCopy_GivesNothingBack_WhileTheFirstLives) {
  const auto campaign = replicable(1);
  const auto first = launched(campaign, alpha, 1)[0];
  runs(first);
  ASSERT_EQ(replicate(campaign, beta, 1), 1);
  const auto lost = begun_replica(beta);
  transact([&](store::Transaction& t) {
    store::mark_unknown(t, std::array{lost}, "no answer", now);
    store::give_back(t, {.launch = lost, .from = grid::LaunchState::unknown, .error = "lost"}, many_attempts, now);
  });
  EXPECT_EQ(task(), "running 0 0 f");
  EXPECT_EQ(stored.returned_tasks().size(), 0U);
  accept(lost);  // it was there after all
  EXPECT_EQ(kills(beta), 1U) << "the task does not wait for it any more";
  end(live(beta).at(0), JobEnd::done);
  EXPECT_EQ(task(), "running 0 0 f");
  end(first, JobEnd::preempted);
  EXPECT_EQ(task(), "waiting 2 0 f");
  EXPECT_EQ(counters(campaign), recount(campaign));
}

TEST_F(Replicas, AVoidLaunchOfTheOnlyCopyLeft_GivesItsTaskBack_ToAnyCluster_WithANewNumber) {
  const auto campaign = replicable(1);
  const auto first = launched(campaign, alpha, 1)[0];
  runs(first);
  ASSERT_EQ(replicate(campaign, beta, 1), 1);
  const auto lost = begun_replica(beta);
  transact([&](store::Transaction& t) { store::mark_unknown(t, std::array{lost}, "no answer", now); });
  end(first, JobEnd::preempted);
  EXPECT_EQ(task(), "submitted 1 0 f") << "its fate is not known";
  transact([&](store::Transaction& t) {
    store::give_back(t, {.launch = lost, .from = grid::LaunchState::unknown, .error = "lost"}, many_attempts, now);
  });
  EXPECT_EQ(task(), "waiting 2 0 f") << "it may run twice: it need not contend with an orphan for one claim";
  EXPECT_EQ(launched(campaign, alpha, 1)[0].attempt, 2);
}

TEST_F(Replicas, OfACancelledCampaign_BothAreKilled_AndTheTaskIsCancelledOnce) {
  const auto [campaign, first, second] = two_copies();
  store::transact(database, std::nullopt, [&](store::Transaction& t) { EXPECT_TRUE(store::cancel_campaign(t, campaign, now)); });
  transact([&](store::Transaction& t) {
    store::request_kills_of_cancelled(t, now);
    EXPECT_EQ(store::pending_kills(t, alpha, now).size() + store::pending_kills(t, beta, now).size(), 2U);
  });
  end(second, JobEnd::killed_by_us);
  EXPECT_EQ(counters(campaign).cancelled, 0);
  end(first, JobEnd::killed_by_us);
  EXPECT_EQ(counters(campaign), (Counters{0, 0, 0, 0, 0, 0, 1}));
}

TEST_F(Replicas, WhateverTheOrderOfEnds_EachTaskWaitsForItsLiveCopies_AndIsDoneOnce) {
  std::mt19937_64 random{test_seed()};
  const auto pick = [&](int n) { return std::uniform_int_distribution<int>{0, n - 1}(random); };
  const auto campaign = replicable(40);
  for (int step = 0; step < 600; ++step) {
    const auto cluster = pick(2) == 0 ? alpha : beta;
    const auto jobs = live(cluster);
    switch (pick(6)) {
      case 0:
        transact([&](store::Transaction& t) {
          store::plan_launch(t, {.campaign = campaign, .cluster = cluster, .jobs = 2, .resources = 2}, term, now);
        });
        break;
      case 1: static_cast<void>(replicate(campaign, cluster, 2)); break;
      case 2: {
        std::vector<store::LaunchToMake> planned;
        transact([&](store::Transaction& t) { planned = store::planned_launches(t, cluster); });
        if (planned.empty()) break;
        const auto launch = begun_replica(cluster);
        if (pick(3) == 0)
          transact([&](store::Transaction& t) {
            store::give_back(t,
                             {.launch = launch,
                              .from = grid::LaunchState::launching,
                              .sent = pick(2) == 0 ? grid::Sent::never : grid::Sent::maybe,
                              .error = ""},
                             many_attempts, now);
          });
        if (pick(4) != 0) accept(launch);  // also of a void one
        break;
      }
      case 3:
        if (!jobs.empty()) runs(jobs[static_cast<std::size_t>(pick(static_cast<int>(jobs.size())))]);
        break;
      default:
        if (jobs.empty()) break;
        const auto& job = jobs[static_cast<std::size_t>(pick(static_cast<int>(jobs.size())))];
        end(job, std::array{JobEnd::done, JobEnd::preempted, JobEnd::preempted, JobEnd::task_error}[static_cast<std::size_t>(pick(4))]);
    }
    ASSERT_EQ(counters(campaign), recount(campaign)) << "after step " << step;
    ASSERT_EQ(
        value(
            "SELECT count(*) FROM tasks t WHERE t.state IN ('launching', 'submitted', 'running') AND CASE WHEN replica_lives THEN 2 ELSE 1 END <> "
            "(SELECT count(*) FROM jobs j WHERE j.task = t.number AND is_copy(t, j.attempt) AND j.state IN ('planned', 'launching', 'remote_waiting', 'running', 'unknown'))"),
        "0")
        << "after step " << step;
    ASSERT_EQ(value("SELECT count(*) FROM tasks t LEFT JOIN returned_tasks r USING (campaign_id, number), campaigns c "
                    "WHERE (t.state = 'waiting') <> (t.number >= c.next_task OR r.number IS NOT NULL)"),
              "0")
        << "after step " << step;
    ASSERT_EQ(value("SELECT count(*) FROM tasks WHERE replica_lives AND state NOT IN ('submitted', 'running')"), "0")
        << "after step " << step;
    ASSERT_EQ(
        value("SELECT count(*) FROM (SELECT FROM jobs GROUP BY task, attempt HAVING count(*) FILTER (WHERE ending = 'done') > 1) twice"),
        "0");
    ASSERT_EQ(value("SELECT (SELECT sum(done) FROM campaign_clusters) - done FROM campaigns"), "0") << "after step " << step;
  }
  EXPECT_GT(counters(campaign).done, 5);
}

}  // namespace
}  // namespace gleaner::tests
