#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

using testing::HasSubstr;

grid::Limit a_licence(double most, double used = 0) {
  return {.id = 7, .kind = LimitKind::consumable, .most = most, .used = used, .consumable = "matlab"};
}

/// One campaign on alpha and beta, each of 16 free resources; its tasks need so many licences, and there are so many.
Snapshot licensed(int each, double most, double used = 0) {
  auto snapshot = two_clusters(100);
  snapshot.campaigns[0].needs = {{"gpu", 1}, {"matlab", each}};
  snapshot.limits = {a_licence(most, used)};
  return snapshot;
}

int jobs_of(const Snapshot& snapshot, std::int64_t campaign = 1) {
  const auto result = plan(snapshot);
  return jobs_on(result, campaign, 1) + jobs_on(result, campaign, 2);
}

std::string why(const Snapshot& snapshot, std::int64_t campaign = 1, std::int64_t cluster = 1) {
  const auto result = plan(snapshot);
  return explain(*decision_on(result, campaign, cluster), {{cluster_id(1), "alpha"}, {cluster_id(2), "beta"}});
}

TEST(Document001, ScarceLicences_AreCountedOnAllClustersTogether) {
  EXPECT_EQ(jobs_of(licensed(1, 1000)), 32);
  EXPECT_EQ(jobs_of(licensed(1, 20)), 20);
  EXPECT_EQ(jobs_of(licensed(1, 20, 15)), 5);
  EXPECT_EQ(jobs_of(licensed(3, 20)), 6) << "six jobs hold 18, and a seventh would need 21";
  EXPECT_EQ(jobs_of(licensed(1, 20, 25)), 0) << "a lowered limit gives nothing more";
  EXPECT_EQ(jobs_of(licensed(21, 20)), 0);
  auto snapshot = licensed(1, 20);
  snapshot.campaigns[0].needs.erase("matlab");
  EXPECT_EQ(jobs_of(snapshot), 32) << "it needs none";
}

TEST(Document001, TheReasonOfAScarceLicence_NamesIt_HowMuchIsInUse_AndByWhom) {
  auto snapshot = licensed(1, 20, 20);
  EXPECT_THAT(why(snapshot), HasSubstr("limit 7 (consumable matlab): 20 of 20 are in use, 20 by others"));
  snapshot.pairs[0].live_jobs = 12;
  snapshot.campaigns.push_back(a_campaign(2));
  snapshot.campaigns[1].needs = {{"matlab", 4}};
  snapshot.pairs.push_back(a_pair(2, 2));
  snapshot.pairs[2].live_jobs = snapshot.pairs[2].frozen_jobs = 1;
  EXPECT_THAT(why(snapshot), HasSubstr("20 of 20 are in use, 8 by campaign 2;"));
  EXPECT_THAT(why(snapshot, 2, 2), HasSubstr("20 of 20 are in use, 12 by campaign 1;"));
  snapshot.pairs[0].live_jobs = 20;
  snapshot.pairs.pop_back();
  EXPECT_THAT(why(snapshot), HasSubstr("20 of 20 are in use, all by this campaign; more jobs start on alpha when jobs end"));
}

/// The sentence is held against what then happens: what it names as the remedy starts a job, and what it does not name starts none.
TEST(Document001, ALimitThatOneJobExceeds_IsNotSaidToWaitForOthersToEnd) {
  auto snapshot = licensed(8, 4);
  EXPECT_THAT(why(snapshot), HasSubstr("0 of 4 are in use, and a job needs 8; a job starts on alpha with a larger limit"));
  EXPECT_EQ(jobs_of(snapshot), 0) << "nothing is live that could end";
  snapshot.limits[0].most = 8;
  EXPECT_EQ(jobs_of(snapshot), 1);
  snapshot = licensed(8, 12, 8);
  EXPECT_THAT(why(snapshot), HasSubstr("8 of 12 are in use, 8 by others, and a job needs 8; more jobs start on alpha when jobs end"));
  snapshot.limits[0].used = 0;
  EXPECT_EQ(jobs_of(snapshot), 1) << "they ended";
}

TEST(Document001, CampaignsThatNeedALicence_ShareIt_AndThoseOfThePlanAreNamed) {
  auto snapshot = users({"ada", "bob", "eve"});
  snapshot.clusters[0].max_resources = snapshot.clusters[0].free_resources = 300;
  snapshot.campaigns[0].needs = snapshot.campaigns[1].needs = {{"matlab", 1}};
  snapshot.campaigns[0].waiting_tasks = 6;
  snapshot.limits = {a_licence(10)};
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 6}, {2, 1, 4}, {3, 1, 100}}}));
  EXPECT_THAT(why(snapshot, 2), HasSubstr("limit 7 (consumable matlab): "));
  snapshot.limits = {a_licence(6)};
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 6}, {3, 1, 100}}, .stopped = {{2, 1, "limit_reached"}}}));
  EXPECT_THAT(why(snapshot, 2), HasSubstr("6 of 6 are in use, 6 by campaign 1;"));
}

TEST(Document001, ALicenceOfOneUser_HoldsThatUser_WithinWhatAllHave) {
  auto snapshot = users({"ada", "bob"});
  for (auto& campaign : snapshot.campaigns) campaign.needs = {{"matlab", 1}};
  snapshot.limits = {a_licence(10), a_licence(3)};
  snapshot.limits[1].user = "ada";
  EXPECT_EQ(jobs_of(snapshot, 1), 3);
  EXPECT_EQ(jobs_of(snapshot, 2), 7);
}

TEST(Document001, AJobThatCarriesOutTasksSideBySide_HoldsALicenceForEach) {
  auto snapshot = one_of_each(4);
  snapshot.campaigns[0].needs = {{"matlab", 1}};
  snapshot.campaigns[0].grouping = grid::Grouping::on;
  snapshot.campaigns[0].side_by_side = true;
  snapshot.limits = {a_licence(9)};
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 2}}})) << "of four tasks each";
  snapshot.campaigns[0].side_by_side = false;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 4}}})) << "all that there is room for, one task after the other";
}

TEST(Document001, AReplica_HoldsALicenceToo) {
  auto snapshot = licensed(1, 6, 4);
  snapshot.campaigns[0].waiting_tasks = 0;
  snapshot.campaigns[0].replicas_allowed = true;
  snapshot.pairs[0].live_jobs = snapshot.pairs[0].replicable_tasks = 4;
  const auto result = plan(snapshot);
  ASSERT_EQ(result.replicas.size(), 1U);
  EXPECT_EQ(result.replicas[0].jobs, 2);
}

TEST(Document004, ALimitOfAGroup_HoldsTheCampaignsOfItsMembers_Together) {
  auto snapshot = users({"ada", "bob", "eve"});
  snapshot.clusters[0].max_resources = snapshot.clusters[0].free_resources = 300;
  snapshot.campaigns[0].groups = {"chemistry"};
  snapshot.campaigns[1].groups = {"biology", "chemistry"};
  snapshot.campaigns[0].waiting_tasks = 4;
  snapshot.limits = {{.id = 7, .kind = LimitKind::running_jobs, .most = 6, .group = "chemistry"}};
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 4}, {2, 1, 2}, {3, 1, 100}}}));
  snapshot.campaigns[0].waiting_tasks = 6;
  EXPECT_THAT(why(snapshot, 2), HasSubstr("limit 7 (group chemistry): at most 6 jobs at once, 6 now"));
}

}  // namespace
}  // namespace gleaner::planner::test
