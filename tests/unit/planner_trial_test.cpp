// The trial after a brake: what each sentence states holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner_facts.hpp"

namespace gleaner::planner::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Three jobs in a row failed, and the brake is over.
struct AfterBrake : FactsOfOne {
  AfterBrake() : FactsOfOne{1} {
    pair().active = true;
    pair().failures_in_a_row = 3;
    pair().last_brake = "3 jobs in a row failed there (task 0, job 7 of OAR: exit status 3)";
  }
  grid::PairFacts& pair() { return facts.pairs[0]; }
};

TEST(Trial, AfterABrake_IsNamed_WithTheBrakesReasonAndWhatEndsIt) {
  AfterBrake trial;
  EXPECT_EQ(trial.jobs(), 1);
  EXPECT_EQ(
      trial.why(),
      "starting jobs on alpha: 1 job to alpha in this cycle; this is the trial after the brake (3 jobs in a row failed there (task 0, "
      "job 7 of OAR: exit status 3)); more start when it has succeeded, and if it fails, the campaign is braked there");
  trial.pair().running = 1;
  EXPECT_EQ(trial.jobs(), 0);
  EXPECT_EQ(
      trial.why(),
      "held back by a limit on alpha: after the brake (3 jobs in a row failed there (task 0, job 7 of OAR: exit status 3)), one job at a "
      "time is tried on alpha, and 1 is live there; more start when one has succeeded, and if it fails, the campaign is braked there");
  EXPECT_THAT(trial.why(), Not(HasSubstr("max_jobs"))) << "the JDL has none";
  // One has succeeded.
  trial.pair().running = trial.pair().failures_in_a_row = 0;
  EXPECT_EQ(trial.jobs(), 16);
}

/// Somebody cleared the brake, and the failures still count.
TEST(Trial, WithoutAKnownBrake_NamesTheFailures) {
  AfterBrake trial;
  trial.pair().last_brake.clear();
  trial.pair().failures_in_a_row = 4;
  EXPECT_THAT(trial.why(), HasSubstr("this is the trial after 4 jobs in a row failed there; more start"));
  trial.pair().unknown = 2;
  EXPECT_THAT(trial.why(), HasSubstr("and 2 are live there"));
}

TEST(Trial, OfAJdlThatAllowsOneJob_IsNotBlamed_AsItsEndWouldChangeNothing) {
  AfterBrake trial;
  trial.pair().max_jobs = 1;
  trial.pair().running = 1;
  EXPECT_THAT(trial.why(), HasSubstr("the JDL's max_jobs is 1"));
  trial.pair().max_jobs = 2;
  EXPECT_THAT(trial.why(), HasSubstr("after the brake"));
}

TEST(Trial, TakesOneBoundTaskAtATime_WhereTheJdlUsesTheClusterNoMore) {
  AfterBrake trial;
  trial.pair().max_jobs = 0;
  trial.pair().returned_tasks = 3;
  EXPECT_EQ(trial.jobs(), 1);
  trial.pair().returned_tasks = 0;
  EXPECT_EQ(trial.jobs(), 0);
}

}  // namespace
}  // namespace gleaner::planner::test
