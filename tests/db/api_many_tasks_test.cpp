#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/store/chosen_tasks.hpp"
#include "tests/db/campaigns_fixture.hpp"

namespace gleaner::tests {
namespace {

/// Acts on more tasks than a transaction may change.
class ManyTasks : public CampaignsFixture {
 protected:
  static constexpr int kTasks = 4'500;
  static_assert(kTasks > 2 * store::kTasksOfPiece);

  static std::string next_of(const rapidjson::Document& answer) {
    if (!answer.HasMember("links")) return "";
    for (const auto& link : answer["links"].GetArray()) {
      if (std::string_view{link["rel"].GetString()} == "next") return link["href"].GetString();
    }
    return "";
  }
  /// Repeats the request as its answers ask for, on a slow machine; returns the number of tasks.
  int to_the_end(const std::string& method, std::string target) {
    int tasks = 0;
    while (!target.empty()) {
      const auto answer = as("alice", {.method = method, .target = target});
      EXPECT_EQ(answer.status, 202) << answer.body;
      if (answer.status != 202) break;
      tasks += answer.json["count"].GetInt();
      target = next_of(answer.json);
    }
    return tasks;
  }
  /// The most rows of a table that one transaction wrote.
  int most_at_once(const std::string& of) {
    return std::stoi(sql("SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM " + of + " GROUP BY xmin::text) parts"));
  }
};

TEST_F(ManyTasks, ThatFailed_AreRetriedInPieces_SoThatNobodyWaitsForTheCampaignsLock) {
  const auto id = a_campaign_of(kTasks);
  take(id, kTasks, "failed");
  EXPECT_EQ(to_the_end("POST", path(id, "/retries")), kTasks);
  EXPECT_EQ(counters(id), fmt::format("{} 0 0 {}", kTasks, kTasks));
  EXPECT_EQ(most_at_once("returned_tasks"), store::kTasksOfPiece);
  EXPECT_EQ(post(path(id, "/retries")).status, 409) << "each once";
}

TEST_F(ManyTasks, ThatWait_AreHeldAndReleasedInPieces) {
  const auto id = a_campaign_of(kTasks);
  EXPECT_EQ(to_the_end("POST", path(id, "/hold?tasks=0-*")), kTasks);
  EXPECT_EQ(sql("SELECT held FROM campaigns"), std::to_string(kTasks));
  EXPECT_EQ(most_at_once("returned_tasks"), store::kTasksOfPiece);
  EXPECT_EQ(to_the_end("POST", path(id, "/resume?tasks=0-*")), kTasks);
  EXPECT_EQ(sql("SELECT count(*) FROM returned_tasks"), "0");
}

TEST_F(ManyTasks, ThatFailed_AreResubmittedInPieces_ByTheFixOfAnEvent) {
  const auto id = a_campaign_of(kTasks);
  take(id, kTasks, "failed");
  EXPECT_EQ(to_the_end("DELETE", path(id, "/events?resubmit=1")), 0) << "it had no event";
  EXPECT_EQ(sql("SELECT count(*) FROM returned_tasks"), std::to_string(kTasks));
  EXPECT_EQ(most_at_once("returned_tasks"), store::kTasksOfPiece);
}

TEST_F(ManyTasks, ThatWereGivenBack_AreCancelledInPieces_WithTheirCampaign) {
  const auto id = a_campaign_of(kTasks);
  take(id, kTasks, "failed");
  to_the_end("POST", path(id, "/retries"));
  to_the_end("DELETE", path(id));
  EXPECT_EQ(state(id), "cancelled");
  EXPECT_EQ(counters(id), fmt::format("0 0 {0} {0}", kTasks));
  EXPECT_EQ(sql("SELECT count(*) FROM returned_tasks"), "0");
  EXPECT_EQ(most_at_once("tasks WHERE state = 'cancelled'"), store::kTasksOfPiece);
}

TEST_F(ManyTasks, ThatASinkSwallowed_AreRetriedInPieces_AndTheLastOneClosesItsEvent) {
  const auto id = a_campaign_of(kTasks);
  take(id, kTasks, "done");
  sql("INSERT INTO events (code, campaign_id, cluster_id, opened_at, last_at, message) SELECT 'SINK', " + std::to_string(id) +
      ", id, now(), now(), 'why' FROM clusters WHERE name = 'alpha'");
  sql("INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, ending, started_at, ended_at, sink) "
      "SELECT 0, campaign_id, (SELECT id FROM clusters WHERE name = 'alpha'), number, 0, 'terminated', 'done', now(), now(), "
      "(SELECT id FROM events WHERE code = 'SINK') FROM tasks");
  EXPECT_EQ(to_the_end("POST", path(id, "/retries?sink=alpha")), kTasks);
  EXPECT_EQ(counters(id), fmt::format("{} 0 0 {}", kTasks, kTasks));
  EXPECT_EQ(most_at_once("returned_tasks"), store::kTasksOfPiece);
  EXPECT_EQ(sql("SELECT state FROM events WHERE code = 'SINK'"), "closed");
}

}  // namespace
}  // namespace gleaner::tests
