#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "metascheduler/planner/orders/fairtree.hpp"
#include "metascheduler/planner/orders/tickets.hpp"
#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Orders, PriorityClasses_GoBeforeTheOrderWithinThem) {
  auto snapshot = users({"ada", "bob"});
  snapshot.campaigns[1].priority = 2;
  EXPECT_EQ(jobs_on(plan(snapshot, {.order = "priority"}), 2, 1), 16);
  EXPECT_EQ(jobs_on(plan(snapshot, {.order = "fifo"}), 1, 1), 16);
  EXPECT_EQ(jobs_on(plan(snapshot, {.order = "priority,fairshare"}), 2, 1), 16);
}

TEST(Orders, UnknownNames_GetTheClosestKnownOne) {
  EXPECT_THAT(check({.order = "fairshar"}).error(), HasSubstr("did you mean 'fairshare'?"));
  EXPECT_THAT(check({.order = "priorty,fifo"}).error(), HasSubstr("did you mean 'priority'?"));
  EXPECT_THAT(check({.order = "fifo,priority"}).error(), HasSubstr("'fifo' must come last"));
  EXPECT_THAT(check({.order = "priority,priority"}).error(), HasSubstr("named twice"));
  EXPECT_TRUE(check({.order = "affinity, priority, tickets"}));
  EXPECT_FALSE(check({.order = ""}));
}

TEST(Orders, LowestPriority_ComesLast_WhateverTheOrder) {
  auto snapshot = users({"ada", "bob"});
  snapshot.campaigns[0].priority = kLowestPriority;
  for (const auto name : order_names()) EXPECT_EQ(jobs_on(plan(snapshot, {.order = std::string{name}}), 2, 1), 16) << name;
}

TEST(FairShare, EqualShares_SplitOnePlanInHalves) {
  auto snapshot = users({"ada", "bob"});
  snapshot.users = {{.name = "ada", .share = 0.5}, {.name = "bob", .share = 0.5}};
  const auto result = plan(snapshot, {.order = "fairshare"});
  EXPECT_EQ(jobs_on(result, 1, 1), 8);
  EXPECT_EQ(jobs_on(result, 2, 1), 8);
}

TEST(FairShare, TheStandingOfACampaign_IsToldWithItsFigures) {
  auto snapshot = users({"ada"});
  snapshot.users = {{.name = "ada", .share = 0.25, .usage = 0.1}};
  const auto result = plan(snapshot, {.order = "fairshare"});
  ASSERT_EQ(result.standings.size(), 1U);
  EXPECT_EQ(result.standings[0].text, "fair share of ada: 0.150 = share 0.250 - usage 0.100");
}

TEST(FairShare, OfOneUser_TheCampaignsGoOneAfterTheOther_OrShareWhenSimultaneous) {
  auto snapshot = users({"ada", "ada"});
  snapshot.users = {{.name = "ada", .share = 1.0}};
  EXPECT_EQ(jobs_on(plan(snapshot, {.order = "fairshare"}), 1, 1), 16);
  const auto both = plan(snapshot, {.order = "tickets", .simultaneous = true});
  EXPECT_GT(jobs_on(both, 1, 1), 0);
  EXPECT_GT(jobs_on(both, 2, 1), 0);
}

TEST(FairTree, ABranchThatUsedLess_GoesBeforeTheOther_WithAllItsUsers) {
  // physics has used more of its half than biology of its own: both biologists go first.
  const std::vector<ShareNode> tree{{.name = "physics", .shares = 50, .usage = 0.6},
                                    {.name = "markov", .parent = 0, .shares = 1, .usage = 0.6, .is_user = true},
                                    {.name = "biology", .shares = 50, .usage = 0.4},
                                    {.name = "julie", .parent = 2, .shares = 1, .usage = 0.35, .is_user = true},
                                    {.name = "mendel", .parent = 2, .shares = 1, .usage = 0.05, .is_user = true}};
  EXPECT_THAT(ranked_users(tree, std::vector<double>(tree.size(), 0.0)), ElementsAre(4, 3, 1));
}

