#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/grid/exit_status.hpp"
#include "lib/store/kills.hpp"
#include "tests/db/ends_fixture.hpp"

/// Jobs that a cluster does not start, a few in each turn.
namespace gleaner::tests {
namespace {

class Failures : public Ends {
 protected:
  /// A turn in which alpha shows one job so; the file that it left ends so.
  void turn(const oar::RemoteJob& remote, const char* event, const std::vector<std::string>& names) {
    const auto jobs = live();
    poll = {};
    poll.ours.emplace(remote.id, remote);
    poll.evidence.emplace(jobs.at(0).fence, updator::Reading{grid::EvidenceIndex{names}});
    poll.details.emplace(remote.id, oar::JobDetails{.job = remote,
                                                    .events = {{.type = event, .description = {}}},
                                                    .resubmitted_as = {},
                                                    .resubmit_of = {},
                                                    .types = {},
                                                    .directory = {},
                                                    .stdout_file = {},
                                                    .stderr_file = {},
                                                    .hosts = {}});
    apply(jobs);
  }
  static oar::RemoteJob shown(const store::LiveJob& job, oar::RemoteState state) {
    oar::RemoteJob remote;
    remote.id = job.remote;
    remote.state = state;
    remote.started = grid::from_unix(1'800'000'000);
    return remote;
  }
  static std::string file(const store::LiveJob& job, std::int64_t remote, const std::string& ending) {
    return fmt::format("{}.{}.{}.{}.{}", job.task.value(), job.attempt, job.id.value(), remote, ending);
  }
  [[nodiscard]] std::string brakes() const { return std::to_string(stored.brakes().size()); }
};

TEST_F(Failures, OfJobsThatCouldNotClaim_AddUpOverTheTurns_ToABrake) {
  const auto campaign = a_campaign(3);
  for (int failed = 0; failed < 3; ++failed) {
    EXPECT_EQ(brakes(), "0") << "after " << failed;
    const auto job = launched(campaign, alpha, 1).at(0);
    auto remote = shown(job, oar::RemoteState::terminated);
    remote.exit_status = grid::kRanNothing << 8;
    turn(remote, "", {file(job, job.remote.value(), "u")});
  }
  EXPECT_EQ(stored.ended("cannot_start"), 3);
  EXPECT_EQ(brakes(), "1");
}

TEST_F(Failures, OfJobsThatNeverBegan_AddUpOverTheTurns_ToABrake) {
  const auto campaign = a_campaign(3);
  for (int failed = 0; failed < 3; ++failed) {
    EXPECT_EQ(brakes(), "0") << "after " << failed;
    turn(shown(launched(campaign, alpha, 1).at(0), oar::RemoteState::error), "WALLTIME", {});
  }
  EXPECT_EQ(stored.ended("never_began"), 3);
  EXPECT_EQ(brakes(), "1");
}

/// A user broke the login shell while jobs ran there.
TEST_F(Failures, OfJobsThatNeverBegan_AreNotForgotten_WhenJobsThatBeganBeforeAreDone) {
  const auto campaign = a_campaign(12);
  const auto began_before = launched(campaign, alpha, 4);
  const auto never_begins = [&](const store::LiveJob& job) {
    poll = {};
    in_error(job, "WALLTIME");
    files(job, {});
    apply(live());
  };
  const auto done = [&](const store::LiveJob& job) {
    poll = {};
    shows(job, oar::RemoteState::terminated, 0);
    files(job, {Ends::file(job, "e0")});
    apply(live());
  };
  for (std::size_t failed = 0; failed < 3; ++failed) {
    EXPECT_EQ(brakes(), "0") << "after " << failed;
    never_begins(launched(campaign, alpha, 1).at(0));
    done(began_before.at(failed));
  }
  EXPECT_EQ(brakes(), "1");
  EXPECT_EQ(value("SELECT failures_in_a_row FROM campaign_clusters WHERE cluster_id = 1"), "3");
  done(launched(campaign, alpha, 1).at(0));
  EXPECT_EQ(value("SELECT failures_in_a_row FROM campaign_clusters WHERE cluster_id = 1"), "0");
  EXPECT_EQ(brakes(), "0");
}

/// Its first run claimed the attempt: the second one could only find it claimed.
TEST_F(Failures, OfAJobThatOarRunsAgain_AndKeepsInLaunch_DeleteItAfterTheLaunchPatience_AndLeaveItsFirstRunTheWalltimeAndThatPatience) {
  const auto job = launched(a_campaign(1), alpha, 1).at(0);
  const auto earlier = file(job, 7, "s");
  turn(shown(job, oar::RemoteState::launching), "", {earlier});
  now += std::chrono::minutes{5};
  turn(shown(job, oar::RemoteState::launching), "", {earlier});
  EXPECT_EQ(stored.kill().reason, "impatient");
  transact([&](store::Transaction& t) { store::note_kills_sent(t, std::array{job.id}, now); });
  turn(shown(job, oar::RemoteState::error), "FRAG_JOB_REQUEST", {earlier});
  now += job.walltime + std::chrono::minutes{5} - grid::Seconds{1};
  turn(shown(job, oar::RemoteState::error), "FRAG_JOB_REQUEST", {earlier});
  EXPECT_EQ(stored.job().ending, "") << "its first run may go on";
  now += grid::Seconds{1};
  turn(shown(job, oar::RemoteState::error), "FRAG_JOB_REQUEST", {earlier});
  EXPECT_EQ(stored.job().ending, "killed_by_us");
  EXPECT_EQ(stored.task().fate(), (Fate{.state = "waiting", .attempt = 1, .charged = 0}));
  EXPECT_EQ(stored.task().uncounted, 0) << "its attempt is spent";
}

TEST_F(Failures, OfJobsThatAnAdmissionRuleRenamed_CountAsEver_AndTheClusterIsBraked) {
  const auto campaign = a_campaign(2);
  const auto jobs = launched(campaign, alpha, 2);
  for (const auto& job : jobs) {
    shows(job, oar::RemoteState::waiting).name = "by-a-rule";
    poll.renamed.insert(job.remote);
  }
  apply(jobs);
  const auto message = value("SELECT message FROM events WHERE code = 'JOBS_RENAMED' AND state = 'open' AND occurrences = 2");
  EXPECT_THAT(message, ::testing::HasSubstr("was changed to 'by-a-rule': an admission rule of alpha renames jobs"));
  EXPECT_EQ(stored.events("REMOTE_ID_REUSED").size(), 0U);
  EXPECT_EQ(stored.brakes().size(), 1U);
  all_ended(jobs, 0);
  apply(live());
  EXPECT_EQ(counters(campaign).done, 2);
}

/// They once gathered at the head of the bag, so that each trial was one of them, and the brake doubled to an hour.
TEST_F(Failures, OfOneTaskInFive_WhateverItsRetries_HoldTheOthersBackForNoBrake) {
  config.brake_time = std::chrono::seconds{30};
  config.brake_time_max = std::chrono::hours{1};
  const auto campaign = a_campaign(100);
  const auto begin = now;
  int jobs = 0;
  while (counters(campaign).waiting > 0 && jobs < 1000) {
    const auto braked = value(fmt::format(
        "SELECT coalesce(max(ceil(date_part('epoch', expires_at - to_timestamp({})))), 0)::integer FROM brakes", grid::to_unix(now)));
    now += grid::Seconds{std::max(0, std::stoi(braked))};
    const bool on_trial = std::stoi(value("SELECT failures_in_a_row FROM campaign_clusters WHERE cluster_id = 1")) >= 3;
    const auto some = launched(campaign, alpha, static_cast<int>(std::min<std::int64_t>(on_trial ? 1 : 4, counters(campaign).waiting)));
    for (const auto& job : some) {
      auto& remote = shows(job, oar::RemoteState::terminated, job.task.value() % 5 == 0 ? 1 : 0);
      remote.started = now;
      remote.stopped = now + grid::Seconds{10};
    }
    began(some);
    now += grid::Seconds{12};
    apply(some);
    jobs += static_cast<int>(some.size());
  }
  EXPECT_EQ(counters(campaign).done, 80);
  EXPECT_EQ(counters(campaign).failed, 20);
  EXPECT_EQ(jobs, 80 + 20 * 5);
  const auto took = std::chrono::duration_cast<grid::Seconds>(now - begin).count();
  EXPECT_LE(took, 45 * 12 + 3 * 30) << "45 turns of 4 jobs, and a brake or two";
  RecordProperty("seconds", static_cast<int>(took));
}

TEST_F(Failures, ATrial_TakesATaskThatWasNeverTried_AndALaunchMixesRetriesInProportion) {
  const auto campaign = a_campaign(20);
  const auto fail = [&](const std::vector<store::LiveJob>& jobs) {
    all_ended(jobs, 1);
    apply(jobs);
  };
  fail(launched(campaign, alpha, 5));
  EXPECT_EQ(launched(campaign, alpha, 1).at(0).task, grid::TaskNumber{5}) << "not task 0, which failed";
  std::vector<std::int64_t> tasks;
  for (const auto& job : launched(campaign, alpha, 8)) tasks.push_back(job.task.value());
  EXPECT_THAT(tasks, ::testing::UnorderedElementsAre(0, 1, 6, 7, 8, 9, 10, 11)) << "5 failed ones and 14 others wait";
  tasks.clear();
  for (const auto& job : launched(campaign, alpha, 11)) tasks.push_back(job.task.value());
  EXPECT_THAT(tasks, ::testing::IsSupersetOf({2, 3, 4, 12, 19})) << "all that are left";
}

/// Each task has failed before, so that none of these failures says anything of a cluster. Nothing else comes from there, though.
TEST_F(Ends, OfNothingButTasksThatFailedBefore_BrakeACluster_WhereThoseOfSeveralCampaignsAllFail) {
  config.max_attempts = config.max_charged_attempts = 50;
  const auto mine = a_campaign(3, {"alpha"});
  const auto other = a_campaign(3, {"alpha"});
  execute("UPDATE tasks SET charged = 1");
  const auto brakes = [&] { return value("SELECT coalesce(string_agg(campaign_id::text, ' ' ORDER BY campaign_id), '') FROM brakes"); };
  const auto end_all = [&](grid::CampaignId campaign, int jobs, int status) {
    const auto some = launched(campaign, alpha, jobs);
    all_ended(some, status);
    apply(some);
  };
  end_all(mine, 3, 1);
  EXPECT_EQ(brakes(), "") << "a campaign may have nothing left but tasks that always fail";
  end_all(other, 2, 1);
  EXPECT_EQ(brakes(), "") << "two jobs of the other one";
  end_all(other, 1, 1);
  EXPECT_EQ(brakes(), std::to_string(other.value()));
  EXPECT_THAT(stored.brake().reason,
              ::testing::HasSubstr("3 jobs in a row failed there, and those of other campaigns too, with none done in between"));
  EXPECT_EQ(value(fmt::format("SELECT failures_in_a_row FROM campaign_clusters WHERE campaign_id = {}", other.value())), "3")
      << "after the brake, one job is tried";
  end_all(mine, 1, 1);
  EXPECT_EQ(brakes(), fmt::format("{} {}", mine.value(), other.value()));
}

/// One in five tasks always fails, and two campaigns have little else left.
TEST_F(Ends, OfTasksThatAlwaysFail_DoNotBrakeACluster_WhereOthersAreDoneMeanwhile) {
  config.max_attempts = config.max_charged_attempts = 50;
  const std::array campaigns{a_campaign(3, {"alpha"}), a_campaign(3, {"alpha"})};
  const auto sound = a_campaign(9, {"alpha"});
  execute(fmt::format("UPDATE tasks SET charged = 1 WHERE campaign_id <> {}", sound.value()));
  for (int turn = 0; turn < 9; ++turn) {
    for (const auto campaign : campaigns) {
      const auto some = launched(campaign, alpha, 1);
      all_ended(some, 1);
      apply(some);
    }
    const auto good = launched(sound, alpha, 1);
    all_ended(good, 0);
    apply(good);
  }
  EXPECT_EQ(stored.brakes().size(), 0U);
  EXPECT_THAT(stored.pairs(), ::testing::Each(::testing::Field(&StoredPair::failed_since_done, 0)));
}

}  // namespace
}  // namespace gleaner::tests
