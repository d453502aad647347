// Projects, unix groups and users with shares and priorities: document 001, "fair-share", and document 003, the wish for "another priority
// level by projects, like the OAR fairsharing", and its note 4, "priority by user group".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "lib/grid/share_tree.hpp"
#include "lib/process/options.hpp"
#include "metascheduler/planner/orders/order.hpp"
#include "metascheduler/planner/orders/share_draw.hpp"
#include "metascheduler/shares_of.hpp"
#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Physics with ada and bob, and biology with eve. Their campaigns want all 16 resources.
Snapshot departments(double physics, double biology) {
  auto snapshot = users({"ada", "bob", "eve"});
  snapshot.shares = {{.name = "physics", .shares = physics},
                     {.name = "ada", .parent = 0, .shares = 1, .is_user = true},
                     {.name = "bob", .parent = 0, .shares = 1, .is_user = true},
                     {.name = "biology", .shares = biology},
                     {.name = "eve", .parent = 3, .shares = 1, .is_user = true}};
  return snapshot;
}
std::string standing(const Plan& plan, std::int64_t campaign) {
  for (const auto& one : plan.standings) {
    if (one.campaign == campaign_id(campaign)) return decisions::text_of(one.figures);
  }
  return "";
}

TEST(FairShare, Document001_DepartmentsShareOnePlan_HoweverManyUsersTheyHave) {
  EXPECT_EQ(plan(departments(1, 1), {.campaign_order = "fairshare"}), (Expect{.launched = {{1, 1, 4}, {2, 1, 4}, {3, 1, 8}}}));
  auto none_of_physics = departments(1, 1);
  for (auto& campaign : none_of_physics.campaigns) campaign.waiting_tasks = campaign.user == "eve" ? 100 : 0;
  EXPECT_EQ(jobs_on(plan(none_of_physics, {.campaign_order = "fairshare"}), 3, 1), 16) << "others may use what a department leaves";
}

TEST(FairShare, Document003_AProjectThatUsedLessOfItsShare_GoesFirst_WithAllItsUsers) {
  auto snapshot = departments(1, 1);
  snapshot.shares[0].usage = snapshot.shares[1].usage = 0.3;  // ada's; bob has used nothing
  snapshot.shares[3].usage = snapshot.shares[4].usage = 0.2;
  const auto result = plan(snapshot, {.campaign_order = "fairshare"});
  EXPECT_EQ(jobs_on(result, 3, 1), 16) << "eve goes before bob, though she has used more than he";
  EXPECT_EQ(standing(result, 2),
            "fair share of /physics: 0.200 = share 0.500 - usage 0.300; in it of bob: 0.250 = share 0.250 - usage 0.000");
  EXPECT_EQ(standing(result, 3),
            "fair share of /biology: 0.300 = share 0.500 - usage 0.200; in it of eve: 0.300 = share 0.500 - usage 0.200");
  EXPECT_THAT(standing(plan(snapshot, {.campaign_order = "fairshare", .fairshare_usage = "by_share"}), 2),
              HasSubstr("/physics: 0.350 = share 0.500 - usage 0.300 x share; in it of bob"));
}

TEST(FairShare, AUserOutsideTheTree_ComesAfterThoseWithShares) {
  auto snapshot = departments(1, 1);
  snapshot.campaigns[0].user = "stranger";
  snapshot.users = {{.name = "stranger", .share = 0.9}};
  const auto result = plan(snapshot, {.campaign_order = "fairshare"});
  EXPECT_EQ(jobs_on(result, 1, 1), 0);
  EXPECT_EQ(standing(result, 1), "fair share of stranger: 0.000 = share 0.000 - usage 0.000");
}

TEST(FairShare, AUserInTwoProjects_CountsInThatOfTheCampaign) {
  auto snapshot = departments(1, 1);
  snapshot.shares.push_back({.name = "ada", .parent = 3, .shares = 1, .is_user = true});
  snapshot.campaigns[0].project = "biology";
  EXPECT_THAT(standing(plan(snapshot, {.campaign_order = "fairshare"}), 1), HasSubstr("/biology"));
}

