#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>

#include "lib/store/database.hpp"
#include "tests/db/api_fixture.hpp"

/// POST /v1/campaigns/ID/tasks.
namespace gleaner::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Append : public ApiTest {
 protected:
  [[nodiscard]] static std::string jobs_of(std::int64_t id, const std::string& query = {}) {
    return fmt::format("/v1/campaigns/{}/tasks{}", id, query);
  }
  [[nodiscard]] ApiAnswer lines(std::int64_t id, const std::string& lines, std::map<std::string, std::string> headers = {},
                                const std::string& query = {}) const {
    headers["Content-Type"] = "application/x-ndjson";
    return as("alice", {.method = "POST", .target = jobs_of(id, query), .body = lines, .headers = std::move(headers)});
  }
  [[nodiscard]] std::string counters() const {
    return sql("SELECT concat_ws(' ', state, total, waiting, next_task, failed, done) FROM campaigns");
  }
  [[nodiscard]] std::string parameters() const {
    return sql("SELECT string_agg(number || form::text || parameter, '|' ORDER BY number) FROM tasks");
  }
  /// All its tasks are over.
  void end(std::int64_t id, const std::string& state = "terminated") const {
    sql(fmt::format("UPDATE tasks SET state = 'done' WHERE campaign_id = {}", id));
    sql(fmt::format("UPDATE campaigns SET state = '{}', next_task = total, ended_at = now() - interval '1 hour' WHERE id = {}", state, id));
    sql(fmt::format("UPDATE campaign_clusters SET cleaned_at = now(), active = false WHERE campaign_id = {}", id));
  }
};

TEST_F(Append, Lines_BecomeTasksWithTheNextNumbers) {
  const auto id = a_campaign_of(2);
  sql("UPDATE campaigns SET next_task = 2");
  const auto answer = lines(id, "\"x 'y z'\"\n\n[\"a\",\"b c\"]\n");
  ASSERT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(answer.headers.at("location"), fmt::format("/v1/campaigns/{}", id));
  EXPECT_EQ(answer.json["total_tasks"].GetInt(), 4);
  EXPECT_EQ(answer.json["appended"]["first_task"].GetInt(), 2);
  EXPECT_EQ(answer.json["appended"]["tasks"].GetInt(), 2);
  EXPECT_EQ(parameters(), R"(0l0|1l1|2lx 'y z'|3a["a","b c"])");
  EXPECT_EQ(counters(), "in_treatment 4 4 2 0 0");
  EXPECT_EQ(sql("SELECT concat_ws(' ', changed_by, first_task, tasks, edits) FROM campaign_changes"), "alice 2 2 []");
}

TEST_F(Append, Document002_WakesTheConductor_AsASubmissionDoes) {
  store::Database conductor{database()};
  conductor.listen("gleaner_wake_up");
  const auto wakes = [&] { return conductor.wait_for_notification(std::chrono::minutes{1}); };
  const auto id = a_campaign_of(2);
  EXPECT_TRUE(wakes());
  ASSERT_EQ(lines(id, "\"x\"\n").status, 201);
  EXPECT_TRUE(wakes());
}

TEST_F(Append, JsonArray_AndNumbers_AreTakenToo) {
  const auto id = a_campaign_of(1);
  ASSERT_EQ(post(jobs_of(id), R"(["1 a", ["2", "b"], 3.50])").status, 201);
  ASSERT_EQ(post(jobs_of(id, "?nb_jobs=2"), "").status, 201);
  EXPECT_EQ(parameters(), R"(0l0|1l1 a|2a["2","b"]|3l3.50|4l4|5l5)");
  EXPECT_EQ(counters(), "in_treatment 6 6 0 0 0");
  EXPECT_EQ(post(jobs_of(id, "?nb_jobs=2"), R"(["1"])").status, 400);
  EXPECT_EQ(post(jobs_of(id, "?nb_jobs=0"), "").status, 400);
}

