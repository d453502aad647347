#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>

#include "lib/grid/campaign_priority.hpp"
#include "metascheduler/planner/orders/fairtree.hpp"
#include "metascheduler/planner/orders/multifactor.hpp"
#include "metascheduler/planner/orders/tickets.hpp"
#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Orders, PriorityClasses_GoBeforeTheOrderWithinThem) {
  auto snapshot = users({"ada", "bob"});
  snapshot.campaigns[1].priority = 2;
  EXPECT_EQ(plan(snapshot, {.campaign_order = "priority"}), (Expect{.launched = {{2, 1, 16}}, .stopped = {{1, 1, "earlier_campaigns"}}}));
  EXPECT_EQ(plan(snapshot, {.campaign_order = "fifo"}), (Expect{.launched = {{1, 1, 16}}, .stopped = {{2, 1, "earlier_campaigns"}}}));
  EXPECT_EQ(plan(snapshot, {.campaign_order = "priority,fairshare"}),
            (Expect{.launched = {{2, 1, 16}}, .stopped = {{1, 1, "earlier_campaigns"}}}));
}

TEST(Orders, UnknownNames_GetTheClosestKnownOne) {
  EXPECT_THAT(check({.campaign_order = "fairshar"}).error(), HasSubstr("did you mean 'fairshare'?"));
  EXPECT_THAT(check({.campaign_order = "priorty,fifo"}).error(), HasSubstr("did you mean 'priority'?"));
  EXPECT_THAT(check({.campaign_order = "fifo,priority"}).error(), HasSubstr("'fifo' must come last"));
  EXPECT_THAT(check({.campaign_order = "priority,priority"}).error(), HasSubstr("named twice"));
  EXPECT_TRUE(check({.campaign_order = "affinity, priority, tickets"}));
  EXPECT_FALSE(check({.campaign_order = ""}));
}

/// The jobs that a campaign receives, of two that want all there is, may only depend on its priority where the note at submission supposes
/// it.
class PriorityEffects : public testing::TestWithParam<std::tuple<std::string, bool, double>> {
 protected:
  static Snapshot of(const std::vector<std::string>& names) {
    auto snapshot = users(names);
    snapshot.clusters[0].free_resources = snapshot.clusters[0].max_resources = 400;
    for (const auto* name : {"ada", "bob"}) {
      snapshot.users.push_back({.name = name, .share = 0.5});
      snapshot.shares.push_back({.name = name, .shares = 0.5, .is_user = true});
    }
    for (auto& campaign : snapshot.campaigns) campaign.waiting_tasks = 1000;
    return snapshot;
  }
  /// Whether the second campaign is treated otherwise when it has a high priority.
  static bool differs(Snapshot snapshot) {
    const auto [order, simultaneous, weight] = GetParam();
    const PlannerConfig config{
        .campaign_order = order, .simultaneous = simultaneous, .multifactor_weights = fmt::format("fairshare:1,priority:{}", weight)};
    const auto normal = plan(snapshot, config).launches;
    snapshot.campaigns[1].priority = 2;
    return plan(snapshot, config).launches != normal;
  }
};

TEST_P(PriorityEffects, AreAsTheNoteSupposes) {
  const auto [order, simultaneous, weight] = GetParam();
  const auto weights = fmt::format("age:5, priority:{}", weight);
  const auto effect = grid::effect_of_priority({.name = order, .weights = weights, .simultaneous = simultaneous});
  EXPECT_EQ(differs(of({"ada", "bob"})), effect == grid::PriorityEffect::on_all);
  EXPECT_EQ(differs(of({"ada", "ada"})), effect != grid::PriorityEffect::none);
}

std::vector<std::string> all_orders() {
  std::vector<std::string> orders;
  for (const auto name : order_names()) {
    for (const auto* classes : {"", "priority,", "affinity,", "affinity, priority,", "priority,affinity,"})
      orders.push_back(classes + std::string{name});
  }
  return orders;
}
INSTANTIATE_TEST_SUITE_P(OfEveryOrder, PriorityEffects,
                         testing::Combine(testing::ValuesIn(all_orders()), testing::Bool(), testing::Values(0.0, 1000.0)));

