#include "lib/grid/epochs.hpp"

#include <gtest/gtest.h>

#include "lib/grid/campaign_folder.hpp"
#include "lib/grid/job_identity.hpp"

namespace gleaner::grid {
namespace {

/// Restored twice from the same dump: the epoch of the first restore is not in it.
const Epochs kEpochs{{{.token = "old"},
                      {.token = "mid", .first_campaign = CampaignId{5}, .first_launch = LaunchId{100}},
                      {.token = "new", .first_campaign = CampaignId{5}, .first_launch = LaunchId{300}}}};

TEST(Epochs, ACampaign_HasTheFolderOfTheEpochInWhichItWasSubmitted) {
  EXPECT_EQ(campaign_folder(kEpochs, CampaignId{4}), "~/.gleaner/old/4");
  EXPECT_EQ(campaign_folder(kEpochs, CampaignId{5}), "~/.gleaner/new/5") << "nothing was submitted between the two restores";
  EXPECT_EQ(campaign_folder("grid", CampaignId{5}), "~/.gleaner/grid/5");
}

TEST(Epochs, ALaunchOfALaterEpochThanItsCampaign_HasAFolderThatNoOtherOneHad) {
  EXPECT_EQ(fence_folder(kEpochs, CampaignId{4}, LaunchId{99}), "~/.gleaner/old/4/99");
  EXPECT_EQ(fence_folder(kEpochs, CampaignId{4}, LaunchId{100}), "~/.gleaner/old/4/100-mid");
  EXPECT_EQ(fence_folder(kEpochs, CampaignId{4}, LaunchId{300}), "~/.gleaner/old/4/300-new");
  EXPECT_EQ(fence_folder(kEpochs, CampaignId{7}, LaunchId{301}), "~/.gleaner/new/7/301");
}

TEST(Epochs, TheTagOfALaunch_NamesItsEpoch) {
  const auto tag = launch_tag("mid", CampaignId{12}, LaunchId{345});
  const auto read = read_tag(tag);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->campaign, CampaignId{12});
  EXPECT_EQ(read->launch, LaunchId{345});
  EXPECT_EQ(read->token, "mid");
  for (const auto* name :
       {"", "cigri.", "cigri.1-x", "cigri.1.-x", "cigri.1.2", "cigri.a.2-x", "cigri.-1.2-x", "oar.1.2-x", "cigri.1.2.3-x"})
    EXPECT_FALSE(read_tag(name)) << name;
}

TEST(Epochs, TheFenceOfAJob_IsInItsCommand_AndInThePoolsLine) {
  EXPECT_EQ(read_fence("bash -c x gleaner.12 3 1 345 7-mid YQA="), "7-mid");
  EXPECT_EQ(read_fence("bash -c x gleaner.12 3 1 345 YQA="), std::nullopt) << "of an older version";
  EXPECT_EQ(read_fence("sleep 5"), std::nullopt);
  EXPECT_EQ(read_pool_line(CampaignId{12}, "3 1 345 7 = a b"), (JobIdentity{CampaignId{12}, TaskNumber{3}, 1, JobId{345}}));
  for (const auto* line : {".", "", "3 1", "x 1 345 7", "3 1 y 7 -"}) EXPECT_FALSE(read_pool_line(CampaignId{12}, line)) << line;
}

}  // namespace
}  // namespace gleaner::grid
