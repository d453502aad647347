#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/store/database.hpp"
#include "tests/db/api_fixture.hpp"

namespace gleaner::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Submission : public ApiTest {
 protected:
  [[nodiscard]] std::string stored_campaigns() const { return sql("SELECT count(*) FROM campaigns"); }
};

TEST_F(Submission, JsonWithParameters_CreatesTheCampaign) {
  const auto answer = post(
      "/v1/campaigns", R"({"name": "t1", "params": ["1 a", ["2", "b c"]], "clusters": {"alpha": {"exec_file": "run", "walltime": "0:10:00",
      "resources": "/nodes=2/core=4", "properties": "mem > 8", "max_jobs": 5}}})");
  ASSERT_EQ(answer.status, 201) << answer.body;
  const auto id = std::to_string(answer.json["id"].GetInt64());
  EXPECT_EQ(answer.headers.at("location"), "/v1/campaigns/" + id);
  EXPECT_STREQ(answer.json["user"].GetString(), "alice");
  EXPECT_STREQ(answer.json["state"].GetString(), "in_treatment");
  EXPECT_EQ(answer.json["total_tasks"].GetInt(), 2);
  EXPECT_EQ(answer.json["tasks"]["waiting"].GetInt(), 2);
  EXPECT_EQ(sql("SELECT string_agg(form::text || ':' || parameter, ' | ' ORDER BY number) FROM tasks WHERE campaign_id = " + id),
            R"(l:1 a | a:["2","b c"])");
  EXPECT_EQ(
      sql("SELECT concat_ws(' ', resources, resources_per_job, walltime_s, properties, max_jobs, best_effort) FROM campaign_clusters"),
      "/nodes=2/core=4 8 600 mem > 8 5 t");
}

TEST_F(Submission, StreamedParameters_AreStoredByteForByteAndInOrder) {
  const auto answer = submit_lines(head_of(kOnAlpha), "\"1 'a b'\"\n[\"x\\ty\",\"\",\"\\\\\"]\n\"caf\\u00e9 \\\\t\"\n");
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(sql("SELECT string_agg(number || form::text || parameter, '|' ORDER BY number) FROM tasks"),
            "0l1 'a b'|1a[\"x\\ty\",\"\",\"\\\\\"]|2lcafé \\t");
  EXPECT_EQ(sql("SELECT concat_ws(' ', total, waiting, next_task) FROM campaigns"), "3 3 0");
}

TEST_F(Submission, WhatIsDoubtful_IsAmongTheWarnings_OrRefused) {
  const std::string file =
      R"({"name": "t", "comment": "x", "nb_jobs": 4, "params": ["1"], "exec_file": "run", "clusters": {"alpha": {}, "dahu": {}}})";
  const auto strict = post("/v1/campaigns?strict=1", file);
  EXPECT_EQ(strict.status, 400);
  EXPECT_EQ(strict.json["problems"].Size(), 3U) << strict.body;
  EXPECT_EQ(submit_lines(head_of(file, R"("strict": true)"), "").json["problems"].Size(), 3U);
  EXPECT_EQ(stored_campaigns(), "0");
  const auto answer = post("/v1/campaigns", file);
  ASSERT_EQ(answer.status, 201) << answer.body;
  ASSERT_EQ(answer.json["warnings"].Size(), 3U) << answer.body;
  EXPECT_STREQ(answer.json["warnings"][0].GetString(), "the campaign file:1:15: comment: there is no key 'comment': it has no effect");
  EXPECT_THAT(answer.json["warnings"][2].GetString(), HasSubstr("there is no cluster 'dahu'"));
  EXPECT_EQ(sql("SELECT string_agg(k.name, ' ') FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id"), "alpha");
  EXPECT_EQ(sql("SELECT total FROM campaigns"), "1");
}

TEST_F(Submission, OfATest_ReportsHowManyTasksItLeavesOut) {
  const auto answer = post("/v1/campaigns",
                           R"({"name": "t", "nb_jobs": 10, "test_mode": true, "exec_file": "run", "clusters": {"alpha": {}, "beta": {}}})");
  ASSERT_EQ(answer.status, 201) << answer.body;
  ASSERT_EQ(answer.json["warnings"].Size(), 1U) << answer.body;
  EXPECT_STREQ(answer.json["warnings"][0].GetString(),
               "this is a test, with one task on each cluster: 8 of its 10 tasks are left out, from the parameter of task 2 on");
}