TEST_F(Append, ManyTasks_AreAllStored) {
  const auto id = a_campaign_of(1);
  std::string text = "[";
  for (int i = 1; i <= 30'000; ++i) text += fmt::format("{}\"{} argument\"", i > 1 ? ", " : "", i);
  ASSERT_EQ(post(jobs_of(id), text + "]").status, 201);
  EXPECT_EQ(sql("SELECT count(*) FROM tasks WHERE parameter = number || ' argument'"), "30000");
}

TEST_F(Append, WrongParameters_AreReportedWithTheirPlace_AndNothingIsAppended) {
  const auto id = a_campaign_of(2);
  EXPECT_THAT(lines(id, "\"1\"\n\"2 'x\"\n").message(), AllOf(HasSubstr("parameter line 2"), HasSubstr("quote")));
  EXPECT_THAT(post(jobs_of(id), "[\"1\",\n {}]").message(), AllOf(HasSubstr("line 2"), HasSubstr("an object")));
  EXPECT_EQ(lines(id, "\n").status, 400);
  EXPECT_EQ(post(jobs_of(id), "[]").status, 400);
  EXPECT_EQ(as("alice", {.method = "POST", .target = jobs_of(id), .body = "1", .headers = {{"Content-Type", "text/plain"}}}).status, 415);
  EXPECT_EQ(counters(), "in_treatment 2 2 0 0 0");
  EXPECT_EQ(sql("SELECT count(*) FROM tasks"), "2");
  EXPECT_EQ(sql("SELECT count(*) FROM campaign_changes"), "0");
}

TEST_F(Append, OthersCampaign_IsRefused_AndAnAdministratorMay) {
  const auto id = a_campaign_of(2);
  const ApiRequest request{.method = "POST", .target = jobs_of(id), .body = "[\"1\"]", .headers = {{"Content-Type", "application/json"}}};
  EXPECT_EQ(as("bob", request).status, 403);
  EXPECT_EQ(as("boss", request).status, 201);
  EXPECT_EQ(sql("SELECT changed_by FROM campaign_changes"), "boss");
  EXPECT_EQ(post(jobs_of(id + 1), "[\"1\"]").status, 404);
}

TEST_F(Append, RepeatedUnderItsKey_AppendsOnce) {
  const auto id = a_campaign_of(2);
  const std::map<std::string, std::string> key{{"Idempotency-Key", "k1"}};
  ASSERT_EQ(lines(id, "\"1\"\n", key).status, 201);
  ASSERT_EQ(lines(id, "\"9\"\n").status, 201);
  const auto again = lines(id, "\"1\"\n", key);
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.headers.at("idempotent-replayed"), "true");
  EXPECT_EQ(again.json["appended"]["first_task"].GetInt(), 2);
  EXPECT_EQ(lines(id, "\"2\"\n", key).status, 409) << "other tasks";
  sql("UPDATE campaigns SET state = 'cancelled'");
  EXPECT_EQ(lines(id, "\"1\"\n", key).status, 201) << "what was done stays done";
  EXPECT_EQ(sql("SELECT count(*) FROM tasks"), "4");
  EXPECT_EQ(lines(a_campaign_of(1), "\"2\"\n", key).status, 201) << "a key is one campaign's";
}

TEST_F(Append, TerminatedCampaign_IsInTreatmentAgain_WithItsFoldersInUse) {
  const auto id = a_campaign_of(2);
  end(id);
  ASSERT_EQ(post(jobs_of(id), "[\"2\", \"3\"]").status, 201);
  EXPECT_EQ(counters(), "in_treatment 4 2 2 0 2");
  EXPECT_EQ(sql("SELECT ended_at FROM campaigns"), "");
  EXPECT_EQ(sql("SELECT concat_ws(' ', cleaned_at IS NULL, active) FROM campaign_clusters"), "t t");
}

TEST_F(Append, PausedCampaign_StaysPaused) {
  const auto id = a_campaign_of(2);
  ASSERT_EQ(post(fmt::format("/v1/campaigns/{}/hold", id)).status, 202);
  ASSERT_EQ(post(jobs_of(id), "[\"2\"]").status, 201);
  EXPECT_EQ(counters(), "paused 3 3 0 0 0");
}

