#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

#include "lib/store/events.hpp"
#include "lib/store/kills.hpp"
#include "tests/db/grid_fixture.hpp"
#include "tests/seed.hpp"

namespace gleaner::tests {
namespace {

using Jobs = GridFixture;

TEST_F(Jobs, AJobDone_SettlesItsTask_AndCountsItsDuration) {
  const auto campaign = a_campaign(2);
  const auto jobs = launched(campaign, alpha, 2);
  end(jobs[0], grid::JobEnd::done);
  EXPECT_EQ(counters(campaign), (Counters{0, 0, 1, 0, 1, 0, 0}));
  const auto pair = stored.pair(campaign, alpha);
  EXPECT_EQ(pair.done, 1);
  EXPECT_EQ(pair.duration_sum, 10);
  EXPECT_EQ(pair.concluded, 1);
}

TEST_F(Jobs, APreemptedJob_GivesItsTaskBack_AsANewAttempt_WithoutACharge) {
  const auto campaign = a_campaign(1);
  end(launched(campaign, alpha, 1)[0], grid::JobEnd::preempted);
  EXPECT_EQ(stored.task().fate(), (Fate{.state = "waiting", .attempt = 1, .charged = 0}));
  EXPECT_EQ(value("SELECT format('%s ended, %s concluded', sum(ended), sum(concluded)) FROM campaign_clusters"), "1 ended, 0 concluded");
  EXPECT_EQ(launched(campaign, beta, 1)[0].attempt, 1);
}

TEST_F(Jobs, AJobTakenBackBeforeItBegan_IsANewAttempt_ThatDoesNotCount) {
  const auto campaign = a_campaign(1);
  end(launched(campaign, alpha, 1)[0], grid::JobEnd::preempted);
  take_back(launched(campaign, alpha, 1)[0]);
  take_back(launched(campaign, alpha, 1)[0]);
  const auto job = launched(campaign, alpha, 1)[0];
  EXPECT_EQ(job.attempt, 3);
  transact([&](store::Transaction& t) {
    EXPECT_EQ(store::facts_for_settling(t, std::array{job.id}).at(0).task.counted, 1) << "the preempted one";
  });
}

TEST_F(Jobs, ALateWordOfADeadAttempt_DoesNotTouchTheNewOne) {
  const auto campaign = a_campaign(1);
  const auto first = launched(campaign, alpha, 1)[0];
  end(first, grid::JobEnd::preempted);
  const auto second = launched(campaign, alpha, 1)[0];
  end(first, grid::JobEnd::done);
  EXPECT_EQ(counters(campaign).done, 0);
  end(second, grid::JobEnd::done);
  EXPECT_EQ(counters(campaign).done, 1);
}

TEST_F(Jobs, ATaskError_IsChargedToTheTask) {
  const auto campaign = a_campaign(1);
  end(launched(campaign, alpha, 1)[0], grid::JobEnd::task_error);
  EXPECT_EQ(stored.task().state, "failed");
  EXPECT_EQ(stored.task().charged, 1);
  EXPECT_EQ(stored.pair(campaign, alpha).failures_in_a_row, 1);
}

TEST_F(Jobs, JobsThatTheClusterCouldNotStart_AreFailuresThere_ThoughNobodyPays) {
  const auto campaign = a_campaign(3);
  const auto jobs = launched(campaign, alpha, 3);
  end(jobs[0], grid::JobEnd::cannot_start);
  end(jobs[1], grid::JobEnd::never_began);
  end(jobs[2], grid::JobEnd::preempted);
  EXPECT_EQ(stored.pair(campaign, alpha).failures_in_a_row, 2);
  EXPECT_THAT(stored.tasks(), ::testing::Each(::testing::Field(&StoredTask::charged, 0)));
}

TEST_F(Jobs, TheLastTaskSettled_EndsTheCampaign) {
  const auto campaign = a_campaign(1);
  transact([&](store::Transaction& t) { EXPECT_TRUE(store::finish_campaigns(t, now).empty()); });
  end(launched(campaign, alpha, 1)[0], grid::JobEnd::done);
  transact([&](store::Transaction& t) { EXPECT_EQ(store::finish_campaigns(t, now), std::vector{campaign}); });
  EXPECT_EQ(stored.campaign().state, "terminated");
}

TEST_F(Jobs, AJobOfACancelledCampaign_IsToBeKilled_AndItsTaskIsCancelled_NotGivenBack) {
  const auto campaign = a_campaign(3);
  const auto job = launched(campaign, alpha, 1)[0];
  store::transact(database, std::nullopt, [&](store::Transaction& t) { EXPECT_TRUE(store::cancel_campaign(t, campaign, now)); });
  transact([&](store::Transaction& t) {
    store::request_kills_of_cancelled(t, now);
    EXPECT_EQ(store::pending_kills(t, alpha, now).size(), 1U);
  });
  end(job, grid::JobEnd::killed_by_us);
  EXPECT_EQ(stored.returned_tasks().size(), 0U);
  EXPECT_EQ(counters(campaign), (Counters{0, 0, 0, 0, 0, 0, 3}));
}

TEST_F(Jobs, OnlyJobsWhoseTaskRunsAgain_EndWithoutSettlingIt) {
  const auto campaign = a_campaign(4);
  const auto jobs = launched(campaign, alpha, 4);
  const auto concluded = [&] { return value("SELECT sum(concluded) FROM campaign_clusters"); };
  end(jobs[0], grid::JobEnd::done);
  end(jobs[1], grid::JobEnd::preempted);
  EXPECT_EQ(concluded(), "1");
  // A task that its user cancels while it runs does not run again.
  execute("UPDATE tasks SET cancelling = true WHERE number = 2");
  end(jobs[2], grid::JobEnd::killed_by_us);
  EXPECT_EQ(stored.task(2).state, "cancelled");
  EXPECT_EQ(concluded(), "2");
  // A failed task that its user gives back does.
  end(jobs[3], grid::JobEnd::task_error);
  EXPECT_EQ(concluded(), "3");
  transact([&](store::Transaction& t) { EXPECT_EQ(store::retry_failed_tasks(t, {.campaign = campaign}, now).size(), 1U); });
  EXPECT_EQ(concluded(), "2");
}

TEST_F(Jobs, ATaskThatCameBackJustWhenItsCampaignWasCancelled_IsCancelledToo) {
  const auto campaign = a_campaign(1);
  store::transact(database, std::nullopt, [&](store::Transaction& t) { EXPECT_TRUE(store::cancel_campaign(t, campaign, now)); });
  // The rows as a transaction leaves them that read the campaign before its cancellation.
  execute(
      "UPDATE tasks SET state = 'waiting'; INSERT INTO returned_tasks (campaign_id, number, returned_at) SELECT campaign_id, number, now() FROM tasks");
  transact([&](store::Transaction& t) { static_cast<void>(store::finish_campaigns(t, now)); });
  EXPECT_EQ(stored.task().state, "cancelled");
  EXPECT_EQ(stored.returned_tasks().size(), 0U);
}

TEST_F(Jobs, AKillThatWasSent_IsNotSentAgain_BeforeItsTime) {
  const auto campaign = a_campaign(1);
  const auto job = launched(campaign, alpha, 1)[0];
  transact([&](store::Transaction& t) {
    store::request_kills(t, std::array{job.id}, store::KillReason::excess, now);
    store::note_kills_sent(t, std::array{job.id}, now);
    EXPECT_TRUE(store::pending_kills(t, alpha, now).empty());
    EXPECT_EQ(store::pending_kills(t, alpha, now + grid::Seconds{1}).size(), 1U);
  });
}

TEST_F(Jobs, AJobThatOarResubmits_IsFollowedUnderItsNewId) {
  const auto campaign = a_campaign(1);
  const auto job = launched(campaign, alpha, 1)[0];
  transact([&](store::Transaction& t) { store::follow_job(t, job.id, job.remote, grid::RemoteJobId{99}); });
  transact([&](store::Transaction& t) {
    const auto live = store::live_jobs(t, alpha);
    ASSERT_EQ(live.size(), 1U);
    EXPECT_EQ(live[0].remote, grid::RemoteJobId{99});
    EXPECT_EQ(live[0].resubmissions, 1);
  });
}

/// How long a brake lasts that is set so many seconds after the last one ended, in seconds.
class Brakes : public GridFixture {
 protected:
  Brakes() : campaign{a_campaign(1)} {}
  std::int64_t next(std::int64_t after) {
    now += grid::Seconds{after};
    std::optional<grid::Instant> until;
    transact([&](store::Transaction& t) {
      until = store::set_brake(t, {.campaign = campaign, .cluster = alpha}, "why", {grid::Seconds{60}, grid::Seconds{3600}}, now);
    });
    if (!until) return 0;
    const auto length = *until - now;
    now = *until;
    return std::chrono::duration_cast<grid::Seconds>(length).count();
  }
  grid::CampaignId campaign;
};

TEST_F(Brakes, DoubleAtEachIncident_UpToTheGreatestLength) {
  std::vector<std::int64_t> lengths;
  for (int i = 0; i < 8; ++i) lengths.push_back(next(1));
  EXPECT_EQ(lengths, (std::vector<std::int64_t>{60, 120, 240, 480, 960, 1920, 3600, 3600}));
  now -= grid::Seconds{1};
  EXPECT_EQ(next(0), 0) << "one is on already";
}

TEST_F(Brakes, DecayByOneStep_ForEachGreatestLengthWithoutAnIncident) {
  for (int i = 0; i < 30; ++i) next(1);
  EXPECT_EQ(next(3599), 3600);
  EXPECT_EQ(next(3600), 3600) << "one step up, one down";
  EXPECT_EQ(next(3 * 3600), 960) << "one up, three down, and not down from thirty";
  EXPECT_EQ(next(90 * 86400), 60) << "after months it is the first one again";
  EXPECT_EQ(next(1), 120);
}

TEST_F(Brakes, OfOtherTargets_HaveLevelsOfTheirOwn) {
  next(1);
  next(1);
  transact([&](store::Transaction& t) {
    for (const auto& target : {store::Target{.campaign = campaign, .cluster = beta}, store::Target{.campaign = campaign, .cluster = {}},
                               store::Target{.campaign = {}, .cluster = alpha}})
      EXPECT_EQ(store::set_brake(t, target, "why", {grid::Seconds{60}, grid::Seconds{3600}}, now), now + grid::Seconds{60});
  });
}

TEST_F(Brakes, SetByHand_StayWhenJobsSucceed_AndAreReplacedOnlyAfterTheirEnd) {
  const store::Target pair{.campaign = campaign, .cluster = alpha};
  const auto ends = now + grid::Seconds{7200};
  next(1);
  transact([&](store::Transaction& t) {
    EXPECT_TRUE(store::blacklist(t, {.target = pair, .reason = "licence", .user = "ada", .expires_at = ends}, now));
    store::release_brake(t, pair);
  });
  EXPECT_EQ(next(0), 0) << "in place of the brake of the grid, and still there";
  EXPECT_EQ(stored.brake().set_by, "ada");
  now = ends;
  EXPECT_GT(next(0), 0);
  transact([&](store::Transaction& t) { store::release_brake(t, pair); });
  EXPECT_EQ(stored.brakes().size(), 0U) << "that was the grid's own";
}

TEST_F(Brakes, SetByHand_HaveAnEvent_WhichClosesWithThem) {
  const store::Target pair{.campaign = campaign, .cluster = alpha};
  const auto expired = [&](grid::Instant at) {
    std::int64_t closed = 0;
    transact([&](store::Transaction& t) { closed = store::close_expired_blacklistings(t, at); });
    return closed;
  };
  transact([&](store::Transaction& t) {
    store::blacklist(t, {.target = pair, .reason = "disk", .user = "root", .expires_at = now + grid::Seconds{60}}, now);
    store::blacklist(
        t, {.target = {.campaign = {}, .cluster = alpha}, .reason = "disk", .user = "root", .expires_at = now + grid::Seconds{600}}, now);
  });
  EXPECT_EQ(expired(now), 0);
  EXPECT_EQ(expired(now + grid::Seconds{61}), 1);
  transact([&](store::Transaction& t) { store::clear_brake(t, {.campaign = {}, .cluster = alpha}); });
  EXPECT_EQ(expired(now + grid::Seconds{62}), 1) << "the brake was lifted";
  EXPECT_EQ(stored.open_events().size(), 0U);
}

TEST_F(Jobs, TheCounters_AreWhatARecountGives_AfterAnyTransitions) {
  std::mt19937_64 random{test_seed()};
  const auto pick = [&](int n) { return std::uniform_int_distribution<int>{0, n - 1}(random); };
  const auto campaign = a_campaign(60);
  for (int step = 0; step < 120; ++step) {
    const auto cluster = pick(2) == 0 ? alpha : beta;
    std::vector<store::LiveJob> live;
    transact([&](store::Transaction& t) { live = store::live_jobs(t, cluster); });
    switch (pick(4)) {
      case 0: {
        transact([&](store::Transaction& t) {
          store::plan_launch(t, {.campaign = campaign, .cluster = cluster, .jobs = 1 + pick(4), .resources = 1}, term, now);
        });
        std::vector<store::LaunchToMake> planned;
        transact([&](store::Transaction& t) { planned = store::planned_launches(t, cluster); });
        for (const auto& launch : planned) {
          transact([&](store::Transaction& t) {
            ASSERT_TRUE(store::begin_launch(t, {.launch = launch.id, .tag = fmt::format("tag-{}", launch.id.value()), .login = "alice"},
                                            term, now));
            if (pick(4) == 0)
              return static_cast<void>(store::give_back(t,
                                                        {.launch = launch.id,
                                                         .from = grid::LaunchState::launching,
                                                         .to = grid::LaunchState::refused,
                                                         .sent = grid::Sent::never,
                                                         .error = ""},
                                                        many_attempts, now));
            std::vector<store::AcceptedJob> accepted;
            for (const auto& line : store::launch_lines(t, launch.id)) accepted.push_back({line.job, grid::RemoteJobId{next_remote++}});
            store::accept_launch(t, launch.id, accepted, std::nullopt, now);
          });
        }
        break;
      }
      case 1:
        if (live.empty()) break;
        transact([&](store::Transaction& t) {
          const auto& job = live[static_cast<std::size_t>(pick(static_cast<int>(live.size())))];
          store::observe_jobs(
              t, std::array{store::Observation{.job = job.id,
                                               .state = pick(4) == 0 ? grid::JobState::remote_waiting : grid::JobState::running,
                                               .started_at = now,
                                               .resources = 1}});
        });
        break;
      default:
        if (live.empty()) break;
        const auto& job = live[static_cast<std::size_t>(pick(static_cast<int>(live.size())))];
        end(job, std::array{grid::JobEnd::done, grid::JobEnd::preempted, grid::JobEnd::task_error}[static_cast<std::size_t>(pick(3))]);
    }
    ASSERT_EQ(counters(campaign), recount(campaign)) << "after step " << step;
    ASSERT_EQ(value("SELECT count(*) FROM campaign_clusters p WHERE (p.launching, p.waiting, p.running, p.unknown) <> "
                    "(SELECT count(*) FILTER (WHERE state IN ('planned', 'launching')), count(*) FILTER (WHERE state = 'remote_waiting'), "
                    "count(*) FILTER (WHERE state = 'running'), count(*) FILTER (WHERE state = 'unknown') FROM jobs j "
                    "WHERE j.campaign_id = p.campaign_id AND j.cluster_id = p.cluster_id)"),
              "0");
  }
}

}  // namespace
}  // namespace gleaner::tests
