#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/store/database.hpp"
#include "tests/db/api_fixture.hpp"

/// PUT /v1/campaigns/ID.
namespace gleaner::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class EditCampaign : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    const auto answer = post("/v1/campaigns", R"({"name": "t", "nb_jobs": 3, "exec_file": "run", "walltime": "1:00:00",
                                              "clusters": {"alpha": {"properties": "mem > 8"}, "beta": {}}})");
    ASSERT_EQ(answer.status, 201) << answer.body;
    id = answer.json["id"].GetInt64();
  }
  [[nodiscard]] ApiAnswer put(const std::string& body, const std::string& user = "alice", const std::string& query = {},
                              const std::string& type = "application/json") const {
    return as(user,
              {.method = "PUT", .target = fmt::format("/v1/campaigns/{}{}", id, query), .body = body, .headers = {{"Content-Type", type}}});
  }
  [[nodiscard]] std::string of_cluster(const std::string& name, const std::string& columns) const {
    return sql(fmt::format("SELECT concat_ws(' ', {}) FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id WHERE k.name = '{}'",
                           columns, name));
  }
  std::int64_t id = 0;
};

TEST_F(EditCampaign, ChangesTheJdl_ThePairs_AndWhatIsPlanned_Together_AndRecordsIt) {
  sql("UPDATE campaign_clusters SET done = 5, matching_resources = 3, matching_at = now()");
  const auto answer = put(R"({"walltime": "2:00:00", "campaign_priority": "high", "name": "u",
                              "clusters": {"alpha": {"max_jobs": 50, "properties": "mem > 9"}}})");
  ASSERT_EQ(answer.status, 202) << answer.body;
  EXPECT_STREQ(answer.json["name"].GetString(), "u");
  EXPECT_EQ(answer.json["changes"].Size(), 6U);
  EXPECT_EQ(of_cluster("alpha", "walltime_s, max_jobs, p.properties, done, matching_resources, matching_at"), "7200 50 mem > 9 5");
  EXPECT_EQ(of_cluster("beta", "walltime_s, max_jobs, done, matching_resources"), "7200 5 3") << "what was learnt of the others stays";
  EXPECT_EQ(
      sql("SELECT concat_ws(' ', name, jdl ->> 'name', priority, requested = requested_of(id)::text, requested LIKE '%,7200,50,%') FROM campaigns"),
      "u u 2 t t");
  EXPECT_EQ(sql("SELECT concat_ws(' ', changed_by, tasks, jsonb_array_length(edits)) FROM campaign_changes"), "alice 0 6");
  const auto shown = get(fmt::format("/v1/campaigns/{}", id));
  EXPECT_STREQ(shown.json["changes"][0]["user"].GetString(), "alice");
  EXPECT_EQ(shown.json["changes"][0]["edits"].Size(), 6U);
}

TEST_F(EditCampaign, WhatIsPlannedAndNotLaunched_HasTheNewWalltime_AndWhatRunsKeepsItsOwn) {
  const auto launch = [&](const std::string& state, int task) {
    sql(fmt::format(
        "WITH l AS (INSERT INTO launches (campaign_id, cluster_id, state, term, jobs, resources, planned_at, walltime_s) "
        "SELECT {0}, id, '{1}', 1, 1, 1, now(), 3600 FROM clusters WHERE name = 'beta' RETURNING id, cluster_id) "
        "INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt) SELECT id, {0}, cluster_id, {2}, 0 FROM l RETURNING id",
        id, state, task));
  };
  launch("planned", 0);
  launch("accepted", 1);
  sql("UPDATE tasks SET walltime_s = 9000 WHERE number = 0");
  ASSERT_EQ(put(R"({"walltime": "2:00:00"})").status, 202);
  EXPECT_EQ(sql("SELECT string_agg(walltime_s::text, ' ' ORDER BY id) FROM launches"), "7200 3600") << "without max_walltime none grows";
  ASSERT_EQ(put(R"({"max_walltime": "4:00:00"})").status, 202);
  EXPECT_EQ(sql("SELECT string_agg(walltime_s::text, ' ' ORDER BY id) FROM launches"), "9000 3600");
}

