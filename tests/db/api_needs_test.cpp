#include <fmt/format.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include "tests/db/campaigns_fixture.hpp"

/// Consumables and groups of users, over the API.
namespace gleaner::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class NeedsOverTheApi : public CampaignsFixture {
 protected:
  [[nodiscard]] static std::string jdl(const std::string& needs) {
    return fmt::format(R"({{"name": "fit", "nb_jobs": 2, "exec_file": "run", "needs": {{{}}}, "clusters": {{"alpha": {{}}}}}})", needs);
  }
  void declare(const std::string& name, int most, const std::string& user = {}) const {
    sql(fmt::format("INSERT INTO limits (kind, most, consumable, user_name) VALUES ('consumable', {}, '{}', nullif('{}', ''))", most, name,
                    user));
  }
  [[nodiscard]] ApiAnswer submit_as(const std::string& user, const std::string& text) const {
    return as(user, {.method = "POST", .target = "/v1/campaigns", .body = text, .headers = {{"Content-Type", "application/json"}}});
  }
};

TEST_F(NeedsOverTheApi, AnUnknownConsumable_IsRefused_AndSoIsMoreThanItsLimit) {
  const auto refusal = [&](const std::string& needs, const std::string& query = {}) {
    const auto answer = post("/v1/campaigns" + query, jdl(needs));
    EXPECT_EQ(answer.status, 400) << answer.body;
    return answer.message();
  };
  EXPECT_THAT(refusal(R"("matlab": 1)"), HasSubstr("there is no consumable 'matlab', nor any other"));
  declare("matlab", 50);
  declare("gpu", 2, "alice");
  for (const std::string query : {"", "?dry_run=1"}) {
    EXPECT_THAT(refusal(R"("matlib": 1)", query), HasSubstr("did you mean 'matlab'?"));
    EXPECT_THAT(refusal(R"("matlab": 51)", query), AllOf(HasSubstr("a task needs 51"), HasSubstr("allows 50 at once")));
    EXPECT_THAT(refusal(R"("gpu": 3)", query), HasSubstr("allows 2 at once"));
  }
  EXPECT_EQ(sql("SELECT count(*) FROM campaigns"), "0");
  EXPECT_EQ(submit_as("bob", jdl(R"("gpu": 3)")).status, 201) << "the limit is another user's";
}

TEST_F(NeedsOverTheApi, ACampaign_ShowsWhatItsTasksNeed_AndWhatIsInUse) {
  declare("matlab", 50);
  const auto answer = post("/v1/campaigns", jdl(R"("matlab": 2)"));
  ASSERT_EQ(answer.status, 201) << answer.body;
  const auto id = answer.json["id"].GetInt64();
  sql("UPDATE campaign_clusters SET running = 3, active = true");
  const auto stats = get(path(id, "/stats"));
  const auto& needs = stats.json["needs"];
  ASSERT_EQ(needs.Size(), 1U) << stats.body;
  EXPECT_STREQ(needs[0]["consumable"].GetString(), "matlab");
  EXPECT_EQ(needs[0]["each"].GetInt(), 2);
  EXPECT_DOUBLE_EQ(needs[0]["used"].GetDouble(), 6);
  EXPECT_DOUBLE_EQ(needs[0]["most"].GetDouble(), 50);
  EXPECT_EQ(get(path(id, "/jdl")).json["needs"]["matlab"].GetInt(), 2);
}