TEST(Orders, APriorityThatDoesNothing_IsReported_WithTheStandingIfThereIsOne) {
  auto snapshot = users({"ada", "bob"});
  snapshot.users = {{.name = "ada", .share = 0.25}};
  EXPECT_TRUE(plan(snapshot).standings.empty());
  snapshot.campaigns[0].priority = 2;
  snapshot.campaigns[1].priority = kLowestPriority;
  const auto fifo = plan(snapshot);
  ASSERT_EQ(fifo.standings.size(), 1U);
  EXPECT_EQ(fifo.standings[0].campaign, campaign_id(1));
  EXPECT_EQ(
      decisions::text_of(fifo.standings[0].figures),
      "campaign_priority 2 changes nothing in the order of campaigns here: the grid's campaign_order is 'fifo', without the class 'priority'");
  const auto fair = plan(snapshot, {.campaign_order = "fairshare"});
  EXPECT_THAT(decisions::text_of(fair.standings[0].figures),
              testing::AllOf(testing::StartsWith("fair share of ada"),
                             HasSubstr("; campaign_priority 2 sorts the campaigns of its own user only here")));
  EXPECT_TRUE(plan(snapshot, {.campaign_order = "priority"}).standings.empty());
  snapshot.campaigns[0].type = grid::CampaignType::test;
  EXPECT_TRUE(plan(snapshot).standings.empty()) << "it goes first anyway";
}

TEST(Orders, LowestPriority_ComesLast_WhateverTheOrder) {
  auto snapshot = users({"ada", "bob"});
  snapshot.campaigns[0].priority = kLowestPriority;
  for (const auto name : order_names()) EXPECT_EQ(jobs_on(plan(snapshot, {.campaign_order = std::string{name}}), 2, 1), 16) << name;
}

/// A campaign of ada on two clusters, with the first of which she has affinity.
Snapshot half_affine(std::int64_t tasks) {
  Snapshot snapshot{
      .clusters = {a_cluster(1), a_cluster(2, "beta")}, .campaigns = {a_campaign(1, tasks)}, .pairs = {a_pair(1, 1), a_pair(1, 2)}};
  snapshot.pairs[0].has_affinity = true;
  return snapshot;
}

TEST(Orders, ACampaignInTwoClasses_HasOneStanding_ThatStatesBoth) {
  for (const auto name : order_names())
    EXPECT_LE(plan(half_affine(100), {.campaign_order = "affinity," + std::string{name}}).standings.size(), 1U) << name;
  const auto result = plan(half_affine(100), {.campaign_order = "affinity,fairshare"});
  ASSERT_EQ(result.standings.size(), 1U);
  EXPECT_EQ(decisions::text_of(result.standings[0].figures),
            "where its user has affinity: fair share of ada: 0.000 = share 0.000 - usage 0.000; "
            "elsewhere: fair share of ada: 0.000 = share 0.000 - usage 0.000");
}

TEST(Orders, ACampaignWhoseTasksAllGoToItsFirstClass_IsReportedSoOnItsOtherClusters) {
  for (const auto name : order_names()) {
    const auto result = plan(half_affine(10), {.campaign_order = "affinity," + std::string{name}});
    EXPECT_EQ(result, (Expect{.launched = {{1, 1, 10}}, .stopped = {{1, 2, "tasks_elsewhere"}}})) << name;
    EXPECT_EQ(result, (Expect{.launched = {{1, 1, 10}}, .stopped = {{1, 2, "tasks_elsewhere"}}})) << name;
  }
}

TEST(FairShare, EqualShares_SplitOnePlanInHalves) {
  auto snapshot = users({"ada", "bob"});
  snapshot.users = {{.name = "ada", .share = 0.5}, {.name = "bob", .share = 0.5}};
  const auto result = plan(snapshot, {.campaign_order = "fairshare"});
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 8}, {2, 1, 8}}}));
}