TEST_F(EditCampaign, WrongValues_AreAllReported_AndNothingChanges) {
  const auto answer = put(R"({"walltime": "1:99:00", "clusters": {"alpha": {"max_jobs": "many"}, "gama": {"exec_file": "x"}}})");
  EXPECT_EQ(answer.status, 400);
  ASSERT_EQ(answer.json["problems"].Size(), 3U) << answer.body;
  EXPECT_THAT(answer.message(), AllOf(HasSubstr("nothing was changed"), HasSubstr("'1:99:00' is not a walltime")));
  EXPECT_EQ(answer.json["problems"][0]["column"].GetInt(), 14);
  EXPECT_THAT(put(R"({"nb_jobs": 9})").message(), HasSubstr("it cannot be changed"));
  EXPECT_THAT(put(R"({"resources": "/core=p1"})").message(), HasSubstr("it cannot be changed"));
  EXPECT_THAT(put("[1]").message(), HasSubstr("an object of keys"));
  EXPECT_EQ(put("{").status, 400);
  EXPECT_EQ(put("").status, 400);
  EXPECT_EQ(put(std::string{"{}\0{", 4}).status, 400);
  EXPECT_EQ(put("{}", "alice", "", "text/plain").status, 415);
  sql("UPDATE clusters SET node_sizes = '8x2'");
  EXPECT_THAT(put(R"({"resources": "/core=1000"})").message(), HasSubstr("/core=16 would fit"));
  EXPECT_EQ(sql("SELECT count(*) FROM campaign_changes"), "0");
  EXPECT_EQ(of_cluster("alpha", "walltime_s, resources"), "3600 /core=1");
}

TEST_F(EditCampaign, OffAndOn_KeepTheCluster) {
  ASSERT_EQ(put(R"({"clusters": {"beta": "off"}})").status, 202);
  EXPECT_EQ(of_cluster("beta", "max_jobs"), "0");
  ASSERT_EQ(put(R"({"clusters": {"beta": "on"}})").status, 202);
  EXPECT_EQ(of_cluster("beta", "max_jobs"), "");
}

TEST_F(EditCampaign, AClusterIsAdded) {
  ASSERT_EQ(put(R"({"clusters": {"gamma": {"exec_file": "other", "max_jobs": 2}}})").status, 202);
  EXPECT_EQ(of_cluster("gamma", "exec_file, max_jobs, walltime_s"), "other 2 3600");
}

TEST_F(EditCampaign, AnswerOfTheJdl_SentBack_ChangesNothing) {
  const auto jdl = get(fmt::format("/v1/campaigns/{}/jdl", id));
  const auto answer = put(jdl.body);
  ASSERT_EQ(answer.status, 202) << answer.body;
  EXPECT_EQ(answer.json["changes"].Size(), 0U);
  EXPECT_EQ(sql("SELECT count(*) FROM campaign_changes"), "0");
}

TEST_F(EditCampaign, AChangedState_IsAmongTheChanges_AlsoOfADryRun) {
  const std::string change = R"("path":"state","before":"in_treatment","after":"paused")";
  EXPECT_THAT(put(R"({"state": "paused"})", "alice", "?dry_run=1").body, HasSubstr(change));
  EXPECT_THAT(put(R"({"state": "paused"})").body, HasSubstr(change));
  EXPECT_THAT(put(R"({"state": "paused"})").body, HasSubstr(R"("changes":[])")) << "it is paused already";
  EXPECT_EQ(sql("SELECT count(*) FROM campaign_changes"), "0") << "as with --hold";
}

TEST_F(EditCampaign, CigrisForm_RenamesPausesAndResumes) {
  const std::string form = "application/x-www-form-urlencoded";
  const auto paused = put("name=a+b%26c&state=paused", "alice", "", form);
  ASSERT_EQ(paused.status, 202) << paused.body;
  EXPECT_EQ(sql("SELECT name || ' ' || state FROM campaigns"), "a b&c paused");
  EXPECT_STREQ(paused.json["state"].GetString(), "paused");
  ASSERT_EQ(put("state=in_treatment", "alice", "", form).status, 202);
  EXPECT_EQ(sql("SELECT state FROM campaigns"), "in_treatment");
  EXPECT_THAT(put("state=cancelled", "alice", "", form).message(), HasSubstr("'cancelled' is neither in_treatment nor paused"));
  EXPECT_THAT(put(R"({"state": 3})").message(), HasSubstr("neither in_treatment nor paused"));
}

TEST_F(EditCampaign, EndedCampaignWithFailedTasks_IsEdited_AndItsTasksAreRetriedWithTheChange) {
  sql("UPDATE tasks SET state = CASE WHEN number = 0 THEN 'failed' ELSE 'done' END::task_state");
  sql("UPDATE campaigns SET state = 'terminated', ended_at = now(), next_task = 3");
  ASSERT_EQ(sql("SELECT failed FROM campaigns"), "1");
  const auto state = put(R"({"state": "paused"})");
  EXPECT_EQ(state.status, 409);
  EXPECT_THAT(state.message(), HasSubstr("gridsub --retry"));
  const auto answer = put(R"({"walltime": "2:00:00"})");
  ASSERT_EQ(answer.status, 202) << answer.body;
  EXPECT_EQ(sql("SELECT state FROM campaigns"), "terminated") << "an edit revives nothing";
  ASSERT_EQ(post(fmt::format("/v1/campaigns/{}/retries", id), "").status, 202);
  EXPECT_EQ(sql("SELECT state FROM campaigns"), "in_treatment");
  EXPECT_EQ(of_cluster("alpha", "walltime_s"), "7200");
}

