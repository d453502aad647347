#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tests/chaos/chosen.hpp"
#include "tests/system/grid_under_test.hpp"

namespace gleaner::tests {
namespace {

constexpr std::int64_t kTasks = 24;
const Configuration kImpatient{{"submit_timeout", "1s"}, {"request_timeout", "2s"}, {"void_delay", "2s"}};

std::string fault(std::string_view mode, std::string_view when) {
  return fmt::format(R"({{"mode":"{}","match":"POST /jobs","count":2,"after_commit":{}}})", mode, when);
}

void spoil_submissions(GridUnderTest& grid, const std::string& json) {
  for (const auto* name : {"alpha", "beta"}) grid.cluster(name).add_fault(json);
}

/// The result of each in OAR's client: tests/unit/oar_client_test.cpp.
constexpr std::array kLosses{"empty", "reset", "500", "html", "hang", "refuse"};
bool is_loss_chosen(std::string_view mode) {
  return is_chosen(static_cast<std::size_t>(std::ranges::find(kLosses, mode) - kLosses.begin()), kLosses.size());
}

/// How the answer of a submission is lost.
class LostAnswer : public ::testing::TestWithParam<const char*> {};

TEST_P(LostAnswer, OfASubmissionThatWasCarriedOut_ItsJobsAreFoundAndAdopted) {
  if (!is_loss_chosen(GetParam())) GTEST_SKIP() << kAnotherIsChosen;
  GridUnderTest grid{{.configuration = kImpatient}};
  spoil_submissions(grid, fault(GetParam(), "true"));
  const auto campaign = grid.submit({.tasks = kTasks, .exec_file = grid.oracle().task("sleep 0.3")});
  grid.almighty().start();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, kTasks));
  EXPECT_EQ(grid.value("SELECT count(*) FROM launches WHERE state <> 'accepted'"), "0");
  EXPECT_EQ(grid.number("SELECT count(*) FROM launches"), grid.cluster("alpha").submissions() + grid.cluster("beta").submissions());
}

TEST_P(LostAnswer, OfASubmissionThatWasNever_ItsTasksAreGivenBackAndRunOnce) {
  if (!is_loss_chosen(GetParam())) GTEST_SKIP() << kAnotherIsChosen;
  GridUnderTest grid{{.configuration = kImpatient}};
  spoil_submissions(grid, fault(GetParam(), "false"));
  const auto campaign = grid.submit({.tasks = kTasks, .exec_file = grid.oracle().task()});
  grid.almighty().start();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, kTasks));
  EXPECT_GE(grid.number("SELECT count(*) FROM launches WHERE state = 'void'"), 1);
  EXPECT_EQ(grid.value("SELECT count(*) FROM launches WHERE state IN ('launching', 'unknown')"), "0");
}

INSTANTIATE_TEST_SUITE_P(By, LostAnswer, ::testing::ValuesIn(kLosses), [](const auto& each) { return std::string{each.param}; });

class HalfAnswer : public ::testing::TestWithParam<const char*> {};

TEST_P(HalfAnswer, OfASubmission_ItsJobsAreFoundAndAdopted) {
  GridUnderTest grid{{.configuration = kImpatient}};
  spoil_submissions(grid, fault(GetParam(), "true"));
  const auto campaign = grid.submit({.tasks = kTasks, .exec_file = grid.oracle().task("sleep 0.3")});
  grid.almighty().start();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, kTasks));
  EXPECT_EQ(grid.value("SELECT count(*) FROM launches WHERE state <> 'accepted'"), "0");
}

INSTANTIATE_TEST_SUITE_P(By, HalfAnswer, ::testing::Values("truncate", "cut"), [](const auto& each) { return std::string{each.param}; });

/// A submission that the cluster carries out long after it was given up.
std::string late(int milliseconds) {
  return fmt::format(R"({{"mode":"none","match":"POST /jobs","count":1,"delay_ms":{}}})", milliseconds);
}