TEST(FairTree, BranchesThatAreLevel_AreRankedTogether) {
  const std::vector<ShareNode> tree{{.name = "a", .shares = 1, .usage = 0.5},
                                    {.name = "a1", .parent = 0, .shares = 1, .usage = 0.4, .is_user = true},
                                    {.name = "a2", .parent = 0, .shares = 1, .usage = 0.1, .is_user = true},
                                    {.name = "b", .shares = 1, .usage = 0.5},
                                    {.name = "b1", .parent = 3, .shares = 1, .usage = 0.25, .is_user = true},
                                    {.name = "b2", .parent = 3, .shares = 1, .usage = 0.25, .is_user = true}};
  EXPECT_THAT(ranked_users(tree, std::vector<double>(tree.size(), 0.0)), ElementsAre(2, 4, 5, 1));
}

TEST(FairTree, AUserWithoutShares_ComesLast) {
  auto snapshot = users({"nobody", "ada"});
  snapshot.shares = {{.name = "ada", .shares = 1, .usage = 0.9, .is_user = true}};
  EXPECT_EQ(jobs_on(plan(snapshot, {.order = "fairtree"}), 2, 1), 16);
}

TEST(Multifactor, TheSumOfTheWeightedFactorsDecides_AndIsTold) {
  auto snapshot = users({"ada", "bob"});
  snapshot.now = grid::from_unix(1001 + 86400);
  snapshot.campaigns[1].submitted = snapshot.now;
  PlannerConfig config{.order = "multifactor", .weights = {.age = 100, .fairshare = 0, .size = 0, .priority = 0, .affinity = 0}};
  EXPECT_EQ(jobs_on(plan(snapshot, config), 1, 1), 16);
  config.weights = {.age = 100, .fairshare = 1000, .size = 0, .priority = 0, .affinity = 0};
  snapshot.users = {{.name = "bob", .share = 0.5, .usage = 0.5}};
  const auto result = plan(snapshot, config);
  EXPECT_EQ(jobs_on(result, 2, 1), 16);
  ASSERT_EQ(result.standings.size(), 2U);
  EXPECT_EQ(result.standings[1].text, "priority 500 = age 0.00 x 100 + fair-share 0.50 x 1000 + size 0.06 x 0 + priority 0.50 x 0 + affinity 0.00 x 0");
}

TEST(Multifactor, Weights_AreReadByName) {
  EXPECT_DOUBLE_EQ(parse_weights("age:1,size:2.5").value().size, 2.5);
  EXPECT_DOUBLE_EQ(parse_weights("age:1").value().fairshare, 0);
  EXPECT_THAT(parse_weights("ages:1").error(), HasSubstr("did you mean 'age'?"));
  EXPECT_THAT(parse_weights("age:x").error(), HasSubstr("the weight of age is 'x'"));
  EXPECT_FALSE(parse_weights("age"));
}

TEST(Tickets, OverTenThousandDraws_TheSharesConvergeToTheTickets) {
  TicketBox box{4};
  const std::vector<double> tickets{4.0, 2.0, 0.0, 1.0};
  for (std::size_t i = 0; i < tickets.size(); ++i) box.set(i, tickets[i]);
  Draw random{42};
  std::map<std::size_t, int> drawn;
  for (int i = 0; i < 10'000; ++i) ++drawn[box.draw(random).value()];
  // Five standard deviations of a binomial draw are under 0.025.
  for (std::size_t i = 0; i < tickets.size(); ++i) EXPECT_NEAR(drawn[i] / 10'000.0, tickets[i] / 7.0, 0.025) << i;
  EXPECT_EQ(drawn[2], 0);
}

TEST(Tickets, WhoHandsThemIn_IsNotDrawnAgain) {
  TicketBox box{3};
  box.set(0, 1.0);
  box.set(2, 1.0);
  box.set(0, 0.0);
  Draw random{1};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(box.draw(random), 2U);
  box.set(2, 0.0);
  EXPECT_EQ(box.draw(random), std::nullopt);
}

TEST(Tickets, TheSameSeed_GivesTheSamePlan_AndAnotherOneGivesAnother) {
  auto snapshot = users({"ada", "bob", "eve"});
  const PlannerConfig config{.order = "tickets"};
  snapshot.seed = 1;
  const auto first = plan(snapshot, config).launches;
  EXPECT_EQ(first, plan(snapshot, config).launches);
  bool differs = false;
  for (snapshot.seed = 2; snapshot.seed < 10; ++snapshot.seed) differs = differs || first != plan(snapshot, config).launches;
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace gleaner::planner::test
