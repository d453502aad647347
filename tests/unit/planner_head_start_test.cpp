#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "metascheduler/planner/head_start.hpp"
#include "metascheduler/planner/orders/order.hpp"
#include "metascheduler/planner/room.hpp"
#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

using testing::HasSubstr;

/// A grid of so many resources, of which some are free; each campaign has 1000 tasks of which none has begun.
Snapshot grid_of(int resources, int free, const std::vector<std::string>& names, std::int64_t tasks = 1000) {
  auto snapshot = users(names);
  snapshot.clusters[0].max_resources = resources;
  snapshot.clusters[0].free_resources = free;
  for (auto& campaign : snapshot.campaigns) campaign.waiting_tasks = campaign.unsettled_tasks = tasks;
  return snapshot;
}

/// So many of a campaign's tasks run, and so many are done.
void begin(Snapshot& snapshot, std::size_t campaign, int live, std::int64_t done = 0) {
  auto& view = snapshot.campaigns[campaign];
  view.waiting_tasks -= live + done;
  view.unsettled_tasks -= done;
  view.settled_tasks += done;
  snapshot.pairs[campaign].live_jobs += live;
  snapshot.pairs[campaign].concluded_jobs += done;
}

PlannerConfig head_start(const std::string& order = "fifo") { return {.campaign_order = order, .head_start = true}; }

std::string why(const Plan& plan, std::int64_t campaign) {
  const auto found = std::ranges::find(plan.standings, campaign_id(campaign), &Standing::campaign);
  return found == plan.standings.end() ? "" : decisions::text_of(found->figures);
}

TEST(HeadStart, Document003_Note4_InitialJobsOfACampaignGoBeforeLaterJobsOfAnotherOne_InEveryOrder) {
  for (const auto name : order_names()) {
    auto snapshot = grid_of(400, 50, {"ada", "bob"});
    begin(snapshot, 0, 350);
    for (const auto* user : {"ada", "bob"}) {
      snapshot.users.push_back({.name = user, .share = *user == 'a' ? 1.0 : 0.0, .usage = *user == 'a' ? 0.0 : 1.0});
      snapshot.shares.push_back({.name = user, .shares = *user == 'a' ? 1e6 : 1e-6, .usage = *user == 'a' ? 0.0 : 9.0, .is_user = true});
    }
    const auto result = plan(snapshot, head_start(std::string{name}));
    EXPECT_GE(jobs_on(result, 2, 1), 20) << name;
    EXPECT_EQ(jobs_on(result, 1, 1) + jobs_on(result, 2, 1), 50) << name << ": nothing is left idle";
    if (name == "tickets") continue;  // the draw gives later tasks to both
    EXPECT_EQ(jobs_on(result, 2, 1), 20) << name << ": its later tasks have their place in the order";
  }
}

TEST(HeadStart, IsOff_UnlessAsked) {
  auto snapshot = grid_of(400, 50, {"ada", "bob"});
  begin(snapshot, 0, 350);
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 50}}, .stopped = {{2, 1, "earlier_campaigns"}}}));
  EXPECT_TRUE(plan(snapshot).standings.empty());
}

TEST(HeadStart, GivesTheRestOfTheFirstTasks_AndNoneOnceTheyHaveBegun) {
  auto snapshot = grid_of(400, 50, {"ada", "bob"});
  begin(snapshot, 0, 336);
  begin(snapshot, 1, 14);
  EXPECT_EQ(plan(snapshot, head_start()), (Expect{.launched = {{1, 1, 44}, {2, 1, 6}}}));
  begin(snapshot, 1, 6);
  EXPECT_EQ(plan(snapshot, head_start()), (Expect{.launched = {{1, 1, 50}}, .stopped = {{2, 1, "earlier_campaigns"}}}));
}

