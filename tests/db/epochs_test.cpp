#include "lib/store/epochs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/store/checks.hpp"
#include "lib/store/chosen_tasks.hpp"
#include "tests/db/grid_fixture.hpp"

/// A database that was restored, and what the grid did since its dump.
namespace gleaner::tests {
namespace {

using ::testing::SizeIs;

class EpochsInDatabase : public GridFixture {
 protected:
  grid::Epochs epochs() {
    std::optional<grid::Epochs> found;
    transact([&](store::Transaction& transaction) { found = store::current_epochs(transaction, now); });
    return *found;
  }
  void restore() { execute("UPDATE grid SET database = 'another server'"); }
  /// Ids of jobs and launches go on far above what may have been given since the dump.
  void restored() {
    (void)epochs();
    restore();
    (void)epochs();
  }
  int take_over(const store::UnknownLaunch& launch) {
    int jobs = 0;
    transact([&](store::Transaction& transaction) { jobs = store::take_over(transaction, alpha, launch, now, now); });
    return jobs;
  }
  static store::UnknownLaunch a_launch(grid::CampaignId campaign, int id, const std::vector<std::pair<int, int>>& tasks, int pooled = 0) {
    store::UnknownLaunch launch{.launch = grid::LaunchId{id},
                                .campaign = campaign,
                                .tag = fmt::format("cigri.{}.{}-x", campaign.value(), id),
                                .login = "alice",
                                .jobs = {}};
    int job = 100 * id;
    for (const auto& [task, attempt] : tasks)
      launch.jobs.push_back({.job = {campaign, grid::TaskNumber{task}, attempt, grid::JobId{++job}},
                             .fence = {},
                             .pooled = std::ssize(launch.jobs) >= std::ssize(tasks) - pooled});
    return launch;
  }
  void hold(grid::CampaignId campaign, const std::vector<text::Range>& tasks) {
    transact([&](store::Transaction& transaction) { EXPECT_TRUE(store::hold_tasks(transaction, campaign, tasks, "alice", now)); });
  }
  std::string held() {
    return value("SELECT coalesce(string_agg(number::text, ' ' ORDER BY number), '') FROM returned_tasks WHERE held_by IS NOT NULL");
  }
  std::string tasks(grid::CampaignId campaign) {
    return value(
        fmt::format("SELECT string_agg(number || ' ' || state || ' ' || attempt, ', ' ORDER BY number) FROM tasks WHERE "
                    "campaign_id = {} AND (state <> 'waiting' OR attempt > 0)",
                    campaign.value()));
  }
  void expect_laws() {
    for (const auto& law : store::laws()) {
      if (law.name == "lease" || law.name.find("future") != std::string_view::npos) continue;
      const auto checked = store::check_law(database, law, store::Reach::all, std::chrono::milliseconds{0});
      EXPECT_NE(checked.result, store::Checked::Result::broken) << law.name << ": " << checked.breaches.rows.front().text;
    }
  }
};

TEST_F(EpochsInDatabase, TheFirstOne_IsThatOfThisDatabase_AndStays) {
  EXPECT_THAT(epochs().all(), SizeIs(1));
  EXPECT_THAT(epochs().all(), SizeIs(1));
  EXPECT_EQ(value("SELECT database = database_identity() FROM grid"), "t");
}

TEST_F(EpochsInDatabase, OfAnotherDatabase_BeginsByItself_Once_BeforeAnIdIsGiven) {
  (void)epochs();
  const auto before = a_campaign(3);
  restore();
  const auto after = a_campaign(3);
  const auto known = epochs();
  ASSERT_THAT(known.all(), SizeIs(2));
  EXPECT_NE(known.of(before), known.of(after));
  EXPECT_EQ(known.of(launched(before, alpha, 1).at(0).launch), known.of(after));
  EXPECT_EQ(value("SELECT count(*) FROM events WHERE code = 'DATABASE_RESTORED' AND campaign_id IS NULL"), "1");
  EXPECT_EQ(value(fmt::format("SELECT count(*) FROM events WHERE code = 'DATABASE_RESTORED' AND campaign_id = {}", before.value())), "1");
  EXPECT_EQ(value("SELECT count(*) FROM clusters WHERE recover_from IS NOT NULL"), "2");
}

TEST_F(EpochsInDatabase, ALaunchThatWasPlannedAtTheDump_IsSearchedForUnderTheTagThatItMayHave) {
  (void)epochs();
  const auto campaign = a_campaign(2);
  transact([&](store::Transaction& transaction) {
    EXPECT_EQ(store::plan_launch(transaction, {.campaign = campaign, .cluster = alpha, .jobs = 2, .resources = 2}, term, now), 2);
  });
  restore();
  const auto known = epochs();
  EXPECT_EQ(value("SELECT state || ' ' || tag FROM launches"),
            fmt::format("launching cigri.{}.1-{}", campaign.value(), known.all()[0].token));
}

TEST_F(EpochsInDatabase, ALaunchOfSinceTheDump_TakesItsTasksOutOfTheBag_AndTheOnesBetweenGoBackToIt) {
  const auto campaign = a_campaign(10);
  restored();
  transact([&](store::Transaction& transaction) {
    const std::vector<text::Range> range{{2, 2}};
    EXPECT_TRUE(store::cancel_tasks(transaction, campaign, range));
  });
  EXPECT_EQ(take_over(a_launch(campaign, 70, {{0, 0}, {4, 0}, {3, 0}}, 1)), 3);
  EXPECT_EQ(tasks(campaign), "0 launching 0, 2 cancelled 0, 3 launching 0, 4 launching 0");
  EXPECT_EQ(stored.returned_numbers(), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(stored.campaign().next_task, 5);
  EXPECT_EQ(stored.campaign().skipped, 0);
  EXPECT_EQ(value("SELECT state || ' ' || jobs || ' ' || tag FROM launches"), fmt::format("launching 2 cigri.{}.70-x", campaign.value()));
  EXPECT_EQ(value("SELECT string_agg(id || ' ' || state, ', ' ORDER BY id) FROM jobs"), "7001 launching, 7002 launching, 7003 pooled");
  EXPECT_EQ(counters(campaign), recount(campaign));
  expect_laws();
  EXPECT_EQ(take_over(a_launch(campaign, 70, {{0, 0}, {4, 0}, {3, 0}}, 1)), 0) << "it is known now";
}

TEST_F(EpochsInDatabase, ALaunchOfSinceTheDump_EndsTheHoldOfItsTasks_AndTheHeldOnesBetweenStayHeld) {
  const auto campaign = a_campaign(6);
  restored();
  hold(campaign, {{1, 3}, {5, 5}});
  EXPECT_EQ(take_over(a_launch(campaign, 70, {{3, 0}})), 1);
  EXPECT_EQ(held(), "1 2 5");
  EXPECT_EQ(stored.campaign().next_task, 4);
  EXPECT_EQ(stored.campaign().skipped, 1) << "task 5 is ahead of the cursor";
  EXPECT_EQ(counters(campaign), recount(campaign));
  expect_laws();
}

TEST_F(EpochsInDatabase, ALaterAttemptOfATaskInFlight_IsItsAttemptFromNowOn_AndAnEarlierOneIsLeftOut) {
  const auto campaign = a_campaign(4, {"alpha"});
  restored();
  const auto jobs = launched(campaign, alpha, 2);
  end(jobs[1], grid::JobEnd::done);
  EXPECT_EQ(take_over(a_launch(campaign, 70, {{0, 1}, {1, 1}, {2, 0}})), 2) << "task 1 is done";
  EXPECT_EQ(tasks(campaign), "0 submitted 1, 1 done 0, 2 launching 0");
  EXPECT_EQ(take_over(a_launch(campaign, 71, {{0, 0}, {2, 0}, {9, 0}, {-2, 0}})), 0);
  expect_laws();
}

TEST_F(EpochsInDatabase, LaunchesOfCampaignsThatAreOver_AreLeftOut) {
  const auto campaign = a_campaign(4);
  execute("UPDATE campaigns SET state = 'terminated', ended_at = now()");
  EXPECT_EQ(take_over(a_launch(campaign, 70, {{0, 0}})), 0);
  EXPECT_EQ(take_over(a_launch(grid::CampaignId{99}, 71, {{0, 0}})), 0);
  EXPECT_EQ(stored.launches().size(), 0U);
}

/// Names and commands of jobs are for everybody to read in OAR, and to use for jobs of their own.
TEST_F(EpochsInDatabase, LaunchesOfAnotherLogin_AndJobIdsThatWereNotGiven_AreLeftOut) {
  const auto campaign = a_campaign(4, {"alpha"});
  restored();
  auto foreign = a_launch(campaign, 70, {{0, 0}});
  foreign.login = "mal";
  EXPECT_EQ(take_over(foreign), 0);
  auto ahead = a_launch(campaign, 71, {{1, 0}, {2, 0}});
  ahead.jobs[1].job.job = grid::JobId{std::stoll(value("SELECT last_value FROM jobs_id_seq"))};
  EXPECT_EQ(take_over(ahead), 1) << "an id that the next job will have is no job's";
  EXPECT_EQ(tasks(campaign), "1 launching 0");
  EXPECT_EQ(launched(campaign, alpha, 2).size(), 2U);
  expect_laws();
}

TEST_F(EpochsInDatabase, OfACampaignWithDifferentRequests_EachBagPassesItsOwnTasks) {
  const auto campaign = asking_different_things(6);
  restored();
  EXPECT_EQ(take_over(a_launch(campaign, 70, {{2, 0}})), 1);
  EXPECT_EQ(value("SELECT string_agg(request || ' ' || next_task || ' ' || untaken, ', ' ORDER BY request) FROM request_bags"),
            "1 3 1, 2 1 3");
  EXPECT_EQ(value("SELECT string_agg(number || ' ' || request, ', ') FROM returned_tasks"), "0 1");
  EXPECT_EQ(stored.campaign().next_task, 2);
  expect_laws();
}

TEST_F(EpochsInDatabase, OfACampaignWithDifferentRequests_ALaunchOfAHeldTask_MovesTheCursorOfItsBag) {
  const auto campaign = asking_different_things(6);
  restored();
  hold(campaign, {{0, 2}});
  EXPECT_EQ(take_over(a_launch(campaign, 70, {{2, 0}})), 1);
  EXPECT_EQ(held(), "0 1");
  EXPECT_EQ(value("SELECT string_agg(request || ' ' || next_task || ' ' || untaken, ', ' ORDER BY request) FROM request_bags"),
            "1 3 1, 2 1 2");
  EXPECT_EQ(counters(campaign), recount(campaign));
  expect_laws();
}

}  // namespace
}  // namespace gleaner::tests