TEST_F(Submission, ManyStreamedParameters_AreAllStored) {
  std::string lines;
  for (int i = 0; i < 30'000; ++i) lines += '"' + std::to_string(i) + " argument\"\n";
  const auto answer = submit_lines(head_of(kOnAlpha), lines);
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(answer.json["total_tasks"].GetInt(), 30'000);
  EXPECT_EQ(sql("SELECT count(*) FROM tasks WHERE parameter = number || ' argument'"), "30000");
}

TEST_F(Submission, CountInTheHead_NumbersTheTasks) {
  const auto answer = submit_lines(head_of(kOnAlpha, R"("nb_jobs": 5)"), "");
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(sql("SELECT string_agg(parameter, ',' ORDER BY number) FROM tasks"), "0,1,2,3,4");
}

TEST_F(Submission, ExpressionsOfTheTasks_AreWorkedOut_AndStoredOnceForEachDifferentRequest) {
  const auto answer = submit_lines(
      head_of(R"j({"name": "t", "exec_file": "run", "walltime": "p1 * minute", "max_walltime": "9:00:00", "resources": "/core=p2",
      "input_mb": "p1 / 2", "clusters": {"alpha": {}, "beta": {"resources": "/nodes=1/core=(2*p2)"}}})j"),
      "\"10 1\"\n\"20 2\"\n\"10 1\"\n[\"20\",\"2\",\"x\"]\n");
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(sql("SELECT string_agg(request::text, ' ' ORDER BY number) FROM tasks"), "1 2 1 2");
  EXPECT_EQ(
      sql("SELECT string_agg(concat_ws(' ', k.name, request, resources, resources_per_job, walltime_s), ', ' ORDER BY k.name, request)"
          " FROM campaign_requests q JOIN clusters k ON k.id = q.cluster_id"),
      "alpha 1 /core=1 1 600, alpha 2 /core=2 2 1200, beta 1 /nodes=1/core=2 2 600, beta 2 /nodes=1/core=4 4 1200");
  EXPECT_EQ(sql("SELECT string_agg(concat_ws(' ', request, next_task, untaken), ', ' ORDER BY request) FROM request_bags"), "1 0 2, 2 1 2");
  EXPECT_EQ(sql("SELECT concat_ws(' ', requests, input_mb, total, waiting) FROM campaigns"), "2 7.5 4 4");
}

TEST_F(Submission, ATaskForWhichAnExpressionFails_IsNamed_AndNothingIsStored) {
  const auto head = head_of(R"({"name": "t", "exec_file": "run", "walltime": "p2 * minute", "clusters": {"alpha": {}}})");
  const auto answer = submit_lines(head, "\"a 1\"\n\"b 2\"\n\"c soon\"\n");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.message(), AllOf(HasSubstr("task 2"), HasSubstr("'c soon'"), HasSubstr("p2 * minute"), HasSubstr("not a number")));
  EXPECT_EQ(stored_campaigns(), "0");
  EXPECT_EQ(sql("SELECT count(*) FROM tasks"), "0");
  sql("UPDATE clusters SET max_resources = 16 RETURNING id");
  const auto wide = post("/v1/campaigns",
                         R"({"name": "t", "exec_file": "run", "resources": "/core=p1", "params": ["8", "17"], "clusters": {"alpha": {}}})");
  EXPECT_THAT(wide.message(), AllOf(HasSubstr("task 1"), HasSubstr("alpha has 16")));
  EXPECT_EQ(stored_campaigns(), "0");
  sql("UPDATE clusters SET max_resources = 4, suspected_resources = 10, absent_resources = 2, dead_resources = 50 RETURNING id");
  EXPECT_THAT(post("/v1/campaigns",
                   R"({"name": "t", "exec_file": "run", "resources": "/core=p1", "params": ["8", "17"], "clusters": {"alpha": {}}})")
                  .message(),
              AllOf(HasSubstr("task 1"), HasSubstr("alpha has 16")))
      << "nodes that are suspected or absent come back: task 0 fits";
}

