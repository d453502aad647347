#include <fmt/format.h>
#include <algorithm>

#include <array>

#include "lib/store/declarations.hpp"
#include "lib/store/kills.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {
namespace {

/// The runner's changes to launches, in words.
class LaunchFates : public GridFixture {
 protected:
  std::vector<store::LaunchLine> lines(grid::LaunchId launch) {
    std::vector<store::LaunchLine> found;
    transact([&](store::Transaction& t) { found = store::launch_lines(t, launch); });
    return found;
  }
  void lost(grid::LaunchId launch) {
    transact([&](store::Transaction& t) { store::mark_unknown(t, std::array{launch}, "no answer", now); });
  }
  void given_up(grid::LaunchId launch) {
    transact([&](store::Transaction& t) {
      EXPECT_TRUE(store::give_back(t, {.launch = launch, .from = grid::LaunchState::unknown, .error = "lost"}, many_attempts, now));
    });
  }
  void not_sent(grid::LaunchId launch) {
    transact([&](store::Transaction& t) {
      EXPECT_TRUE(store::give_back(
          t, {.launch = launch, .from = grid::LaunchState::launching, .sent = grid::Sent::never, .error = "no route"}, many_attempts, now));
    });
  }
  grid::LaunchId void_launch(grid::CampaignId campaign, int jobs) {
    const auto launch = begun(campaign, alpha, jobs);
    lost(launch);
    given_up(launch);
    return launch;
  }
  /// OAR shows one job of the launch.
  int found(grid::CampaignId campaign, grid::LaunchId launch, const store::LaunchLine& line) {
    int adopted = 0;
    const grid::FoundJob job{line.job, grid::RemoteJobId{next_remote++}, {campaign, line.task, line.attempt, line.job}};
    transact([&](store::Transaction& t) { adopted = store::adopt_jobs(t, launch, std::array{job}, std::nullopt, now); });
    return adopted;
  }
  std::string task(int number = 0) {
    const auto task = stored.task(number);
    return fmt::format("{} {}", task.state, task.attempt);
  }
  std::string kills() {
    transact([&](store::Transaction& t) { store::request_kills_of_superseded(t, now); });
    return value("SELECT string_agg(concat_ws(' ', job_id, reason), ', ' ORDER BY job_id) FROM kill_requests");
  }
};

TEST_F(LaunchFates, OneThatAnotherRunnerHasJustBegun_IsNotGivenBackAsStranded) {
  const auto campaign = a_campaign(2);
  const auto launch = begun(campaign, alpha, 2);
  transact([&](store::Transaction& t) {
    EXPECT_FALSE(store::give_back(t, {.launch = launch, .from = grid::LaunchState::planned, .sent = grid::Sent::never, .error = "stranded"},
                                  many_attempts, now));
  });
  EXPECT_EQ(stored.launch().state, "launching");
  EXPECT_EQ(counters(campaign), (Counters{0, 2, 0, 0, 0, 0, 0}));
}

TEST_F(LaunchFates, AnAttemptGivenBackByAVoidLaunch_IsClaimedInItsFolder_HoweverOftenItGoesBack) {
  const auto campaign = a_campaign(1);
  const auto orphan = void_launch(campaign, 1);
  for (int round = 0; round < 2; ++round) {
    const auto successor = begun(campaign, alpha, 1);
    EXPECT_EQ(lines(successor).at(0).fence, orphan);
    lost(successor);
    given_up(successor);
  }
  const auto unsent = begun(campaign, alpha, 1);
  not_sent(unsent);
  EXPECT_EQ(stored.returned_task().cluster, alpha.value());
  EXPECT_EQ(stored.returned_task().fence, orphan.value()) << "not sent itself, but the orphan may still come";
}

TEST_F(LaunchFates, ATaskOfALaunchThatWasNeverSent_IsFree_AndNobodyLooksForItsJobs) {
  const auto campaign = a_campaign(1);
  not_sent(begun(campaign, alpha, 1));
  EXPECT_EQ(stored.returned_task().cluster, std::nullopt);
  EXPECT_EQ(stored.returned_task().fence, std::nullopt);
  transact([&](store::Transaction& t) { EXPECT_TRUE(store::unsettled_launches(t, alpha, now - std::chrono::hours{1}).empty()); });
}

TEST_F(LaunchFates, ANewAttempt_IsClaimedInTheFolderOfItsOwnLaunch) {
  const auto campaign = a_campaign(1);
  static_cast<void>(void_launch(campaign, 1));
  const auto job = launched(campaign, alpha, 1).at(0);
  end(job, grid::JobEnd::rerun_first);
  const auto next = begun(campaign, alpha, 1);
  EXPECT_EQ(lines(next).at(0).attempt, 1);
  EXPECT_EQ(lines(next).at(0).fence, next);
}

TEST_F(LaunchFates, AnOrphanWhoseTaskHasAnotherAttempt_IsKilledAsLate_InEveryCampaign) {
  const auto campaign = a_campaign(1);
  const auto orphan = void_launch(campaign, 1);
  const auto line = lines(orphan).at(0);
  execute("UPDATE tasks SET attempt = 5");
  EXPECT_EQ(found(campaign, orphan, line), 1);
  EXPECT_EQ(task(), "waiting 5") << "it moves nothing";
  EXPECT_EQ(kills(), fmt::format("{} late", line.job.value()));
}

TEST_F(LaunchFates, AJobThatWasDeclaredLost_BeforeItsIdWasKnown_IsSearchedFor_AndKilledWhenItAppears) {
  const auto campaign = a_campaign(2);
  const auto launch = begun(campaign, alpha, 2);
  lost(launch);
  transact([&](store::Transaction& t) {
    EXPECT_EQ(store::lose_jobs(t, store::live_jobs_of(t, launch), {.attempts = 9, .charged = 3}, {.name = "root"}, now), 2);
  });
  const auto line = lines(launch).at(0);
  EXPECT_EQ(found(campaign, launch, line), 1);
  EXPECT_EQ(task(), "waiting 1") << "its task goes on without it";
  EXPECT_EQ(kills(), fmt::format("{} late", line.job.value()));
  transact([&](store::Transaction& t) {
    const auto searched = store::unsettled_launches(t, alpha, now - std::chrono::hours{1});
    ASSERT_EQ(searched.size(), 1U) << "the other job may appear as well";
    EXPECT_EQ(searched[0].missing, 1);
  });
}

TEST_F(LaunchFates, AJobThatOarRanTwiceBeforeItWasFound_IsKnownToHaveRunBefore) {
  const auto campaign = a_campaign(1);
  const auto launch = begun(campaign, alpha, 1);
  lost(launch);
  const auto line = lines(launch).at(0);
  const grid::FoundJob job{line.job, grid::RemoteJobId{9}, {campaign, line.task, line.attempt, line.job}, true};
  transact([&](store::Transaction& t) { EXPECT_EQ(store::adopt_jobs(t, launch, std::array{job}, std::nullopt, now), 1); });
  EXPECT_EQ(stored.job().resubmissions, 1);
}

TEST_F(LaunchFates, WhatIsListedUnderAnotherIdentity_IsNotAdopted) {
  const auto campaign = a_campaign(2);
  const auto launch = begun(campaign, alpha, 1);
  lost(launch);
  auto line = lines(launch).at(0);
  line.attempt = 7;
  EXPECT_EQ(found(campaign, launch, line), 0);
  const auto other = begun(campaign, alpha, 1);
  lost(other);
  EXPECT_EQ(found(campaign, launch, lines(other).at(0)), 0) << "of another launch";
}

TEST_F(LaunchFates, ATaskThatRuns_GoesBackWhenTheLastJobOfItsAttemptWasNeverSubmitted) {
  const auto campaign = a_campaign(1);
  const auto first = void_launch(campaign, 1);
  const auto second = launched(campaign, alpha, 1).at(0);
  const std::array running{store::Observation{.job = second.id, .state = grid::JobState::running, .started_at = now, .resources = 1}};
  transact([&](store::Transaction& t) { store::observe_jobs(t, running); });
  EXPECT_EQ(task(), "running 0");
  transact([&](store::Transaction& t) { EXPECT_TRUE(store::reopen_twin(t, second)); });
  end(second, grid::JobEnd::duplicate);
  EXPECT_EQ(task(), "running 0") << "the first one may have it";
  given_up(first);
  EXPECT_EQ(task(), "waiting 1") << "somebody holds the claim, so the attempt is spent";
  EXPECT_EQ(counters(campaign), recount(campaign));
}

TEST_F(LaunchFates, ReleasedTasks_MayGoAnywhere_WithANewAttemptThatCountsForNothing) {
  const auto campaign = a_campaign(3);
  const auto orphan = void_launch(campaign, 2);
  std::vector<grid::TaskNumber> released;
  transact([&](store::Transaction& t) {
    const auto bound = store::bound_tasks(t);
    ASSERT_EQ(bound.size(), 1U);
    EXPECT_EQ(bound[0].launch, orphan);
    EXPECT_EQ(bound[0].tasks, 2);
    EXPECT_FALSE(bound[0].retired);
    released = store::release_tasks(t, orphan, now);
    EXPECT_TRUE(store::bound_tasks(t).empty());
  });
  EXPECT_EQ(released, (std::vector{grid::TaskNumber{0}, grid::TaskNumber{1}}));
  EXPECT_EQ(stored.task(0).attempt, 1);
  EXPECT_EQ(stored.task(0).uncounted, 1);
  EXPECT_EQ(std::ranges::count(stored.launches(), true, &StoredLaunch::released), 1);
  EXPECT_EQ(launched(campaign, beta, 2).size(), 2U);
}

TEST_F(LaunchFates, OneWhoseRequestCannotBeSent_IsRefused_AndItsTasksGoAnywhere) {
  const auto campaign = a_campaign(2);
  transact([&](store::Transaction& t) {
    store::plan_launch(t, {.campaign = campaign, .cluster = alpha, .jobs = 2, .resources = 2}, term, now);
  });
  const auto launch = stored.launch().id;
  transact([&](store::Transaction& t) {
    EXPECT_TRUE(store::give_back(t,
                                 {.launch = launch,
                                  .from = grid::LaunchState::planned,
                                  .to = grid::LaunchState::refused,
                                  .sent = grid::Sent::never,
                                  .error = "no such"},
                                 many_attempts, now));
  });
  EXPECT_EQ(stored.launch().state, "refused");
  EXPECT_EQ(launched(campaign, beta, 2).size(), 2U);
}

TEST_F(LaunchFates, OneOfACampaignThatWasCancelledBeforeItBegan_IsVoid_AndItsTasksAreCancelled) {
  const auto campaign = a_campaign(1);
  transact([&](store::Transaction& t) {
    store::plan_launch(t, {.campaign = campaign, .cluster = alpha, .jobs = 1, .resources = 1}, term, now);
  });
  const auto launch = stored.launch().id;
  store::transact(database, std::nullopt, [&](store::Transaction& t) { EXPECT_TRUE(store::cancel_campaign(t, campaign, now)); });
  transact([&](store::Transaction& t) {
    EXPECT_TRUE(store::give_back(t, {.launch = launch, .from = grid::LaunchState::planned, .sent = grid::Sent::never, .error = "cancelled"},
                                 many_attempts, now));
  });
  EXPECT_EQ(stored.launch().state, "void");
  EXPECT_EQ(task(), "cancelled 0");
}

TEST_F(LaunchFates, ATaskWhoseLastAttemptSomebodyHolds_Fails_WhenItsNextJobIsNeverSubmitted) {
  const auto campaign = a_campaign(1);
  static_cast<void>(void_launch(campaign, 1));
  end(launched(campaign, alpha, 1).at(0), grid::JobEnd::duplicate);
  EXPECT_EQ(task(), "waiting 0") << "the orphan may show itself";
  const auto third = begun(campaign, alpha, 1);
  lost(third);
  transact([&](store::Transaction& t) {
    EXPECT_TRUE(store::give_back(t, {.launch = third, .from = grid::LaunchState::unknown, .error = "lost"}, {.attempts = 1}, now));
  });
  EXPECT_EQ(task(), "failed 0");
}

TEST_F(LaunchFates, ALaunchIsLookedForAsTheUserThatItWasSentAs_WhateverTheMappingIsLater) {
  const auto campaign = a_campaign(1);
  lost(begun(campaign, alpha, 1));
  transact([&](store::Transaction& t) { store::map_user(t, "alice", alpha, "alice_new"); });
  transact([&](store::Transaction& t) { EXPECT_EQ(store::unsettled_launches(t, alpha, now).at(0).login, "alice"); });
}

}  // namespace
}  // namespace gleaner::tests