TEST_F(EditCampaign, EndedCampaign_IsRefused_AndNotRevived) {
  for (const std::string state : {"terminated", "cancelled"}) {
    sql(fmt::format("UPDATE campaigns SET state = '{}', ended_at = now()", state));
    for (const auto* body : {R"({"name": "u"})", R"({"state": "in_treatment"})"}) {
      const auto refused = put(body);
      EXPECT_EQ(refused.status, 409);
      EXPECT_THAT(refused.message(), HasSubstr("is " + state));
    }
  }
  EXPECT_EQ(sql("SELECT name || ' ' || state FROM campaigns"), "t cancelled");
}

TEST_F(EditCampaign, OthersCampaign_IsRefused) {
  EXPECT_EQ(put(R"({"name": "u"})", "bob").status, 403);
  EXPECT_EQ(put(R"({"name": "u"})", "boss").status, 202);
  EXPECT_EQ(sql("SELECT changed_by FROM campaign_changes"), "boss");
}

TEST_F(EditCampaign, DryRun_ShowsTheChanges_AndStoresNothing) {
  const auto answer = put(R"({"walltime": "2:00:00"})", "alice", "?dry_run=1");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["changes"].Size(), 2U);
  EXPECT_EQ(of_cluster("alpha", "walltime_s"), "3600");
}

TEST_F(EditCampaign, AdmissionRules_SeeTheEditedCampaign) {
  EXPECT_THAT(put(R"({"type": "normal"})").message(), AllOf(HasSubstr("nothing was changed"), HasSubstr("'normal-jobs' refuses it")));
  sql("INSERT INTO admission_rules (name, position, text, created_by, changed_by) "
      "VALUES ('no-beta', 2, $r$jdl[\"clusters\"].delete(\"beta\")$r$, 'boss', 'boss') RETURNING id");
  const auto answer = put(R"({"name": "u"})");
  ASSERT_EQ(answer.status, 202) << answer.body;
  EXPECT_EQ(of_cluster("beta", "max_jobs"), "0") << "a cluster that a rule takes away gets nothing more";
  EXPECT_EQ(sql("SELECT jdl -> 'clusters' -> 'beta' ->> 'max_jobs' FROM campaigns"), "0");
}

TEST_F(EditCampaign, RepeatedSubmission_IsStillKnown) {
  const std::string jdl = R"({"name": "k", "nb_jobs": 3, "clusters": {"alpha": {"exec_file": "run"}}})";
  const ApiRequest submission{.method = "POST",
                              .target = "/v1/campaigns",
                              .body = jdl,
                              .headers = {{"Content-Type", "application/json"}, {"Idempotency-Key", "k"}}};
  id = as("alice", submission).json["id"].GetInt64();
  ASSERT_EQ(put(R"({"name": "other"})").status, 202);
  const auto again = as("alice", submission);
  EXPECT_EQ(again.status, 201) << again.body;
  EXPECT_EQ(again.json["id"].GetInt64(), id);
}

TEST_F(EditCampaign, WithExpressions_KeepsItsRequests_AndChangesTheRest) {
  const auto answer = post("/v1/campaigns", R"({"name": "e", "exec_file": "run", "walltime": "p1 * minute", "params": ["10", "20"],
                                            "clusters": {"alpha": {}}})");
  id = answer.json["id"].GetInt64();
  for (const auto* body : {R"({"walltime": "1:00:00"})", R"({"resources": "/core=2"})", R"({"clusters": {"beta": {"exec_file": "run"}}})"})
    EXPECT_THAT(put(body).message(), HasSubstr("cannot be changed: the requests of the tasks")) << body;
  ASSERT_EQ(put(R"({"max_jobs": 4, "exec_file": "new"})").status, 202);
  EXPECT_EQ(sql(fmt::format("SELECT concat_ws(' ', exec_file, max_jobs, walltime_s, resources_per_job) FROM campaign_clusters WHERE "
                            "campaign_id = {}",
                            id)),
            "new 4 1200 1");
}

}  // namespace
}  // namespace gleaner::tests