TEST_F(Append, CampaignsThatCannotGoOn_AreRefused_WithTheReason) {
  const auto id = a_campaign_of(2);
  end(id, "cancelled");
  EXPECT_THAT(post(jobs_of(id), "[\"2\"]").message(), HasSubstr("is cancelled"));
  sql("UPDATE campaigns SET state = 'terminated', sealed = true");
  EXPECT_THAT(post(jobs_of(id), "[\"2\"]").message(), HasSubstr("is being removed"));
  const auto test = post("/v1/campaigns?type=test", R"({"name": "t", "nb_jobs": 2, "clusters": {"alpha": {"exec_file": "run"}}})");
  const auto refused = post(jobs_of(test.json["id"].GetInt64()), "[\"2\"]");
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.message(), HasSubstr("is a test"));
  EXPECT_EQ(sql("SELECT count(*) FROM campaign_changes"), "0");
}

TEST_F(Append, LimitsOfTheCampaignsUser_Hold) {
  const auto id = a_campaign_of(2);
  sql("INSERT INTO user_limits VALUES ('alice', 1, 4, 60, 'boss', now()) RETURNING user_name");
  ASSERT_EQ(post(jobs_of(id), "[\"2\"]").status, 201);
  for (const auto* target : {"", "?nb_jobs=2"}) {
    const auto refused = post(jobs_of(id, target), *target == '\0' ? "[\"2\", \"3\"]" : "");
    EXPECT_EQ(refused.status, 403);
    EXPECT_THAT(refused.message(), HasSubstr("more than 4 tasks")) << "with those that it has";
  }
  EXPECT_EQ(post(jobs_of(id), "[\"" + std::string(60, 'x') + "\"]").status, 413);
  EXPECT_EQ(counters(), "in_treatment 3 3 0 0 0");
  const ApiRequest request{.method = "POST", .target = jobs_of(id), .body = "[1, 2]", .headers = {{"Content-Type", "application/json"}}};
  EXPECT_EQ(as("boss", request).status, 403) << "whoever appends";
}

TEST_F(Append, EndedCampaign_CountsAmongThoseOfItsUser) {
  const auto id = a_campaign_of(2);
  end(id);
  sql("INSERT INTO user_limits VALUES ('alice', 1, NULL, NULL, 'boss', now()) RETURNING user_name");
  static_cast<void>(a_campaign_of(2));
  EXPECT_THAT(post(jobs_of(id), "[\"2\"]").message(), HasSubstr("max_campaigns"));
  EXPECT_EQ(sql(fmt::format("SELECT state FROM campaigns WHERE id = {}", id)), "terminated");
}

TEST_F(Append, DryRun_ChecksAll_AndStoresNothing) {
  const auto id = a_campaign_of(2);
  const auto answer = post(jobs_of(id, "?dry_run=1"), "[\"2\", \"3\"]");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["total_tasks"].GetInt(), 4);
  EXPECT_EQ(answer.json["appended"]["first_task"].GetInt(), 2);
  EXPECT_EQ(post(jobs_of(id, "?dry_run=1"), "[{}]").status, 400);
  EXPECT_EQ(sql("SELECT count(*) FROM tasks"), "2");
}

TEST_F(Append, AdmissionRules_SeeAllTasks_MayRefuse_AndMayChangeTheCampaign) {
  const auto id = a_campaign_of(2);
  const auto add = [&](const std::string& name, const std::string& text) {
    sql(
        fmt::format("INSERT INTO admission_rules (name, position, text, created_by, changed_by) "
                    "SELECT '{}', max(position) + 1, $r${}$r$, 'boss', 'boss' FROM admission_rules RETURNING id",
                    name, text));
  };
  add("few", "refuse \"#{tasks} are too many\" if tasks > 4");
  add("cap", "jdl[\"clusters\"].each_value { |c| c[\"walltime\"] = \"0:30:00\" }");
  const auto refused = post(jobs_of(id), "[1, 2, 3]");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.message(), AllOf(HasSubstr("nothing was appended"), HasSubstr("5 are too many")));
  EXPECT_EQ(sql("SELECT count(*) FROM tasks"), "2");
  const auto changed = post(jobs_of(id), "[1]");
  ASSERT_EQ(changed.status, 201) << changed.body;
  EXPECT_THAT(changed.json["warnings"][0].GetString(), HasSubstr("'cap' changed clusters.alpha.walltime"));
  EXPECT_EQ(sql("SELECT walltime_s FROM campaign_clusters"), "1800");
  EXPECT_EQ(sql("SELECT jdl -> 'clusters' -> 'alpha' ->> 'walltime' FROM campaigns"), "0:30:00");
  EXPECT_EQ(sql("SELECT edits -> 0 ->> 'path' FROM campaign_changes"), "clusters.alpha.walltime");
}

