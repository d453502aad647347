#include <gmock/gmock.h>

#include "tests/db/api_fixture.hpp"

/// GET /v1/usage: who sees what of the resources that jobs used.
namespace gleaner::tests {
namespace {

using testing::HasSubstr;

class ApiUsage : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    sql("INSERT INTO usage (day, user_name, project, cluster_id, campaign_id, resource_seconds, useful_seconds, failed_seconds, lost_seconds, "
        "jobs, failed_jobs, lost_jobs, tasks) SELECT d.day::date, u.name, 'physics', k.id, 7, 100, 70, 20, 10, 10, 2, 1, 7 "
        "FROM clusters k, (VALUES ('alice'), ('bob')) u (name), (VALUES ('2026-01-01'), ('2026-01-02')) d (day) "
        "WHERE k.name IN ('alpha', 'beta')");
  }
  [[nodiscard]] ApiAnswer boss(const std::string& target) const { return as("boss", {.target = target}); }
};

TEST_F(ApiUsage, Users_GetTheirOwn_AndAdministratorsAll) {
  const auto own = get("/v1/usage");
  ASSERT_EQ(own.status, 200) << own.body;
  ASSERT_EQ(own.json["items"].Size(), 1U);
  EXPECT_STREQ(own.json["items"][0]["user"].GetString(), "alice");
  EXPECT_EQ(own.json["items"][0]["resource_seconds"].GetDouble(), 400);
  EXPECT_EQ(own.json["items"][0]["useful_seconds"].GetDouble(), 280);
  EXPECT_EQ(own.json["items"][0]["tasks"].GetInt(), 28);
  EXPECT_EQ(boss("/v1/usage").json["items"].Size(), 2U);
  EXPECT_EQ(boss("/v1/usage?by=").json["items"][0]["resource_seconds"].GetDouble(), 800);
  EXPECT_EQ(boss("/v1/usage?user=bob&by=cluster").json["items"].Size(), 2U);
  EXPECT_EQ(get("/v1/usage?user=alice&by=").json["items"][0]["jobs"].GetInt(), 40);
  const auto other = get("/v1/usage?user=bob");
  EXPECT_EQ(other.status, 403);
  EXPECT_THAT(other.message(), HasSubstr("the usage of bob is for that user and for administrators"));
}

TEST_F(ApiUsage, DaysAndPages_AreAsAsked) {
  const auto second = get("/v1/usage?from=2026-01-02T00:00:00Z&to=2026-01-02T23:59:59Z&by=day");
  ASSERT_EQ(second.json["items"].Size(), 1U) << second.body;
  EXPECT_STREQ(second.json["items"][0]["day"].GetString(), "2026-01-02");
  const auto page = get("/v1/usage?by=day,cluster&limit=3");
  EXPECT_EQ(page.json["items"].Size(), 3U);
  EXPECT_EQ(page.json["total"].GetInt(), 4);
  EXPECT_THAT(page.body, HasSubstr("offset=3"));
  EXPECT_EQ(get("/v1/usage?by=day,cluster&limit=3&offset=3").json["items"].Size(), 1U);
}

TEST_F(ApiUsage, Pages_HaveOneEnd_WhateverTheTimeIsWhenTheyAreAskedFor) {
  sql("INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms) "
      "SELECT id, t, 16, 10, 6, 0, 0, 0, true, 5 FROM clusters, generate_series(now() - interval '60 days', now(), interval '30 days') t WHERE name = 'alpha'");
  for (const std::string list : {"/v1/usage?by=day", "/v1/gridusage?from=2026-01-01T00:00:00Z"}) {
    const auto first = get(list + "&limit=1");
    const std::string end = first.json["to"].GetString();
    const auto second = get(first.link("next"));
    EXPECT_EQ(second.json["offset"].GetInt(), 1) << second.body;
    EXPECT_EQ(second.json["to"].GetString(), end) << list;
    EXPECT_EQ(get(second.link("prev")).json["to"].GetString(), end) << list;
    EXPECT_THAT(first.link("next"), HasSubstr("&to=20")) << "as soon as another page is read, the time is another one";
    EXPECT_EQ(get(list + "&limit=1&to=2026-01-03T00:00:00Z").json["to"].GetString(), std::string{"2026-01-03T00:00:00Z"});
  }
}

TEST_F(ApiUsage, WrongQueries_AreErrors) {
  const auto wrong = get("/v1/usage?by=usre");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_THAT(wrong.message(), HasSubstr("by=usre: usage is by day, user, project, campaign, cluster (did you mean 'user'?)"));
  EXPECT_EQ(get("/v1/usage?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z").status, 400);
  EXPECT_EQ(get("/v1/usage?from=x").status, 400);
  EXPECT_EQ(get("/v1/usage?days=7").status, 400);
}

}  // namespace
}  // namespace gleaner::tests