TEST(FairShare, TheStandingOfACampaign_IsReportedWithItsFigures) {
  auto snapshot = users({"ada"});
  snapshot.users = {{.name = "ada", .share = 0.25, .usage = 0.1}};
  const auto result = plan(snapshot, {.campaign_order = "fairshare"});
  ASSERT_EQ(result.standings.size(), 1U);
  EXPECT_EQ(decisions::text_of(result.standings[0].figures), "fair share of ada: 0.150 = share 0.250 - usage 0.100");
}

TEST(FairShare, OfOneUser_TheCampaignsGoOneAfterTheOther_OrShareWhenSimultaneous) {
  auto snapshot = users({"ada", "ada"});
  snapshot.users = {{.name = "ada", .share = 1.0}};
  EXPECT_EQ(plan(snapshot, {.campaign_order = "fairshare"}), (Expect{.launched = {{1, 1, 16}}, .stopped = {{2, 1, "earlier_campaigns"}}}));
  const auto both = plan(snapshot, {.campaign_order = "tickets", .simultaneous = true});
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
  EXPECT_EQ(plan(snapshot, {.campaign_order = "fairtree"}), (Expect{.launched = {{2, 1, 16}}, .stopped = {{1, 1, "earlier_campaigns"}}}));
}

TEST(Multifactor, TheSumOfTheWeightedFactorsDecides_AndIsReported) {
  auto snapshot = users({"ada", "bob"});
  snapshot.now = grid::from_unix(1001 + 86400);
  snapshot.campaigns[1].submitted = snapshot.now;
  PlannerConfig config{.campaign_order = "multifactor", .multifactor_weights = "age:100"};
  EXPECT_EQ(plan(snapshot, config), (Expect{.launched = {{1, 1, 16}}, .stopped = {{2, 1, "earlier_campaigns"}}}));
  config.multifactor_weights = "age:100,fairshare:1000";
  snapshot.users = {{.name = "bob", .share = 0.5, .usage = 0.5}};
  const auto result = plan(snapshot, config);
  EXPECT_EQ(result, (Expect{.launched = {{2, 1, 16}}, .stopped = {{1, 1, "earlier_campaigns"}}}));
  ASSERT_EQ(result.standings.size(), 2U);
  EXPECT_EQ(decisions::text_of(result.standings[1].figures),
            "priority 500 = age 0.00 x 100 + fair-share 0.50 x 1000 + size 0.06 x 0 + priority 0.50 x 0 + affinity 0.00 x 0 "
            "+ project 0.00 x 0 + early 0.00 x 0");
}

/// Document 003: "we can also imagine another priority level by projects, like the OAR fairsharing currently does".
TEST(Multifactor, Document003_AProjectThatUsedLessOfItsShare_GoesFirst) {
  auto snapshot = users({"ada", "bob", "eve"});
  snapshot.shares = {{.name = "physics", .shares = 1, .usage = 0.5},
                     {.name = "ada", .parent = 0, .shares = 1, .usage = 0.5, .is_user = true},
                     {.name = "biology", .shares = 1},
                     {.name = "bob", .parent = 2, .shares = 1, .is_user = true}};
  for (auto& campaign : snapshot.campaigns) campaign.project = "biology";
  snapshot.campaigns[0].project = "physics";
  PlannerConfig config{.campaign_order = "multifactor", .multifactor_weights = "project:1000"};
  auto result = plan(snapshot, config);
  EXPECT_EQ(jobs_on(result, 2, 1), 16);
  EXPECT_THAT(decisions::text_of(result.standings[0].figures), HasSubstr("project 0.50 x 1000"));
  EXPECT_THAT(decisions::text_of(result.standings[1].figures), HasSubstr("project 1.00 x 1000"));
  EXPECT_THAT(decisions::text_of(result.standings[2].figures), HasSubstr("project 0.00 x 1000"))
      << "eve names a project that she is not in";
  snapshot.campaigns[0].project = "biology";
  result = plan(snapshot, config);
  EXPECT_THAT(decisions::text_of(result.standings[0].figures), HasSubstr("project 0.50 x 1000")) << "ada's own project counts";
}

