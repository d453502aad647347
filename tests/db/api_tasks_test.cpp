#include <gmock/gmock.h>

#include <algorithm>

#include <fmt/format.h>

#include "lib/store/chosen_tasks.hpp"
#include "tests/db/api_fixture.hpp"

/// Single tasks of a campaign, over the API.
namespace gleaner::tests {
namespace {

using testing::HasSubstr;

class ApiTasks : public ApiTest {
 protected:
  [[nodiscard]] static std::string path(std::int64_t id, const std::string& rest) { return fmt::format("/v1/campaigns/{}{}", id, rest); }
  [[nodiscard]] std::string counters(std::int64_t id) const {
    return sql(fmt::format("SELECT concat_ws(' ', waiting, cancelled, skipped) FROM campaigns WHERE id = {}", id));
  }
  /// As if task 0 had a job on alpha.
  void give_a_job(std::int64_t id, const std::string& columns, const std::string& values) const {
    sql(
        fmt::format("INSERT INTO launches (campaign_id, cluster_id, state, jobs, resources, term, planned_at, tag, login) "
                    "SELECT {}, id, 'accepted', 1, 1, 0, now(), 'a tag', 'alice' FROM clusters WHERE name = 'alpha'",
                    id));
    sql(
        fmt::format("INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, {}) "
                    "SELECT id, campaign_id, cluster_id, 0, 0, {} FROM launches",
                    columns, values));
  }
};

TEST_F(ApiTasks, AreCancelled_OneOrSeveral) {
  const auto id = a_campaign_of(20);
  const auto some = remove(path(id, "/tasks?tasks=7,9-12,18-*"));
  ASSERT_EQ(some.status, 202) << some.body;
  EXPECT_EQ(some.message(), fmt::format("Campaign {}: 7 tasks cancelled", id));
  EXPECT_EQ(some.json["count"].GetInt(), 7);
  EXPECT_EQ(some.json["cancelled"].GetInt(), 7);
  EXPECT_EQ(some.json["killed"].GetInt(), 0);
  const auto one = remove(path(id, "/tasks/0"));
  EXPECT_EQ(one.message(), fmt::format("Campaign {}: 1 task cancelled", id));
  EXPECT_EQ(counters(id), "12 8 8");
  EXPECT_EQ(remove(path(id, "/tasks?tasks=0,1")).message(),
            fmt::format("Campaign {}: 1 task cancelled; 1 was over, or being cancelled, before", id));
  const auto again = remove(path(id, "/tasks/0"));
  EXPECT_EQ(again.status, 409);
  EXPECT_STREQ(get(path(id, "/tasks/7")).json["state"].GetString(), "cancelled");
  EXPECT_EQ(get(path(id, "/tasks?state=cancelled")).json["items"].Size(), 9U);
}

TEST_F(ApiTasks, AreHeldAndReleased_OneOrSeveral) {
  const auto id = a_campaign_of(20);
  sql("UPDATE tasks SET state = 'running' WHERE number < 2; UPDATE campaigns SET next_task = 2");
  const auto some = post(path(id, "/hold?tasks=0-3,18-*"));
  ASSERT_EQ(some.status, 202) << some.body;
  EXPECT_EQ(some.message(), fmt::format("Campaign {}: 4 tasks held; 2 have jobs already, which continue", id));
  EXPECT_EQ(some.json["count"].GetInt(), 4);
  EXPECT_EQ(post(path(id, "/hold?tasks=3,4")).message(), fmt::format("Campaign {}: 1 task held; 1 was held before", id));
  const auto campaign = get(path(id, ""));
  EXPECT_EQ(campaign.json["held_tasks"].GetInt(), 5);
  EXPECT_EQ(campaign.json["tasks"]["waiting"].GetInt(), 18) << "held ones are some of them";
  EXPECT_STREQ(campaign.json["state"].GetString(), "in_treatment");
  const auto list = get(path(id, "/tasks?state=held"));
  EXPECT_EQ(list.json["items"].Size(), 5U);
  EXPECT_EQ(list.json["total"].GetInt(), 5);
  EXPECT_EQ(list.json["items"][0]["id"].GetInt(), 2);
  EXPECT_STREQ(list.json["items"][0]["held_by"].GetString(), "alice");
  EXPECT_FALSE(list.json["items"][0]["held_time"].IsNull());
  const auto page = get(path(id, "/tasks?state=held&limit=2"));
  EXPECT_EQ(page.json["items"].Size(), 2U);
  EXPECT_EQ(get(path(id, "/tasks?state=held&limit=2&after=3")).json["items"][0]["id"].GetInt(), 4);
  EXPECT_TRUE(get(path(id, "/tasks/5")).json["held_by"].IsNull());
  EXPECT_EQ(get(path(id, "/tasks?state=held,running")).status, 400);
  EXPECT_EQ(post(path(id, "/resume?tasks=2-4")).message(), fmt::format("Campaign {}: 3 held tasks released", id));
  EXPECT_EQ(post(path(id, "/resume")).message(),
            fmt::format("Campaign {0} resumed; 2 of its tasks are held still: 'gridsub --resume {0} --task 0-*' releases them", id));
  EXPECT_EQ(post(path(id, "/resume?tasks=0-*")).message(),
            fmt::format("Campaign {}: 2 held tasks released; 18 of the list were not held", id));
  EXPECT_EQ(get(path(id, "")).json["held_tasks"].GetInt(), 0);
  EXPECT_EQ(sql("SELECT string_agg(act || ' by ' || actor, ', ' ORDER BY id) FROM audit WHERE act LIKE '%task%'"),
            "tasks held by alice, tasks held by alice, held tasks released by alice, held tasks released by alice");
}

TEST_F(ApiTasks, ThatCannotBeHeldOrReleased_AreRefusedInWords) {
  const auto id = a_campaign_of(3);
  sql("UPDATE tasks SET state = 'running' WHERE number < 1; UPDATE campaigns SET next_task = 1");
  EXPECT_EQ(post(path(id, "/resume?tasks=0-*")).message(), fmt::format("none of these tasks of campaign {} is held", id));
  EXPECT_EQ(post(path(id, "/hold?tasks=0")).message(),
            fmt::format("none of these tasks of campaign {} waits, or they are held already: 1 with jobs, 0 over, 0 held", id));
  EXPECT_EQ(post(path(id, "/hold?tasks=7")).status, 404);
  EXPECT_EQ(post(path(id, "/hold?tasks=x")).status, 400);
  EXPECT_EQ(as("bob", {.method = "POST", .target = path(id, "/hold?tasks=1")}).status, 403);
  EXPECT_EQ(remove(path(id, "")).status, 202);
  const auto over = post(path(id, "/hold?tasks=1"));
  EXPECT_EQ(over.status, 409);
  EXPECT_EQ(over.message(), fmt::format("campaign {} is cancelled: its tasks are over", id));
}

TEST_F(ApiTasks, AreListedAllAtOnce_AsCsv) {
  const auto id = a_campaign_of(3);
  sql("UPDATE tasks SET parameter = E'a,\"b\"\n*', state = 'failed', attempt = 1 WHERE number = 0; UPDATE campaigns SET next_task = 1");
  give_a_job(id, "state, remote_id, ending, exit_status, submitted_at, started_at, ended_at",
             "'terminated', 77, 'task_error', 3 << 8, to_timestamp(1000), to_timestamp(1001.5), to_timestamp(1002)");
  const auto job = sql("SELECT id FROM jobs");
  const auto csv = get(path(id, "/tasks.csv"));
  EXPECT_EQ(csv.status, 200);
  EXPECT_EQ(csv.body,
            "id,state,cluster_name,job_id,remote_id,attempt,exit_code,ending,parameters,name,submission_time,start_time,stop_time\n"
            "0,failed,alpha," +
                job +
                ",77,1,3,task_error,\"a,\"\"b\"\"\n*\",\"a,b\",1970-01-01T00:16:40Z,1970-01-01T00:16:41Z,1970-01-01T00:16:42Z\n"
                "1,waiting,,,,0,,,1,1,,,\n"
                "2,waiting,,,,0,,,2,2,,,\n");
  EXPECT_EQ(get(path(id, "/tasks.csv?state=waiting&limit=1&offset=1")).body.substr(get(path(id, "/tasks.csv?state=cancelled")).body.size()),
            "2,waiting,,,,0,,,2,2,,,\n");
  EXPECT_EQ(get(path(id, "/tasks.csv?limit=0")).status, 400);
  EXPECT_EQ(get(path(id, "/tasks.csv?state=foo")).status, 400);
  EXPECT_EQ(get(path(999, "/tasks.csv")).status, 404);
}

TEST_F(ApiTasks, AreListedInTheFormThatIsAskedFor_ByTheQueryBeforeAccept) {
  const auto id = a_campaign_of(3);
  sql("UPDATE tasks SET parameter = '=cmd()' WHERE number = 1");
  const auto csv = get(path(id, "/tasks.csv")).body;
  const auto ndjson = get(path(id, "/tasks.ndjson")).body;
  const auto page = get(path(id, "/tasks")).body;
  EXPECT_NE(csv.find(",'=cmd(),'=cmd(),"), std::string::npos) << csv;
  const auto accepting = [&](const std::string& types, const std::string& query = {}) {
    return as("alice", {.target = path(id, "/tasks" + query), .headers = {{"Accept", types}}});
  };
  EXPECT_EQ(accepting("text/csv").body, csv);
  EXPECT_EQ(accepting("application/x-ndjson").body, ndjson);
  EXPECT_EQ(accepting("Text/CSV; q=0.4, application/x-ndjson;q=0.9, */*").body, ndjson);
  EXPECT_EQ(accepting("application/x-ndjson;q=0, text/csv;q=0.001").body, csv);
  for (const auto* types :
       {"application/json", "*/*", "text/html,application/xhtml+xml,*/*;q=0.8", "text/csv;q=2, text/csv;q=x", ",;,", ""})
    EXPECT_EQ(accepting(types).body, page) << types;
  EXPECT_EQ(accepting("text/csv", "?format=json").json["total"].GetInt(), 3);
  EXPECT_EQ(get(path(id, "/tasks?format=csv")).body, csv);
  EXPECT_EQ(get(path(id, "/tasks?format=ndjson&after=1")).body, get(path(id, "/tasks.ndjson?after=1")).body);
  EXPECT_EQ(get(path(id, "/tasks?format=xml")).message(), "format=xml: it must be json, csv or ndjson");
  EXPECT_EQ(get(path(999, "/tasks?format=csv")).status, 404);
}

TEST_F(ApiTasks, AreListedAllAtOnce_AsTheTasksOfThePages) {
  const auto id = a_campaign_of(5003);
  const auto all = get(path(id, "/tasks.ndjson?after=4"));
  EXPECT_EQ(std::ranges::count(all.body, '\n'), 5003 - 5);
  EXPECT_TRUE(all.body.starts_with(R"({"id":5,)")) << all.body.substr(0, 100);
  EXPECT_EQ(all.body.find(R"({"id":4999,)"), all.body.rfind(R"({"id":4999,)"));
  const auto page = get(path(id, "/tasks?after=4&limit=2")).body;
  EXPECT_NE(page.find(all.body.substr(0, all.body.find('\n'))), std::string::npos) << page;
  EXPECT_EQ(std::ranges::count(get(path(id, "/tasks.ndjson?limit=5001")).body, '\n'), 5001);
}

TEST_F(ApiTasks, WithJobs_AreSaidToBeKilled) {
  const auto id = a_campaign_of(4);
  sql("UPDATE tasks SET state = 'running' WHERE number < 2; UPDATE campaigns SET next_task = 2");
  EXPECT_EQ(remove(path(id, "/tasks?tasks=0,2")).message(),
            fmt::format("Campaign {}: 1 task cancelled, 1 task cancelled when its job is killed", id));
  EXPECT_TRUE(get(path(id, "/tasks/0")).json["cancelling"].GetBool());
  EXPECT_FALSE(get(path(id, "/tasks/1")).json["cancelling"].GetBool());
}

TEST_F(ApiTasks, ThatAreWrong_ChangeNothing_AndAreNamed) {
  const auto id = a_campaign_of(5);
  EXPECT_EQ(remove(path(id, "/tasks")).status, 400);
  EXPECT_EQ(remove(path(id, "/tasks?tasks=3-x")).message(), "tasks: '3-x' is no number or range: 7, 9-12, 100-* and *-7 are");
  EXPECT_EQ(remove(path(id, "/tasks?tasks=2-1")).status, 400);
  const auto beyond = remove(path(id, "/tasks?tasks=1,4-9"));
  EXPECT_EQ(beyond.status, 404);
  EXPECT_EQ(beyond.message(), fmt::format("campaign {} has no task 5: it has 5 tasks, from 0 to 4", id));
  EXPECT_EQ(remove(path(id, "/tasks?tasks=7-*")).status, 404);
  EXPECT_EQ(remove(path(id, "/tasks/x")).status, 400);
  EXPECT_EQ(remove(path(999, "/tasks/1")).status, 404);
  EXPECT_EQ(as("bob", {.method = "DELETE", .target = path(id, "/tasks/1")}).status, 403);
  EXPECT_EQ(post(path(id, "/retries?tasks=1&sink=alpha")).status, 400);
  EXPECT_EQ(counters(id), "5 0 0");
  EXPECT_EQ(as("boss", {.method = "DELETE", .target = path(id, "/tasks/1")}).status, 202) << "an administrator";
}

TEST_F(ApiTasks, InLongRanges_AreCancelledInPieces) {
  constexpr int kTasks = 25'000;
  static_assert(kTasks > 2 * store::kTasksOfPiece);
  const auto id = a_campaign_of(kTasks);
  // Each piece is a transaction of its own: one that a busy machine cuts off is asked for again, as 503 says, or as the link `next`.
  auto done = remove(path(id, "/tasks?tasks=10-*"));
  int tries = 1;
  for (; tries < 20 && (done.status == 503 || (done.status == 202 && counters(id) != fmt::format("10 {0} {0}", kTasks - 10))); ++tries)
    done = remove(path(id, "/tasks?tasks=10-*"));
  if (tries == 1) {
    ASSERT_EQ(done.status, 202) << done.body;
    EXPECT_EQ(done.json["count"].GetInt(), kTasks - 10) << done.body;
  }
  EXPECT_EQ(counters(id), fmt::format("10 {0} {0}", kTasks - 10));
}

TEST_F(ApiTasks, ThatFailed_AreRetriedAlone) {
  const auto id = a_campaign_of(5);
  sql("UPDATE tasks SET state = 'failed' WHERE number < 4; UPDATE campaigns SET next_task = 4");
  EXPECT_EQ(post(path(id, "/retries?tasks=1-2,4")).message(),
            fmt::format("2 failed tasks of campaign {} will run again; 1 of the list had not failed", id));
  EXPECT_EQ(sql("SELECT string_agg(number::text, ' ' ORDER BY number) FROM returned_tasks"), "1 2");
  EXPECT_EQ(post(path(id, "/retries?tasks=1,4")).status, 409);
  EXPECT_EQ(post(path(id, "/retries")).json["count"].GetInt(), 2) << "without a list, all";
}

TEST_F(ApiTasks, Output_IsForTheirUserAndAdministrators) {
  const auto id = a_campaign_of(2);
  EXPECT_EQ(as("bob", {.target = path(id, "/tasks/0/stdout")}).status, 403);
  EXPECT_EQ(as("boss", {.target = path(id, "/tasks/0/stdout")}).status, 404);
}

TEST_F(ApiTasks, OutputThatCannotBeThere_IsExplained_WithoutTheCluster) {
  const auto id = a_campaign_of(2);
  EXPECT_EQ(get(path(id, "/tasks/0/stdout")).message(),
            fmt::format("there is no file: task 0 of campaign {} is waiting, and never had a job", id));
  EXPECT_EQ(get(path(id, "/tasks/2/stdout")).message(), fmt::format("there is no task 2 of campaign {}", id));
  EXPECT_EQ(get(path(id, "/tasks/x/stderr")).status, 404);
  EXPECT_EQ(get("/v1/jobs/99/stdout").status, 404);
  EXPECT_EQ(get(path(id, "/tasks/0/stdout?lines=0")).status, 400);
  give_a_job(id, "state", "'launching'");
  EXPECT_EQ(get(path(id, "/tasks/0/stderr")).message(), "there is no file yet: attempt 0 on alpha is being submitted");
  EXPECT_EQ(get(path(id, "/tasks/0/stderr?attempt=3")).message(),
            fmt::format("there is no file: task 0 of campaign {} has had no attempt 3; its attempts are 0 to 0", id));
}

TEST_F(ApiTasks, OutputOnAClusterThatDoesNotAnswer_IsABadGateway) {
  const auto id = a_campaign_of(2);
  sql("UPDATE clusters SET url = 'http://127.0.0.1:1/oarapi' WHERE name = 'alpha'");
  give_a_job(id, "state, remote_id, started_at", "'running', 7, now()");
  const auto answer = get(path(id, "/tasks/0/stdout"));
  EXPECT_EQ(answer.status, 502) << answer.body;
  EXPECT_THAT(answer.message(), HasSubstr("alpha cannot be asked for attempt 0 on alpha (OAR job 7)"));
  const auto task = get(path(id, "/tasks/0?hosts=1"));
  EXPECT_EQ(task.status, 200) << "the history is there without the hosts";
  sql("UPDATE clusters SET retired_at = now() WHERE name = 'alpha'");
  EXPECT_EQ(get(path(id, "/tasks/0/stdout")).status, 404);
}

}  // namespace
}  // namespace gleaner::tests