/// Part of the draws that each holder wins, which is the chance that each was said to have.
std::vector<double> won(const ShareDraw& draw, std::size_t holders, int draws = 40'000) {
  Draw random{7};
  std::vector<double> won(holders, 0.0);
  for (int i = 0; i < draws; ++i) won[draw.draw(random).value()] += 1.0 / draws;
  for (std::size_t holder = 0; holder < holders; ++holder) EXPECT_NEAR(won[holder], draw.chance(holder), 0.013) << holder;
  return won;
}

TEST(ShareDraws, Document001_GoToProjectsByTheirShares_AndToUsersByShareTimesTickets) {
  const std::vector<ShareNode> tree{{.name = "physics", .shares = 60},
                                    {.name = "optics", .parent = 0, .shares = 1},
                                    {.name = "ada", .parent = 1, .shares = 3, .is_user = true},
                                    {.name = "bob", .parent = 1, .shares = 1, .is_user = true},
                                    {.name = "lattice", .parent = 0, .shares = 1},
                                    {.name = "carl", .parent = 4, .shares = 1, .is_user = true},
                                    {.name = "biology", .shares = 40},
                                    {.name = "eve", .parent = 6, .shares = 1, .is_user = true}};
  ShareDraw draw{tree, {2, 3, 5, 7, -1}};
  const std::vector<double> tickets{1, 2, 9, 0.1, 50};
  for (std::size_t i = 0; i < tickets.size(); ++i) draw.set(i, tickets[i]);
  // Optics and lattice have 30 % each; ada's 3 x 1 against bob's 1 x 2. Five standard deviations are under 0.013.
  auto parts = won(draw, 5);
  EXPECT_NEAR(parts[0], 0.30 * 3 / 5, 0.013);
  EXPECT_NEAR(parts[1], 0.30 * 2 / 5, 0.013);
  EXPECT_NEAR(parts[2], 0.30, 0.013);
  EXPECT_NEAR(parts[3], 0.40, 0.013) << "whatever her tickets";
  EXPECT_EQ(parts[4], 0.0) << "a user without shares, whatever the tickets";
  draw.set(0, 0.0);
  draw.set(1, 0.0);
  parts = won(draw, 5);
  EXPECT_NEAR(parts[2], 0.60, 0.013) << "lattice has what optics leaves";
  draw.set(2, 0.0);
  draw.set(3, 0.0);
  parts = won(draw, 5);
  EXPECT_NEAR(parts[4], 1.0, 1e-6) << "and the last one what all others leave";
  draw.set(0, 1.0);
  EXPECT_NEAR(won(draw, 5, 100)[0], 1.0, 1e-6) << "who comes back takes part again";
  draw.set(0, 0.0);
  draw.set(4, 0.0);
  Draw random{1};
  EXPECT_FALSE(draw.draw(random));
}

TEST(ShareDraws, OfAUserWithManyCampaigns_DoNotGrow_AndUsersBesideProjectsTakeTheirPart) {
  const std::vector<ShareNode> tree{{.name = "physics", .shares = 1},
                                    {.name = "ada", .parent = 0, .shares = 1, .is_user = true},
                                    {.name = "bob", .parent = 0, .shares = 1, .is_user = true},
                                    {.name = "eve", .shares = 3, .is_user = true}};
  ShareDraw draw{tree, {1, 1, 1, 1, 2, 3}};
  for (std::size_t i = 0; i < 6; ++i) draw.set(i, i == 0 ? 3.0 : 1.0);
  const auto parts = won(draw, 6);
  // Ada's mean is 1.5 tickets, bob's 1; her first campaign has 3 of her 6.
  EXPECT_NEAR(parts[0], 0.25 * 0.6 / 2, 0.013);
  EXPECT_NEAR(parts[4], 0.25 * 0.4, 0.013);
  EXPECT_NEAR(parts[5], 0.75, 0.013);
}

