#include "nikita/leavings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "lib/grid/launch_fate.hpp"
#include "nikita/identify.hpp"

namespace gleaner::nikita {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const grid::Instant kNow = grid::from_unix(1'800'000'000);

/// A folder of a campaign with 1 000 files there, of which `target` may stay.
store::LaunchFolder a_folder(int launch, std::int64_t files, int attempts = 0, std::int64_t target = 700) {
  store::LaunchFolder folder;
  folder.launch = grid::LaunchId{launch};
  folder.settled_at = kNow - 5min;
  folder.files = files;
  folder.attempts = attempts;
  folder.all_files = 1000;
  folder.target = target;
  return folder;
}

std::vector<int> ids(const std::vector<store::LaunchFolder>& folders) {
  std::vector<int> found;
  for (const auto& folder : folders) found.push_back(static_cast<int>(folder.launch.value()));
  return found;
}

TEST(Leavings, TheOldestFoldersGo_UntilTheRestIsFewEnough) {
  const std::vector folders{a_folder(1, 200), a_folder(2, 200), a_folder(3, 600)};
  EXPECT_THAT(ids(leavings_of(folders, kNow).remove), ElementsAre(1, 2));
  EXPECT_THAT(ids(leavings_of(folders, kNow).thin), IsEmpty());
  EXPECT_THAT(ids(leavings_of({}, kNow).remove), IsEmpty());
}

TEST(Leavings, AFolderInWhichSomebodyMayStillClaim_Stays) {
  auto orphaned = a_folder(1, 400);
  orphaned.state = grid::LaunchState::void_;
  auto idle = a_folder(2, 400);
  idle.never_began_at = kNow - 10min;
  auto unknown = a_folder(3, 200, 100);
  unknown.state = grid::LaunchState::unknown;
  const auto kept = leavings_of(std::vector{orphaned, idle, unknown}, kNow);
  EXPECT_THAT(ids(kept.remove), IsEmpty());
  EXPECT_THAT(ids(kept.thin), IsEmpty());
  EXPECT_THAT(ids(leavings_of(std::vector{orphaned, idle}, kNow + grid::kOrphanWatch).remove), ElementsAre(1));
}

TEST(Leavings, WhereSomeTasksGoOn_TheFullestFoldersAreThinnedFirst) {
  const std::vector folders{a_folder(1, 200, 90), a_folder(2, 200, 100), a_folder(3, 600, 1)};
  const auto leavings = leavings_of(folders, kNow);
  EXPECT_THAT(ids(leavings.remove), IsEmpty());
  EXPECT_THAT(ids(leavings.thin), ElementsAre(3)) << "2 has no file too many, and 3 alone is enough";
  EXPECT_THAT(ids(leavings_of(std::vector{a_folder(1, 200, 90, 10), a_folder(2, 200, 100, 10), a_folder(3, 600, 1, 10)}, kNow).thin),
              ElementsAre(3, 1));
}

TEST(Leavings, OfTheFilesOfAFolder_ThoseOfSettledAttemptsGo) {
  const std::vector<std::string> names{"0.0.claim",        "0.0.100.7.e0", "1.0.claim", "1.0.101.8.s", "1.1.claim",
                                       "1.1.150.20.d.101", "somebody's",   "x.0.claim", "2.0.102.9.u"};
  const std::array in_use{store::Attempt{grid::TaskNumber{1}, 0}};
  EXPECT_THAT(settled_files(names, in_use), ElementsAre("0.0.claim", "0.0.100.7.e0", "1.1.claim", "1.1.150.20.d.101", "2.0.102.9.u"));
}

TEST(Identify, OnlyAJobWithItsOwnOwnerNameAndCommand_IsOurs) {
  store::PendingKill kill;
  kill.job = grid::JobId{100};
  kill.remote = grid::RemoteJobId{7};
  kill.campaign = grid::CampaignId{12};
  kill.task = grid::TaskNumber{3};
  kill.attempt = 1;
  kill.tag = "cigri.12.9-grid";
  kill.login = "ada";
  kill.array = grid::RemoteJobId{7};
  oar::RemoteJob job;
  job.id = grid::RemoteJobId{7};
  job.array = grid::RemoteJobId{7};
  job.name = "cigri.12.9-grid";
  job.owner = "ada";
  job.command = "wrapper gleaner.12-grid 3 1 100 9 -";
  const auto ours = [&](const oar::RemoteJob& listed) { return ours_of({kill}, std::array{listed}); };
  ASSERT_EQ(ours(job).size(), 1U);
  EXPECT_EQ(ours(job)[0].array, kill.array);
  auto resubmitted = job;
  resubmitted.array = grid::RemoteJobId{9};
  ASSERT_EQ(ours(resubmitted).size(), 1U);
  EXPECT_EQ(ours(resubmitted)[0].array, std::nullopt) << "the launch's array is not its own";
  auto other = job;
  other.command = "sleep 10";
  EXPECT_THAT(ours(other), IsEmpty());
  other = job;
  other.name = "cigri.12.9-other";
  EXPECT_THAT(ours(other), IsEmpty()) << "it is another launch's";
  other.name = "somebody's";
  EXPECT_EQ(ours(other).size(), 1U) << "a rule of the cluster renamed it";
  other = job;
  other.owner = "mal";
  EXPECT_THAT(ours(other), IsEmpty()) << "he copied its name and its command";
  other = job;
  other.id = grid::RemoteJobId{8};
  EXPECT_THAT(ours(other), IsEmpty()) << "it is not listed";
}

}  // namespace
}  // namespace gleaner::nikita
