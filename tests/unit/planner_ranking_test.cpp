// The ranking of a plan against what the next one does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "metascheduler/planner/orders/order.hpp"
#include "tests/seed.hpp"
#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

using testing::ElementsAre;

std::vector<std::int64_t> ids(const RankedClass& ranked) {
  std::vector<std::int64_t> all;
  for (const auto campaign : ranked.campaigns) all.push_back(campaign.value());
  return all;
}

void fill(Snapshot& snapshot) { snapshot.clusters[0].free_resources = 0; }
void free_some(Snapshot& snapshot, int resources) { snapshot.clusters[0].free_resources = resources; }

/// Users of random shares and usage, whose campaigns differ in all that an order could count. On one cluster, with jobs of one core.
Snapshot any_campaigns(tests::Dice& dice) {
  const std::vector<std::string> names{"ada", "bob", "carl", "eve"};
  std::vector<std::string> owners;
  for (auto left = dice.roll(2, 10); left > 0; --left) owners.push_back(dice.pick(names));
  auto snapshot = users(owners);
  snapshot.now = grid::from_unix(500'000);
  for (const auto& name : names) {
    const double share = 0.1 * dice.roll(1, 5), usage = 0.05 * dice.roll(0, 9);
    snapshot.users.push_back({.name = name, .priority = dice.roll(1, 7), .share = share, .usage = usage});
    snapshot.shares.push_back({.name = name, .shares = share, .usage = usage, .is_user = true});
  }
  for (std::size_t i = 0; i < owners.size(); ++i) {
    auto& campaign = snapshot.campaigns[i];
    campaign.submitted = grid::from_unix(1000 + dice.roll(0, 400'000));
    campaign.priority = dice.roll(1, 7);
    campaign.used_resource_seconds = dice.roll(0, 10'000);
    if (dice.roll(1, 4) == 1) campaign.project_priority = {.name = "p", .priority = dice.roll(1, 7)};
    snapshot.pairs[i].has_affinity = dice.roll(1, 3) == 1;
  }
  return snapshot;
}

std::vector<std::string> orders_with_classes() {
  std::vector<std::string> orders;
  for (const auto name : order_names()) {
    for (const auto* classes : {"", "priority,", "affinity,", "affinity,priority,", "priority,affinity,"})
      orders.push_back(classes + std::string{name});
  }
  return orders;
}

TEST(Ranking, HasEachCampaignOnce_WhereOneClusterIsAll) {
  tests::Dice dice{tests::test_seed()};
  for (int round = 0; round < 20; ++round) {
    auto snapshot = any_campaigns(dice);
    snapshot.campaigns[0].type = grid::CampaignType::test;
    for (const auto& order : orders_with_classes()) {
      for (const int free : {0, 5, 16}) {
        free_some(snapshot, free);
        std::map<std::int64_t, int> times;
        for (const auto& ranked : plan(snapshot, {.campaign_order = order, .head_start = dice.roll(1, 2) == 1}).ranking) {
          for (const auto id : ids(ranked)) ++times[id];
        }
        ASSERT_EQ(times.size(), snapshot.campaigns.size()) << order;
        for (const auto& [id, count] : times) ASSERT_EQ(count, 1) << order << ": " << id;
      }
    }
  }
}

TEST(Ranking, OfAFullGrid_NamesWhoGetsTheFirstCoreThatIsFreed) {
  tests::Dice dice{tests::test_seed()};
  for (int round = 0; round < 50; ++round) {
    auto snapshot = any_campaigns(dice);
    for (const auto& order : orders_with_classes()) {
      if (order.ends_with("tickets")) continue;  // it draws
      const PlannerConfig config{.campaign_order = order, .simultaneous = dice.roll(1, 2) == 1, .head_start = dice.roll(1, 3) == 1};
      fill(snapshot);
      const auto full = plan(snapshot, config);
      ASSERT_TRUE(full.launches.empty());
      free_some(snapshot, 1);
      const auto next = plan(snapshot, config);
      ASSERT_EQ(next.launches.size(), 1U) << order;
      ASSERT_EQ(next.launches[0].campaign, full.ranking.at(0).campaigns.at(0)) << order << (config.head_start ? ", head start" : "");
    }
  }
}

TEST(Ranking, OfOrdersWithoutSlices_IsTheOrderInWhichFreedCoresGoToOneAfterTheOther) {
  tests::Dice dice{tests::test_seed()};
  for (int round = 0; round < 20; ++round) {
    auto snapshot = any_campaigns(dice);
    for (auto& campaign : snapshot.campaigns) campaign.waiting_tasks = 1;
    for (const auto* order : {"fifo", "priority", "multifactor", "priority,multifactor", "cheapest"}) {
      fill(snapshot);
      const auto ranking = plan(snapshot, {.campaign_order = order, .simultaneous = true}).ranking;
      std::vector<std::int64_t> ranked;
      for (const auto& one : ranking) {
        for (const auto id : ids(one)) ranked.push_back(id);
      }
      for (std::size_t free = 1; free <= ranked.size(); ++free) {
        free_some(snapshot, static_cast<int>(free));
        const auto next = plan(snapshot, {.campaign_order = order, .simultaneous = true});
        for (std::size_t place = 0; place < ranked.size(); ++place)
          ASSERT_EQ(jobs_on(next, ranked[place], 1), place < free ? 1 : 0) << order << ", " << free << " free, place " << place + 1;
      }
    }
  }
}

TEST(Ranking, OfADraw_HasWhoIsDrawnFirstMostOften_AtItsHead) {
  auto snapshot = users({"ada", "bob", "eve"});
  snapshot.campaigns[0].priority = 6;
  snapshot.campaigns[1].priority = 1;
  snapshot.campaigns[2].priority = 4;
  fill(snapshot);
  const auto ranking = plan(snapshot, {.campaign_order = "tickets"}).ranking;
  ASSERT_EQ(ranking.size(), 1U);
  free_some(snapshot, 1);
  std::map<std::int64_t, int> first;
  for (snapshot.seed = 0; snapshot.seed < 3000; ++snapshot.seed)
    ++first[plan(snapshot, {.campaign_order = "tickets"}).launches.at(0).campaign.value()];
  const auto order = ids(ranking[0]);
  ASSERT_EQ(order.size(), 3U);
  EXPECT_GT(first[order[0]], first[order[1]]);
  EXPECT_GT(first[order[1]], first[order[2]]);
}

TEST(Ranking, OfADraw_DoesNotChangeWithWhatIsDrawn) {
  auto snapshot = users({"ada", "bob", "eve"});
  snapshot.campaigns[1].priority = 1;
  const auto ranking = plan(snapshot, {.campaign_order = "tickets"}).ranking;
  for (snapshot.seed = 1; snapshot.seed < 20; ++snapshot.seed) EXPECT_EQ(plan(snapshot, {.campaign_order = "tickets"}).ranking, ranking);
}

TEST(Ranking, NamesTheClasses_AndACampaignTwice_WhereItGoesFirstOnClustersOfAffinity) {
  auto snapshot = users({"ada", "bob", "eve"});
  snapshot.clusters.push_back(a_cluster(2, "beta"));
  snapshot.pairs.push_back(a_pair(1, 2));
  snapshot.pairs[3].has_affinity = true;
  snapshot.campaigns[0].priority = 2;
  snapshot.campaigns[1].type = grid::CampaignType::test;
  const auto ranking = plan(snapshot, {.campaign_order = "priority,affinity"}).ranking;
  ASSERT_EQ(ranking.size(), 4U);
  EXPECT_EQ(ranking[0], (RankedClass{AffinityClass::any, {0, 4, 4, 4}, {campaign_id(2)}}));
  EXPECT_EQ(ranking[1], (RankedClass{AffinityClass::affinity, {1, 4, 4, 2}, {campaign_id(1)}}));
  EXPECT_EQ(ranking[2], (RankedClass{AffinityClass::others, {1, 4, 4, 2}, {campaign_id(1)}}));
  EXPECT_EQ(ranking[3], (RankedClass{AffinityClass::others, {1, 4, 4, 4}, {campaign_id(3)}}));
  EXPECT_EQ(plan(snapshot, {.campaign_order = "fifo"}).ranking.at(0).rank, (ClassRank{0, 0, 0, 0}));
}

TEST(Ranking, LeavesOutCampaignsThatNothingCanBeSentFor) {
  auto snapshot = users({"ada", "bob", "eve"});
  snapshot.campaigns[0].state = grid::CampaignState::paused;
  snapshot.campaigns[2].waiting_tasks = 0;
  const auto ranking = plan(snapshot, {.campaign_order = "fifo"}).ranking;
  ASSERT_EQ(ranking.size(), 1U);
  EXPECT_THAT(ids(ranking[0]), ElementsAre(2));
  snapshot.campaigns[1].state = grid::CampaignState::paused;
  EXPECT_TRUE(plan(snapshot, {.campaign_order = "fifo"}).ranking.empty());
}

}  // namespace
}  // namespace gleaner::planner::test