TEST(Tickets, Document003_ProjectsWinByTheirShares_AndTheWayOfTheDrawIsReported) {
  auto snapshot = departments(3, 1);
  std::map<std::int64_t, double> jobs;
  for (snapshot.seed = 0; snapshot.seed < 400; ++snapshot.seed) {
    const auto result = plan(snapshot, {.campaign_order = "tickets"});
    for (std::int64_t id = 1; id <= 3; ++id) jobs[id] += jobs_on(result, id, 1) / 6400.0;
  }
  EXPECT_NEAR(jobs[1] + jobs[2], 0.75, 0.03);
  EXPECT_NEAR(jobs[3], 0.25, 0.03);
  const auto result = plan(snapshot, {.campaign_order = "tickets"});
  EXPECT_THAT(standing(result, 1), HasSubstr("; drawn by the tree of shares: /physics (3 of 4 shares)/ada (1 of 2 shares)"));
  snapshot.campaigns[0].user = "stranger";
  const auto other = plan(snapshot, {.campaign_order = "tickets"});
  EXPECT_THAT(standing(other, 1), HasSubstr("its user has no shares in the tree, and is drawn when nobody else can be"));
  EXPECT_EQ(jobs_on(other, 1, 1), 0);
}

TEST(Tickets, WithSharesOfUsersAlone_AreDrawnAsWithout) {
  auto snapshot = users({"ada", "bob"});
  const auto plain = plan(snapshot, {.campaign_order = "tickets"}).launches;
  snapshot.shares = {{.name = "ada", .shares = 100, .is_user = true}, {.name = "bob", .shares = 1, .is_user = true}};
  EXPECT_EQ(plan(snapshot, {.campaign_order = "tickets"}).launches, plain);
}

TEST(GivenPriorities, Document003_InTheClassOfPriority_TheProjectGoesBeforeTheCampaignsOwn) {
  auto snapshot = users({"ada", "bob", "eve"});
  snapshot.campaigns[0].priority = 1;
  snapshot.campaigns[1].group_priority = {.name = "chem", .priority = 2};
  snapshot.campaigns[2].project_priority = {.name = "urgent", .priority = 3};
  const PlannerConfig config{.campaign_order = "priority"};
  auto result = plan(snapshot, config);
  EXPECT_EQ(jobs_on(result, 3, 1), 16);
  EXPECT_EQ(standing(result, 3), "project urgent has priority 3, which counts before the campaigns' own");
  EXPECT_EQ(standing(result, 2), "group chem has priority 2, which counts before the campaigns' own");
  snapshot.campaigns[2].waiting_tasks = 0;
  EXPECT_EQ(jobs_on(plan(snapshot, config), 2, 1), 16) << "then the group";
  snapshot.campaigns[1].group_priority.priority = 6;
  EXPECT_EQ(jobs_on(plan(snapshot, config), 1, 1), 16) << "one below normal comes after the others";
  snapshot.campaigns[2].waiting_tasks = 100;
  snapshot.campaigns[2].priority = kLowestPriority;
  EXPECT_EQ(jobs_on(plan(snapshot, config), 1, 1), 16) << "campaigns of the lowest priority come last, whatever their project has";
}

TEST(GivenPriorities, AreInputsOfTheRanking_AndFactors) {
  auto snapshot = users({"ada", "bob"});
  const auto before = standing(plan(snapshot, {.campaign_order = "tickets"}), 1);
  snapshot.campaigns[1].project_priority = {.name = "urgent", .priority = 1};
  snapshot.campaigns[1].group_priority = {.name = "chem", .priority = 2};
  const auto tickets = plan(snapshot, {.campaign_order = "tickets"});
  EXPECT_THAT(standing(tickets, 1), HasSubstr(" + project priority 0.57 + group priority 0.57")) << "normal: " << before;
  EXPECT_THAT(standing(tickets, 2), HasSubstr(" + project priority 0.14 + group priority 0.29"));
  EXPECT_THAT(before, testing::Not(HasSubstr("project priority"))) << "the seven inputs of document 002 alone";
  const PlannerConfig config{.campaign_order = "multifactor", .multifactor_weights = "project_priority:100,group_priority:10"};
  const auto factors = plan(snapshot, config);
  EXPECT_EQ(jobs_on(factors, 2, 1), 16);
  EXPECT_THAT(standing(factors, 2), testing::AllOf(testing::StartsWith("priority 108 = "),
                                                   HasSubstr(" + project priority 1.00 x 100 + group priority 0.83 x 10")));
}

