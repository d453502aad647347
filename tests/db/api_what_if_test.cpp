#include <fmt/format.h>
#include <gmock/gmock.h>

#include "clients/gridsub/what_if.hpp"
#include "tests/db/api_fixture.hpp"

/// POST /v1/what-if: the grid as it is, and as it would be.
namespace gleaner::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

class WhatIfRoute : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    sql("UPDATE clusters SET reachable = true WHERE name IN ('alpha', 'beta')");
    sql("INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms) "
        "SELECT id, now(), 16, 16, 0, 0, 0, 0, true, 5 FROM clusters WHERE name IN ('alpha', 'beta')");
  }

  /// A campaign of that JDL; its id.
  [[nodiscard]] std::int64_t a_campaign(const std::string& user, const std::string& jdl) const {
    const auto answer = as(user, {.method = "POST", .target = "/v1/campaigns", .body = jdl, .headers = kJson});
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.json["id"].GetInt64();
  }
  /// A campaign whose tasks take up to ten minutes each, on alpha and beta.
  [[nodiscard]] static std::string jdl(int tasks, const std::string& name = "t") { return jdl_of(tasks, name, "0:10:0"); }
  /// One that is played in no time, so that the time of the server suffices for all runs.
  [[nodiscard]] static std::string short_jdl(int tasks) { return jdl_of(tasks, "t", "0:1:0"); }
  [[nodiscard]] static std::string jdl_of(int tasks, const std::string& name, const std::string& walltime) {
    return fmt::format(
        R"({{"name": "{}", "nb_jobs": {}, "walltime": "{}", "clusters": {{"alpha": {{"exec_file": "run"}}, "beta": {{"exec_file": "run"}}}}}})",
        name, tasks, walltime);
  }
  [[nodiscard]] ApiAnswer what_if(const std::string& user, const std::string& body) const {
    return as(user, {.method = "POST", .target = "/v1/what-if", .body = body, .headers = kJson});
  }
  /// A question about a campaign that is not submitted.
  [[nodiscard]] static std::string about(const std::string& jdl, const std::string& changes = "{}") {
    return head_of(jdl, R"("changes": )" + changes);
  }
  /// The campaign of an answer.
  [[nodiscard]] static const rapidjson::Value& of(const ApiAnswer& answer, std::int64_t id) {
    for (const auto& campaign : answer.json["campaigns"].GetArray()) {
      if (id == 0 ? campaign["id"].IsNull() : !campaign["id"].IsNull() && campaign["id"].GetInt64() == id) return campaign;
    }
    throw std::logic_error{answer.body};
  }
  [[nodiscard]] static std::int64_t end_of(const rapidjson::Value& outlook) { return outlook["ends_in"]["expected"].GetInt64(); }

  inline static const std::map<std::string, std::string> kJson{{"Content-Type", "application/json"}};
};

TEST_F(WhatIfRoute, WhatIfOfNothingIsTheForecast) {
  const auto id = a_campaign("alice", short_jdl(40));
  const auto answer = what_if("alice", "{}");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const auto& campaign = of(answer, id);
  EXPECT_EQ(campaign["before"], campaign["after"]);
  EXPECT_EQ(campaign["difference"].GetInt64(), 0);
  EXPECT_STREQ(campaign["effect"].GetString(), "same");
  EXPECT_GE(end_of(campaign["after"]), 100) << "40 tasks of a minute on 32 resources";
  EXPECT_EQ(answer.json["after"]["runs"].GetInt(), 20);
  EXPECT_EQ(sql("SELECT count(*) FROM campaigns"), "1");
}

TEST_F(WhatIfRoute, Reports_WhatGridsubDoes_OfTheSamePicture) {
  static_cast<void>(a_campaign("alice", short_jdl(40)));
  static_cast<void>(a_campaign("bob", short_jdl(24)));
  auto config = process::default_config();
  config.api = "unix:" + socket();
  clients::ApiClient client{config};
  const gridsub::TimeBudget budget{.most = std::chrono::minutes{5}, .is_asked_for = true};
  const auto checked = post("/v1/campaigns?dry_run=1", short_jdl(33));
  const auto candidate = clients::Json::parse(checked.body).value()["candidate"];
  for (const bool has_new : {false, true}) {
    const auto outlook =
        gridsub::simulate(client, has_new ? std::vector{candidate} : std::vector<clients::Json>{}, budget, terminal::Form::json);
    rapidjson::Document there;
    there.Parse(gridsub::to_json(outlook).c_str());
    const auto here = what_if("alice", has_new ? about(short_jdl(33)) : "{}");
    ASSERT_EQ(here.status, 200) << here.body;
    ASSERT_EQ(here.json["campaigns"].Size(), has_new ? 3U : 2U);
    for (rapidjson::SizeType i = 0; i < here.json["campaigns"].Size(); ++i) {
      const auto& ours = here.json["campaigns"][i]["after"];
      const auto& theirs = there["campaigns"][i];
      for (const auto* key : {"starts_in", "ends_in", "blocked", "evidence", "seen_jobs", "started", "tasks_played_as_one"})
        EXPECT_EQ(ours[key], theirs[key]) << key << " of " << i << "\n" << here.body << "\n" << gridsub::to_json(outlook);
    }
    EXPECT_EQ(here.json["clusters"], there["clusters"]);
    EXPECT_EQ(here.json["left_out"], there["left_out"]);
  }
}

