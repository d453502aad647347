#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>

#include "lib/store/checkpoints.hpp"
#include "lib/store/declarations.hpp"
#include "lib/store/kills.hpp"
#include "lib/store/planning.hpp"
#include "lib/store/policies.hpp"
#include "tests/db/grid_fixture.hpp"

/// Tasks with checkpoints: where they go, what they count.
namespace gleaner::tests {
namespace {

using namespace std::chrono_literals;

class CheckpointedTasks : public GridFixture {
 protected:
  CheckpointedTasks() : campaign{a_campaign(3)} {
    execute(R"(UPDATE campaigns SET jdl = jdl || '{"checkpoint": {"signal": "USR1", "period": "auto", "cost": 60}}')");
  }
  /// A job of the next task on alpha that runs.
  store::LiveJob running() {
    auto job = launched(campaign, alpha, 1).back();
    transact([&](store::Transaction& t) {
      store::observe_jobs(
          t, std::array{store::Observation{.job = job.id, .state = grid::JobState::running, .started_at = now, .resources = 1}});
    });
    job.state = grid::JobState::running;
    return job;
  }
  void signal(const store::LiveJob& job, grid::Instant at) {
    transact([&](store::Transaction& t) {
      store::note_signals_sent(t, std::array{job.id}, at);
      store::note_signals_passed_on(t, std::array{job.id});
    });
  }
  std::string bag() {
    return value(
        "SELECT coalesce(string_agg(concat_ws(':', number, priority, cluster_id, fence), ' ' ORDER BY number), '') FROM returned_tasks");
  }
  grid::CampaignId campaign;
};

TEST_F(CheckpointedTasks, ThatWereSignalled_AreKeptAtTheirCluster_AndOthersGoAnywhere) {
  const auto signalled = running(), not_signalled = running();
  signal(signalled, now + 5s);
  const auto next = end(signalled, grid::JobEnd::preempted, many_attempts);
  EXPECT_TRUE(next.kept);
  EXPECT_FALSE(next.counted);
  EXPECT_FALSE(end(not_signalled, grid::JobEnd::preempted, many_attempts).kept);
  EXPECT_EQ(bag(), fmt::format("0:20:{} 1:10", alpha.value()));
  EXPECT_EQ(value("SELECT string_agg(uncounted::text, ' ' ORDER BY number) FROM tasks WHERE number < 2"), "1 0");
  transact([&](store::Transaction& t) {
    EXPECT_EQ(store::kept_task(t, campaign, grid::TaskNumber{0})->cluster, "alpha");
    EXPECT_FALSE(store::kept_task(t, campaign, grid::TaskNumber{1}));
  });
}

TEST_F(CheckpointedTasks, AreTakenFirst_ByTheirClusterAlone) {
  const auto job = running();
  signal(job, now + 5s);
  end(job, grid::JobEnd::preempted, many_attempts);
  const auto elsewhere = launched(campaign, beta, 2);
  for (const auto& other : elsewhere) EXPECT_NE(other.task, job.task);
  const auto again = launched(campaign, alpha, 1);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].task, job.task);
  EXPECT_EQ(again[0].attempt, job.attempt + 1);
  EXPECT_EQ(again[0].fence, again[0].launch) << "nobody else has its attempt";
}

TEST_F(CheckpointedTasks, ThatWereContinued_AreKeptToo_WhenTheyAreInterruptedBeforeTheNextSignal) {
  const auto first = running();
  signal(first, now + 5s);
  end(first, grid::JobEnd::preempted, many_attempts);
  const auto second = running();
  ASSERT_EQ(second.task, first.task);
  const auto next = end(second, grid::JobEnd::preempted, many_attempts);
  EXPECT_TRUE(next.kept);
  EXPECT_TRUE(next.counted);
}

TEST_F(CheckpointedTasks, ThatOarItselfSignalled_AreKept_AndCountAsNoInterruption) {
  const auto job = running();
  transact([&](store::Transaction& t) {
    store::Verdict verdict{.left = store::facts_for_settling(t, std::array{job.id}).at(0), .started_at = now, .ended_at = now + 10s};
    verdict.checkpointed_at = now + 7s;
    verdict.left.job.began = verdict.left.job.signalled = verdict.left.job.has_checkpoint = true;
    verdict.end = grid::JobEnd::preempted;
    verdict.state = grid::JobState::error;
    verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, verdict.end, grid::Deletion::none, many_attempts);
    EXPECT_EQ(store::settle_jobs(t, std::array{verdict}, now), 1);
  });
  EXPECT_EQ(bag(), fmt::format("0:20:{}", alpha.value()));
  EXPECT_EQ(value("SELECT concat_ws(' ', useful_seconds, lost_seconds) FROM usage"), "7 3");
  EXPECT_EQ(value("SELECT sum(interruptions) || ' ' || sum(exposed_s) FROM campaign_clusters"), "0 10");
}

