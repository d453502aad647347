// Campaigns that come after others.
#include <gtest/gtest.h>

#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

TEST(Plan, ACampaignThatComesAfterAnother_NamesTheTasksOfItThatAreLeft_OrFailed) {
  const auto said = [](const grid::Awaited& awaited) {
    auto snapshot = one_of_each();
    snapshot.campaigns[0].awaits = awaited;
    return explain(*decision_on(plan(snapshot), 1, 1), {});
  };
  const grid::Awaited other{.campaign = campaign_id(12),
                            .kind = grid::DependencyKind::after,
                            .state = grid::CampaignState::in_treatment,
                            .tasks = 40,
                            .left = 3,
                            .first_failed = {}};
  EXPECT_EQ(said(other), "waiting for another campaign: it starts when all tasks of campaign 12 are done, which has 3 of 40 tasks left");
  auto failed = other;
  failed.failed = 2;
  failed.first_failed = 7;
  failed.left = 0;
  EXPECT_EQ(
      said(failed),
      "waiting for another campaign: it starts when all tasks of campaign 12 are done, of which 2 tasks failed, task 7 first: 'gridsub "
      "--retry 12' runs them again");
  auto cancelled = other;
  cancelled.state = grid::CampaignState::cancelled;
  EXPECT_EQ(
      said(cancelled),
      "waiting for another campaign: it starts when all tasks of campaign 12 are done, which was cancelled: cancel this one, and submit "
      "it again");
  auto gone = other;
  gone.state.reset();
  EXPECT_EQ(said(gone),
            "waiting for another campaign: it starts when all tasks of campaign 12 are done, which was deleted: cancel this one, "
            "and submit it again");
  auto any = other;
  any.kind = grid::DependencyKind::after_any_end;
  EXPECT_EQ(said(any), "waiting for another campaign: it starts when campaign 12 is over, which has 3 of 40 tasks left");
}

TEST(Plan, ACampaignThatComesAfterAnotherTaskByTask_GetsWhatIsInItsBag) {
  auto snapshot = one_of_each();
  snapshot.campaigns[0].waiting_tasks = 3;
  snapshot.campaigns[0].held_tasks = 97;
  snapshot.campaigns[0].holds_tasks = grid::Awaited{.campaign = campaign_id(12),
                                                    .kind = grid::DependencyKind::after_each,
                                                    .state = grid::CampaignState::in_treatment,
                                                    .tasks = 100,
                                                    .left = 97,
                                                    .first_failed = {}};
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 3}}}));
  snapshot.campaigns[0].waiting_tasks = 0;
  EXPECT_EQ(explain(*decision_on(plan(snapshot), 1, 1), {}),
            "waiting for another campaign: 97 tasks wait for the tasks of their numbers in campaign 12, which has 97 of 100 tasks left");
}

}  // namespace
}  // namespace gleaner::planner::test