/// The note on a priority of a project or group supposes an effect exactly where there is one.
class GivenPriorityEffects : public testing::TestWithParam<std::tuple<std::string, double>> {};

TEST_P(GivenPriorityEffects, AreAsTheNoteSupposes) {
  const auto [order, weight] = GetParam();
  for (const std::string holder : {"project", "group"}) {
    auto snapshot = users({"ada", "bob"});
    snapshot.clusters[0].free_resources = snapshot.clusters[0].max_resources = 400;
    for (auto& campaign : snapshot.campaigns) campaign.waiting_tasks = 1000;
    const PlannerConfig config{.campaign_order = order, .multifactor_weights = fmt::format("age:1,{}_priority:{}", holder, weight)};
    const auto normal = plan(snapshot, config).launches;
    (holder == "project" ? snapshot.campaigns[1].project_priority : snapshot.campaigns[1].group_priority) = {.name = "x", .priority = 2};
    const auto result = plan(snapshot, config);
    const auto note = standing(result, 2);
    EXPECT_THAT(note, HasSubstr(fmt::format("{} x has priority 2, which ", holder)));
    EXPECT_EQ(result.launches != normal, note.find("changes nothing") == std::string::npos) << note;
  }
}
std::vector<std::string> orders_with_and_without_class() {
  std::vector<std::string> orders;
  for (const auto name : order_names()) {
    for (const auto* classes : {"", "priority,", "affinity,", "affinity,priority,"}) orders.push_back(classes + std::string{name});
  }
  return orders;
}
INSTANTIATE_TEST_SUITE_P(OfEveryOrder, GivenPriorityEffects,
                         testing::Combine(testing::ValuesIn(orders_with_and_without_class()), testing::Values(0.0, 1000.0)));

/// The snapshot of these facts, with campaigns of users in groups and projects.
class DeclaredShares : public testing::Test {
 protected:
  void campaign(const std::string& user, std::vector<std::string> groups, const std::string& project = "") {
    auto one = a_campaign(std::ssize(snapshot.campaigns) + 1);
    one.user = user;
    one.groups = std::move(groups);
    one.project = project;
    snapshot.campaigns.push_back(std::move(one));
    snapshot.pairs.push_back(a_pair(std::ssize(snapshot.campaigns), 1));
    snapshot.pairs.back().walltime = 3600;
  }
  void fill() { metascheduler::fill_shares(snapshot, facts, config, 16); }
  [[nodiscard]] std::vector<std::string> paths() const {
    std::vector<std::string> paths;
    for (const auto& node : snapshot.shares)
      paths.push_back((node.parent < 0 ? "" : paths[static_cast<std::size_t>(node.parent)]) + "/" + node.name);
    return paths;
  }

  Snapshot snapshot{.clusters = {a_cluster(1)}, .campaigns = {}, .pairs = {}};
  grid::PolicyFacts facts;
  process::Config config = process::build_config({}, {}).value();
};

