// The conductor checks the laws of the database once a period.
#include "almighty/check.hpp"

#include <gmock/gmock.h>

#include "tests/db/grid_fixture.hpp"

namespace gleaner {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class AlmightysCheck : public tests::GridFixture {
 protected:
  AlmightysCheck() {
    launched(a_campaign(3), alpha, 2);
    config.check_period = std::chrono::hours{1};
    config.lease_duration = std::chrono::seconds{60};
  }
  void check_now() {
    execute("UPDATE grid SET checked_at = NULL");
    almighty::check_laws(config, database, term);
  }
  std::string open_events() {
    return value("SELECT coalesce(string_agg(code || ' ' || occurrences, ', ' ORDER BY code), '') FROM events WHERE state = 'open'");
  }

  process::Config config;
};

TEST_F(AlmightysCheck, BreachIsAnEvent_CountedWhileItLasts_AndClosedWhenTheLawHoldsAgain) {
  check_now();
  EXPECT_EQ(open_events(), "");
  execute("UPDATE campaign_clusters SET running = running + 1 WHERE cluster_id = 1");
  check_now();
  check_now();
  EXPECT_EQ(open_events(), "LAW_BROKEN_pair_counters 2");
  EXPECT_THAT(value("SELECT message FROM events WHERE state = 'open'"),
              AllOf(HasSubstr("broken 1 time"), HasSubstr("campaign 1 counts"), HasSubstr("gridctl db check --repair")));
  execute("UPDATE campaign_clusters SET running = running - 1 WHERE cluster_id = 1");
  check_now();
  EXPECT_EQ(open_events(), "");
}

TEST_F(AlmightysCheck, ComesOnceAPeriod_ByTheDatabasesClock_AndNeverWithPeriod0) {
  execute(
      "UPDATE campaign_clusters SET running = running + 1 WHERE cluster_id = 1; UPDATE grid SET checked_at = now() - interval '59 minutes'");
  almighty::check_laws(config, database, term);
  EXPECT_EQ(open_events(), "") << "not due";
  config.check_period = process::Duration{0};
  execute("UPDATE grid SET checked_at = NULL");
  almighty::check_laws(config, database, term);
  EXPECT_EQ(open_events(), "") << "never";
  config.check_period = std::chrono::hours{1};
  execute("UPDATE grid SET checked_at = now() - interval '61 minutes'");
  almighty::check_laws(config, database, term);
  EXPECT_EQ(open_events(), "LAW_BROKEN_pair_counters 1");
  almighty::check_laws(config, database, term);
  EXPECT_EQ(open_events(), "LAW_BROKEN_pair_counters 1") << "was due a moment ago";
}

TEST_F(AlmightysCheck, LeftoversAreNoEvents_AndAConductorThatLostItsLeaseWritesNone) {
  execute(
      "UPDATE jobs SET state = 'killed', ending = 'killed_by_us', ended_at = now() WHERE id = 1; UPDATE tasks SET state = 'failed' WHERE number = 0;"
      "INSERT INTO kill_requests VALUES (1, 'excess', now())");
  check_now();
  EXPECT_EQ(open_events(), "");
  execute("UPDATE lease SET term = term + 1");
  EXPECT_THROW(check_now(), store::LeaseLost);
}

}  // namespace
}  // namespace gleaner
