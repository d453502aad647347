#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/grid/exit_status.hpp"
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
  EXPECT_EQ(value("SELECT count(exit_status) FROM jobs"), "0") << "that of a shell is not a command's";
  EXPECT_EQ(value("SELECT string_agg(concat_ws(' ', state, attempt, charged), ', ') FROM tasks WHERE number < 3"),
            "waiting 0 0, waiting 0 0, waiting 0 0")
      << "nobody pays";
  EXPECT_THAT(value("SELECT message FROM events WHERE code = 'NEVER_BEGAN'"), ::testing::HasSubstr("~/.bashrc"));
  EXPECT_THAT(value("SELECT reason FROM brakes"), ::testing::HasSubstr("3 jobs in a row failed there"));
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
  EXPECT_THAT(value("SELECT message FROM events WHERE code = 'NEVER_BEGAN'"), ::testing::HasSubstr("which proves nothing"));
  const auto second = launched(campaign, alpha, 1).at(0);
  ASSERT_EQ(second.fence, jobs[0].fence);
  shows(second, oar::RemoteState::terminated, grid::kRanNothing);
  apply(live());
  now += grid::Seconds{121};
  apply(live());
  EXPECT_EQ(task(), "submitted 0 0") << "it found a claim, whose job may run for its walltime";
  now += grid::Seconds{600};
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
  EXPECT_THAT(value("SELECT message FROM events WHERE code = 'NEVER_BEGAN'"), ::testing::HasSubstr("an end by its walltime"));
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
