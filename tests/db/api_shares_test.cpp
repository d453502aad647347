// The routes of shares, limits, affinities, brakes and launches: they say what gridctl says, and to each what is theirs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <tuple>

#include "tests/db/api_fixture.hpp"

namespace gleaner::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Declared : public ApiTest {
 protected:
  [[nodiscard]] ApiAnswer by_boss(const std::string& target) const { return as("boss", {.target = target}); }
  /// The value of an item's member, found by the value of another.
  static const rapidjson::Value& item(const ApiAnswer& answer, const char* key, const std::string& value) {
    for (const auto& one : answer.json["items"].GetArray()) {
      if (one[key].GetString() == value) return one;
    }
    throw std::runtime_error{fmt::format("no item has {} = {}: {}", key, value, answer.body)};
  }
};

class Shares : public Declared {
 protected:
  void SetUp() override {
    Declared::SetUp();
    sql("INSERT INTO shares (name, kind, parent_id, shares) VALUES ('physics', 'project', NULL, 60), ('biology', 'project', NULL, 40)");
    for (const auto& [project, name, shares] : {std::tuple{"physics", "alice", 1}, {"physics", "bob", 3}, {"biology", "eve", 1}})
      sql(fmt::format("INSERT INTO shares (name, kind, parent_id, shares) SELECT '{}', 'user', id, {} FROM shares WHERE name = '{}'", name,
                      shares, project));
    sql("INSERT INTO gridstatus (cluster_id, time, reachable, max_resources, free, used, used_besteffort, our_running, our_waiting, "
        "api_latency_ms) SELECT id, now(), true, 100, 100, 0, 0, 0, 0, 10 FROM clusters "
        "WHERE name = 'alpha'");
    use("alice", "physics", 0.2), use("bob", "physics", 0.1), use("mallory", "", 0.1);
  }
  /// Usage of today, in days of the whole grid.
  void use(const std::string& user, const std::string& project, double days) const {
    sql(
        fmt::format("INSERT INTO usage (day, user_name, project, campaign_id, cluster_id, resource_seconds) SELECT (now() AT TIME ZONE "
                    "'UTC')::date, '{}', '{}', 1, id, {} FROM clusters WHERE name = 'alpha'",
                    user, project, days * 100 * 86400));
  }
};

TEST_F(Shares, AreTheTree_WithWhatEachShouldHaveAndHad) {
  const auto answer = by_boss("/v1/shares");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["total"].GetInt(), 5);
  EXPECT_STREQ(answer.json["items"][0]["path"].GetString(), "/physics");
  EXPECT_STREQ(answer.json["items"][1]["path"].GetString(), "/physics/alice") << "a node is followed by what is below it";
  const auto& physics = item(answer, "path", "/physics");
  EXPECT_NEAR(physics["part"].GetDouble(), 0.6, 1e-9);
  EXPECT_NEAR(physics["usage"].GetDouble(), 0.3, 1e-6);
  EXPECT_NEAR(physics["used_part"].GetDouble(), 0.75, 1e-6);
  EXPECT_NEAR(physics["priority"].GetDouble(), 0.3, 1e-6) << "S - U";
  const auto& bob = item(answer, "path", "/physics/bob");
  EXPECT_NEAR(bob["of_level"].GetDouble(), 0.75, 1e-9);
  EXPECT_NEAR(bob["part"].GetDouble(), 0.45, 1e-9);
  EXPECT_NEAR(answer.json["usage"].GetDouble(), 0.4, 1e-6);
  EXPECT_NEAR(answer.json["outside"].GetDouble(), 0.1, 1e-6);
}

TEST_F(Shares, Attack_ReadingOthers_FindsOnlyTheOwnNodes_AndThoseAbove) {
  const auto answer = get("/v1/shares");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["total"].GetInt(), 2);
  EXPECT_THAT(answer.body, AllOf(HasSubstr("/physics/alice"), Not(HasSubstr("bob")), Not(HasSubstr("biology"))));
  EXPECT_NEAR(item(answer, "path", "/physics/alice")["part"].GetDouble(), 0.15, 1e-9) << "as in the whole tree";
  EXPECT_TRUE(answer.json["usage"].IsNull());
  EXPECT_TRUE(answer.json["outside"].IsNull());
}

