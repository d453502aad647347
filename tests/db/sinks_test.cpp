#include <fmt/format.h>
#include <gmock/gmock.h>
#include <algorithm>

#include "lib/store/sinks.hpp"
#include "tests/db/ends_fixture.hpp"

namespace gleaner::tests {
namespace {

class Sinks : public Ends {
 protected:
  /// Jobs on alpha that ended without an error after so many seconds.
  void done_after(const std::vector<store::LiveJob>& jobs, int seconds) {
    all_ended(jobs, 0);
    for (const auto& job : jobs) {
      poll.ours.at(job.remote).started = now;
      poll.ours.at(job.remote).stopped = now + grid::Seconds{seconds};
    }
    now += grid::Seconds{seconds};
    apply(jobs);
    now += grid::Seconds{1};
  }
  /// The same on beta, where nobody looks for sinks.
  void done_elsewhere(grid::CampaignId campaign, int jobs, int seconds) {
    for (const auto& job : launched(campaign, beta, jobs)) {
      transact([&](store::Transaction& t) {
        store::Verdict verdict{.left = store::facts_for_settling(t, std::array{job.id}).at(0),
                               .started_at = now,
                               .ended_at = now + grid::Seconds{seconds},
                               .resources = 1};
        verdict.left.job.began = true;
        verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, grid::JobEnd::done, grid::Deletion::none, {.attempts = 50});
        store::settle_jobs(t, std::array{verdict}, now);
      });
    }
  }
  /// A hundred good ends on alpha, as many on beta, and then five empty ones on alpha: tasks 200 to 204.
  grid::CampaignId a_late_sink() {
    const auto campaign = a_campaign(300);
    done_elsewhere(campaign, 100, 60);
    done_after(launched(campaign, alpha, 100), 60);
    EXPECT_EQ(brakes(), "0");
    done_after(launched(campaign, alpha, 5), 0);
    return campaign;
  }
  std::int64_t retry(grid::CampaignId campaign, const store::SinkName& sink) {
    std::int64_t tasks = 0;
    store::transact(database, std::nullopt, [&](store::Transaction& t) {
      tasks = store::retry_swallowed_tasks(t, campaign, sink, {grid::Seconds{60}, grid::Seconds{600}}, now).tasks;
    });
    return tasks;
  }
  [[nodiscard]] std::string brakes() const { return std::to_string(stored.brakes().size()); }
  std::string event() { return value("SELECT message FROM events WHERE code = 'SINK' AND state = 'open'"); }
};

TEST_F(Sinks, JobsThatEndSoonerThanTheJdlsMinDuration_BrakeTheClusterForTheCampaign) {
  const auto campaign = a_campaign(10);
  execute("UPDATE campaigns SET jdl = '{\"min_duration\": 5}'");
  done_after(launched(campaign, alpha, 2), 0);
  EXPECT_EQ(brakes(), "0") << "two ends tell little";
  done_after(launched(campaign, alpha, 1), 0);
  EXPECT_EQ(brakes(), "1");
  EXPECT_THAT(event(), ::testing::HasSubstr("the last 3 jobs there ended without an error after 0.0 s"));
}

TEST_F(Sinks, JobsThatTakeMuchLongerElsewhere_BrakeTheCluster_AndOneEndIsNotJudgedTwice) {
  const auto campaign = a_campaign(20);
  done_elsewhere(campaign, 3, 60);
  done_after(launched(campaign, alpha, 3), 5);
  EXPECT_EQ(brakes(), "1");
  execute("DELETE FROM brakes");
  done_after(launched(campaign, alpha, 1), 60);
  EXPECT_EQ(brakes(), "0");
}

TEST_F(Sinks, WhatOarAddsToAJob_AsTheLastOnesMeasuredIt_IsNoWork) {
  const auto campaign = a_campaign(20);
  done_elsewhere(campaign, 3, 12);
  const auto measure = [&](double own_part) {
    execute(fmt::format("UPDATE campaign_clusters SET measured = 1000, command_s = 0, held_s = {} WHERE cluster_id = 1", 1000 * own_part));
  };
  measure(0.1);
  done_after(launched(campaign, alpha, 3), 2);
  EXPECT_EQ(brakes(), "0") << "two seconds are more than a tenth, and OAR took little of them";
  measure(1.9);
  done_after(launched(campaign, alpha, 1), 2);
  EXPECT_EQ(brakes(), "1");
  EXPECT_THAT(event(), ::testing::HasSubstr("the last 4 jobs there"));
}

/// A cluster that nothing could be compared with did the whole campaign in no time, until a second one came.
TEST_F(Sinks, ThatSwallowedMoreThanATurnMayMark_AreMarkedInTheNextTurns_AndGiveAllBack) {
  const auto campaign = a_campaign(5000);
  execute(
      fmt::format("INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, ending, submitted_at, started_at, ended_at) "
                  "SELECT 0, {0}, {1}, number, 0, 'terminated', 'done', t, t, t FROM tasks, instant(number) AS t WHERE number < 4500;"
                  "UPDATE tasks SET state = 'done' WHERE number < 4500; UPDATE campaigns SET next_task = 4500;"
                  "UPDATE campaign_clusters SET done = 4500, concluded = 4500 WHERE cluster_id = {1}",
                  campaign.value(), alpha.value()));
  done_elsewhere(campaign, 3, 60);
  const auto marked = [&] { return std::to_string(std::ranges::count(stored.jobs(), true, &StoredJob::in_sink)); };
  done_after(launched(campaign, alpha, 3), 0);
  EXPECT_EQ(marked(), "2000");
  EXPECT_THAT(event(), ::testing::EndsWith("The tasks before these are still being looked at"));
  EXPECT_EQ(retry(campaign, {.cluster = "alpha"}), 2000) << "what is marked so far";
  EXPECT_THAT(event(), ::testing::Not(::testing::IsEmpty())) << "more are to come";
  apply({});
  EXPECT_EQ(marked(), "4000");
  apply({});
  EXPECT_EQ(marked(), "4503");
  EXPECT_THAT(event(), ::testing::HasSubstr("4503 tasks, 0-4499, 4503-4505: 'gridsub --retry"));
  EXPECT_EQ(value("SELECT count(*) FROM unmarked_ends"), "0");
  EXPECT_EQ(retry(campaign, {.cluster = "alpha"}), 2000);
  EXPECT_EQ(retry(campaign, {.cluster = "alpha"}), 503);
  EXPECT_EQ(stored.event("SINK").state, "closed");
}

/// Such a job lasts as long as all the tasks that it takes.
TEST_F(Sinks, JobsThatTakeFurtherTasks_DoNotShowHowLongTheirOwnTook) {
  const auto campaign = a_campaign(20);
  done_elsewhere(campaign, 3, 60);
  execute("UPDATE launches SET pool_s = 60 WHERE cluster_id = 2");
  done_after(launched(campaign, alpha, 5), 0);
  EXPECT_EQ(brakes(), "0");
  execute("UPDATE launches SET pool_s = NULL");
  done_after(launched(campaign, alpha, 1), 0);
  EXPECT_EQ(brakes(), "1") << "the other jobs do";
}

TEST_F(Sinks, ShortJobsEverywhere_AreNoSink) {
  const auto campaign = a_campaign(40);
  done_elsewhere(campaign, 30, 1);
  done_after(launched(campaign, alpha, 5), 0);
  EXPECT_EQ(brakes(), "0");
}

TEST_F(Sinks, ThatComeLate_AreFoundByTheLastEnds_AndTheEventNamesTheirTasks) {
  const auto campaign = a_late_sink();
  EXPECT_EQ(brakes(), "1");
  EXPECT_EQ(
      event(),
      fmt::format("the last 5 jobs there ended without an error after 0.0 s, and they take 60.0 s elsewhere: they may have done nothing. "
                  "5 tasks, 200-204: 'gridsub --retry {} --sink alpha' runs them again. If tasks may end at once: "
                  "'gridsub --edit {} min_duration=0', then 'gridsub --fix {}'",
                  campaign.value(), campaign.value(), campaign.value()));
  EXPECT_TRUE(stored.pair(campaign, alpha).suspected);
  // Those that ran already when the brake was put on are named too, however few they are.
  done_after(launched(campaign, alpha, 1), 1);
  EXPECT_THAT(event(), ::testing::HasSubstr("6 tasks, 200-205:"));
  done_after(launched(campaign, alpha, 2), 1);
  EXPECT_THAT(event(), ::testing::HasSubstr("8 tasks, 200-207:"));
  EXPECT_EQ(stored.event("SINK").occurrences, 8);
  done_after(launched(campaign, alpha, 1), 50);
  EXPECT_FALSE(stored.pair(campaign, alpha).suspected) << "it works again";
}

TEST_F(Sinks, AProbeThatDoesNothing_BrakesASuspectedClusterAgain_UntilTheEventIsClosed) {
  const auto campaign = a_late_sink();
  execute("DELETE FROM brakes");
  done_after(launched(campaign, alpha, 1), 0);
  EXPECT_EQ(brakes(), "1") << "it goes on as before";
  execute("DELETE FROM brakes; UPDATE events SET state = 'closed', closed_at = now()");
  done_after(launched(campaign, alpha, 2), 0);
  EXPECT_EQ(brakes(), "0") << "somebody looked at it, and two ends tell little";
  done_after(launched(campaign, alpha, 1), 0);
  EXPECT_EQ(brakes(), "1");
}

/// The cluster swallows all that it gets before any job has ended elsewhere.
TEST_F(Sinks, AClusterIsJudged_WhenJobsEndElsewhere_AlsoIfItHasNoneAnyMore_AndAllThatItTookIsNamed) {
  const auto campaign = a_campaign(300);
  done_after(launched(campaign, alpha, 120), 1);
  EXPECT_EQ(brakes(), "0") << "nothing to compare with";
  done_elsewhere(campaign, 3, 60);
  apply({});
  EXPECT_EQ(brakes(), "1");
  EXPECT_THAT(event(), ::testing::HasSubstr("the last 120 jobs there ended without an error after 1.0 s, and they take 60.0 s elsewhere"));
  EXPECT_THAT(event(), ::testing::HasSubstr("120 tasks, 0-119:"));
  EXPECT_EQ(retry(campaign, {.cluster = "alpha"}), 120);
}

TEST_F(Sinks, TheEndsBeforeOnTheSameCluster_ShowIt_WhileNothingHasEndedElsewhere) {
  const auto campaign = a_campaign(60);
  execute("UPDATE campaign_clusters SET active = true");
  done_after(launched(campaign, alpha, 3), 300);
  done_after(launched(campaign, alpha, 8), 0);
  EXPECT_EQ(brakes(), "0") << "with three ends before, eight tell little";
  done_after(launched(campaign, alpha, 1), 0);
  EXPECT_EQ(brakes(), "1");
  EXPECT_THAT(event(), ::testing::HasSubstr("the last 9 jobs there ended without an error after 0.0 s, and the ones before took 300.0 s: "
                                            "they may have done nothing. 9 tasks, 3-11:"));
  EXPECT_TRUE(stored.pair(campaign, alpha).suspected);
  execute("DELETE FROM brakes");
  done_after(launched(campaign, alpha, 1), 0);
  EXPECT_EQ(brakes(), "1") << "a probe is as short";
  EXPECT_THAT(event(), ::testing::HasSubstr("10 tasks, 3-12:"));
  done_after(launched(campaign, alpha, 1), 200);
  EXPECT_FALSE(stored.pair(campaign, alpha).suspected) << "it works again";
}

TEST_F(Sinks, TheEndsBefore_ShowNothing_WhereNoOtherClusterMayDoTheTasks) {
  const auto campaign = a_campaign(60);
  execute("UPDATE campaign_clusters SET active = true, max_jobs = CASE cluster_id WHEN 2 THEN 0 END");
  done_after(launched(campaign, alpha, 3), 300);
  done_after(launched(campaign, alpha, 20), 0);
  EXPECT_EQ(brakes(), "0");
  execute("UPDATE campaign_clusters SET max_jobs = NULL WHERE cluster_id = 2");
  done_after(launched(campaign, alpha, 1), 0);
  EXPECT_EQ(brakes(), "1");
}

/// Jobs end in another order than they began: those that a sink does not take end among those that it does.
TEST_F(Sinks, JobsThatBeganBefore_HideNoShortOnes_AndThoseThatBeganAmongThem_ShowThatTheClusterWorks) {
  const auto campaign = a_campaign(60);
  done_elsewhere(campaign, 20, 60);
  const auto before = launched(campaign, alpha, 1);
  const auto began = now;
  now += grid::Seconds{60};
  done_after(launched(campaign, alpha, 20), 50);
  done_after(launched(campaign, alpha, 3), 0);
  const auto beside = launched(campaign, alpha, 1).at(0);
  shows(beside, oar::RemoteState::running).started = now;
  apply(live());
  now += grid::Seconds{30};
  all_ended(before, 0);
  poll.ours.at(before.at(0).remote).started = began;
  poll.ours.at(before.at(0).remote).stopped = now;
  apply(before);
  now += grid::Seconds{1};
  done_after(launched(campaign, alpha, 3), 0);
  EXPECT_EQ(brakes(), "0") << "another job began among the six, and runs for half a minute";
  all_ended({beside}, 0);
  poll.ours.at(beside.remote).started = now;
  poll.ours.at(beside.remote).stopped = now;
  apply({beside});
  EXPECT_EQ(brakes(), "1") << "all seven are short";
}

TEST_F(Sinks, ShortEndsThatOthersFollowed_AreNamedOnce_WhenTheyCanBeCompared_AndBrakeNothing) {
  const auto campaign = a_campaign(100);
  done_after(launched(campaign, alpha, 3), 300);
  done_after(launched(campaign, alpha, 7), 0);
  done_after(launched(campaign, alpha, 6), 300);
  done_elsewhere(campaign, 2, 300);
  apply({});
  EXPECT_EQ(stored.events("SINK").size(), 0U) << "two ends elsewhere are no evidence";
  done_elsewhere(campaign, 1, 300);
  apply({});
  EXPECT_THAT(event(),
              ::testing::HasSubstr("some time ago, 7 jobs in a row there ended without an error after 0.0 s, and they take 300.0 s "
                                   "elsewhere: they may have done nothing. 7 tasks, 3-9:"));
  EXPECT_EQ(brakes(), "0");
  EXPECT_FALSE(stored.pair(campaign, alpha).suspected) << "it works again";
  apply({});
  EXPECT_EQ(stored.event("SINK").occurrences, 7);
  EXPECT_EQ(retry(campaign, {.cluster = "alpha"}), 7);
}

TEST_F(Sinks, ShortEndsThatOthersFollowed_AreNotJudgedByEndsThatCameLongAfter) {
  const auto campaign = a_campaign(100);
  done_after(launched(campaign, alpha, 7), 0);
  done_after(launched(campaign, alpha, 8), 300);
  done_elsewhere(campaign, 51, 300);
  apply({});
  EXPECT_EQ(stored.events("SINK").size(), 0U) << "the first ends elsewhere may have been as short";
}

TEST_F(Sinks, TheEventNamesAllRanges_HoweverManyTheyAre) {
  const auto campaign = a_campaign(300);
  std::vector<store::LiveJob> swallowed;
  for (int i = 0; i < 40; ++i) {
    swallowed.push_back(launched(campaign, alpha, 1).at(0));
    static_cast<void>(launched(campaign, beta, 1));
  }
  done_after(swallowed, 1);
  done_elsewhere(campaign, 3, 60);
  apply({});
  EXPECT_THAT(event(), ::testing::HasSubstr("40 tasks, 0, 2, 4, 6, 8,"));
  EXPECT_THAT(event(), ::testing::HasSubstr("74, 76, 78: 'gridsub"));
}

TEST_F(Sinks, WhoseUserStatesThatTasksMayEndAtOnce_AreNone) {
  const auto campaign = a_campaign(20);
  execute("UPDATE campaigns SET jdl = '{\"min_duration\": 0}'");
  done_elsewhere(campaign, 3, 60);
  done_after(launched(campaign, alpha, 5), 0);
  EXPECT_EQ(brakes(), "0");
}

TEST_F(Sinks, AJobWhoseFurtherTasksWereAllSwallowed_SwallowedItsOwnToo) {
  const auto campaign = a_campaign(20);
  done_elsewhere(campaign, 3, 60);
  execute("UPDATE campaigns SET jdl = '{\"temporal_grouping\": true}'");
  const auto jobs = launched(campaign, alpha, 4);
  execute("UPDATE launches SET pool_s = 60 WHERE id = (SELECT launch_id FROM jobs WHERE cluster_id = 1 LIMIT 1)");
  execute(fmt::format(
      "UPDATE jobs SET pooled = true, state = 'terminated', ending = 'done', remote_id = {}, started_at = now(), ended_at = now() "
      "WHERE cluster_id = 1 AND id <> {}",
      jobs[0].remote.value(), jobs[0].id.value()));
  execute("UPDATE campaign_clusters SET done = 3 WHERE cluster_id = 1");
  done_after({jobs[0]}, 1);
  EXPECT_EQ(std::ranges::count(stored.jobs(), true, &StoredJob::in_sink), 4);
}

TEST_F(Sinks, WhatTheySwallowed_IsGivenBackOnce_AsANewAttempt_AndTheCountersFollow) {
  const auto campaign = a_late_sink();
  const auto sum =
      "SELECT sum(done) || ' ' || sum(concluded) || ' ' || sum(duration_sum) || ' ' || (SELECT sum(jobs) FROM durations) FROM campaign_clusters";
  EXPECT_EQ(value(sum), "205 205 12000 205");
  execute("DELETE FROM brakes");  // as at the end of the campaign
  EXPECT_EQ(retry(campaign, {.cluster = "beta"}), 0);
  EXPECT_EQ(brakes(), "0");
  EXPECT_EQ(retry(campaign, {.cluster = "alpha"}), 5);
  EXPECT_EQ(counters(campaign), recount(campaign));
  EXPECT_EQ(counters(campaign).done, 200);
  EXPECT_EQ(value(sum), "200 200 12000 200") << "as if they had never been done";
  EXPECT_EQ(
      value(
          "SELECT string_agg(number || ' ' || attempt || ' ' || uncounted, ', ' ORDER BY number) FROM tasks WHERE state = 'waiting' AND number < 205"),
      "200 1 1, 201 1 1, 202 1 1, 203 1 1, 204 1 1");
  EXPECT_EQ(std::ranges::count_if(stored.returned_tasks(), [](const auto& task) { return !task.cluster; }), 5);
  EXPECT_EQ(stored.open_events().size(), 0U);
  EXPECT_EQ(brakes(), "1") << "or they would go back to the sink";
  EXPECT_EQ(retry(campaign, {.cluster = "alpha"}), 0);
  const auto again = launched(campaign, beta, 5);
  EXPECT_EQ(again.front().task, grid::TaskNumber{200});
  EXPECT_EQ(again.front().attempt, 1) << "the fence lets it run";
}

TEST_F(Sinks, AnEvent_NamesTheTasksThatAreGivenBack_AlsoOfACampaignThatIsOver) {
  const auto campaign = a_campaign(3, {"alpha"});
  execute("UPDATE campaigns SET jdl = '{\"min_duration\": 5}'");
  done_after(launched(campaign, alpha, 3), 0);
  transact([&](store::Transaction& t) { EXPECT_EQ(store::finish_campaigns(t, now), std::vector{campaign}); });
  const auto id = stored.event().id;
  EXPECT_EQ(retry(campaign, {.event = id + 1}), 0);
  EXPECT_EQ(stored.campaign().state, "terminated");
  EXPECT_EQ(retry(campaign, {.event = id}), 3);
  EXPECT_EQ(stored.campaign().state, "in_treatment");
  EXPECT_EQ(counters(campaign).waiting, 3);
}

TEST_F(Sinks, ATaskThatAnotherJobDid_IsNotGivenBack) {
  const auto campaign = a_campaign(3, {"alpha", "beta"});
  execute("UPDATE campaigns SET jdl = '{\"min_duration\": 5, \"replicas\": \"allowed\"}'");
  const auto swallowed = launched(campaign, alpha, 3);
  execute("UPDATE tasks SET replica = 1, replica_lives = true WHERE number = 0");
  execute(
      fmt::format("INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, ending, started_at, ended_at) "
                  "VALUES (0, {}, {}, 0, 1, 'terminated', 'done', now() - interval '1 minute', now())",
                  campaign.value(), beta.value()));
  done_after(swallowed, 0);
  EXPECT_EQ(retry(campaign, {.cluster = "alpha"}), 2);
  EXPECT_EQ(stored.task(0).state, "done");
}

TEST_F(Sinks, OfACancelledCampaign_OrOneThatIsBeingRemoved_NothingIsGivenBack) {
  const auto campaign = a_late_sink();
  execute("UPDATE campaigns SET sealed = true");
  EXPECT_EQ(retry(campaign, {.cluster = "alpha"}), 0);
  execute("UPDATE campaigns SET sealed = false, state = 'cancelled'");
  EXPECT_EQ(retry(campaign, {.cluster = "alpha"}), 0);
}

}  // namespace
}  // namespace gleaner::tests