TEST(HeadStart, IsATenthOfASmallCampaign_AndAtLeastOneTask) {
  auto campaign = a_campaign(1);
  const PlannerConfig config;
  for (const auto& [tasks, first] : std::map<std::int64_t, std::int64_t>{
           {0, 1}, {1, 1}, {10, 1}, {11, 2}, {50, 5}, {199, 20}, {200, 20}, {100'000, 20}, {9'000'000'000'000'000'000, 20}}) {
    campaign.unsettled_tasks = tasks;
    EXPECT_EQ(first_tasks(campaign, config), first) << tasks;
  }
}

TEST(HeadStart, OfAThousandTinyCampaignsOfOneUser_IsNoMoreThanOfOne) {
  std::vector<std::string> names(1001, "eve");
  names[0] = "ada";
  auto snapshot = grid_of(400, 50, names, 1);
  snapshot.campaigns[0].waiting_tasks = snapshot.campaigns[0].unsettled_tasks = 1000;
  begin(snapshot, 0, 350);
  EXPECT_EQ(jobs_on(plan(snapshot, head_start()), 1, 1), 30);
  // In the next plan the first 20 run, and the bound is reached, whatever the others are.
  for (std::size_t i = 1; i <= 20; ++i) begin(snapshot, i, 1);
  const auto next = plan(snapshot, head_start());
  EXPECT_EQ(jobs_on(next, 1, 1), 50);
  EXPECT_EQ(
      why(next, 500),
      "head start: 0 of its first 1 task have begun, and no more may begin early now: first tasks of its user have 20 of at most 20 jobs");
}

TEST(HeadStart, AnotherUserHasOne_WhileTheFirstHasReachedTheBound) {
  auto snapshot = grid_of(400, 50, {"ada", "eve", "eve", "bob"});
  begin(snapshot, 0, 330);
  begin(snapshot, 1, 20);
  EXPECT_EQ(plan(snapshot, head_start()),
            (Expect{.launched = {{1, 1, 30}, {4, 1, 20}}, .stopped = {{2, 1, "earlier_campaigns"}, {3, 1, "earlier_campaigns"}}}));
}

TEST(HeadStart, UsersWhoHoldLeastByItGoFirst) {
  auto snapshot = grid_of(400, 5, {"ada", "eve", "bob"});
  begin(snapshot, 0, 385);
  begin(snapshot, 1, 10);
  EXPECT_EQ(jobs_on(plan(snapshot, head_start()), 3, 1), 5);
}

TEST(HeadStart, HoldsAtMostATenthOfTheGrid) {
  auto snapshot = grid_of(100, 50, {"ada", "bob"});
  begin(snapshot, 0, 50);
  EXPECT_EQ(jobs_on(plan(snapshot, head_start()), 2, 1), 10);
  snapshot.pairs[1] = a_pair(2, 1, 4);
  EXPECT_EQ(jobs_on(plan(snapshot, head_start()), 2, 1), 2) << "jobs of 4 resources";
  snapshot.pairs[1] = a_pair(2, 1, 11);
  EXPECT_EQ(jobs_on(plan(snapshot, head_start()), 2, 1), 0) << "one job takes more than the head start may hold";
  auto config = head_start();
  config.early_grid_percent = 11;
  EXPECT_EQ(jobs_on(plan(snapshot, config), 2, 1), 1);
}

TEST(HeadStart, MakesNoReservationBeforeOthers) {
  auto snapshot = grid_of(400, 3, {"ada", "bob"});
  begin(snapshot, 0, 397);
  snapshot.pairs[1] = a_pair(2, 1, 4);
  snapshot.clusters[0].endings = {{.after = 600, .resources = 397}};
  EXPECT_EQ(jobs_on(plan(snapshot, head_start()), 1, 1), jobs_on(plan(snapshot), 1, 1));
}

TEST(HeadStart, IsNotGivenAgain_ToTasksThatFailedAndAreRetried_NorForAppendedTasks) {
  auto snapshot = grid_of(400, 50, {"ada", "bob"});
  begin(snapshot, 0, 350);
  begin(snapshot, 1, 0, 20);
  auto& retried = snapshot.campaigns[1];
  retried.waiting_tasks = retried.unsettled_tasks = 1000;
  retried.settled_tasks = 0;
  EXPECT_EQ(jobs_on(plan(snapshot, head_start()), 2, 1), 0);
  retried.waiting_tasks = retried.unsettled_tasks = 100'000;
  EXPECT_EQ(jobs_on(plan(snapshot, head_start()), 2, 1), 0);
}

TEST(HeadStart, OfTasksThatOthersHold_HasNotBegun) {
  auto campaign = a_campaign(1, 0);
  campaign.unsettled_tasks = campaign.held_tasks = 100;
  EXPECT_EQ(begun_tasks(campaign, 0), 0);
}

TEST(HeadStart, StaysWithinPriorityClasses_AndBehindTestCampaigns) {
  auto snapshot = grid_of(400, 50, {"ada", "bob"});
  begin(snapshot, 0, 350);
  snapshot.campaigns[0].priority = 2;
  EXPECT_EQ(jobs_on(plan(snapshot, head_start("priority")), 2, 1), 0) << "a level is served before the next one begins";
  EXPECT_EQ(jobs_on(plan(snapshot, head_start()), 2, 1), 20);
  snapshot.campaigns[1].priority = kLowestPriority;
  EXPECT_EQ(jobs_on(plan(snapshot, head_start()), 2, 1), 0) << "the lowest gives way to all";
  snapshot.clusters[0].free_resources = 1;
  snapshot.campaigns[1].priority = kNormalPriority;
  snapshot.campaigns[0].type = grid::CampaignType::test;
  snapshot.pairs[0].live_jobs = 0;
  EXPECT_EQ(jobs_on(plan(snapshot, head_start()), 1, 1), 1);
}

TEST(HeadStart, ObeysLimits_AndMaxJobs) {
  auto snapshot = grid_of(400, 50, {"ada", "bob"});
  begin(snapshot, 0, 350);
  snapshot.pairs[1].max_jobs = 3;
  EXPECT_EQ(plan(snapshot, head_start()), (Expect{.launched = {{1, 1, 47}, {2, 1, 3}}}));
}

TEST(HeadStart, UnknownLaunchesCount_SoThatNoOneGetsItTwice) {
  auto snapshot = grid_of(400, 50, {"ada", "bob", "bob"});
  begin(snapshot, 0, 330);
  begin(snapshot, 1, 20);
  std::swap(snapshot.pairs[1].live_jobs, snapshot.pairs[1].frozen_jobs);
  EXPECT_EQ(jobs_on(plan(snapshot, head_start()), 3, 1), 0);
}

TEST(HeadStart, OfAPausedCampaign_CountsForItsUser) {
  auto snapshot = grid_of(400, 50, {"ada", "bob", "bob"});
  begin(snapshot, 0, 330);
  begin(snapshot, 1, 20);
  snapshot.campaigns[1].state = grid::CampaignState::paused;
  EXPECT_EQ(jobs_on(plan(snapshot, head_start()), 3, 1), 0);
}

TEST(HeadStart, OnClustersOfAffinity_CountsElsewhereToo) {
  auto snapshot = grid_of(400, 50, {"ada", "bob"});
  snapshot.clusters.push_back(snapshot.clusters[0]);
  snapshot.clusters[1].id = cluster_id(2);
  snapshot.clusters[1].name = "beta";
  snapshot.pairs.insert(snapshot.pairs.begin() + 1, a_pair(1, 2));
  snapshot.pairs.push_back(a_pair(2, 2));
  snapshot.pairs[0].live_jobs = 350;
  snapshot.campaigns[0].waiting_tasks -= 350;
  snapshot.pairs[3].has_affinity = true;
  const auto result = plan(snapshot, head_start("affinity"));
  EXPECT_EQ(jobs_on(result, 2, 2), 50) << "alone in its class";
  EXPECT_EQ(jobs_on(result, 2, 1), 0) << "20 tasks had their head start on beta";
}

TEST(HeadStart, IsReported) {
  auto snapshot = grid_of(400, 50, {"ada", "bob"});
  begin(snapshot, 0, 350);
  begin(snapshot, 1, 4);
  const auto result = plan(snapshot, head_start());
  EXPECT_EQ(
      why(result, 2),
      "head start: 4 of its first 20 tasks have begun, and 16 more may begin before others' later tasks: first tasks of its user have 4 of "
      "at most 20 jobs, and hold 4 of at most 40 resources");
  EXPECT_EQ(why(result, 1), "");
}

// The factor of the order multifactor.

PlannerConfig early_weighs() { return {.campaign_order = "multifactor", .multifactor_weights = "age:100,early:1000"}; }

TEST(MultifactorEarly, Document003_Note4_RaisesTheFirstTasks_AndNotTheLaterOnes) {
  auto snapshot = grid_of(400, 50, {"ada", "bob"});
  snapshot.now = grid::from_unix(1001 + 86400);
  snapshot.campaigns[1].submitted = snapshot.now;
  begin(snapshot, 0, 350);
  const auto result = plan(snapshot, early_weighs());
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 30}, {2, 1, 20}}}));
  EXPECT_THAT(why(result, 2), HasSubstr("+ early 1.00 x 1000"));
  EXPECT_THAT(why(result, 2), HasSubstr("head start: 0 of its first 20 tasks have begun"));
  EXPECT_THAT(why(result, 1), HasSubstr("+ early 0.00 x 1000"));
}