TEST_F(NeedsOverTheApi, AnEdit_FreesNothingThatJobsHold_AndItsNextJobsHoldWhatIsNeededNow) {
  declare("matlab", 50);
  const auto answer = post("/v1/campaigns", jdl(R"("matlab": 20)"));
  ASSERT_EQ(answer.status, 201) << answer.body;
  const auto id = answer.json["id"].GetInt64();
  const auto used = [&] { return get(path(id, "/stats")).json["needs"][0]["used"].GetDouble(); };
  const auto launch = [&](int task, const std::string& state) {
    sql(fmt::format(
        "INSERT INTO launches (campaign_id, cluster_id, jobs, resources, term, planned_at, state) SELECT {}, id, 1, 1, 1, now(), "
        "'{}' FROM clusters WHERE name = 'alpha' RETURNING 1",
        id, state));
    sql(fmt::format("UPDATE tasks SET state = 'launching' WHERE campaign_id = {} AND number = {} RETURNING 1", id, task));
    sql(fmt::format(
        "INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state) SELECT max(id), {0}, max(cluster_id), {1}, 0, "
        "'planned' FROM launches WHERE campaign_id = {0} RETURNING 1",
        id, task));
  };
  launch(0, "accepted");
  EXPECT_DOUBLE_EQ(used(), 20);
  const auto edited =
      as("alice",
         {.method = "PUT", .target = path(id), .body = R"({"needs": {"matlab": 5}})", .headers = {{"Content-Type", "application/json"}}});
  ASSERT_EQ(edited.status, 202) << edited.body;
  EXPECT_DOUBLE_EQ(used(), 20) << "the job runs with what it took";
  launch(1, "planned");
  EXPECT_DOUBLE_EQ(used(), 25);
  sql("UPDATE jobs SET state = 'error' WHERE task = 0 RETURNING 1");
  EXPECT_DOUBLE_EQ(used(), 5);
}

TEST_F(NeedsOverTheApi, ACampaign_KeepsTheUnixGroupsThatItsUserHadAtTheSubmission) {
  const auto* own = ::getpwuid(::geteuid());
  const std::string group = ::getgrgid(own->pw_gid)->gr_name;
  declare("matlab", 50);
  const auto answer =
      ask(socket(),
          {.method = "POST", .target = "/v1/campaigns", .body = jdl(R"("matlab": 1)"), .headers = {{"Content-Type", "application/json"}}});
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(sql(fmt::format("SELECT '{}' = ANY (groups) FROM campaigns", group)), "t");
  sql(fmt::format("INSERT INTO limits (kind, most, group_name) VALUES ('running_jobs', 3, '{}')", group));
  const auto scenario = get("/v1/scenario");
  ASSERT_EQ(scenario.status, 200) << scenario.body;
  EXPECT_THAT(scenario.body, AllOf(HasSubstr(fmt::format(R"("groups":["{}"])", group)), HasSubstr(fmt::format(R"("group":"{}")", group)),
                                   HasSubstr(R"("needs":{"matlab":1})"), HasSubstr(R"("consumable":"matlab")")));
  ASSERT_EQ(::getpwnam("alice"), nullptr) << "she has a token, and no account on this machine";
  EXPECT_EQ(submit_as("alice", jdl(R"("matlab": 1)")).status, 201);
  EXPECT_EQ(sql("SELECT groups FROM campaigns WHERE user_name = 'alice'"), "{}");
}

TEST_F(NeedsOverTheApi, TasksSideBySide_ThatWouldNeedMoreThanALimitTogether_AreRefused) {
  declare("matlab", 4);
  sql("UPDATE clusters SET node_sizes = '8x2' WHERE name = 'alpha'");
  const auto answer = [&](const std::string& resources, int each) {
    return post("/v1/campaigns?dry_run=1", fmt::format(R"({{"name": "fit", "nb_jobs": 2, "exec_file": "run", "dimensional_grouping": true,
      "needs": {{"matlab": {}}}, "clusters": {{"alpha": {{"resources": "{}"}}}}}})",
                                                       each, resources));
  };
  for (const auto* eight : {"/nodes=1", "/nodes=1/core=8"}) {
    const auto refused = answer(eight, 1);
    EXPECT_EQ(refused.status, 400) << refused.body;
    EXPECT_THAT(refused.message(), AllOf(HasSubstr("dimensional_grouping"), HasSubstr("8 tasks at a time"), HasSubstr("8 of matlab"),
                                         HasSubstr("allows 4 at once"), HasSubstr("/nodes=1/core=4")));
  }
  EXPECT_EQ(answer("/nodes=1/core=4", 1).status, 200);
  EXPECT_EQ(answer("/nodes=1/core=4", 2).status, 400);
}

}  // namespace
}  // namespace gleaner::tests