TEST_F(CheckpointedTasks, AreReleased_WhenTheyWaitedLongEnough_OrTheirClusterIsDisabled) {
  const auto first = running(), second = running();
  for (const auto& job : {first, second}) {
    signal(job, now + 5s);
    end(job, grid::JobEnd::node_failure, many_attempts);
  }
  const auto release = [&](grid::Instant waited_since) {
    std::int64_t tasks = 0;
    transact([&](store::Transaction& t) {
      tasks = 0;
      for (const auto& released : store::release_kept_tasks(t, waited_since, now)) tasks += released.tasks;
    });
    return tasks;
  };
  EXPECT_EQ(release(now - 1h), 0);
  execute("UPDATE returned_tasks SET returned_at = returned_at - interval '2 hours' WHERE number = 0");
  EXPECT_EQ(release(now - 1h), 1);
  EXPECT_EQ(bag(), fmt::format("0:20 1:20:{}", alpha.value()));
  execute("UPDATE clusters SET enabled = false WHERE name = 'alpha'");
  EXPECT_EQ(release(now - 1h), 1);
  EXPECT_EQ(bag(), "0:20 1:20");
}

TEST_F(CheckpointedTasks, Document003_ContinueOnAClusterThatSharesTheHome_AndAreKeptThereToo) {
  execute("UPDATE clusters SET shared_home = 'site'");
  const auto job = running();
  signal(job, now + 5s);
  end(job, grid::JobEnd::preempted, many_attempts);
  transact([&](store::Transaction& t) { EXPECT_EQ(store::kept_task(t, campaign, grid::TaskNumber{0})->cluster, "alpha or beta"); });
  const auto again = launched(campaign, beta, 1);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].task, job.task) << "before new ones";
  EXPECT_EQ(again[0].attempt, job.attempt + 1);
  EXPECT_EQ(again[0].fence, again[0].launch);
  end(again[0], grid::JobEnd::node_failure, many_attempts);
  EXPECT_EQ(bag(), fmt::format("0:20:{}", beta.value())) << "its checkpoint of alpha is there";
  EXPECT_EQ(launched(campaign, alpha, 1)[0].task, job.task);
  EXPECT_THAT(broken(), ::testing::IsEmpty());
}

TEST_F(CheckpointedTasks, Document003_WithDifferentRequests_ContinueOnAClusterThatSharesTheHome_AndFitThere) {
  execute("UPDATE clusters SET shared_home = 'site' WHERE name = 'alpha'");
  execute(fmt::format(R"(
    UPDATE campaigns SET requests = 2 WHERE id = {0};
    UPDATE tasks SET request = 1 + number % 2 WHERE campaign_id = {0};
    INSERT INTO campaign_requests SELECT {0}, k.id, r, r, '/core=' || r, r, NULL, 60 FROM clusters k, generate_series(1, 2) r;
    INSERT INTO request_tasks SELECT {0}, request, number FROM tasks WHERE campaign_id = {0};
    INSERT INTO request_bags SELECT {0}, request, min(number), count(*) FROM tasks WHERE campaign_id = {0} GROUP BY request)",
                      campaign.value()));
  const auto job = running();
  signal(job, now + 5s);
  end(job, grid::JobEnd::preempted, many_attempts);
  const auto on_beta = [&] {
    std::pair<std::int64_t, std::int64_t> fitting_and_kept;
    transact([&](store::Transaction& t) {
      for (const auto& pair : store::planning_facts(t, {.flood = 1, .array_size = 100}, now).pairs) {
        if (pair.cluster == beta) fitting_and_kept.first = pair.fitting_tasks.value_or(-1);
        fitting_and_kept.second += pair.home_tasks;
      }
    });
    return fitting_and_kept;
  };
  EXPECT_EQ(on_beta(), std::pair(std::int64_t{2}, std::int64_t{1}));
  execute("UPDATE clusters SET shared_home = 'site'");
  EXPECT_EQ(on_beta(), std::pair(std::int64_t{3}, std::int64_t{1}));
  EXPECT_EQ(launched(campaign, beta, 1)[0].task, job.task);
}