TEST(MultifactorEarly, FallsFromOneToZero_AsFirstTasksBegin) {
  double last = 2.0;
  for (int begun = 0; begun <= 25; ++begun) {
    auto snapshot = grid_of(400, 50, {"bob"});
    begin(snapshot, 0, begun % 3, begun - begun % 3);
    std::vector<Contender> contenders(1);
    contenders[0].campaign = &snapshot.campaigns[0];
    contenders[0].candidates = {candidate_of(snapshot.pairs[0], snapshot.clusters[0], 0)};
    const HeadStarts starts{snapshot, {}, contenders};
    const double factor = starts.factor(0);
    EXPECT_DOUBLE_EQ(factor, std::max(0, 20 - begun) / 20.0);
    EXPECT_LE(factor, last);
    last = factor;
  }
}

TEST(MultifactorEarly, OfManyCampaignsOfOneUser_IsBoundedToo) {
  std::vector<std::string> names(1001, "eve");
  names[0] = "ada";
  auto snapshot = grid_of(400, 50, names, 1);
  snapshot.now = grid::from_unix(1001 + 86400);
  for (std::size_t i = 1; i < names.size(); ++i) snapshot.campaigns[i].submitted = snapshot.now;
  snapshot.campaigns[0].waiting_tasks = snapshot.campaigns[0].unsettled_tasks = 1000;
  begin(snapshot, 0, 350);
  EXPECT_EQ(jobs_on(plan(snapshot, early_weighs()), 1, 1), 30);
}