TEST_F(WhatIfRoute, WhatIfMovesTheOthersToo) {
  const auto mine = a_campaign("alice", jdl(40)), others = a_campaign("bob", jdl(40));
  const auto acts = sql("SELECT count(*) FROM audit");
  const auto off = what_if("alice", R"({"changes": {"clusters_off": ["beta"]}})");
  ASSERT_EQ(off.status, 200) << off.body;
  for (const auto id : {mine, others}) {
    EXPECT_STREQ(of(off, id)["effect"].GetString(), "pays") << off.body;
    EXPECT_GT(of(off, id)["difference"].GetInt64(), 300);
    EXPECT_EQ(of(off, id)["difference"].GetInt64(), end_of(of(off, id)["after"]) - end_of(of(off, id)["before"]));
  }
  EXPECT_THAT(off.body, HasSubstr("beta would get no further job"));
  // Later, it costs less; when all is over, nothing.
  const auto off_after = [&](std::int64_t seconds) {
    return what_if("alice", fmt::format(R"({{"changes": {{"clusters_off": ["beta"], "off_after": {}}}}})", seconds));
  };
  const auto later = off_after(end_of(of(off, others)["before"]) / 10);
  ASSERT_EQ(later.status, 200) << later.body;
  EXPECT_LT(of(later, others)["difference"].GetInt64(), of(off, others)["difference"].GetInt64());
  EXPECT_GT(of(later, others)["difference"].GetInt64(), 0) << later.body;
  const auto last = off_after(604'800);
  ASSERT_EQ(last.status, 200) << last.body;
  EXPECT_STREQ(of(last, others)["effect"].GetString(), "same") << last.body;
  EXPECT_THAT(last.body, HasSubstr("beta would get no further job from 168 h after this picture of the grid on"));
  const auto paused = what_if("alice", fmt::format(R"({{"changes": {{"campaigns": [{{"id": {}, "paused": true}}]}}}})", mine));
  ASSERT_EQ(paused.status, 200) << paused.body;
  EXPECT_STREQ(of(paused, mine)["after"]["blocked"].GetString(), "paused");
  EXPECT_STREQ(of(paused, mine)["effect"].GetString(), "pays");
  EXPECT_STREQ(of(paused, others)["effect"].GetString(), "gains") << paused.body;
  const auto added = what_if("bob", about(jdl(40)));
  ASSERT_EQ(added.status, 200) << added.body;
  EXPECT_STREQ(of(added, 0)["effect"].GetString(), "new");
  EXPECT_TRUE(of(added, 0)["before"].IsNull());
  EXPECT_GT(end_of(of(added, 0)["after"]), end_of(of(added, mine)["after"])) << "first come, first served";
  EXPECT_EQ(sql("SELECT string_agg(state::text, ' ') FROM campaigns"), "in_treatment in_treatment");
  EXPECT_EQ(sql("SELECT count(*) FROM audit"), acts);
}

TEST_F(WhatIfRoute, AnotherOrder_AndAnotherPriority_ChangeWhoGoesFirst) {
  const auto first = a_campaign("alice", jdl(64)), second = a_campaign("alice", jdl(64));
  const auto asked = [&](const std::string& changes) { return what_if("alice", R"({"changes": )" + changes + "}"); };
  const auto raised = fmt::format(R"("campaigns": [{{"id": {}, "priority": 1}}])", second);
  const auto both = asked(R"({"order": "priority,fifo", )" + raised + "}");
  ASSERT_EQ(both.status, 200) << both.body;
  EXPECT_STREQ(of(both, second)["effect"].GetString(), "gains") << both.body;
  EXPECT_STREQ(of(both, first)["effect"].GetString(), "pays");
  EXPECT_TRUE(both.json["warnings"].Empty());
  const auto unheard = asked("{" + raised + "}");
  EXPECT_THAT(unheard.body, HasSubstr("without the class 'priority'"));
  const auto wrong = asked(R"({"order": "fifi"})");
  EXPECT_EQ(wrong.status, 400) << wrong.body;
  EXPECT_THAT(wrong.message(), HasSubstr("fifi"));
  EXPECT_THAT(wrong.message(), HasSubstr("fifo"));
}

TEST_F(WhatIfRoute, ACampaignThatIsSubmittedLater_StartsLater_AndKeepsNobodyFromTheGridBefore) {
  const auto others = a_campaign("bob", jdl(40));
  const auto answer = what_if("alice", about(jdl(40), R"({"after": 7200})"));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_GE(of(answer, 0)["after"]["starts_in"]["earliest"].GetInt64(), 7200) << answer.body;
  EXPECT_LT(of(answer, 0)["after"]["starts_in"]["latest"].GetInt64(), 7200 + 600);
  EXPECT_GE(end_of(of(answer, 0)["after"]), 7200 + 600);
  EXPECT_STREQ(of(answer, others)["effect"].GetString(), "same");
}

TEST_F(WhatIfRoute, AWrongJdl_IsRefusedInTheWordsOfASubmission_AndNothingIsStored) {
  for (const std::string wrong : {R"({"name": "t"})", R"({"name": "t", "nb_jobs": 0, "clusters": {"alpha": {"exec_file": "run"}}})",
                                  R"({"name": "t", "nb_jobs": 3, "clusters": {"alfa": {"exec_file": "run"}}})",
                                  R"({"name": "t", "clusters": {"alpha": {"exec_file": "run"}}})",
                                  R"({"name": "t", "param_file": "/etc/passwd", "clusters": {"alpha": {"exec_file": "run"}}})",
                                  R"({"name": "t", "nb_jobs": 3, "after": [99], "clusters": {"alpha": {"exec_file": "run"}}})"}) {
    const auto submitted = post("/v1/campaigns?dry_run=1", wrong);
    const auto asked = what_if("alice", about(wrong));
    EXPECT_EQ(asked.status, submitted.status) << wrong << asked.body;
    if (submitted.status != 200) {
      EXPECT_EQ(asked.body, submitted.body);
    }
  }
  sql("INSERT INTO admission_rules (name, position, text, created_by, changed_by) SELECT 'never', max(position) + 1, 'refuse \"not today\"', 'boss', 'boss' "
      "FROM admission_rules");
  const auto refused = what_if("alice", about(jdl(3)));
  EXPECT_EQ(refused.code(), "rule_refused") << refused.body;
  EXPECT_THAT(refused.message(), HasSubstr("not today"));
  EXPECT_EQ(sql("SELECT count(*) FROM campaigns"), "0");
}

TEST_F(WhatIfRoute, Questions_ThatCannotBeAnswered_SayWhy) {
  EXPECT_EQ(ask(port(), {.method = "POST", .target = "/v1/what-if", .body = "{}"}).status, 401);
  EXPECT_THAT(what_if("alice", R"({"changes": {"clusters_off": ["alph"]}})").message(), HasSubstr("did you mean 'alpha'"));
  EXPECT_EQ(what_if("alice", R"({"changes": {"campaigns": [{"id": 99, "priority": 1}]}})").code(), "no_such_campaign");
  EXPECT_EQ(what_if("alice", R"({"changes": {"cluster_off": ["beta"]}})").code(), "unknown_key");
  EXPECT_EQ(what_if("alice", "{\"jdl\": \"" + std::string(1 << 20, 'x') + "\"}").code(), "too_large");
  const auto empty = what_if("alice", "{}");
  EXPECT_EQ(empty.status, 200) << empty.body;
  EXPECT_TRUE(empty.json["campaigns"].Empty());
}

TEST_F(WhatIfRoute, WithoutAClusterThatAnswers_ThereIsNothingToPlay) {
  sql("UPDATE clusters SET reachable = false, enabled = name = 'alpha'");
  const auto answer = what_if("alice", "{}");
  EXPECT_EQ(answer.code(), "wrong_state") << answer.body;
  EXPECT_THAT(answer.message(), HasSubstr("beta is disabled"));
}

/// Where a user may read their own campaigns alone.
class WhatIfOfOwn : public WhatIfRoute {
 protected:
  [[nodiscard]] process::Config configuration() const override {
    auto config = ApiTest::configuration();
    config.read_access = process::ReadAccess::own;
    return config;
  }
};

TEST_F(WhatIfOfOwn, Attack_AskingForOthersCampaigns_GetsTimesWithoutNames_AsTheScenarioDoes) {
  const auto mine = a_campaign("alice", jdl(10));
  const auto submitted = as("bob", {.method = "POST", .target = "/v1/campaigns", .body = jdl(10, "hidden"), .headers = kJson});
  const auto others = submitted.json["id"].GetInt64();
  const auto asked = R"({"changes": {"clusters_off": ["beta"]}})";
  const auto bobs = what_if("bob", asked);
  EXPECT_THAT(bobs.body, HasSubstr("hidden"));
  const auto answer = what_if("alice", asked);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.body, testing::AllOf(Not(HasSubstr("bob")), Not(HasSubstr("hidden")))) << "though the play is the same";
  EXPECT_STREQ(of(answer, mine)["user"].GetString(), "alice");
  EXPECT_STREQ(of(answer, others)["user"].GetString(), "user-1");
  EXPECT_TRUE(of(answer, others)["name"].IsNull());
  EXPECT_EQ(of(answer, others)["after"], of(bobs, others)["after"]);
  const auto changed = what_if("alice", fmt::format(R"({{"changes": {{"campaigns": [{{"id": {}, "priority": 1}}]}}}})", others));
  EXPECT_EQ(changed.code(), "not_yours");
  EXPECT_THAT(changed.body, Not(HasSubstr("bob")));
  EXPECT_THAT(what_if("boss", asked).body, HasSubstr("hidden"));
}

}  // namespace
}  // namespace gleaner::tests