TEST_F(DeclaredShares, Document003_OfAUnixGroup_AreEqualPartsForItsMembers) {
  facts.shares = {{.id = 1, .name = "chem", .parent = {}, .shares = 1, .is_group = true},
                  {.id = 2, .name = "eve", .is_user = true, .parent = {}, .shares = 1}};
  facts.usage = {{.user = "carl", .project = "", .days_ago = 0, .resource_seconds = 16 * 8640.0, .groups = {"chem"}}};
  campaign("ada", {"chem", "staff"});
  campaign("bob", {"chem"});
  campaign("eve", {"chem"});
  campaign("zoe", {"staff"});
  fill();
  EXPECT_THAT(paths(), ElementsAre("/chem", "/eve", "/chem/ada", "/chem/bob", "/chem/carl")) << "eve has a node of her own, zoe has none";
  EXPECT_DOUBLE_EQ(snapshot.shares[0].usage, 0.1) << "that of a member without a campaign counts for the group";
  const auto fair = plan(snapshot, {.campaign_order = "fairshare"});
  EXPECT_EQ(jobs_on(fair, 3, 1), 16) << "eve's share is not used";
  EXPECT_THAT(standing(fair, 1), HasSubstr("/chem: 0.400 = share 0.500 - usage 0.100; in it of ada: 0.167 = share 0.167 - usage 0.000"));
  EXPECT_THAT(standing(plan(snapshot, {.campaign_order = "fairtree"}), 1),
              HasSubstr("/chem (shares 1, usage 0.100)/ada (shares 1, usage 0.000)"));
  EXPECT_THAT(standing(plan(snapshot, {.campaign_order = "tickets"}), 1), HasSubstr("/chem (1 of 2 shares)/ada (1 of 2 shares)"));
  EXPECT_THAT(standing(plan(snapshot, {.campaign_order = "fairtree"}), 4), HasSubstr("has no shares"));
}

TEST_F(DeclaredShares, OfTheCampaignsProject_GoBeforeOthers_AndOfTheUserBeforeTheGroup) {
  facts.shares = {{.id = 1, .name = "physics", .parent = {}, .shares = 1},
                  {.id = 2, .name = "chem", .parent = 1, .shares = 1, .is_group = true},
                  {.id = 3, .name = "biology", .parent = {}, .shares = 1},
                  {.id = 4, .name = "ada", .is_user = true, .parent = 3, .shares = 1},
                  {.id = 5, .name = "staff", .parent = 3, .shares = 1, .is_group = true}};
  campaign("ada", {"chem", "staff"}, "biology");
  campaign("ada", {"chem", "staff"}, "physics");
  campaign("ada", {"chem", "staff"}, "elsewhere");
  campaign("bob", {"staff", "chem"}, "elsewhere");
  campaign("bob", {"staff", "chem"}, "biology");
  campaign("bob", {}, "biology");
  fill();
  const grid::ShareTree tree{snapshot.shares};
  std::vector<std::string> at;
  for (const auto& one : snapshot.campaigns) {
    const int node = tree.node_of(one.user, one.groups, one.project);
    at.push_back(node < 0 ? "none" : paths()[static_cast<std::size_t>(node)]);
  }
  EXPECT_THAT(at, ElementsAre("/biology/ada", "/physics/chem/ada", "/biology/ada", "/physics/chem/bob", "/biology/staff/bob", "none"));
}

TEST_F(DeclaredShares, APriorityOfAProjectInTheTree_IsForItsMembersAlone) {
  facts.shares = {{.id = 1, .name = "physics", .parent = {}, .shares = 1},
                  {.id = 2, .name = "optics", .parent = 1, .shares = 1},
                  {.id = 3, .name = "ada", .is_user = true, .parent = 2, .shares = 1}};
  facts.project_priorities = {{.name = "physics", .priority = 2}, {.name = "visitors", .priority = 6}};
  facts.group_priorities = {{.name = "chem", .priority = 5}, {.name = "staff", .priority = 3}};
  campaign("ada", {}, "optics");
  campaign("bob", {}, "physics");
  campaign("bob", {"chem", "staff"}, "visitors");
  fill();
  EXPECT_EQ(snapshot.campaigns[0].project_priority.name, "physics") << "that of the department, as optics has none";
  EXPECT_EQ(snapshot.campaigns[0].project_priority.priority, 2);
  EXPECT_EQ(snapshot.campaigns[1].project_priority.priority, kNormalPriority) << "bob names a project that he is not in";
  EXPECT_EQ(snapshot.campaigns[2].project_priority.priority, 6) << "a project without shares is whose campaigns name it";
  EXPECT_EQ(snapshot.campaigns[2].group_priority.name, "staff") << "the highest of a user's groups";
}

}  // namespace
}  // namespace gleaner::planner::test