TEST_F(Submission, ResourcesThatNoClusterCanHold_AreRefused_WithTheBiggestThatWouldFit) {
  const auto asking = [&](const std::string& path, const std::string& resources, const std::string& clusters) {
    return post(path,
                R"({"name": "t", "exec_file": "run", "nb_jobs": 2, "resources": ")" + resources + R"(", "clusters": )" + clusters + "}");
  };
  const std::string on_alpha = R"({"alpha": {}})", on_both = R"({"alpha": {}, "beta": {}})";
  EXPECT_EQ(asking("/v1/campaigns?dry_run=1", "/core=1000", on_alpha).status, 200)
      << "the sizes of clusters that were never asked refuse nothing";
  sql("UPDATE clusters SET node_sizes = CASE name WHEN 'alpha' THEN '8x2' ELSE '4x1' END RETURNING id");
  for (const std::string path : {"/v1/campaigns?dry_run=1", "/v1/campaigns"}) {
    const auto wide = asking(path, "/core=1000", on_alpha);
    EXPECT_EQ(wide.status, 400) << path;
    EXPECT_THAT(wide.message(), HasSubstr("/core=1000 takes 1000 resources, and alpha has 16 resources: /core=16 would fit"));
    EXPECT_STREQ(wide.json["problems"][0]["path"].GetString(), "clusters.alpha.resources");
    EXPECT_THAT(asking(path, "/nodes=1/core=64", on_both).message(),
                AllOf(HasSubstr("/nodes=1/core=8 would fit"), HasSubstr("/nodes=1/core=4 would fit")));
  }
  EXPECT_EQ(stored_campaigns(), "0");
  const auto half = asking("/v1/campaigns", "/core=8", on_both);
  ASSERT_EQ(half.status, 201) << half.body;
  EXPECT_STREQ(half.json["warnings"][0].GetString(),
               "cluster 'beta' gets no job: /core=8 takes 8 resources, and beta has 4 resources: /core=4 would fit");
  const auto task =
      post("/v1/campaigns",
           R"({"name": "t", "exec_file": "run", "resources": "/nodes=1/core=p1", "params": ["8", "12"], "clusters": {"alpha": {}}})");
  EXPECT_THAT(task.message(), AllOf(HasSubstr("task 1"), HasSubstr("no node of more than 8")));
}

TEST_F(Submission, AskedForMemory_NeedsAClusterThatReportsIt) {
  const auto jdl = R"({"name": "t", "exec_file": "run", "memory_mb": "p1 * 1024", "params": ["8"], "clusters": {"alpha": {}}})";
  EXPECT_THAT(post("/v1/campaigns", jdl).message(), HasSubstr("does not report the memory"));
  sql("UPDATE clusters SET memory_property = 'mem', memory_unit_mb = 1024, memory_max_mb = 16384 RETURNING id");
  EXPECT_EQ(post("/v1/campaigns", jdl).status, 201);
  EXPECT_EQ(sql("SELECT memory_mb FROM campaign_requests"), "8192");
}

TEST_F(Submission, WrongParameter_IsNamedByItsLine_AndNothingIsStored) {
  const auto answer = submit_lines(head_of(kOnAlpha), "\"1\"\n\"2\"\n\"it's\"\n\"4\"\n");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.message(), HasSubstr("parameter line 3"));
  EXPECT_EQ(answer.json["problems"][0]["line"].GetInt(), 3);
  EXPECT_EQ(stored_campaigns(), "0");
  EXPECT_EQ(sql("SELECT count(*) FROM tasks"), "0");
}

TEST_F(Submission, WrongCampaignFile_HasAllItsProblemsReported) {
  const auto answer = submit_lines(
      head_of(
          "{\n \"name\": \"t\",\n \"clusters\": {\n  \"alpah\": {\"exec_file\": \"x\"},\n  \"beta\": {\"exec_file\": \"x\", \"waltime\": \"1:0:0\"}}}",
          R"("strict": true)"),
      "\"1\"\n");
  ASSERT_EQ(answer.status, 400) << answer.body;
  const auto& problems = answer.json["problems"];
  ASSERT_EQ(problems.Size(), 2U) << answer.body;
  EXPECT_EQ(problems[0]["line"].GetInt(), 4);
  EXPECT_THAT(problems[0]["message"].GetString(), HasSubstr("alpha"));
  EXPECT_EQ(problems[1]["line"].GetInt(), 5);
  EXPECT_THAT(problems[1]["message"].GetString(), HasSubstr("walltime"));
  EXPECT_EQ(stored_campaigns(), "0");
}