TEST_F(Shares, AreInPages) {
  const auto answer = by_boss("/v1/shares?limit=2&offset=2");
  EXPECT_EQ(answer.json["items"].Size(), 2U);
  EXPECT_THAT(answer.body, HasSubstr("\"next\""));
  EXPECT_EQ(by_boss("/v1/shares?limit=0").status, 400);
}

class Limits : public Declared {};

TEST_F(Limits, AreListed_AndOfEachOnlyTheOwnUse) {
  sql("INSERT INTO limits (kind, most, user_name) VALUES ('running_jobs', 10, 'alice'), ('running_jobs', 20, 'bob'), ('nodes', 500, NULL)");
  sql("INSERT INTO limits (kind, most, each_of) VALUES ('resource_seconds', 1000, 'user')");
  for (const auto* user : {"alice", "bob"})
    sql(
        fmt::format("INSERT INTO usage (day, user_name, project, campaign_id, cluster_id, resource_seconds) SELECT (now() AT TIME ZONE "
                    "'UTC')::date, '{0}', '', 1, id, CASE '{0}' WHEN 'bob' THEN 700 ELSE 300 END FROM clusters WHERE name = 'alpha'",
                    user));
  const auto all = by_boss("/v1/limits");
  ASSERT_EQ(all.json["total"].GetInt(), 4) << all.body;
  const auto& each = item(all, "holds", "each user");
  EXPECT_DOUBLE_EQ(each["used"].GetDouble(), 700);
  EXPECT_STREQ(each["used_by"][0]["name"].GetString(), "bob");
  const auto own = get("/v1/limits");
  EXPECT_EQ(own.json["total"].GetInt(), 3) << own.body;
  EXPECT_THAT(own.body, AllOf(HasSubstr("user alice"), HasSubstr("the whole grid"), Not(HasSubstr("bob")), Not(HasSubstr("700"))));
  EXPECT_DOUBLE_EQ(item(own, "holds", "each user")["used"].GetDouble(), 300);
}

TEST_F(Limits, NameTheCampaignsThatTheyStop) {
  const auto id = a_campaign_of(1);
  sql("INSERT INTO limits (kind, most) VALUES ('running_jobs', 0)");
  sql(
      fmt::format("INSERT INTO decisions (campaign_id, cluster_id, stage, reason, figures, jobs, since) SELECT {}, k.id, 'throttle', "
                  "'limit_reached', jsonb_build_object('limit', (SELECT id FROM limits)), 0, now() FROM clusters k WHERE k.name = 'alpha'",
                  id));
  EXPECT_EQ(by_boss("/v1/limits").json["items"][0]["stops"].GetInt(), 1);
  EXPECT_EQ(get("/v1/limits").json["items"][0]["stops"].GetInt(), 1);
  EXPECT_EQ(as("bob", {.target = "/v1/limits"}).json["items"][0]["stops"].GetInt(), 0) << "of others, nothing is told";
}

class Affinities : public Declared {};

TEST_F(Affinities, AreForAdministrators_AndTheirUser) {
  sql("INSERT INTO affinities (user_name, cluster_id) SELECT u, k.id FROM clusters k, unnest(ARRAY['alice', 'bob']) u WHERE k.name = 'beta'");
  EXPECT_EQ(by_boss("/v1/affinities").json["total"].GetInt(), 2);
  const auto own = get("/v1/affinities");
  EXPECT_EQ(own.json["total"].GetInt(), 1) << own.body;
  EXPECT_STREQ(own.json["items"][0]["cluster_name"].GetString(), "beta");
  EXPECT_THAT(own.body, Not(HasSubstr("bob")));
}

class Brakes : public Declared {};

