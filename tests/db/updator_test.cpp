#include <fmt/format.h>
#include <gmock/gmock.h>

#include <tuple>

#include "lib/grid/exit_status.hpp"
#include "lib/store/kills.hpp"
#include "lib/text/clean.hpp"
#include "tests/db/ends_fixture.hpp"

namespace gleaner::tests {
namespace {

TEST_F(Ends, OfJobsThatCouldNotClaimTheirAttempts_AreTheClustersFault_AndTheEventHasTheWrappersWords) {
  const auto jobs = launched(a_campaign(5), alpha, 5);
  all_ended(jobs, grid::kRanNothing);
  std::vector<std::string> names;
  for (const auto& job : jobs) names.push_back(file(job, "u"));
  files(jobs.front(), names);
  poll.stderr_tails.emplace(jobs.front().id, "gleaner: task 0, attempt 0: cannot be claimed, nothing was run: No space left on device\n");
  apply(jobs);
  EXPECT_EQ(ended("cannot_start"), "5");
  EXPECT_THAT(stored.tasks(), ::testing::Each(::testing::Field(&StoredTask::charged, 0)));
  EXPECT_THAT(stored.event("CANNOT_START").output, ::testing::HasSubstr("No space left"));
  EXPECT_EQ(stored.brakes().size(), 1U) << "the next jobs would fail there too";
}

TEST_F(Ends, OfAJobThatOarCouldNotStart_QuoteOarsReason_InTheEventAndInTheBrake) {
  const auto jobs = launched(a_campaign(9), alpha, 3);
  for (const auto& job : jobs) {
    in_error(job, "EXIT_VALUE_OAREXEC");
    poll.details.at(job.remote).events[0].description =
        fmt::format("[bipbip {0}] error of oarexec, exit value = 2550; the job {0} is in Error", job.remote.value());
    files(job, {});
  }
  apply(jobs);
  now += std::chrono::minutes{1};
  apply(live());
  ASSERT_EQ(ended("never_began"), "3");
  for (const auto* what : {"SELECT message FROM events WHERE code = 'NEVER_BEGAN'", "SELECT reason FROM brakes"})
    EXPECT_THAT(value(what), ::testing::HasSubstr("error of oarexec, exit value = 2550")) << what;
}

/// OAR suspects its nodes.
TEST_F(Ends, OfAJobThatOarCouldNotStart_HaveTheResourcesReadAnew) {
  const auto jobs = launched(a_campaign(1), alpha, 1);
  shows(jobs[0], oar::RemoteState::launching);
  poll.usable_resources = 16;
  apply(jobs);
  EXPECT_EQ(value("SELECT resources_at IS NULL FROM clusters WHERE name = 'alpha'"), "f");
  in_error(jobs[0], "CPUSET_ERROR");
  files(jobs[0], {});
  apply(live());
  ASSERT_EQ(ended("never_began"), "1");
  EXPECT_EQ(value("SELECT resources_at IS NULL FROM clusters WHERE name = 'alpha'"), "t");
}

TEST_F(Ends, OfATrialThatFails_BrakeAgain_AndThatOfOneThatSucceeds_EndsTheTrial) {
  const auto campaign = a_campaign(9, {"alpha"});
  const auto facts = [&] {
    grid::PlanningFacts read;
    transact([&](store::Transaction& t) { read = store::planning_facts(t, {0.5, 500}, now); });
    return read.pairs.at(0);
  };
  const auto end = [&](int jobs, int status) {
    const auto some = launched(campaign, alpha, jobs);
    all_ended(some, status);
    apply(some);
  };
  end(3, 3);
  EXPECT_TRUE(facts().brake);
  EXPECT_EQ(facts().last_brake, "");
  now += std::chrono::minutes{2};
  EXPECT_FALSE(facts().brake);
  EXPECT_THAT(facts().last_brake, ::testing::HasSubstr("3 jobs in a row failed there"));
  end(1, 3);
  EXPECT_TRUE(facts().brake);
  now += std::chrono::minutes{2};
  EXPECT_THAT(facts().last_brake, ::testing::HasSubstr("4 jobs in a row failed there"));
  execute("UPDATE brakes SET set_by = 'root'");
  EXPECT_EQ(facts().last_brake, "") << "that one says nothing of the jobs";
  execute("UPDATE brakes SET set_by = NULL");
  end(1, 0);
  EXPECT_EQ(facts().last_brake, "");
  EXPECT_EQ(facts().failures_in_a_row, 0);
}

TEST_F(Ends, WithTheSameStatusFromTheCommandItself_AreTheTasksFault_WhateverItsStderr) {
  const auto jobs = launched(a_campaign(1), alpha, 1);
  all_ended(jobs, grid::kRanNothing);
  files(jobs[0], {file(jobs[0], "e113")});
  poll.stderr_tails.emplace(jobs[0].id, "gleaner: task 0, attempt 0: cannot be claimed, as I say\n");
  apply(jobs);
  EXPECT_EQ(ended("task_error"), "1");
  EXPECT_EQ(task(), "waiting 1 1");
}

/// A best-effort job whose end OAR missed, and that it preempted afterwards; another one whose walltime it thought to be over.
TEST_F(Ends, ThatOarNeverNoted_AreTheJobsOwnWord) {
  const auto campaign = a_campaign(3);
  const auto jobs = launched(campaign, alpha, 3);
  in_error(jobs[0], "BESTEFFORT_KILL");
  in_error(jobs[1], "WALLTIME");
  in_error(jobs[2], "WALLTIME");
  files(jobs[0], {file(jobs[0], "e0"), file(jobs[1], "e0")});
  apply(jobs);
  EXPECT_EQ(counters(campaign).done, 2);
  EXPECT_EQ(stored.task(2).fate(), (Fate{.state = "waiting", .attempt = 0, .charged = 0}))
      << "it never began, and may still: the claim decides";
  EXPECT_EQ(value("SELECT ending || ': ' || message FROM jobs WHERE task = 0"),
            "done: exit status 0 (as the job noted; its cluster recorded a preemption)");
  EXPECT_EQ(stored.job_of(2).message, "it had resources, and the cluster never began it");
  EXPECT_EQ(stored.events("WALLTIME").size(), 0U);
}

TEST_F(Ends, WithoutAnExitStatus_AreNoSuccess) {
  const auto jobs = launched(a_campaign(1), alpha, 1);
  shows(jobs[0], oar::RemoteState::terminated);
  apply(jobs);
  EXPECT_EQ(task(), "submitted 0 0") << "its files are awaited";
  EXPECT_TRUE(stored.job().over);
  files(jobs[0], {file(jobs[0], "s")});
  apply(live());
  EXPECT_EQ(ended("node_failure"), "1");
  EXPECT_EQ(task(), "waiting 1 0");
}

TEST_F(Ends, WhoseFilesCannotBeRead_WaitForThem_AndThenSayWhoseWordCounts) {
  const auto jobs = launched(a_campaign(1), alpha, 1);
  in_error(jobs[0], "BESTEFFORT_KILL");
  poll.evidence.insert_or_assign(jobs[0].fence, updator::Reading{tl::unexpected{std::string{"no answer"}}});
  apply(jobs);
  EXPECT_EQ(task(), "submitted 0 0");
  now += grid::Seconds{119};
  apply(live());
  EXPECT_EQ(task(), "submitted 0 0");
  now += grid::Seconds{1};
  apply(live());
  EXPECT_EQ(task(), "waiting 1 0");
  EXPECT_THAT(stored.job().message, ::testing::HasSubstr("by the cluster's record alone"));
}

TEST_F(Ends, OfAJobThatOarResubmitted_AreNone_ItIsFollowed_AndItsKillIsSentOn) {
  const auto jobs = launched(a_campaign(1), alpha, 1);
  shows(jobs[0], oar::RemoteState::running);
  apply(jobs);
  transact([&](store::Transaction& t) {
    store::request_kills(t, std::array{jobs[0].id}, store::KillReason::excess, now);
    store::note_kills_sent(t, std::array{jobs[0].id}, now);
  });
  in_error(jobs[0], "CPUSET_ERROR", grid::RemoteJobId{99});
  poll.usable_resources = 16;
  EXPECT_EQ(apply(live()).followed, 1);
  EXPECT_EQ(value("SELECT resources_at IS NULL FROM clusters WHERE name = 'alpha'"), "t") << "OAR suspects its node";
  EXPECT_EQ(stored.job().remote, 99);
  EXPECT_EQ(stored.job().state, "remote_waiting");
  EXPECT_EQ(stored.job().resubmissions, 1);
  EXPECT_EQ(task(), "submitted 0 0");
  transact([&](store::Transaction& t) {
    const auto kills = store::pending_kills(t, alpha, now);
    ASSERT_EQ(kills.size(), 1U) << "it was sent to the old id only";
    EXPECT_EQ(kills[0].remote, grid::RemoteJobId{99});
  });
}

TEST_F(Ends, OfSomebodyElsesJobUnderOurId_SettleNothing_OursIsSearchedForByItsName) {
  const auto campaign = a_campaign(2);
  const auto jobs = launched(campaign, alpha, 2);
  poll.reused.insert(jobs[0].remote);
  shows(jobs[1], oar::RemoteState::running);
  files(jobs[0], {});
  apply(jobs);
  EXPECT_EQ(counters(campaign).done, 0);
  EXPECT_EQ(value("SELECT string_agg(concat_ws(' ', state, remote_id), ', ' ORDER BY id) FROM jobs"),
            fmt::format("unknown, running {}", jobs[1].remote.value()));
  EXPECT_EQ(stored.launch().state, "unknown");
  EXPECT_EQ(stored.launch().looks, 0);
  EXPECT_THAT(stored.event("REMOTE_ID_REUSED").message,
              ::testing::HasSubstr(fmt::format("job {} of OAR is somebody else's", jobs[0].remote.value())));
  transact([&](store::Transaction& t) { EXPECT_EQ(store::unsettled_launches(t, alpha, now).size(), 1U); });
}

TEST_F(Ends, ThatDoNotCome_OfAJobThatIsAboutToStart_AreAskedFor_AndItsTaskKeepsItsAttemptAndItsCluster) {
  const auto campaign = a_campaign(1);
  const auto jobs = launched(campaign, alpha, 1);
  shows(jobs[0], oar::RemoteState::launching);
  apply(jobs);
  now += std::chrono::minutes{5};
  files(jobs[0], {});
  apply(live());
  EXPECT_EQ(stored.kill().reason, "impatient");
  EXPECT_EQ(stored.events("NEVER_BEGAN").size(), 1U);
  transact([&](store::Transaction& t) { store::note_kills_sent(t, std::array{jobs[0].id}, now); });
  in_error(jobs[0], "FRAG_JOB_REQUEST");
  apply(live());
  EXPECT_EQ(ended("never_began"), "1");
  EXPECT_EQ(task(), "waiting 0 0");
  EXPECT_EQ(stored.returned_task().cluster, alpha.value());
  EXPECT_EQ(stored.returned_task().fence, jobs[0].launch.value());
}

TEST_F(Ends, OfJobsThatTheirClusterDoesNotList_DoNotCome_AndAfterAnHourAnEventReportsThat) {
  const auto jobs = launched(a_campaign(2), alpha, 2);
  poll.usable_resources = 16;
  apply(jobs);
  now += std::chrono::minutes{59};
  apply(live());
  EXPECT_EQ(stored.events().size(), 0U);
  now += std::chrono::minutes{2};
  EXPECT_EQ(apply(live()).absent, 2);
  EXPECT_THAT(value("SELECT message FROM events WHERE code = 'JOBS_ABSENT' AND state = 'open'"),
              ::testing::HasSubstr("does not list 2 of our jobs"));
  for (const auto& job : jobs) shows(job, oar::RemoteState::running);
  apply(live());
  EXPECT_EQ(stored.open_events().size(), 0U);
  EXPECT_THAT(stored.jobs(), ::testing::Each(::testing::Field(&StoredJob::absent, false)));
}

/// One byte of Latin-1 stopped every campaign of every cluster.
TEST_F(Ends, OfProgramsThatPrintAnything_AreWritten) {
  const auto jobs = launched(a_campaign(1), alpha, 1);
  all_ended(jobs, 3);
  poll.stderr_tails.emplace(jobs[0].id, text::clean_text(std::string_view{"caf\xE9 \x1b[31m \0 \xff\n", 14}));
  apply(jobs);
  EXPECT_EQ(ended("task_error"), "1");
  EXPECT_THAT(stored.event("TASK_ERROR").output, ::testing::HasSubstr("caf\xEF\xBF\xBD"));
}

TEST_F(Ends, ThatTheDatabaseRefuses_CostTheirOwnJobAlone) {
  const auto campaign = a_campaign(3);
  const auto jobs = launched(campaign, alpha, 3);
  execute(fmt::format("ALTER TABLE jobs ADD CONSTRAINT poison CHECK (id <> {} OR state <> 'terminated')", jobs[1].id.value()));
  all_ended(jobs, 0);
  EXPECT_EQ(apply(jobs).ended, 2);
  EXPECT_EQ(counters(campaign).done, 2);
  EXPECT_THAT(stored.event("WRITE_REFUSED").message, ::testing::HasSubstr(fmt::format("the end of job {}", jobs[1].id.value())));
}

/// The clock of OAR's server was in the year 2000, and was set while jobs ran; or it is a day ahead.
TEST_F(Ends, OnAClusterWhoseClockIsWrong_LieBetweenTheirLaunchAndWhenTheyWereSeen_WithTheTimeBetweenStartAndEndThatOarReports) {
  const auto jobs = launched(a_campaign(5), alpha, 5);
  now += std::chrono::hours{1};
  const auto year_2000 = grid::from_unix(946'684'800);
  using Said = std::pair<std::optional<grid::Instant>, std::optional<grid::Instant>>;
  const std::vector<Said> said{{year_2000, now},
                               {year_2000, year_2000 + grid::Seconds{60}},
                               {now + std::chrono::hours{24}, now + std::chrono::hours{24} + grid::Seconds{60}},
                               {now - grid::Seconds{120}, now - grid::Seconds{60}},
                               {year_2000, std::nullopt}};
  all_ended(jobs, 0);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    auto& remote = poll.ours.at(jobs[i].remote);
    remote.resources = 1;
    std::tie(remote.started, remote.stopped) = said[i];
  }
  apply(jobs);
  const auto seen = fmt::format("instant({})", now.time_since_epoch().count());
  EXPECT_EQ(value(fmt::format("SELECT string_agg((extract(epoch FROM ended_at - started_at)::int) || ' ' || (extract(epoch FROM {} - "
                              "ended_at)::int), ', ' ORDER BY id) FROM jobs",
                              seen)),
            "4200 0, 60 4140, 60 0, 60 60, 4200 0");
  EXPECT_EQ(value("SELECT sum(resource_seconds) <= 2 * 4200 + 3 * 60 FROM usage"), "t");
  EXPECT_EQ(value(fmt::format("SELECT count(*) FROM campaign_clusters WHERE last_start_at > {}", seen)), "0");
}

/// The clock of OAR's server was set back by six minutes. The wrapper's figures are in the names of the files.
TEST_F(Ends, WhileOarsClockWasSetBack_LastAsLongAsTheirCommandsTookByTheNodesUptime) {
  const auto campaign = a_campaign(3);
  const auto jobs = launched(campaign, alpha, 3);
  now += std::chrono::hours{1};
  all_ended(jobs, 0);
  for (const auto& job : jobs) {
    auto& remote = poll.ours.at(job.remote);
    remote.resources = 1;
    remote.started = now - grid::Seconds{60};
    remote.stopped = now - grid::Seconds{300};
  }
  files(jobs[0], {file(jobs[0], "e0.120000"), file(jobs[1], "e0.99999999")});
  apply(jobs);
  EXPECT_EQ(value("SELECT string_agg((extract(epoch FROM ended_at - started_at)::int)::text, ', ' ORDER BY id) FROM jobs"), "120, 0, 0")
      << "27 hours are more than the walltime";
  EXPECT_EQ(value("SELECT duration_sum FROM campaign_clusters WHERE cluster_id = 1"), "120");
}

/// The clock of OAR's server was set back while they ran. No file has the wrapper's figures.
TEST_F(Ends, DatedBeforeTheirStarts_LastAsLongAsPollsSawThemRun) {
  const auto jobs = launched(a_campaign(2), alpha, 2);
  now += std::chrono::hours{1};
  const auto start = now;
  shows(jobs[0], oar::RemoteState::running).started = start;
  shows(jobs[1], oar::RemoteState::waiting);
  apply(jobs);
  now += grid::Seconds{30};
  apply(live());
  now += grid::Seconds{370};
  all_ended(jobs, 0);
  for (const auto& job : jobs) {
    auto& remote = poll.ours.at(job.remote);
    remote.started = start;
    remote.stopped = start - grid::Seconds{60};
  }
  apply(live());
  EXPECT_EQ(value("SELECT string_agg((extract(epoch FROM ended_at - started_at)::int)::text, ', ' ORDER BY id) FROM jobs"), "400, 0")
      << "of the other one, no poll saw that it ran";
}

TEST_F(Ends, OfCarriers_AreWaitedFromWhenTheyWereSeen_WhateverOarsClockShows) {
  const auto jobs = launched(a_campaign(4), alpha, 3);
  execute("UPDATE launches SET pool_s = 60");
  execute("UPDATE jobs SET pooled = true, state = 'pooled', remote_id = NULL WHERE id = (SELECT max(id) FROM jobs)");
  const std::vector carriers{jobs[0], jobs[1]};
  now += std::chrono::hours{1};
  all_ended(carriers, 0);
  poll.ours.at(jobs[0].remote).stopped = now - std::chrono::minutes{59};
  poll.ours.at(jobs[1].remote).stopped = now + std::chrono::hours{1};
  apply(carriers);
  std::vector<store::Pool> pools;
  transact([&](store::Transaction& transaction) { pools = store::live_pools(transaction, alpha); });
  ASSERT_EQ(pools.size(), 1U);
  EXPECT_EQ(pools[0].last_end, now);
  for (const auto& [remote, carrier] : pools[0].carriers) EXPECT_EQ(carrier.ended_at, now) << remote.value();
}

/// After the clock of the database was set back.
TEST_F(Ends, WithAStatusOfTheFuture_BringANewerOne) {
  apply({});
  const auto before = now;
  now -= std::chrono::hours{1};
  apply({});
  EXPECT_EQ(value("SELECT max(time) = instant(" + std::to_string(now.time_since_epoch().count()) + ") FROM gridstatus"), "t")
      << before.time_since_epoch().count();
}

/// Its lists are of two moments: a job that ended between them, and the one that has its place now, may both be there.
TEST_F(Ends, OfJobsWhosePlaceAnotherHasAlready_CountNoMoreThanTheClusterHas) {
  const auto jobs = launched(a_campaign(5), alpha, 5);
  for (const auto& job : jobs) {
    shows(job, oar::RemoteState::running).resources = 4;
    poll.occupying.push_back(poll.ours.at(job.remote));
  }
  poll.usable_resources = 16;
  apply(jobs);
  EXPECT_EQ(value("SELECT concat_ws(' ', max_resources, used, our_running, free) FROM gridstatus"), "16 16 16 0");
}

TEST_F(Ends, OfJobsWhoseResourcesOarHasNotFreedYet_LeaveThemOurs) {
  oar::RemoteJob ending;
  ending.id = grid::RemoteJobId{77};
  ending.state = oar::RemoteState::finishing;
  ending.resources = 3;
  poll.occupying = {ending};
  poll.leaving = {ending.id};
  poll.usable_resources = 16;
  apply({});
  EXPECT_EQ(value("SELECT concat_ws(' ', used, our_running, free) FROM gridstatus"), "3 3 13");
}

TEST_F(Ends, AFewOfTheJobsThatStarted_BecomeSamples_WithTheNumberThatRunsThere) {
  const auto jobs = launched(a_campaign(20), alpha, 10);
  all_ended({jobs[0], jobs[1]}, 0);
  for (std::size_t i = 2; i < jobs.size(); ++i) shows(jobs[i], oar::RemoteState::running);
  for (const auto& job : jobs) poll.ours.at(job.remote).started = now;
  poll.stress = 0.7;
  poll.response_ms = 12;
  apply(jobs);
  EXPECT_EQ(value("SELECT count(*) || ' ' || min(running) || ' ' || max(running) FROM duration_samples"), "4 10 10");
  EXPECT_EQ(value("SELECT stress || ' ' || response_ms FROM gridstatus"), "0.7 12");
}

TEST_F(Ends, AreRetriedAsTheJdlRequests_WithinTheConfigurationsBound) {
  const auto campaign = a_campaign(2, {"alpha"});
  execute("UPDATE campaigns SET jdl = '{\"retries\": 2, \"retry_on\": [1, 3]}'");
  config.failures_before_brake = 100;
  config.max_charged_attempts = 1;
  config.max_retries = 10;
  for (int attempt = 0; attempt < 3; ++attempt) {
    EXPECT_EQ(stored.tasks_in("failed"), 0);
    const auto jobs = launched(campaign, alpha, 2);
    all_ended(jobs, 3);
    apply(jobs);
  }
  EXPECT_EQ(stored.tasks_in("failed"), 2);
  EXPECT_THAT(stored.tasks(), ::testing::Each(::testing::Field(&StoredTask::charged, 3)));
}

TEST_F(Ends, WithAnExitStatusThatIsNotToBeRetried_FailTheTaskAtOnce) {
  const auto campaign = a_campaign(1, {"alpha"});
  execute("UPDATE campaigns SET jdl = '{\"retries\": 2, \"retry_on\": [1, 3]}'");
  config.max_retries = 10;
  const auto jobs = launched(campaign, alpha, 1);
  all_ended(jobs, 4);
  apply(jobs);
  EXPECT_EQ(stored.task().state, "failed");
  EXPECT_EQ(stored.task().charged, 1);
}

TEST_F(Ends, OfTheLastAttemptThatTheJdlAllows_FailTheTask) {
  const auto campaign = a_campaign(2, {"alpha"});
  execute("UPDATE campaigns SET jdl = '{\"max_attempts\": 2}'");
  config.failures_before_brake = 100;
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_EQ(stored.tasks_in("failed"), 0);
    const auto jobs = launched(campaign, alpha, 2);
    all_ended(jobs, 3);
    apply(jobs);
  }
  EXPECT_EQ(stored.tasks_in("failed"), 2);
  EXPECT_THAT(stored.tasks(), ::testing::Each(::testing::Field(&StoredTask::charged, 2))) << "the configuration allows five";
}

/// A user can name a file as they like, and a node's clock is set.
TEST_F(Ends, WithATimeThatNoTaskCanHaveTaken_AreEndsWithoutATime) {
  constexpr std::int64_t kNineYears = std::int64_t{9} * 365 * 24 * 3600 * 1000;
  const auto campaign = a_campaign(2);
  auto jobs = launched(campaign, alpha, 2);
  all_ended(jobs, 0);
  files(jobs[0], {file(jobs[0], fmt::format("e0.{}.c{}", kNineYears, kNineYears)), file(jobs[1], fmt::format("e0.{}", kNineYears))});
  jobs[1].state = grid::JobState::pooled;
  EXPECT_EQ(apply(jobs).ended, 2);
  EXPECT_EQ(value("SELECT concat_ws(' ', done, measured, cpu_jobs) FROM campaign_clusters WHERE cluster_id = 1"), "2 0 0");
  EXPECT_EQ(value("SELECT count(*) FROM jobs WHERE ended_at - started_at > interval '1 day'"), "0");
}

}  // namespace
}  // namespace gleaner::tests