TEST_F(Submission, WrongHead_IsSaid) {
  for (const auto& [head, word] :
       std::vector<std::pair<std::string, std::string>>{{"", "JSON"},
                                                        {"[1]", "object"},
                                                        {R"({"type": "test"})", "'jdl'"},
                                                        {R"({"jdl": "x", "tpye": "test"})", "did you mean 'type'"},
                                                        {R"({"jdl": "x", "nb_jobs": 0})", "nb_jobs"}}) {
    const auto answer = submit_lines(head, "\"1\"\n");
    EXPECT_EQ(answer.status, 400) << head;
    EXPECT_THAT(answer.message(), HasSubstr(word));
  }
}

TEST_F(Submission, DisabledCluster_IsTakenWithAWarning) {
  const auto answer = submit_lines(head_of(R"({"name": "t", "clusters": {"gamma": {"exec_file": "x"}}})"), "\"1\"\n");
  ASSERT_EQ(answer.status, 201) << answer.body;
  ASSERT_EQ(answer.json["warnings"].Size(), 1U);
  EXPECT_THAT(answer.json["warnings"][0].GetString(), HasSubstr("gamma"));
}

constexpr auto kWithPriority = R"({"name": "t", "nb_jobs": 1, "campaign_priority": "high", "clusters": {"alpha": {"exec_file": "x"}}})";

TEST_F(Submission, APriorityThatTheOrderDoesNotLookAt_IsTakenWithAWarning) {
  const auto answer = post("/v1/campaigns", kWithPriority);
  ASSERT_EQ(answer.status, 201) << answer.body;
  ASSERT_EQ(answer.json["warnings"].Size(), 1U);
  EXPECT_STREQ(
      answer.json["warnings"][0].GetString(),
      "campaign_priority 2 changes nothing in the order of campaigns here: the grid's campaign_order is 'fifo', without the class 'priority'");
  EXPECT_EQ(post("/v1/campaigns?dry_run=1", kWithPriority).json["warnings"].Size(), 1U);
  EXPECT_EQ(post("/v1/campaigns?type=test", kWithPriority).json["warnings"].Size(), 0U) << "it goes first anyway";
}

class SubmissionWithin : public Submission {
  void configure(api::ApiOptions& options) override { options.defaults.most_attempts = 50; }
};

TEST_F(SubmissionWithin, MoreAttemptsThanTheConfigurationAllows_AreRefused_AndFewerAreKept) {
  const auto asking = [](int attempts) {
    return fmt::format(R"({{"name": "t", "nb_jobs": 1, "max_attempts": {}, "clusters": {{"alpha": {{"exec_file": "x"}}}}}})", attempts);
  };
  const auto refused = post("/v1/campaigns", asking(51));
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.message(), HasSubstr("'51' is more than this grid allows; write 50 at most"));
  EXPECT_EQ(stored_campaigns(), "0");
  const auto taken = post("/v1/campaigns", asking(5));
  ASSERT_EQ(taken.status, 201) << taken.body;
  EXPECT_EQ(sql("SELECT max_attempts FROM campaigns"), "5");
  EXPECT_EQ(get("/v1/campaigns/" + std::to_string(taken.json["id"].GetInt64()) + "/jdl").json["max_attempts"].GetInt(), 5);
}

class SubmissionByPriority : public Submission {
  void configure(api::ApiOptions& options) override { options.config.campaign_order = "priority,fifo"; }
};

TEST_F(SubmissionByPriority, APriorityThatCounts_IsTakenWithoutAWarning) {
  const auto answer = post("/v1/campaigns", kWithPriority);
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(answer.json["warnings"].Size(), 0U);
}

TEST_F(Submission, ParametersFromTwoPlaces_AreRefused) {
  const auto answer = submit_lines(head_of(R"({"name": "t", "nb_jobs": 3, "clusters": {"alpha": {"exec_file": "x"}}})"), "\"1\"\n");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.message(), HasSubstr("twice"));
}

TEST_F(Submission, NoParameters_AreRefused) {
  EXPECT_THAT(submit_lines(head_of(kOnAlpha), "").message(), HasSubstr("no parameters"));
  EXPECT_THAT(post("/v1/campaigns", kOnAlpha).message(), HasSubstr("no parameters"));
  EXPECT_THAT(post("/v1/campaigns", R"({"name": "t", "param_file": "/etc/shadow", "clusters": {"alpha": {"exec_file": "x"}}})").message(),
              HasSubstr("gridsub"));
  EXPECT_EQ(stored_campaigns(), "0");
}