TEST_F(Append, TasksOfExpressions_ContinueTheRequests) {
  const auto first =
      submit_lines(head_of(R"j({"name": "t", "exec_file": "run", "walltime": "p1 * minute", "resources": "/core=p2", "input_mb": "p1",
                   "clusters": {"alpha": {}, "beta": {"resources": "/nodes=1/core=(2*p2)"}}})j"),
                   "\"10 1\"\n\"20 2\"\n\"10 1\"\n");
  ASSERT_EQ(first.status, 201) << first.body;
  const auto id = first.json["id"].GetInt64();
  sql("UPDATE request_bags SET next_task = 3, untaken = 0 WHERE request = 1 RETURNING 1");
  ASSERT_EQ(lines(id, "\"20 2\"\n\"30 1\"\n\"10 1\"\n\"40 3\"\n").status, 201);
  EXPECT_EQ(sql("SELECT string_agg(request::text, ' ' ORDER BY number) FROM tasks"), "1 2 1 2 3 1 4");
  EXPECT_EQ(sql("SELECT string_agg(concat_ws(' ', request, number), ', ' ORDER BY number) FROM request_tasks"),
            "1 0, 2 1, 1 2, 2 3, 3 4, 1 5, 4 6");
  EXPECT_EQ(sql("SELECT string_agg(concat_ws(' ', request, next_task, untaken), ', ' ORDER BY request) FROM request_bags"),
            "1 5 1, 2 1 2, 3 4 1, 4 6 1");
  EXPECT_EQ(sql("SELECT string_agg(concat_ws(' ', k.name, request, shape, resources, walltime_s), ', ' ORDER BY k.name, request)"
                " FROM campaign_requests q JOIN clusters k ON k.id = q.cluster_id"),
            "alpha 1 1 /core=1 600, alpha 2 2 /core=2 1200, alpha 3 1 /core=1 1800, alpha 4 3 /core=3 2400, "
            "beta 1 1 /nodes=1/core=2 600, beta 2 2 /nodes=1/core=4 1200, beta 3 1 /nodes=1/core=2 1800, beta 4 3 /nodes=1/core=6 2400");
  EXPECT_EQ(sql("SELECT concat_ws(' ', requests, round(input_mb::numeric, 2), total, waiting) FROM campaigns"), "4 20.00 7 7");
  EXPECT_EQ(sql("SELECT max(walltime_s) FROM campaign_clusters"), "2400");
  EXPECT_THAT(lines(id, "\"soon 1\"\n").message(), AllOf(HasSubstr("task 7"), HasSubstr("not a number")));
}

TEST_F(Append, WhileAnotherAppends_GetsTheNumbersBehindIt_AndPlanningDoesNotWait) {
  const auto id = a_campaign_of(2);
  pqxx::connection other{database()};
  pqxx::work work{other};
  work.exec(fmt::format("SELECT pg_advisory_xact_lock({}::bigint)", id));
  EXPECT_EQ(sql(fmt::format("UPDATE campaigns SET next_task = 1 WHERE id = {} RETURNING next_task", id)), "1");
  work.commit();
  EXPECT_EQ(post(jobs_of(id), "[\"2\"]").status, 201);
  EXPECT_EQ(counters(), "in_treatment 3 3 1 0 0");
}

}  // namespace
}  // namespace gleaner::tests