class BrakesOfOwn : public Declared {
  [[nodiscard]] process::Config configuration() const override {
    auto config = Declared::configuration();
    config.read_access = process::ReadAccess::own;
    return config;
  }
};

TEST_F(Brakes, AreListed_WithTheirEnd) {
  const auto id = a_campaign_of(1);
  sql(fmt::format(
      "INSERT INTO brakes (campaign_id, cluster_id, reason, created_at, expires_at) SELECT {}, k.id, '3 failures in a row', now(), "
      "now() + interval '1 hour' FROM clusters k WHERE k.name = 'alpha'",
      id));
  sql("INSERT INTO brakes (cluster_id, reason, created_at, expires_at) SELECT id, 'over', now(), now() - interval '1 s' FROM clusters WHERE "
      "name = 'gamma'");
  ASSERT_EQ(as("boss", {.method = "POST", .target = "/v1/events?cluster=beta&reason=disk+full"}).status, 201);
  const auto answer = get("/v1/brakes");
  ASSERT_EQ(answer.json["total"].GetInt(), 2) << answer.body;
  const auto& beta = answer.json["items"][0];
  EXPECT_STREQ(beta["set_by"].GetString(), "boss");
  EXPECT_TRUE(beta["campaign_id"].IsNull());
  EXPECT_THAT(beta["ends"].GetString(), HasSubstr(fmt::format("or when event {} is closed", beta["event_id"].GetInt64())));
  const auto& pair = answer.json["items"][1];
  EXPECT_EQ(pair["campaign_id"].GetInt64(), id);
  EXPECT_STREQ(pair["reason"].GetString(), "3 failures in a row");
  EXPECT_THAT(pair["ends"].GetString(), HasSubstr("or when a job of the campaign succeeds there"));
}

TEST_F(BrakesOfOwn, Attack_ReadingOthers_FindsThoseOfClustersAlone) {
  const auto id = a_campaign_of(1);
  sql(fmt::format(
      "INSERT INTO brakes (campaign_id, reason, created_at, expires_at) VALUES ({}, 'secret', now(), now() + interval '1 hour')", id));
  sql("INSERT INTO brakes (cluster_id, reason, created_at, expires_at) SELECT id, 'flooded', now(), now() + interval '1 hour' FROM clusters "
      "WHERE name = 'beta'");
  const auto others = as("bob", {.target = "/v1/brakes"});
  EXPECT_EQ(others.json["total"].GetInt(), 1) << others.body;
  EXPECT_THAT(others.body, AllOf(HasSubstr("flooded"), Not(HasSubstr("secret"))));
  EXPECT_EQ(get("/v1/brakes").json["total"].GetInt(), 2);
}

class Launches : public BrakesOfOwn {};

TEST_F(Launches, InDoubt_AreListedUntilTheirFateIsKnown_ToWhomMayReadTheirCampaign) {
  const auto id = a_campaign_of(2);
  sql(fmt::format(
      "INSERT INTO launches (campaign_id, cluster_id, state, term, jobs, resources, tag, planned_at, launching_at, unknown_at, looks, "
      "error) SELECT {}, k.id, 'unknown', 1, 2, 2, 't', now(), now(), now(), 1, 'no answer' FROM clusters k WHERE k.name = 'alpha'",
      id));
  const auto answer = get("/v1/launches");
  ASSERT_EQ(answer.json["total"].GetInt(), 1) << answer.body;
  const auto& launch = answer.json["items"][0];
  EXPECT_STREQ(launch["state"].GetString(), "unknown");
  EXPECT_STREQ(launch["cluster_name"].GetString(), "alpha");
  EXPECT_EQ(launch["looks"].GetInt(), 1);
  EXPECT_STREQ(launch["error"].GetString(), "no answer");
  EXPECT_EQ(as("bob", {.target = "/v1/launches"}).json["total"].GetInt(), 0);
  sql("UPDATE launches SET state = 'accepted', settled_at = now()");
  EXPECT_EQ(get("/v1/launches").json["total"].GetInt(), 0);
}

}  // namespace
}  // namespace gleaner::tests