TEST_F(Submission, ACountOfNoTasks_IsTakenWithAWarning_AndTheCampaignHasNothingLeftToDo) {
  const std::string file = R"({"name": "t", "nb_jobs": 0, "exec_file": "run", "clusters": {"alpha": {}}})";
  const auto checked = post("/v1/campaigns?dry_run=1", file);
  ASSERT_EQ(checked.status, 200) << checked.body;
  EXPECT_EQ(checked.json["total_tasks"].GetInt(), 0);
  EXPECT_EQ(post("/v1/campaigns?strict=1", file).status, 400);
  for (const auto* const type : {"", "?type=test"}) {
    const auto answer = post(std::string{"/v1/campaigns"} + type, file);
    ASSERT_EQ(answer.status, 201) << answer.body;
    EXPECT_THAT(answer.json["warnings"][0].GetString(), HasSubstr("there are no tasks"));
  }
  EXPECT_EQ(sql("SELECT count(*) FROM tasks"), "0");
  EXPECT_EQ(sql("SELECT count(*) FROM campaigns WHERE total = 0 AND done + failed + cancelled >= total"), "2");
}

TEST_F(Submission, TestCampaign_HasOneTaskForEachCluster) {
  ASSERT_EQ(submit_lines(head_of(kOnBoth, R"("type": "test")"), "\"a\"\n\"b\"\n\"c\"\n").status, 201);
  EXPECT_EQ(sql("SELECT concat_ws(' ', type, total, waiting) FROM campaigns"), "test 2 2");
  EXPECT_EQ(sql("SELECT string_agg(parameter, ',' ORDER BY number) FROM tasks"), "a,b");
}

TEST_F(Submission, TestCampaignWithFewerParametersThanClusters_RepeatsThem) {
  ASSERT_EQ(submit_lines(head_of(kOnBoth, R"("type": "test")"), "\"only\"\n").status, 201);
  EXPECT_EQ(sql("SELECT string_agg(parameter, ',' ORDER BY number) FROM tasks"), "only,only");
}

TEST_F(Submission, DryRun_ChecksAllAndStoresNothing) {
  const auto good = submit_lines(head_of(kOnBoth, R"("dry_run": true)"), "\"a\"\n\"b\"\n");
  ASSERT_EQ(good.status, 200) << good.body;
  EXPECT_EQ(good.json["total_tasks"].GetInt(), 2);
  EXPECT_EQ(good.json["clusters"].Size(), 2U);
  EXPECT_EQ(submit_lines(head_of(kOnBoth, R"("dry_run": true)"), "\"a\"\n\"it's\"\n").status, 400);
  EXPECT_EQ(stored_campaigns(), "0");
}

TEST_F(Submission, SameKeyAgain_GivesTheSameCampaign) {
  const ApiRequest request{.method = "POST",
                           .target = "/v1/campaigns",
                           .body = head_of(kOnAlpha) + "\n\"1\"\n\"2\"\n",
                           .headers = {{"Content-Type", "application/x-ndjson"}, {"Idempotency-Key", "k1"}}};
  const auto first = as("alice", request);
  const auto second = as("alice", request);
  ASSERT_EQ(first.status, 201) << first.body;
  ASSERT_EQ(second.status, 201) << second.body;
  EXPECT_EQ(first.json["id"].GetInt64(), second.json["id"].GetInt64());
  EXPECT_EQ(second.headers.at("idempotent-replayed"), "true");
  EXPECT_EQ(stored_campaigns(), "1");
  EXPECT_NE(as("bob", request).json["id"].GetInt64(), first.json["id"].GetInt64());
}

TEST_F(Submission, SameKeyForAnotherCampaign_IsRefused) {
  ApiRequest request{.method = "POST",
                     .target = "/v1/campaigns",
                     .body = head_of(kOnAlpha) + "\n\"1\"\n",
                     .headers = {{"Content-Type", "application/x-ndjson"}, {"Idempotency-Key", "k1"}}};
  ASSERT_EQ(as("alice", request).status, 201);
  request.body = head_of(kOnBoth) + "\n\"1\"\n";
  EXPECT_EQ(as("alice", request).status, 409);
  EXPECT_EQ(stored_campaigns(), "1");
}

