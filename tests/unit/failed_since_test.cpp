#include "lib/grid/failed_since.hpp"

#include <gmock/gmock.h>

#include <array>

namespace gleaner::grid {
namespace {

std::vector<std::int64_t> braked(std::initializer_list<FailedSince> all) {
  std::vector<std::int64_t> ids;
  for (const auto& one : where_all_fails(std::vector<FailedSince>{all}, 3)) ids.push_back(one.campaign.value());
  return ids;
}

TEST(FailedSince, OfOneCampaign_ProvesNothingAboutTheCluster_WhateverItsNumber) {
  EXPECT_THAT(braked({{CampaignId{1}, 500}}), testing::IsEmpty());
  EXPECT_THAT(braked({{CampaignId{1}, 500}, {CampaignId{2}, 2}}), testing::IsEmpty()) << "two failures of the other one are few";
}

TEST(FailedSince, OfSeveralCampaigns_BrakeThoseWithEnough) {
  EXPECT_THAT(braked({{CampaignId{1}, 3}, {CampaignId{2}, 2}, {CampaignId{3}, 4}}), testing::ElementsAre(1, 3));
}

}  // namespace
}  // namespace gleaner::grid