TEST_F(CheckpointedTasks, Document003_OfADisabledCluster_WaitForThoseThatShareTheHome_AndOfARetiredOneToo) {
  execute("UPDATE clusters SET shared_home = 'site'");
  const auto job = running();
  signal(job, now + 5s);
  end(job, grid::JobEnd::preempted, many_attempts);
  const auto release = [&] { transact([&](store::Transaction& t) { store::release_kept_tasks(t, now - 1h, now); }); };
  execute("UPDATE clusters SET enabled = false WHERE name = 'alpha'");
  release();
  EXPECT_EQ(bag(), fmt::format("0:20:{}", alpha.value()));
  execute("UPDATE campaign_clusters SET max_jobs = 0 WHERE cluster_id = (SELECT id FROM clusters WHERE name = 'beta')");
  transact([&](store::Transaction& t) {
    EXPECT_EQ(store::plan_launch(t, {.campaign = campaign, .cluster = beta, .jobs = 1, .resources = 1}, term, now), 0) << "it is off";
  });
  execute("UPDATE campaign_clusters SET max_jobs = NULL");
  transact([&](store::Transaction& t) {
    EXPECT_TRUE(store::retire_cluster(t, alpha, now));
    static_cast<void>(store::release_bound_tasks(t, alpha, {}, now));
  });
  EXPECT_EQ(bag(), fmt::format("0:20:{}", beta.value()));
  EXPECT_EQ(launched(campaign, beta, 1)[0].task, job.task);
  EXPECT_THAT(broken(), ::testing::IsEmpty());
}

TEST_F(CheckpointedTasks, CountWhatTheyDidUntilTheLastSignalAsUseful) {
  const auto first = running(), second = running();
  signal(first, now + 4s);
  now += 10s;
  end(first, grid::JobEnd::preempted, many_attempts);
  end(second, grid::JobEnd::rerun_first, many_attempts);
  EXPECT_EQ(value("SELECT concat_ws(' ', resource_seconds, useful_seconds, failed_seconds, lost_seconds) FROM usage"), "20 14 0 6");
}

TEST_F(CheckpointedTasks, AreSignalledAtTheRateOfInterruptionsOfTheirPair) {
  const auto ended = running(), runs = running();
  end(ended, grid::JobEnd::preempted, many_attempts);
  EXPECT_EQ(
      value(
          "SELECT interruptions || ' ' || exposed_s FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id WHERE k.name = 'alpha'"),
      "1 10");
  transact([&](store::Transaction& t) {
    const auto pairs = store::checkpointed_pairs(t, alpha, now + 100s);
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_FALSE(pairs[0].period);
    EXPECT_EQ(pairs[0].cost, 60);
    EXPECT_EQ(pairs[0].interruptions.jobs, 1);
    EXPECT_EQ(pairs[0].interruptions.seconds, 110);
    EXPECT_TRUE(store::checkpointed_pairs(t, beta, now).empty()) << "nothing runs there";
    const std::array periods{store::SignalPeriod{campaign, 50}};
    EXPECT_TRUE(store::due_signals(t, alpha, periods, 10, now + 49s).empty());
    const auto due = store::due_signals(t, alpha, periods, 10, now + 50s);
    ASSERT_EQ(due.size(), 1U);
    EXPECT_EQ(due[0].job, runs.id);
    EXPECT_EQ(due[0].remote, runs.remote);
    EXPECT_EQ(due[0].tag, runs.tag);
    EXPECT_TRUE(store::due_signals(t, alpha, periods, 0, now + 50s).empty());
  });
}

TEST_F(CheckpointedTasks, ThatTheGridPreempts_AreSignalledFirst_AndKilledWhenTheyHadTheTimeForACheckpoint) {
  const auto job = running();
  transact([&](store::Transaction& t) {
    const auto killed_at = [&](grid::Instant at) { return store::pending_kills(t, alpha, at, 30s).size(); };
    store::preempt_jobs(t, campaign, alpha, 1, now + 20s);
    EXPECT_EQ(killed_at(now + 21s), 0U);
    const std::array periods{store::SignalPeriod{campaign, 5000}};
    ASSERT_EQ(store::due_signals(t, alpha, periods, 10, now + 21s).size(), 1U);
    store::note_signals_sent(t, std::array{job.id}, now + 22s);
    EXPECT_TRUE(store::due_signals(t, alpha, periods, 10, now + 23s).empty()) << "once";
    EXPECT_EQ(killed_at(now + 81s), 0U);
    EXPECT_EQ(killed_at(now + 82s), 1U) << "a checkpoint takes 60 s";
  });
}

TEST_F(CheckpointedTasks, ThatCannotBeSignalled_AreKilledAllTheSame_IfTheGridPreemptsThem) {
  running();
  transact([&](store::Transaction& t) {
    store::preempt_jobs(t, campaign, alpha, 1, now + 20s);
    EXPECT_EQ(store::pending_kills(t, alpha, now + 199s, 30s).size(), 0U);
    EXPECT_EQ(store::pending_kills(t, alpha, now + 200s, 30s).size(), 1U);
  });
}

}  // namespace
}  // namespace gleaner::tests
