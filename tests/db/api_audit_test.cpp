#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/db/api_fixture.hpp"

/// Changes by callers are in the audit.
namespace gleaner::tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class AuditOfTheApi : public ApiTest {
 protected:
  /// The newest act: `alice | 127.0.0.1 | campaign paused | campaign 1 | 1 | before | after`.
  [[nodiscard]] std::string newest() const {
    return sql(
        "SELECT concat_ws(' | ', actor, origin, act, subject, campaign_id, coalesce(before::text, '-'), coalesce(after::text, '-')) "
        "FROM audit ORDER BY id DESC LIMIT 1");
  }
  [[nodiscard]] std::string acts() const { return sql("SELECT count(*) FROM audit WHERE campaign_id IS NOT NULL"); }
  [[nodiscard]] ApiAnswer put(const std::string& target, const std::string& body) const {
    return as("alice", {.method = "PUT", .target = target, .body = body, .headers = {{"Content-Type", "application/json"}}});
  }
};

TEST_F(AuditOfTheApi, EachActOnACampaign_IsNoted_WithWhoAndFromWhere) {
  const auto id = a_campaign_of(3);
  const auto path = fmt::format("/v1/campaigns/{}", id);
  EXPECT_EQ(newest(), fmt::format(R"(alice | 127.0.0.1 | campaign submitted | campaign {0} | {0} | - | {{"tasks": 3}})", id));
  ASSERT_EQ(post(path + "/hold").status, 202);
  EXPECT_EQ(
      newest(),
      fmt::format(
          R"(alice | 127.0.0.1 | campaign paused | campaign {0} | {0} | {{"state": "in_treatment"}} | {{"state": "paused", "changed": 1}})",
          id));
  ASSERT_EQ(post(path + "/resume").status, 202);
  EXPECT_THAT(newest(), HasSubstr("| campaign resumed |"));
  ASSERT_EQ(put(path, R"({"name": "u"})").status, 202);
  EXPECT_THAT(newest(), HasSubstr(R"(| campaign edited | campaign 1 | 1 | {"name": "t"} | {"name": "u"})"));
  ASSERT_EQ(
      as("alice", {.method = "POST", .target = path + "/tasks?nb_jobs=2", .headers = {{"Content-Type", "application/x-ndjson"}}}).status,
      201);
  EXPECT_THAT(newest(), HasSubstr(R"(| tasks appended | campaign 1 | 1 | - | {"tasks": 2})"));
  ASSERT_EQ(remove(path + "/tasks?tasks=1-2").status, 202);
  EXPECT_THAT(newest(), HasSubstr(R"(| tasks cancelled | campaign 1 | 1 | - | {"tasks": "1-2", "changed": 2})"));
  ASSERT_EQ(as("boss", {.method = "DELETE", .target = path}).status, 202);
  EXPECT_THAT(newest(), StartsWith("boss | 127.0.0.1 | campaign cancelled |"));
  EXPECT_EQ(acts(), "7");
}

TEST_F(AuditOfTheApi, WhatIsRefused_OrOnlyTried_IsNoAct) {
  const auto id = a_campaign_of(3);
  const auto path = fmt::format("/v1/campaigns/{}", id);
  EXPECT_EQ(as("bob", {.method = "DELETE", .target = path}).status, 403);
  EXPECT_EQ(post(path + "/retries").status, 409);
  EXPECT_EQ(put(path + "?dry_run=1", R"({"name": "u"})").status, 200);
  EXPECT_EQ(get(path).status, 200);
  EXPECT_EQ(acts(), "1");
}

TEST_F(AuditOfTheApi, AnEventThatIsFixed_IsNoted_WithTheTasksThatRunAgain) {
  const auto id = a_campaign_of(3);
  sql("INSERT INTO events (code, campaign_id, opened_at, last_at, message) SELECT 'TASK_ERROR', id, now(), now(), 'x' FROM campaigns");
  ASSERT_EQ(remove("/v1/events/1").status, 202);
  EXPECT_EQ(newest(), fmt::format(R"(alice | 127.0.0.1 | event fixed | event 1 | {} | - | {{"retried_tasks": 0}})", id));
}

}  // namespace
}  // namespace gleaner::tests