// Laws, over drawn snapshots.

class HeadStartLaws : public testing::TestWithParam<std::string> {};

TEST_P(HeadStartLaws, EveryCampaignHasItsTurn_AndTheOrderOfTheListsDoesNotMatter) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 draw{seed};
    const auto up_to = [&](int most) { return static_cast<int>(draw() % static_cast<unsigned>(most + 1)); };
    std::vector<std::string> names;
    for (int i = up_to(30); i >= 0; --i) names.push_back(fmt::format("u{}", up_to(4)));
    auto snapshot = grid_of(1000, 1 + up_to(300), names, 1 + up_to(400));
    for (std::size_t i = 0; i < names.size(); ++i) {
      snapshot.pairs[i] = a_pair(static_cast<std::int64_t>(i) + 1, 1, 1 + up_to(3) / 3 * up_to(120));
      const auto begun = static_cast<int>(std::min<std::int64_t>(up_to(40), snapshot.campaigns[i].waiting_tasks - 1));
      const int live = up_to(begun);
      begin(snapshot, i, live, begun - live);
    }
    auto config = head_start(GetParam());
    config.multifactor_weights = "age:10,early:100";
    const auto result = plan(snapshot, config);
    auto shuffled = snapshot;
    std::ranges::reverse(shuffled.campaigns);
    std::ranges::reverse(shuffled.pairs);
    EXPECT_EQ(result.launches, plan(shuffled, config).launches) << seed;
    for (const auto& campaign : snapshot.campaigns) EXPECT_NE(reason_on(result, campaign.id.value(), 1), "no decision") << seed;

    const auto without = [&] {
      auto other = config;
      other.head_start = false;
      other.multifactor_weights = "age:10";
      return plan(snapshot, other);
    }();
    const auto all = [](const Plan& of) {
      double resources = 0;
      for (const auto& launch : of.launches) resources += launch.jobs;
      return resources;
    };
    EXPECT_EQ(all(result) > 0, all(without) > 0) << seed;
  }
}
INSTANTIATE_TEST_SUITE_P(OfEveryOrder, HeadStartLaws,
                         testing::Values("fifo", "fairshare", "fairtree", "multifactor", "tickets", "cheapest"));

TEST(HeadStartLaws, ResourcesGrantedToAUser_WithTheLiveOnes_NeverExceedTheBound) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 draw{seed};
    const auto up_to = [&](int most) { return static_cast<int>(draw() % static_cast<unsigned>(most + 1)); };
    auto snapshot = grid_of(200, 200, std::vector<std::string>(static_cast<std::size_t>(1 + up_to(40)), "eve"), 1 + up_to(60));
    PlannerConfig config{.early_tasks = 1 + up_to(30), .early_percent = 1 + up_to(99), .early_grid_percent = 1 + up_to(99)};
    std::vector<Contender> contenders(snapshot.campaigns.size());
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      snapshot.pairs[i] = a_pair(static_cast<std::int64_t>(i) + 1, 1, 1 + up_to(30));
      contenders[i].campaign = &snapshot.campaigns[i];
      contenders[i].candidates = {candidate_of(snapshot.pairs[i], snapshot.clusters[0], 0)};
    }
    HeadStarts starts{snapshot, config, contenders};
    double resources = 0;
    int jobs = 0;
    std::vector<std::size_t> members(contenders.size());
    for (std::size_t i = 0; i < members.size(); ++i) members[i] = i;
    for (const auto member : starts.in_order(members)) {
      const int each = *snapshot.pairs[member].resources_per_job;
      const int given = static_cast<int>(starts.resources(member) / each);
      starts.served(member, {.resources = static_cast<double>(given * each), .jobs = given});
      resources += given * each;
      jobs += given;
    }
    EXPECT_LE(jobs, config.early_tasks) << seed;
    EXPECT_LE(resources, std::max(1.0, 2.0 * config.early_grid_percent)) << seed;
  }
}

}  // namespace
}  // namespace gleaner::planner::test