TEST(LateOrphan, WhoseSuccessorsRunAlready_FindsItsAttemptsClaimed) {
  GridUnderTest grid{{.clusters = {{.name = "alpha", .nodes = 1, .cores = 16}}, .configuration = kImpatient}};
  grid.cluster("alpha").add_fault(late(15'000));
  const auto campaign = grid.submit({.tasks = 8, .exec_file = grid.oracle().gated_task(), .clusters = {"alpha"}});
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM launches WHERE state = 'void'", "1"));
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM jobs WHERE state = 'running'", "8"));
  ASSERT_TRUE(await([&] { return grid.cluster("alpha").submissions() == 2; })) << "the orphan never came";
  ASSERT_TRUE(await([&] { return grid.cluster("alpha").jobs_in("Terminated") == 8; })) << "the orphan's jobs did not end at once";
  grid.oracle().open_gate();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 8));
}

/// The second void launch in a row brakes its campaign there, so that the orphan comes before its successors.
TEST(LateOrphan, ThatRunsBeforeItsSuccessors_IsFoundByThemAndAdopted) {
  auto configuration = kImpatient;
  configuration["brake_time"] = "8s";
  configuration["brake_time_max"] = "8s";
  GridUnderTest grid{{.clusters = {{.name = "alpha", .nodes = 1, .cores = 16}}, .configuration = configuration}};
  grid.cluster("alpha").add_fault(R"({"mode":"empty","match":"POST /jobs","count":1,"after_commit":false})");
  const auto campaign = grid.submit({.tasks = 8, .exec_file = grid.oracle().gated_task(), .clusters = {"alpha"}});
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM launches WHERE state = 'unknown'", "1"));
  grid.cluster("alpha").add_fault(late(8'000));
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM launches WHERE state = 'void'", "2"));
  ASSERT_TRUE(await([&] { return grid.cluster("alpha").jobs_in("Running") == 8; })) << "the orphan never came";
  grid.oracle().open_gate();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 8));
}

TEST(DisabledCluster, IsStillAskedForTheLaunchOfWhichItGaveNoAnswer) {
  auto configuration = kImpatient;
  configuration["void_delay"] = "60s";
  GridUnderTest grid{{.clusters = {{.name = "alpha"}}, .configuration = configuration}};
  grid.cluster("alpha").add_fault(late(6'000));
  const auto campaign = grid.submit({.tasks = 4, .exec_file = grid.oracle().task(), .clusters = {"alpha"}});
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM launches WHERE state = 'unknown'", "1"));
  ASSERT_TRUE(grid.run("gridctl", {"cluster", "disable", "alpha"}).end.succeeded());
  ASSERT_EQ(grid.cluster("alpha").submissions(), 0) << "it was disabled too late to show anything";
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 4));
  EXPECT_EQ(grid.value("SELECT string_agg(state::text, ' ') FROM launches"), "accepted");
}

/// Its campaign has another cluster, and the tasks of the void launch are not released to it.
TEST(LateOrphan, OfACampaignOnTwoClusters_RunsNothingTwice) {
  GridUnderTest grid{{.configuration = kImpatient}};
  grid.cluster("alpha").add_fault(late(15'000));
  const auto campaign = grid.submit({.tasks = kTasks, .exec_file = grid.oracle().task("sleep 0.3")});
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM launches WHERE state = 'void'", "1"));
  ASSERT_TRUE(grid.terminates(campaign));
  ASSERT_TRUE(await([&] { return grid.cluster("alpha").submissions() >= 2; })) << "the orphan never came";
  ASSERT_TRUE(await([&] { return grid.cluster("alpha").jobs_in("Waiting") + grid.cluster("alpha").jobs_in("Running") == 0; }));
  EXPECT_TRUE(grid.is_exactly_done(campaign, kTasks));
  EXPECT_EQ(
      grid.value("SELECT count(*) FROM jobs j JOIN jobs o ON o.task = j.task AND o.attempt = j.attempt AND o.cluster_id <> j.cluster_id"),
      "0")
      << "an attempt went to another cluster";
}

}  // namespace
}  // namespace gleaner::tests
