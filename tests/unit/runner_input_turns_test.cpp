#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/input_turns.hpp"

/// The order in which input files go to a cluster.
namespace gleaner::runner {
namespace {

store::InputsToSend of(std::int64_t campaign, std::string user, int priority = 0) {
  return {.campaign = grid::CampaignId{campaign}, .login = user, .sent = 0, .user = user, .priority = priority};
}

/// The campaigns of the next turns; each has more to send than that.
std::vector<std::int64_t> turns_of(InputTurns& turns, int count) {
  std::vector<std::int64_t> campaigns;
  for (int i = 0; i < count; ++i) {
    auto inputs = turns.next();
    if (!inputs) break;
    campaigns.push_back(inputs->campaign.value());
    turns.put_back(std::move(*inputs));
  }
  return campaigns;
}

using ::testing::ElementsAre;

TEST(InputTurns, AreSharedBetweenUsers_HoweverManyCampaignsEachHas) {
  InputTurns turns{{of(1, "ada"), of(2, "ada"), of(3, "ada"), of(9, "bob")}};
  EXPECT_THAT(turns_of(turns, 8), ElementsAre(1, 9, 2, 9, 3, 9, 1, 9));
}

TEST(InputTurns, OfOneUser_GoToTheHighestPriorityFirst) {
  InputTurns turns{{of(1, "ada", 1), of(2, "ada", 4), of(3, "ada", 4)}};
  EXPECT_THAT(turns_of(turns, 3), ElementsAre(1, 1, 1));
  const auto done = turns.next();
  EXPECT_EQ(done->campaign, grid::CampaignId{1});
  EXPECT_THAT(turns_of(turns, 4), ElementsAre(2, 3, 2, 3));
}

TEST(InputTurns, OfASmallCampaign_ComeAfterOneOfEachOtherUser) {
  InputTurns turns{{of(1, "ada"), of(2, "bob"), of(3, "eve")}};
  static_cast<void>(turns_of(turns, 2));
  const auto eve = turns.next();
  EXPECT_EQ(eve->campaign, grid::CampaignId{3});
  EXPECT_THAT(turns_of(turns, 3), ElementsAre(1, 2, 1));
}

TEST(InputTurns, EndWithTheLastCampaign) {
  InputTurns turns{{of(1, "ada")}};
  EXPECT_TRUE(turns.next());
  EXPECT_FALSE(turns.next());
  EXPECT_FALSE(InputTurns{{}}.next());
}

}  // namespace
}  // namespace gleaner::runner
