#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/grid/exit_status.hpp"
#include "lib/store/programs.hpp"
#include "lib/text/utc.hpp"
#include "tests/db/ends_fixture.hpp"

/// Ends of which only OAR's word is known.
namespace gleaner::tests {
namespace {

/// `[ -z "$PS1" ] && exit` in the ~/.bashrc of a cluster: OAR's shell ends before the wrapper begins, and OAR notes exit 0.
TEST_F(Ends, ThatAShellMadeBeforeTheCommandBegan_AreNobodys_WhateverTheStatus_AndTheEventNamesThePlace) {
  config.evidence_delay = std::chrono::seconds{5};
  const auto jobs = launched(a_campaign(9), alpha, 3);
  for (std::size_t i = 0; i < jobs.size(); ++i) shows(jobs[i], oar::RemoteState::terminated, i == 0 ? 0 : 1);
  files(jobs[0], {});
  apply(jobs);
  EXPECT_EQ(ended("never_began"), "0") << "a network file system may show their marks late";
  now += std::chrono::minutes{1};
  apply(live());
  EXPECT_EQ(ended("never_began"), "3");
  EXPECT_THAT(stored.jobs(), ::testing::Each(::testing::Field(&StoredJob::exit_status, std::nullopt)))
      << "that of a shell is not a command's";
  EXPECT_EQ(value("SELECT string_agg(concat_ws(' ', state, attempt, charged), ', ') FROM tasks WHERE number < 3"),
            "waiting 0 0, waiting 0 0, waiting 0 0")
      << "nobody pays";
  EXPECT_THAT(stored.event("NEVER_BEGAN").message, ::testing::HasSubstr("~/.bashrc"));
  EXPECT_THAT(stored.brake().reason, ::testing::HasSubstr("3 jobs in a row failed there"));
}

/// Somebody removed the program of jobs from a home (rm -rf ~/.gleaner).
class MissingProgram : public Ends {
 protected:
  MissingProgram() { put(); }
  /// The runner has put the program.
  void put() {
    const store::ProgramPlace place{.cluster = alpha, .login = "alice", .sha256 = program};
    transact([&](store::Transaction& t) {
      store::note_program_tried(t, place, now);
      store::note_program_put(t, place, store::FoundProgram::written, now);
    });
  }
  /// Jobs are sent a second later, call it, and end with this status, without a file.
  void jobs_call_it(int jobs, int status) {
    now += std::chrono::seconds{1};
    const auto sent = launched(campaign, alpha, jobs);
    for (const auto& job : sent) {
      shows(job, oar::RemoteState::terminated, status).command = fmt::format(
          "bash ~/.gleaner/programs/{} facts gleaner.{}-grid {} 0 {} 1 -", program, campaign.value(), job.task.value(), job.id.value());
      files(job, {});
    }
    apply(live());
    now += std::chrono::minutes{1};
    apply(live());
  }
  std::string state() {
    return value(fmt::format("SELECT concat_ws(' ', put_at IS NOT NULL, inline_until > '{}') FROM job_programs", text::utc(now)));
  }
  const std::string program = std::string(64, 'a');
  grid::CampaignId campaign = a_campaign(50);
};

TEST_F(MissingProgram, CostsNobodyAnAttempt_BrakesNothing_AndIsPutAgain) {
  for (const int status : {127, 126, 2, grid::kProgramDamaged}) {
    execute("UPDATE job_programs SET doubted_at = NULL");
    put();
    jobs_call_it(4, status);
    EXPECT_EQ(state(), "f") << "the runner puts it again, after status " << status;
  }
  EXPECT_EQ(ended("never_began"), "16");
  EXPECT_THAT(stored.fates(), ::testing::Each(Fate{.state = "waiting", .attempt = 0, .charged = 0}));
  EXPECT_EQ(stored.brakes().size(), 0U);
  EXPECT_EQ(value("SELECT failures_in_a_row FROM campaign_clusters WHERE cluster_id = 1"), "0");
  EXPECT_THAT(stored.event("NEVER_BEGAN").message, ::testing::HasSubstr("is missing or damaged"));
  EXPECT_EQ(stored.events("PROGRAM_UNUSABLE").size(), 0U);
}

TEST_F(MissingProgram, ThatPuttingAgainDidNotHelp_IsNotCalledForADay_WithAnEvent) {
  jobs_call_it(4, 127);
  put();
  jobs_call_it(4, 127);
  EXPECT_EQ(state(), "f t");
  EXPECT_THAT(value("SELECT message FROM events WHERE code = 'PROGRAM_UNUSABLE' AND campaign_id IS NOT NULL AND state = 'open'"),
              ::testing::AllOf(::testing::HasSubstr("twice within 1 h"), ::testing::HasSubstr("the same home")));
  now += std::chrono::hours{25};
  EXPECT_EQ(state(), "f f") << "it is tried again";
}

TEST_F(MissingProgram, OfJobsThatWereSentBeforeItWasPutAgain_IsNotDoubted) {
  const auto before = launched(campaign, alpha, 1).at(0);
  now += std::chrono::seconds{1};
  put();
  shows(before, oar::RemoteState::terminated, 127).command =
      fmt::format("bash ~/.gleaner/programs/{} facts gleaner.{}-grid 0 0 {} 1 -", program, campaign.value(), before.id.value());
  files(before, {});
  apply(live());
  now += std::chrono::minutes{1};
  apply(live());
  EXPECT_EQ(ended("never_began"), "1");
  EXPECT_EQ(state(), "t");
}

/// Everybody writes their own commands; another login's program, and one that was never put, are not theirs.
TEST_F(MissingProgram, IsDoubtedForItsLoginAndName) {
  execute("UPDATE job_programs SET login = 'bob'");
  jobs_call_it(1, 127);
  EXPECT_EQ(state(), "t");
  execute(fmt::format("UPDATE job_programs SET login = 'alice', sha256 = '{}'", std::string(64, 'b')));
  jobs_call_it(1, 127);
  EXPECT_EQ(state(), "t");
}

/// Status 0 is that of `exit` in a start file of the shell, which no program's being there would change: it is a failure as ever.
TEST_F(MissingProgram, IsNotWhatAnotherStatusShows) {
  jobs_call_it(4, 0);
  EXPECT_THAT(stored.event("NEVER_BEGAN").message, ::testing::HasSubstr("a shell of alice on the cluster ended"));
  EXPECT_EQ(stored.brakes().size(), 1U);
}

/// The task keeps its attempt, so that its successor finds the claim where the first job had made one.
TEST_F(Ends, WithAnExitStatusOfWhichNoMarkCanBeRead_ProveNothing_AndTheHomeDecidesWhenItIsBack) {
  const auto campaign = a_campaign(1);
  const auto jobs = launched(campaign, alpha, 1);
  shows(jobs[0], oar::RemoteState::terminated, 0);
  poll.evidence.insert_or_assign(jobs[0].fence, updator::Reading{tl::unexpected{std::string{"403"}}});
  apply(jobs);
  now += grid::Seconds{121};
  apply(live());
  EXPECT_EQ(task(), "waiting 0 0");
  EXPECT_THAT(stored.event("NEVER_BEGAN").message, ::testing::HasSubstr("which proves nothing"));
  const auto second = launched(campaign, alpha, 1).at(0);
  ASSERT_EQ(second.fence, jobs[0].fence);
  shows(second, oar::RemoteState::terminated, grid::kRanNothing);
  apply(live());
  now += grid::Seconds{121};
  apply(live());
  EXPECT_EQ(task(), "submitted 0 0") << "it found a claim, whose job may run for its walltime and launch_patience";
  now += grid::Seconds{900};
  apply(live());
  EXPECT_EQ(task(), "waiting 0 0") << "it may have run: no other attempt may";
  const auto third = launched(campaign, alpha, 1).at(0);
  shows(third, oar::RemoteState::terminated, grid::kRanNothing);
  files(third,
        {file(jobs[0], "e0"), file(second, fmt::format("d.{}", jobs[0].id.value())), file(third, fmt::format("d.{}", jobs[0].id.value()))});
  apply(live());
  EXPECT_EQ(task(), "done 0 0");
}

/// OAR's server may have been dead when a job ended: OAR then stops it at its walltime.
TEST_F(Ends, ByTheWalltimeOfAJobWhoseFilesCannotBeRead_IsTheTasks_OnceItsMarkIsSeen_AndNotWhereItHadEnded) {
  const auto campaign = a_campaign(2);
  const auto jobs = launched(campaign, alpha, 2);
  for (const auto& job : jobs) in_error(job, "WALLTIME");
  poll.evidence.insert_or_assign(jobs[0].fence, updator::Reading{tl::unexpected{std::string{"403"}}});
  apply(jobs);
  now += grid::Seconds{121};
  apply(live());
  const auto tasks = [&] { return value("SELECT string_agg(concat_ws(' ', state, attempt, charged), ', ' ORDER BY number) FROM tasks"); };
  EXPECT_EQ(tasks(), "waiting 0 0, waiting 0 0") << "nobody pays, and no other attempt may run";
  EXPECT_THAT(stored.event("NEVER_BEGAN").message, ::testing::HasSubstr("an end by its walltime"));
  const auto next = launched(campaign, alpha, 2);
  ASSERT_EQ(next.size(), 2U);
  for (const auto& job : next) shows(job, oar::RemoteState::terminated, grid::kRanNothing);
  files(next[0], {file(jobs[0], "e0"), file(jobs[1], "s"), file(next[0], fmt::format("d.{}", jobs[0].id.value())),
                  file(next[1], fmt::format("d.{}", jobs[1].id.value()))});
  apply(live());
  EXPECT_EQ(tasks(), "done 0 0, submitted 0 0") << "the job that holds the claim is live again";
  apply(live());
  now += grid::Seconds{121};
  apply(live());
  EXPECT_EQ(tasks(), "done 0 0, waiting 1 1");
  EXPECT_EQ(ended("walltime"), "1");
}

}  // namespace
}  // namespace gleaner::tests
