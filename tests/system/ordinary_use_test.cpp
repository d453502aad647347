#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/system/grid_under_test.hpp"

/// Everyday use leaves a database in which `gridctl db check` finds nothing, leftovers included.
namespace gleaner::tests {
namespace {

std::string id_of(grid::CampaignId campaign) { return std::to_string(campaign.value()); }

class OrdinaryUse : public ::testing::Test {
 protected:
  void SetUp() override {
    grid.start_api();
    grid.almighty().start();
  }
  void carry_out(const std::string& name, const std::vector<std::string>& arguments) {
    const auto said = grid.run(name, arguments);
    EXPECT_TRUE(said.end.succeeded()) << name << ' ' << said.output << said.errors;
  }
  /// Once nothing of the campaign is under way.
  void leaves_the_check_clean(grid::CampaignId campaign, const std::string& state) {
    EXPECT_TRUE(grid.becomes(fmt::format("SELECT state FROM campaigns WHERE id = {}", campaign.value()), state));
    EXPECT_TRUE(grid.becomes(fmt::format("SELECT count(*) FROM jobs WHERE is_live(state) AND campaign_id = {}", campaign.value()), "0"));
    EXPECT_TRUE(grid.becomes(
        fmt::format("SELECT bool_and(cleaned_at IS NOT NULL) FROM campaign_clusters WHERE campaign_id = {}", campaign.value()), "t"));
    const auto said = grid.run("gridctl", {"db", "check"});
    EXPECT_TRUE(said.end.succeeded()) << said.output << said.errors;
    EXPECT_EQ(said.output.find("leftover"), std::string::npos) << said.output;
  }
  std::string count(grid::CampaignId campaign, const std::string& condition) {
    return fmt::format("SELECT count(*) > 0 FROM jobs WHERE campaign_id = {} AND {}", campaign.value(), condition);
  }
  GridUnderTest grid{{.configuration = {{"failures_before_brake", "2"}}}};
};

TEST_F(OrdinaryUse, ACampaignThatIsDeletedWithItsJobs_LeavesTheCheckClean) {
  const auto campaign = grid.gridsub({.tasks = 40, .exec_file = grid.oracle().gated_task()});
  ASSERT_TRUE(grid.becomes(count(campaign, "state = 'running'"), "t"));
  carry_out("griddel", {id_of(campaign)});
  leaves_the_check_clean(campaign, "cancelled");
}

TEST_F(OrdinaryUse, APoolThatIsDeletedInMidRun_LeavesTheCheckClean) {
  const auto campaign = grid.gridsub({.tasks = 200, .exec_file = grid.oracle().task("sleep 0.5"), .grouping = true});
  ASSERT_TRUE(grid.becomes(count(campaign, "pooled AND state = 'pooled' AND remote_id IS NOT NULL"), "t"));
  carry_out("griddel", {id_of(campaign)});
  leaves_the_check_clean(campaign, "cancelled");
}

TEST_F(OrdinaryUse, TasksThatAreDeletedOneByOne_LeaveTheCheckClean) {
  const auto campaign = grid.gridsub({.tasks = 30, .exec_file = grid.oracle().gated_task()});
  ASSERT_TRUE(grid.becomes(count(campaign, "state = 'running'"), "t"));
  carry_out("griddel", {id_of(campaign), "--task", "0-3"});
  ASSERT_TRUE(grid.becomes(count(campaign, "state = 'killed'"), "t"));
  grid.oracle().open_gate();
  leaves_the_check_clean(campaign, "terminated");
}

TEST_F(OrdinaryUse, ACampaignThatFails_AndIsGivenBackAndFailsAgain_LeavesTheCheckClean) {
  const auto campaign = grid.gridsub({.tasks = 30, .exec_file = "false"});
  ASSERT_TRUE(grid.becomes("SELECT count(*) > 0 FROM brakes", "t"));
  leaves_the_check_clean(campaign, "terminated");
  carry_out("gridsub", {"--retry", id_of(campaign)});
  leaves_the_check_clean(campaign, "terminated");
}

TEST_F(OrdinaryUse, ACampaignThatIsHeld_Edited_AndResumed_LeavesTheCheckClean) {
  const auto campaign = grid.gridsub({.tasks = 60, .exec_file = grid.oracle().task("sleep 0.3"), .more_keys = R"("replicas":"allowed")"});
  ASSERT_TRUE(grid.becomes(count(campaign, "ending = 'done'"), "t"));
  carry_out("gridsub", {"--hold", id_of(campaign)});
  carry_out("gridsub", {"--edit", id_of(campaign), "walltime=0:20:0"});
  carry_out("gridsub", {"--resume", id_of(campaign)});
  leaves_the_check_clean(campaign, "terminated");
}

TEST_F(OrdinaryUse, AFailedCampaignWithAnEpilogueThatIsDeleted_LeavesTheCheckClean) {
  const auto campaign =
      grid.gridsub({.tasks = 40, .exec_file = grid.oracle().gated_task(), .more_keys = R"("prologue":["true"],"epilogue":["false"])"});
  ASSERT_TRUE(grid.becomes(count(campaign, "state = 'running' AND task >= 0"), "t"));
  carry_out("griddel", {id_of(campaign)});
  leaves_the_check_clean(campaign, "cancelled");
}

}  // namespace
}  // namespace gleaner::tests