TEST_F(Submission, SameKeyWithOtherParametersOfTheSameNumber_IsRefused) {
  ApiRequest request{.method = "POST",
                     .target = "/v1/campaigns",
                     .body = head_of(kOnAlpha) + "\n\"1\"\n\"2\"\n",
                     .headers = {{"Content-Type", "application/x-ndjson"}, {"Idempotency-Key", "k1"}}};
  ASSERT_EQ(as("alice", request).status, 201);
  auto other = request;
  other.body = head_of(kOnAlpha) + "\n\"1\"\n\"3\"\n";
  const auto refused = as("alice", other);
  EXPECT_EQ(refused.status, 409) << refused.body;
  EXPECT_EQ(refused.code(), "key_reused");
  EXPECT_EQ(as("alice", request).headers.at("idempotent-replayed"), "true");
  sql("UPDATE campaigns SET request_digest = NULL RETURNING 1");
  EXPECT_EQ(as("alice", request).status, 201) << "one of an earlier version has no digest";
  ApiRequest json{.method = "POST",
                  .target = "/v1/campaigns",
                  .body = R"({"name": "n", "params": ["1"], "clusters": {"alpha": {"exec_file": "run"}}})",
                  .headers = {{"Idempotency-Key", "k2"}}};
  ASSERT_EQ(as("alice", json).status, 201);
  EXPECT_EQ(as("alice", json).status, 201);
  json.body = R"({"name": "n", "params": ["2"], "clusters": {"alpha": {"exec_file": "run"}}})";
  EXPECT_EQ(as("alice", json).status, 409);
}

TEST_F(Submission, OfOtherContent_IsRefused) {
  EXPECT_EQ(as("alice", {.method = "POST", .target = "/v1/campaigns", .body = "x", .headers = {{"Content-Type", "text/plain"}}}).status,
            415);
}

TEST_F(Submission, WakesTheConductorUp) {
  store::Database conductor{database()};
  conductor.listen(store::kWakeUp);
  (void)a_campaign_of(1);
  EXPECT_TRUE(conductor.wait_for_notification(std::chrono::seconds{30}));
}

TEST_F(Submission, HostileTexts_AreStoredAsTheyAre) {
  const auto answer =
      post("/v1/campaigns",
           R"({"name": "'; DROP TABLE tasks; --", "params": ["a'' \\\"$HOME\\\" ; rm"], "clusters": {"alpha": {"exec_file": "x'y"}}})");
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(sql("SELECT name FROM campaigns"), "'; DROP TABLE tasks; --");
  EXPECT_EQ(sql("SELECT parameter FROM tasks"), R"(a'' \"$HOME\" ; rm)");
}

TEST_F(Submission, BracketsInBrackets_AreRefused_HoweverManyTheyAre) {
  const std::string open(200'000, '[');
  const auto whole = open + std::string(200'000, ']');
  for (const auto& body :
       {open, whole, "{\"jdl\":" + open, "{\"jdl\":" + whole + "}", "{\"name\":" + whole + "}", "{\"params\":" + whole + "}"}) {
    EXPECT_EQ(post("/v1/campaigns", body).status, 400);
    EXPECT_EQ(submit_lines(body, "").status, 400);
    EXPECT_EQ(submit_lines(head_of(kOnAlpha), body + "\n").status, 400);
  }
  EXPECT_EQ(stored_campaigns(), "0");
  EXPECT_EQ(get("/").status, 200);
}

TEST_F(Submission, AFolderWhoseFilesOarsApiCannotRead_IsNoted_UnlessThereIsAnOutputDirectory) {
  const auto notes = [&](const std::string& keys) {
    const auto answer =
        post("/v1/campaigns", R"({"name": "n", "nb_jobs": 1, "exec_file": "run", "clusters": {"alpha": {}}, )" + keys + "}");
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.json["warnings"].Empty() ? std::string{} : std::string{answer.json["warnings"][0].GetString()};
  };
  EXPECT_THAT(notes(R"("exec_directory": "/data/my runs")"),
              HasSubstr("exec_directory '/data/my runs' on alpha: OAR's API reads no file in a folder with ' ' in its name"));
  EXPECT_THAT(notes(R"("exec_directory": "$HOME/a;b")"), HasSubstr("with ';' in its name"));
  EXPECT_EQ(notes(R"("exec_directory": "/data/my runs", "output_directory": "results")"), "");
  for (const auto* readable : {"~/runs", "/data/$USER/{CAMPAIGN_ID}", "/a%20b/c:d"})
    EXPECT_EQ(notes(fmt::format(R"("exec_directory": "{}")", readable)), "");
}

}  // namespace
}  // namespace gleaner::tests
