// The effects of a cancellation that the API foretells.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/db/campaigns_fixture.hpp"

namespace gleaner::tests {
namespace {

using testing::HasSubstr;

class CancellationRoute : public CampaignsFixture {
 protected:
  [[nodiscard]] ApiAnswer asked(std::int64_t id, const std::string& user = "alice", const std::string& more = {}) const {
    return as(user, {.method = "DELETE", .target = path(id, "?dry_run=1" + more)});
  }
  /// Its first tasks run on alpha.
  void run(std::int64_t id, int tasks) const {
    const auto campaign = std::to_string(id);
    take(id, tasks, "running");
    sql("INSERT INTO launches (campaign_id, cluster_id, state, jobs, resources, term, planned_at, tag, login) SELECT " + campaign +
        ", id, 'accepted', 1, 1, 0, now(), 'tag', 'alice' FROM clusters WHERE name = 'alpha'");
    sql("INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, remote_id, submitted_at, started_at) SELECT l.id, l.campaign_id, "
        "l.cluster_id, n, 0, 'running', 100 + n, now(), now() FROM launches l, generate_series(0, " +
        std::to_string(tasks - 1) + ") n WHERE l.campaign_id = " + campaign);
  }
};

TEST_F(CancellationRoute, ReportsWhatWouldBeKilledAndCancelled_AndChangesNothing) {
  const auto id = a_campaign_of(10);
  run(id, 4);
  sql("UPDATE tasks SET state = 'done' WHERE number = 0; UPDATE jobs SET state = 'terminated', ending = 'done', ended_at = now() WHERE task = 0");
  const auto answer = asked(id);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_TRUE(answer.json["dry_run"].GetBool());
  EXPECT_EQ(answer.json["jobs"].GetInt(), 3);
  ASSERT_EQ(answer.json["clusters"].Size(), 1U);
  EXPECT_STREQ(answer.json["clusters"][0]["cluster_name"].GetString(), "alpha");
  EXPECT_EQ(answer.json["tasks"]["waiting"].GetInt(), 6);
  EXPECT_EQ(answer.json["tasks"]["in_flight"].GetInt(), 3);
  EXPECT_EQ(answer.json["tasks"]["done"].GetInt(), 1);
  EXPECT_EQ(
      answer.message(),
      fmt::format("Campaign {}: 3 jobs would be killed (3 on alpha), and 6 waiting tasks cancelled at once; 3 tasks in flight would be "
                  "cancelled as their jobs end; 1 stay done, and 0 failed",
                  id));
  EXPECT_EQ(state(id), "in_treatment");
  EXPECT_EQ(sql("SELECT count(*) FROM audit WHERE act LIKE '%cancel%'"), "0");
  const auto before = counters(id);
  EXPECT_EQ(as("alice", {.method = "DELETE", .target = path(id)}).status, 202);
  EXPECT_EQ(sql("SELECT cancelled FROM campaigns"), "6") << before;
}

TEST_F(CancellationRoute, IsForThoseWhoMayCancel_AndForACampaignThatIsNotOver) {
  const auto id = a_campaign_of(3);
  EXPECT_EQ(asked(id, "bob").status, 403);
  EXPECT_EQ(asked(id, "boss").status, 200);
  EXPECT_EQ(asked(99).status, 404);
  EXPECT_EQ(asked(id, "alice", "&purge=1").status, 400);
  EXPECT_EQ(as("alice", {.method = "DELETE", .target = path(id)}).status, 202);
  EXPECT_EQ(asked(id).status, 409);
  EXPECT_THAT(asked(id).message(), HasSubstr("cancelled already"));
}

}  // namespace
}  // namespace gleaner::tests
