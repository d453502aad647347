#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>

#include "lib/grid/exit_status.hpp"
#include "lib/store/launches.hpp"
#include "tests/db/ends_fixture.hpp"

/// Jobs that found their attempts claimed by another job.
namespace gleaner::tests {
namespace {

/// The successor of a job that was given up finds the attempt claimed: the claim says by whom.
TEST_F(Ends, OfADuplicate_BringBackTheJobThatHoldsTheClaim_WithItsEndWhenItsFilesShowIt) {
  const auto campaign = a_campaign(1);
  const auto orphan = given_up(campaign);
  const auto successor = launched(campaign, alpha, 1).at(0);
  ASSERT_EQ(successor.attempt, 0);
  all_ended({successor}, grid::kRanNothing);
  files(successor, {file(successor, fmt::format("d.{}", orphan.job.value())), fmt::format("0.0.{}.77.e0", orphan.job.value())});
  EXPECT_EQ(apply(live()).ended, 2);
  EXPECT_EQ(task(), "done 0 0");
  EXPECT_EQ(value("SELECT string_agg(ending, ' ' ORDER BY id) FROM jobs"), "done duplicate");
  EXPECT_EQ(value("SELECT string_agg(state::text, ' ' ORDER BY id) FROM launches"), "accepted accepted")
      << "nothing of it is left to look for";
}

TEST_F(Ends, OfADuplicate_WhoseHolderWasSaidNeverToHaveBegun_BringThatOneBack_AsOarRanItAgain) {
  const auto campaign = a_campaign(1);
  const auto first = never_began(campaign);
  const auto successor = launched(campaign, alpha, 1).at(0);
  all_ended({successor}, grid::kRanNothing);
  files(successor, {file(successor, fmt::format("d.{}", first.id.value())), fmt::format("0.0.{}.777.s", first.id.value())});
  apply(live());
  EXPECT_EQ(value("SELECT string_agg(concat_ws(' ', state, ending, remote_id), ', ' ORDER BY id) FROM jobs"),
            fmt::format("remote_waiting 777, terminated duplicate {}", successor.remote.value()));
  EXPECT_EQ(task(), "submitted 0 0") << "its attempt is not spent: somebody runs it";
}

/// Its files could not be read while it ran: the task is done by the job that did it.
TEST_F(Ends, OfADuplicate_WhoseHolderWasSaidNeverToHaveBegun_AndHasEndedSince_GiveThatOneItsEnd) {
  const auto campaign = a_campaign(1);
  const auto first = never_began(campaign);
  const auto successor = launched(campaign, alpha, 1).at(0);
  all_ended({successor}, grid::kRanNothing);
  files(successor, {file(successor, fmt::format("d.{}", first.id.value())), fmt::format("0.0.{}.777.e0.250", first.id.value())});
  EXPECT_EQ(apply(live()).ended, 2);
  EXPECT_EQ(value("SELECT string_agg(concat_ws(' ', ending, remote_id), ', ' ORDER BY id) FROM jobs"),
            fmt::format("done 777, duplicate {}", successor.remote.value()));
  EXPECT_EQ(task(), "done 0 0");
  EXPECT_EQ(counters(campaign), recount(campaign));
}

TEST_F(Ends, OfADuplicate_WhoseFilesNameSomebodyElsesJobAsTheHolder_TouchNothingOfThatJob) {
  const auto other = never_began(a_campaign(1));
  const auto running = launched(a_campaign(1), alpha, 1).at(0);
  shows(running, oar::RemoteState::running);
  for (const auto& [victim, shown] : {std::pair{other, "s"}, std::pair{running, "e0"}}) {
    const auto campaign = a_campaign(1);
    const auto orphan = given_up(campaign);
    const auto forger = launched(campaign, alpha, 1).at(0);
    all_ended({forger}, grid::kRanNothing);
    files(forger, {file(forger, fmt::format("d.{}", victim.id.value())), fmt::format("0.0.{}.777.{}", victim.id.value(), shown)});
    apply(live());
    EXPECT_NE(orphan.job, victim.id);
  }
  EXPECT_EQ(value(fmt::format("SELECT concat_ws(' ', state, ending) FROM jobs WHERE id = {}", other.id.value())), "error never_began");
  EXPECT_EQ(value(fmt::format("SELECT concat_ws(' ', state, ending) FROM jobs WHERE id = {}", running.id.value())), "running");
}

TEST_F(Ends, OfADuplicate_WhoseHolderStillRuns_HaveThatOnesLaunchSearchedFor) {
  const auto campaign = a_campaign(1);
  const auto orphan = given_up(campaign);
  const auto successor = launched(campaign, alpha, 1).at(0);
  all_ended({successor}, grid::kRanNothing);
  files(successor, {file(successor, fmt::format("d.{}", orphan.job.value())), fmt::format("0.0.{}.77.s", orphan.job.value())});
  apply(live());
  EXPECT_EQ(task(), "submitted 0 0");
  EXPECT_EQ(value("SELECT string_agg(state::text, ' ' ORDER BY id) FROM launches"), "unknown accepted");
  EXPECT_EQ(value("SELECT string_agg(state::text, ' ' ORDER BY id) FROM jobs"), "unknown terminated");
}

/// Each of them leaves the task to the other: the second one to be judged is the last.
TEST_F(Ends, OfTwoJobsOfOneAttempt_ThatBothRanNothing_SpendTheAttempt) {
  const auto campaign = a_campaign(1);
  const auto orphan = given_up(campaign);
  const auto successor = launched(campaign, alpha, 1).at(0);
  const grid::LaunchId lost{std::stoll(value(fmt::format("SELECT launch_id FROM jobs WHERE id = {}", orphan.job.value())))};
  transact([&](store::Transaction& t) {
    store::accept_launch(t, lost, std::array{store::AcceptedJob{orphan.job, grid::RemoteJobId{77}}}, std::nullopt, now);
  });
  const auto both = live();
  ASSERT_EQ(both.size(), 2U);
  all_ended(both, grid::kRanNothing);
  for (const auto& job : both) files(job, {file(both[0], "d.4711"), file(both[1], "d.4711")});
  EXPECT_EQ(apply(both).ended, 2);
  EXPECT_EQ(task(), "waiting 1 0");
  EXPECT_EQ(counters(campaign), recount(campaign));
}

}  // namespace
}  // namespace gleaner::tests