TEST(Multifactor, TheShareOfAProjectBelowAnother_IsPartOfThat) {
  auto snapshot = users({"ada"});
  snapshot.shares = {{.name = "physics", .shares = 1, .usage = 0.25},
                     {.name = "optics", .parent = 0, .shares = 1, .usage = 0.25},
                     {.name = "rest", .parent = 0, .shares = 1},
                     {.name = "ada", .parent = 1, .shares = 1, .usage = 0.25, .is_user = true},
                     {.name = "biology", .shares = 1}};
  const auto result = plan(snapshot, {.campaign_order = "multifactor", .multifactor_weights = "project:1000"});
  EXPECT_THAT(decisions::text_of(result.standings[0].figures), HasSubstr("project 0.50 x 1000")) << "2^(-0.25 / (1/2 of 1/2))";
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

TEST(Tickets, WeighResources_NotJobs) {
  auto snapshot = users({"ada", "bob"});
  snapshot.pairs[0].live_jobs = 8;
  snapshot.pairs[1].live_jobs = 2;
  snapshot.pairs[1].resources_per_job = 4;
  snapshot.pairs[1].job_ratio = 0.25;
  const auto result = plan(snapshot, {.campaign_order = "tickets"});
  ASSERT_EQ(result.standings.size(), 2U);
  for (const auto& standing : result.standings) EXPECT_THAT(decisions::text_of(standing.figures), HasSubstr("resources 1.00"));
}

/// Resources that bob's campaign of wide jobs gets of a thousand, beside ada's of narrow ones, over some draws.
TEST(Tickets, OfWideJobs_BringNoMoreResources) {
  double wide = 0.0, all = 0.0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto snapshot = users({"ada", "bob"});
    snapshot.seed = seed;
    snapshot.clusters[0].max_resources = snapshot.clusters[0].free_resources = 1024;
    for (auto& campaign : snapshot.campaigns) campaign.waiting_tasks = 100'000;
    snapshot.pairs[1].resources_per_job = 32;
    snapshot.pairs[1].job_ratio = 1.0 / 32;
    for (const auto& launch : plan(snapshot, {.campaign_order = "tickets", .reservations = false}).launches) {
      all += launch.resources;
      wide += launch.campaign == campaign_id(2) ? launch.resources : 0.0;
    }
  }
  EXPECT_GE(wide / all, 0.3);
  EXPECT_LE(wide / all, 0.6);
}

TEST(Tickets, TheSameSeed_GivesTheSamePlan_AndAnotherOneGivesAnother) {
  auto snapshot = users({"ada", "bob", "eve"});
  const PlannerConfig config{.campaign_order = "tickets"};
  snapshot.seed = 1;
  const auto first = plan(snapshot, config).launches;
  EXPECT_EQ(first, plan(snapshot, config).launches);
  bool differs = false;
  for (snapshot.seed = 2; snapshot.seed < 10; ++snapshot.seed) differs = differs || first != plan(snapshot, config).launches;
  EXPECT_TRUE(differs);
}

/// Seconds of the processor: what else the machine does counts for nothing.
double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Seconds that a plan takes, the least of three.
double seconds_of(const Snapshot& snapshot, const PlannerConfig& config) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const double begin = processor_seconds();
    EXPECT_FALSE(plan(snapshot, config).decisions.empty());
    least = std::min(least, processor_seconds() - begin);
  }
  return least;
}

TEST(FairTree, OfHundredsOfUsers_TakesAboutTheProcessorTimeOfFairShare) {
  std::vector<std::string> names;
  for (int i = 0; i < 400; ++i) names.push_back(fmt::format("a user with a long name {}", i));
  auto snapshot = users(names);
  for (const auto& name : names) {
    snapshot.users.push_back({.name = name, .share = 1.0 / 400});
    snapshot.shares.push_back({.name = name, .is_user = true});
  }
  const double fairshare = seconds_of(snapshot, {.campaign_order = "fairshare"});
  EXPECT_LT(seconds_of(snapshot, {.campaign_order = "fairtree"}), 10.0 * fairshare);
}

}  // namespace
}  // namespace gleaner::planner::test
