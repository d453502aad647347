#include <fmt/format.h>
#include <gmock/gmock.h>
#include <algorithm>

#include <array>

#include "lib/store/declarations.hpp"
#include "lib/store/kills.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {
namespace {

using Launches = GridFixture;

TEST_F(Launches, ALaunch_TakesTheFirstTasksOfTheBag_AndMovesTheCursor) {
  const auto campaign = a_campaign(10);
  begun(campaign, alpha, 4);
  EXPECT_EQ(value("SELECT string_agg(task::text, ' ' ORDER BY id) FROM jobs"), "0 1 2 3");
  EXPECT_EQ(stored.campaign().next_task, 4);
  EXPECT_EQ(counters(campaign), (Counters{6, 4, 0, 0, 0, 0, 0}));
}

TEST_F(Launches, ALaunchLargerThanTheBag_GetsWhatIsThere) {
  const auto campaign = a_campaign(3);
  int jobs = 0;
  transact([&](store::Transaction& t) {
    jobs = store::plan_launch(t, {.campaign = campaign, .cluster = alpha, .jobs = 10, .resources = 10}, term, now);
  });
  EXPECT_EQ(jobs, 3);
  transact([&](store::Transaction& t) {
    jobs = store::plan_launch(t, {.campaign = campaign, .cluster = alpha, .jobs = 10, .resources = 10}, term, now);
  });
  EXPECT_EQ(jobs, 0);
  EXPECT_EQ(stored.launches().size(), 1U);
}

TEST_F(Launches, ALaunchOfAPausedCampaign_TakesNothing) {
  const auto campaign = a_campaign(3);
  store::transact(database, std::nullopt, [&](store::Transaction& t) { EXPECT_TRUE(store::hold_campaign(t, campaign)); });
  transact([&](store::Transaction& t) {
    EXPECT_EQ(store::plan_launch(t, {.campaign = campaign, .cluster = alpha, .jobs = 3, .resources = 3}, term, now), 0);
  });
}

TEST_F(Launches, TwoRunnersOnOneLaunch_OnlyOneBeginsIt) {
  const auto campaign = a_campaign(2);
  const auto launch = begun(campaign, alpha, 2);
  transact([&](store::Transaction& t) {
    EXPECT_FALSE(store::begin_launch(t, {.launch = launch, .tag = "again", .login = "alice"}, term, now));
  });
}

TEST_F(Launches, AModuleOfALostLease_WritesNothing) {
  const auto campaign = a_campaign(2);
  store::release_lease(database, term);
  ASSERT_TRUE(store::acquire_lease(database, "other", std::chrono::hours{1}));
  EXPECT_THROW(transact([&](store::Transaction& t) {
                 store::plan_launch(t, {.campaign = campaign, .cluster = alpha, .jobs = 2, .resources = 2}, term, now);
               }),
               store::LeaseLost);
  EXPECT_EQ(stored.launches().size(), 0U);
}

TEST_F(Launches, ARefusedLaunch_GivesItsTasksBack_WithTheSameAttempt_ToAnyCluster) {
  const auto campaign = a_campaign(4);
  const auto launch = begun(campaign, alpha, 4);
  transact([&](store::Transaction& t) {
    store::give_back(t,
                     {.launch = launch,
                      .from = grid::LaunchState::launching,
                      .to = grid::LaunchState::refused,
                      .sent = grid::Sent::never,
                      .error = "no"},
                     many_attempts, now);
  });
  EXPECT_EQ(counters(campaign), (Counters{4, 0, 0, 0, 0, 0, 0}));
  EXPECT_THAT(stored.tasks(), ::testing::Each(::testing::Field(&StoredTask::attempt, 0)));
  EXPECT_EQ(launched(campaign, beta, 4).size(), 4U);
}

TEST_F(Launches, AVoidLaunch_BindsItsTasksToItsCluster_WhereTheFenceHolds) {
  const auto campaign = a_campaign(2);
  const auto launch = begun(campaign, alpha, 2);
  transact([&](store::Transaction& t) {
    store::mark_unknown(t, std::array{launch}, "lost", now);
    store::give_back(t, {.launch = launch, .from = grid::LaunchState::unknown, .error = "lost"}, many_attempts, now);
  });
  transact([&](store::Transaction& t) {
    EXPECT_EQ(store::plan_launch(t, {.campaign = campaign, .cluster = beta, .jobs = 2, .resources = 2}, term, now), 0);
  });
  EXPECT_EQ(launched(campaign, alpha, 2).size(), 2U);
  EXPECT_EQ(stored.jobs().size(), 4U);
  EXPECT_THAT(stored.jobs(), ::testing::Each(::testing::Field(&StoredJob::attempt, 0)));
}

TEST_F(Launches, ALateOrphanOfAVoidLaunch_IsAdopted_WhenItsTaskIsStillInTheBag) {
  const auto campaign = a_campaign(1);
  const auto launch = begun(campaign, alpha, 1);
  std::vector<store::LaunchLine> lines;
  transact([&](store::Transaction& t) {
    lines = store::launch_lines(t, launch);
    store::mark_unknown(t, std::array{launch}, "lost", now);
    store::give_back(t, {.launch = launch, .from = grid::LaunchState::unknown, .error = "lost"}, many_attempts, now);
  });
  transact([&](store::Transaction& t) {
    store::accept_launch(t, launch, std::array{store::AcceptedJob{lines[0].job, grid::RemoteJobId{7}}}, std::nullopt, now);
    EXPECT_EQ(store::plan_launch(t, {.campaign = campaign, .cluster = alpha, .jobs = 1, .resources = 1}, term, now), 0);
  });
  EXPECT_EQ(counters(campaign), (Counters{0, 0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(stored.launch().state, "accepted");
}

TEST_F(Launches, AnOrphanAndItsSuccessor_TheFirstRealEndSettlesTheTask_OnceOnly) {
  const auto campaign = a_campaign(1);
  const auto launch = begun(campaign, alpha, 1);
  std::vector<store::LaunchLine> lines;
  transact([&](store::Transaction& t) {
    lines = store::launch_lines(t, launch);
    store::mark_unknown(t, std::array{launch}, "lost", now);
    store::give_back(t, {.launch = launch, .from = grid::LaunchState::unknown, .error = "lost"}, many_attempts, now);
  });
  const auto successor = launched(campaign, alpha, 1).at(0);
  transact([&](store::Transaction& t) {
    store::accept_launch(t, launch, std::array{store::AcceptedJob{lines[0].job, grid::RemoteJobId{7}}}, std::nullopt, now);
  });
  end(successor, grid::JobEnd::duplicate);
  EXPECT_EQ(counters(campaign).done, 0);
  std::vector<store::LiveJob> live;
  transact([&](store::Transaction& t) { live = store::live_jobs(t, alpha); });
  ASSERT_EQ(live.size(), 1U);
  end(live[0], grid::JobEnd::done);
  EXPECT_EQ(counters(campaign), (Counters{0, 0, 0, 0, 1, 0, 0}));
}

TEST_F(Launches, AClaimHeldByAJobOfAVoidLaunch_HasItsLaunchSearchedAgain_AndIsSpentWhenNothingIsFound) {
  const auto campaign = a_campaign(1);
  const auto launch = begun(campaign, alpha, 1);
  const auto make_void = [&] {
    transact([&](store::Transaction& t) {
      store::give_back(t, {.launch = launch, .from = grid::LaunchState::unknown, .error = "lost"}, many_attempts, now);
    });
  };
  transact([&](store::Transaction& t) { store::mark_unknown(t, std::array{launch}, "lost", now); });
  make_void();
  const auto successor = launched(campaign, alpha, 1).at(0);
  transact([&](store::Transaction& t) { EXPECT_TRUE(store::reopen_twin(t, successor)); });
  end(successor, grid::JobEnd::duplicate);
  EXPECT_EQ(std::ranges::count(stored.launches(), "unknown", &StoredLaunch::state), 1);
  make_void();
  EXPECT_EQ(counters(campaign), (Counters{1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(stored.task().attempt, 1);
}

TEST_F(Launches, PartOfAnArrayFound_IsAdopted_AndTheRestStaysUnknown) {
  const auto campaign = a_campaign(3);
  const auto launch = begun(campaign, alpha, 3);
  transact([&](store::Transaction& t) {
    const auto lines = store::launch_lines(t, launch);
    store::mark_unknown(t, std::array{launch}, "lost", now);
    store::accept_launch(t, launch, std::array{store::AcceptedJob{lines[0].job, grid::RemoteJobId{7}}}, std::nullopt, now);
  });
  EXPECT_EQ(stored.launch().state, "unknown");
  EXPECT_EQ(counters(campaign), (Counters{0, 2, 1, 0, 0, 0, 0}));
}

TEST_F(Launches, OfAPausedCampaign_GoOn_SoThatItMayEnd_OrBeCancelled) {
  for (const bool is_cancelled : {false, true}) {
    const auto campaign = a_campaign(1);
    const auto job = launched(campaign, alpha, 1).at(0);
    store::transact(database, std::nullopt, [&](store::Transaction& t) { EXPECT_TRUE(store::hold_campaign(t, campaign)); });
    if (is_cancelled)
      store::transact(database, std::nullopt, [&](store::Transaction& t) { EXPECT_TRUE(store::cancel_campaign(t, campaign, now)); });
    end(job, is_cancelled ? grid::JobEnd::killed_by_us : grid::JobEnd::done);
    transact([&](store::Transaction& t) { store::finish_campaigns(t, now); });
    EXPECT_EQ(stored.campaign(campaign).state, is_cancelled ? "cancelled" : "terminated");
  }
}

TEST_F(Launches, ATaskThatWantsToRunLast_ComesAfterTheNewOnes_AndOneThatWantsToRunFirst_BeforeThem) {
  const auto campaign = a_campaign(5);
  const auto jobs = launched(campaign, alpha, 2);
  end(jobs[0], grid::JobEnd::rerun_last);
  end(jobs[1], grid::JobEnd::rerun_first);
  std::vector<std::int64_t> order;
  for (int i = 0; i < 5; ++i) order.push_back(launched(campaign, alpha, 1).at(0).task.value());
  EXPECT_EQ(order, (std::vector<std::int64_t>{1, 2, 3, 4, 0}));
}

/// One task is bound to alpha and goes after the new ones, another goes before them and is bound to none.
TEST_F(Launches, OnAClusterThatIsOff_TakeOnlyTasksBoundToIt) {
  const auto campaign = a_campaign(6);
  const auto jobs = launched(campaign, alpha, 2);
  end(jobs[0], grid::JobEnd::rerun_last);
  end(jobs[1], grid::JobEnd::rerun_first);
  execute(fmt::format(
      "UPDATE returned_tasks SET cluster_id = {0} WHERE number = 0; UPDATE campaign_clusters SET max_jobs = 0 WHERE cluster_id = {0}",
      alpha.value()));
  const auto plan = [&](grid::ClusterId cluster) {
    int taken = 0;
    transact([&](store::Transaction& t) {
      taken = store::plan_launch(t, {.campaign = campaign, .cluster = cluster, .jobs = 6, .resources = 6}, term, now);
    });
    return taken;
  };
  EXPECT_EQ(plan(alpha), 1);
  EXPECT_EQ(value("SELECT string_agg(task::text, ' ') FROM jobs WHERE state = 'planned'"), "0");
  EXPECT_EQ(plan(alpha), 0);
  EXPECT_EQ(plan(beta), 5);
}

}  // namespace
}  // namespace gleaner::tests
