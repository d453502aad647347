#include <gmock/gmock.h>
#include <unistd.h>

#include <pwd.h>
#include <sys/syscall.h>

#include <cmath>
#include <filesystem>

#include "tests/db/campaigns_fixture.hpp"
#include "tests/db/postgres.hpp"

namespace gleaner::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Campaigns = CampaignsFixture;

TEST_F(Campaigns, EndedCampaign_StatesWhatItUsedOfWhatItAskedForAndHeld) {
  const auto id = a_campaign_of(3);
  EXPECT_TRUE(get(path(id, "/stats")).json["efficiency"].IsNull());
  sql("UPDATE campaign_clusters SET walltime_s = 3600, done = 3, duration_sum = 1800, resources_per_job = 2");
  sql("INSERT INTO usage (day, user_name, project, cluster_id, campaign_id, resource_seconds) SELECT now()::date, 'alice', '', cluster_id, campaign_id, 4000 "
      "FROM campaign_clusters");
  sql("UPDATE campaigns SET state = 'terminated', ended_at = now()");
  const auto stats = get(path(id, "/stats"));
  const auto& efficiency = stats.json["efficiency"];
  ASSERT_TRUE(efficiency.IsObject()) << stats.body;
  EXPECT_EQ(efficiency["walltime_asked"].GetDouble(), 10800);
  EXPECT_EQ(efficiency["walltime_used"].GetDouble(), 1800);
  EXPECT_EQ(efficiency["resource_seconds_held"].GetDouble(), 4000);
  EXPECT_EQ(efficiency["resource_seconds_used"].GetDouble(), 3600);
}

TEST_F(Campaigns, EndedCampaign_IsPurgedByItsOwner) {
  const auto id = a_campaign_of(3);
  const auto purge = path(id, "?purge=1");
  EXPECT_EQ(remove(purge).status, 409) << "it is in treatment";
  sql("UPDATE campaigns SET state = 'terminated', ended_at = now()");
  sql("UPDATE campaign_clusters SET cleaned_at = now()");
  EXPECT_EQ(as("bob", {.method = "DELETE", .target = purge}).status, 403);
  const auto purged = remove(purge);
  ASSERT_EQ(purged.status, 202) << purged.body;
  EXPECT_EQ(purged.message(), "Campaign " + std::to_string(id) + " purged");
  EXPECT_EQ(get(path(id)).status, 404);
  EXPECT_EQ(sql("SELECT count(*) FROM tasks"), "0");
}

TEST_F(Campaigns, PurgedCampaignWithFilesOnAClusterOrLiveJobs_IsGoneForItsUserAtOnce) {
  const auto id = a_campaign_of(3);
  const auto other = a_campaign_of(1);
  sql("UPDATE campaigns SET state = 'terminated', ended_at = now()");
  sql(fmt::format("INSERT INTO events (code, campaign_id, opened_at, last_at, message) VALUES ('MAX_FAILS', {}, now(), now(), 'x')", id));
  sql("UPDATE campaign_clusters SET cleaned_at = NULL");
  const auto purged = remove(path(id, "?purge=1"));
  ASSERT_EQ(purged.status, 202) << purged.body;
  EXPECT_EQ(purged.message(), fmt::format("Campaign {} purged; its files on alpha are removed within an hour, or when the cluster answers "
                                          "again",
                                          id));
  for (const auto* rest : {"", "/tasks", "/jdl", "/events", "/decisions", "/stats", "/tasks/0", "/clusters", "/forecasts", "/outputs"})
    EXPECT_EQ(get(path(id, rest)).status, 404) << rest;
  EXPECT_EQ(remove(path(id)).status, 404);
  EXPECT_EQ(remove(path(id, "?purge=1")).status, 404);
  EXPECT_EQ(post(path(id, "/retries"), "").status, 404);
  EXPECT_EQ(post(path(id, "/tasks"), "[\"1\"]").status, 404);
  EXPECT_EQ(get("/v1/campaigns?all=1").json["total"].GetInt(), 1);
  EXPECT_EQ(get("/v1/events/1").status, 404);
  EXPECT_EQ(get("/v1/events?mine=1&all=1").json["total"].GetInt(), 0);
  EXPECT_EQ(get(path(other)).status, 200);
  EXPECT_EQ(sql("SELECT count(*) FROM tasks"), "4") << "the rows go when the files are gone";
  EXPECT_EQ(sql("SELECT act FROM audit WHERE act LIKE '%purged'"), "campaign purged");
}

TEST_F(Campaigns, WithoutIdentity_NothingIsRevealed) {
  for (const auto* target : {"/", "/v1/campaigns", "/v1/clusters", "/v1/events"}) {
    const auto answer = ask(port(), {.target = target, .headers = {{"X-CIGRI-USER", "root"}, {"X_REMOTE_IDENT", "alice"}}});
    EXPECT_EQ(answer.status, 401) << target;
    EXPECT_EQ(answer.json["status"].GetInt(), 401);
  }
  const auto wrong = ask(port(), {.headers = {{"Authorization", "Bearer wrong"}}});
  EXPECT_EQ(wrong.status, 401);
  EXPECT_THAT(wrong.message(), HasSubstr("this token is not known here"));
  EXPECT_THAT(ask(port(), {}).message(), HasSubstr("who you are is not known"));
}

TEST_F(Campaigns, UserIdWithoutAName_IsRefusedWithThatReason) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  constexpr uid_t kNobodyKnows = 54321;
  ASSERT_EQ(::getpwuid(kNobodyKnows), nullptr);
  std::filesystem::permissions(folder(), std::filesystem::perms::all);
  // The id of this thread alone; the kernel reports that of the connecting one.
  ASSERT_EQ(::syscall(SYS_setresuid, -1, kNobodyKnows, -1), 0);
  const auto answer = ask(socket(), {});
  ASSERT_EQ(::syscall(SYS_setresuid, -1, 0, -1), 0);
  EXPECT_EQ(answer.status, 401);
  EXPECT_THAT(answer.message(), HasSubstr("your user id, 54321, has no name on this machine"));
}

TEST_F(Campaigns, OnTheUnixSocket_TheKernelIdentifiesTheCaller) {
  const auto answer = ask(socket(), {.headers = {{"Authorization", "Bearer alice-token-0123456789"}, {"X-CIGRI-USER", "alice"}}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_STREQ(answer.json["user"].GetString(), ::getpwuid(::geteuid())->pw_name);
}

TEST_F(Campaigns, HoldAndResume_ChangeTheState) {
  const auto id = a_campaign_of(3);
  EXPECT_EQ(post(path(id, "/hold")).status, 202);
  EXPECT_EQ(state(id), "paused");
  EXPECT_EQ(post(path(id, "/hold")).status, 409);
  sql("INSERT INTO brakes (campaign_id, reason, created_at, expires_at) VALUES (" + std::to_string(id) +
      ", 'why', now(), now() + interval '1 hour')");
  EXPECT_EQ(post(path(id, "/resume")).status, 202);
  EXPECT_EQ(state(id), "in_treatment");
  EXPECT_EQ(sql("SELECT count(*) FROM brakes"), "0");
}

TEST_F(Campaigns, DeleteWithHoldOrResume_DoesAsCigriDid) {
  const auto id = a_campaign_of(3);
  EXPECT_EQ(remove(path(id) + "?hold=1").message(), "Campaign " + std::to_string(id) + " paused");
  EXPECT_EQ(remove(path(id) + "?resume=1").message(), "Campaign " + std::to_string(id) + " resumed");
  EXPECT_EQ(state(id), "in_treatment");
}

TEST_F(Campaigns, Cancel_MovesTheCountersAndLeavesUntakenTasksAlone) {
  const auto id = a_campaign_of(10);
  take(id, 4, "waiting");
  const auto answer = remove(path(id));
  ASSERT_EQ(answer.status, 202) << answer.body;
  EXPECT_EQ(counters(id), "0 0 10 10");
  EXPECT_EQ(sql("SELECT count(*) FROM returned_tasks"), "0");
  EXPECT_EQ(sql("SELECT string_agg(state::text, ' ' ORDER BY number) FROM tasks WHERE number IN (0, 3, 4, 9)"),
            "cancelled cancelled waiting waiting");
  const auto tasks = get(path(id, "/tasks"));
  for (const auto& task : tasks.json["items"].GetArray()) EXPECT_STREQ(task["state"].GetString(), "cancelled");
  EXPECT_EQ(get(path(id, "/tasks?state=cancelled")).json["items"].Size(), 10U);
  EXPECT_EQ(get(path(id, "/tasks?state=waiting")).json["items"].Size(), 0U);
  EXPECT_EQ(remove(path(id)).status, 409);
  EXPECT_EQ(post(path(id, "/resume")).status, 409);
}

TEST_F(Campaigns, CancelWithLiveJobs_LeavesTheirTasksToTheirEnd) {
  const auto id = a_campaign_of(5);
  take(id, 2, "running");
  ASSERT_EQ(remove(path(id)).status, 202);
  EXPECT_EQ(counters(id), "0 0 3 5");
  EXPECT_EQ(sql("SELECT running FROM campaigns"), "2");
}

TEST_F(Campaigns, Retry_GivesFailedTasksBackToTheBag) {
  const auto id = a_campaign_of(5);
  EXPECT_EQ(post(path(id, "/retries")).status, 409);
  take(id, 2, "failed");
  sql("UPDATE tasks SET charged = 1 WHERE state = 'failed'");
  sql("UPDATE campaigns SET state = 'terminated', ended_at = now()");
  const auto answer = post(path(id, "/retries"));
  ASSERT_EQ(answer.status, 202) << answer.body;
  EXPECT_EQ(answer.json["count"].GetInt(), 2);
  EXPECT_EQ(state(id), "in_treatment");
  EXPECT_EQ(counters(id), "5 0 0 2");
  EXPECT_EQ(
      sql("SELECT string_agg(concat_ws(' ', number, state, attempt, charged, uncounted), ', ' ORDER BY number) FROM tasks WHERE number < 2"),
      "0 waiting 1 0 1, 1 waiting 1 0 1");
  EXPECT_EQ(sql("SELECT string_agg(number::text, ' ' ORDER BY number) FROM returned_tasks"), "0 1");
}

TEST_F(Campaigns, RetryOfASink_GivesBackWhatItSwallowed_ByItsClusterOrItsEvent) {
  const auto id = a_campaign_of(5);
  take(id, 3, "done");
  sql("INSERT INTO events (code, campaign_id, opened_at, last_at, message) VALUES ('SINK', " + std::to_string(id) +
      ", now(), now(), 'why')");
  const auto event = sql("SELECT id FROM events WHERE code = 'SINK'");
  sql("INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, ending, started_at, ended_at, sink) SELECT 0, campaign_id, "
      "(SELECT id FROM clusters WHERE name = 'alpha'), number, 0, 'terminated', 'done', now(), now(), " +
      event + " FROM tasks WHERE number < 2");
  EXPECT_EQ(post(path(id, "/retries?sink=beta")).status, 409);
  EXPECT_EQ(as("bob", {.method = "POST", .target = path(id, "/retries?sink=alpha")}).status, 403);
  sql("UPDATE campaigns SET state = 'terminated', ended_at = now()");
  const auto answer = post(path(id, "/retries?sink=" + event));
  ASSERT_EQ(answer.status, 202) << answer.body;
  EXPECT_EQ(answer.json["count"].GetInt(), 2);
  EXPECT_EQ(state(id), "in_treatment");
  EXPECT_EQ(counters(id), "4 0 0 3");
  const auto again = post(path(id, "/retries?sink=alpha"));
  EXPECT_EQ(again.status, 409);
  EXPECT_THAT(again.message(), HasSubstr("'alpha' is no sink that swallowed tasks"));
}

TEST_F(Campaigns, OfAnotherUser_CanBeSeenButNotChanged) {
  const auto id = a_campaign_of(3);
  EXPECT_EQ(as("bob", {.target = path(id)}).status, 200);
  for (const auto& [method, rest] : std::vector<std::pair<std::string, std::string>>{
           {"DELETE", ""}, {"POST", "/hold"}, {"POST", "/resume"}, {"POST", "/retries"}, {"DELETE", "/events"}})
    EXPECT_EQ(as("bob", {.method = method, .target = path(id, rest)}).status, 403) << method << rest;
  EXPECT_EQ(state(id), "in_treatment");
  EXPECT_EQ(as("boss", {.method = "DELETE", .target = path(id)}).status, 202);
  EXPECT_EQ(state(id), "cancelled");
}

TEST_F(Campaigns, List_ShowsThoseInTreatmentUnlessAskedOtherwise) {
  const auto live = a_campaign_of(1);
  const auto paused = a_campaign_of(1);
  const auto over = a_campaign_of(1);
  (void)post(path(paused, "/hold"));
  (void)remove(path(over));
  EXPECT_THAT(ids("/v1/campaigns"), ElementsAre(live, paused));
  EXPECT_THAT(ids("/v1/campaigns?all=1"), ElementsAre(live, paused, over));
  EXPECT_THAT(ids("/v1/campaigns?state=cancelled,paused"), ElementsAre(paused, over));
  EXPECT_THAT(ids("/v1/campaigns?ids=" + std::to_string(over) + "," + std::to_string(live)), ElementsAre(live, over));
  EXPECT_THAT(ids("/v1/campaigns?user=bob"), ElementsAre());
  EXPECT_THAT(ids("/v1/campaigns?from=2200-01-01T00:00:00Z"), ElementsAre());
  EXPECT_THAT(get("/v1/campaigns?state=canceled").message(), HasSubstr("did you mean 'cancelled'"));
  EXPECT_EQ(get("/v1/campaigns?limit=0").status, 400);
  EXPECT_EQ(get("/v1/campaigns?from=yesterday").status, 400);
}

TEST_F(Campaigns, List_IsPagedAndLinksToTheNextPageOnlyWhenThereIsOne) {
  for (int i = 0; i < 4; ++i) (void)a_campaign_of(1);
  const auto first = get("/v1/campaigns?limit=2&user=alice");
  EXPECT_EQ(first.json["total"].GetInt(), 4);
  ASSERT_EQ(first.link("next"), "/v1/campaigns?limit=2&user=alice&offset=2");
  const auto last = get(first.link("next"));
  EXPECT_EQ(last.json["items"].Size(), 2U);
  EXPECT_EQ(last.link("next"), "");
}

TEST_F(Campaigns, AForecast_HasItsIntervals_AndWhatItRestsOn) {
  const auto id = a_campaign_of(3);
  sql("INSERT INTO campaign_forecasts (campaign_id, made_at, end_at, end_earliest, end_latest, start_at, start_earliest, start_latest, method) "
      "SELECT id, to_timestamp(1900000000), to_timestamp(2000000500), to_timestamp(2000000400), to_timestamp(2000000900), to_timestamp(2000000020), "
      "to_timestamp(2000000010), to_timestamp(2000000090), 'history' FROM campaigns");
  for (const auto& target : {path(id), path(id, "/stats")}) {
    const auto json = get(target);
    EXPECT_EQ(json.json["forecast_time"].GetString(), utc(1900000000));
    EXPECT_EQ(json.json["forecast_end_earliest"].GetString(), utc(2000000400));
    EXPECT_EQ(json.json["forecast_end_latest"].GetString(), utc(2000000900));
    EXPECT_EQ(json.json["forecast_start"].GetString(), utc(2000000020));
    EXPECT_EQ(json.json["forecast_start_earliest"].GetString(), utc(2000000010));
    EXPECT_EQ(json.json["forecast_start_latest"].GetString(), utc(2000000090));
    EXPECT_STREQ(json.json["forecast_method"].GetString(), "history");
  }
}

TEST_F(Campaigns, Forecasts_AreThoseThatWereKept_InTheirOrder) {
  const auto id = a_campaign_of(3);
  const auto other = a_campaign_of(3);
  EXPECT_EQ(get(path(id, "/forecasts")).json["total"].GetInt(), 0);
  sql("INSERT INTO forecast_history (campaign_id, made_at, end_at, end_earliest, end_latest, method) SELECT c, to_timestamp(1900000000 + m * 60), "
      "to_timestamp(2000000500 + c), to_timestamp(2000000400), nullif(to_timestamp(2000000900), to_timestamp(2000000900 + m)), 'average' "
      "FROM unnest(ARRAY[" +
      std::to_string(id) + ", " + std::to_string(other) + "]) c, generate_series(0, 1) m ORDER BY m DESC");
  const auto answer = get(path(id, "/forecasts"));
  ASSERT_EQ(answer.json["total"].GetInt(), 2) << answer.body;
  const auto& items = answer.json["items"];
  EXPECT_EQ(items[0]["forecast_time"].GetString(), utc(1900000000));
  EXPECT_TRUE(items[0]["forecast_end_earliest"].IsNull());
  EXPECT_EQ(items[1]["forecast_time"].GetString(), utc(1900000060));
  EXPECT_EQ(items[1]["forecast_end"].GetString(), utc(2000000500 + id));
  EXPECT_EQ(items[1]["forecast_end_earliest"].GetString(), utc(2000000400));
  EXPECT_EQ(items[1]["forecast_end_latest"].GetString(), utc(2000000900));
  EXPECT_STREQ(items[1]["forecast_method"].GetString(), "average");
  EXPECT_EQ(get("/v1/campaigns/4711/forecasts").status, 404);
}

TEST_F(Campaigns, Detail_HasItsClustersAndForecast) {
  const auto id = a_campaign_of(3);
  sql("INSERT INTO forecasts (campaign_id, cluster_id, job_ratio, throughput) SELECT campaign_id, cluster_id, 0.5, 0.25 FROM campaign_clusters");
  sql("INSERT INTO campaign_forecasts (campaign_id, made_at, end_at, method) SELECT id, now(), '2030-01-01 00:00:00+00', 'throughput' FROM campaigns");
  sql("UPDATE campaign_clusters SET done = 4, concluded = 4, duration_sum = 40, duration_squares = 420");
  const auto answer = get(path(id));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["forecast_end"].GetString(), utc(1893456000));
  EXPECT_TRUE(answer.json["forecast_end_earliest"].IsNull());
  ASSERT_EQ(answer.json["clusters"].MemberCount(), 1U);
  const auto& cluster = answer.json["clusters"].MemberBegin()->value;
  EXPECT_STREQ(cluster["cluster_name"].GetString(), "alpha");
  EXPECT_DOUBLE_EQ(cluster["job_ratio"].GetDouble(), 0.5);
  EXPECT_TRUE(cluster["prologue"].IsNull() && cluster["epilogue"].IsNull()) << "the JDL has none";
  EXPECT_DOUBLE_EQ(cluster["average_jobs_duration"].GetDouble(), 10);
  EXPECT_DOUBLE_EQ(cluster["stddev_jobs_duration"].GetDouble(), std::sqrt(5.0));
  const auto stats = get(path(id, "/stats"));
  EXPECT_DOUBLE_EQ(stats.json["jobs_throughput"].GetDouble(), 0.25);
  EXPECT_DOUBLE_EQ(stats.json["remaining_time"].GetDouble(), 12);
}

TEST_F(Campaigns, Jdl_IsShownAsUnderstood) {
  const auto answer = get(path(a_campaign_of(1), "/jdl"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_STREQ(answer.json["name"].GetString(), "t");
}

TEST_F(Campaigns, JdlThatIsSubmittedAgain_IsTheSame_WithItsClustersInTheirOrder) {
  constexpr auto kJdl =
      R"({"name": "t", "project": "corals", "nb_jobs": 3, "exec_file": "run", "clusters": {"beta": {"walltime": "0:10:0"}, "alpha": {}}})";
  const auto submit = [&](const std::string& jdl) {
    return as("alice", {.method = "POST", .target = "/v1/campaigns", .body = jdl, .headers = {{"Content-Type", "application/json"}}});
  };
  const auto first = get(path(submit(kJdl).json["id"].GetInt64(), "/jdl"));
  EXPECT_STREQ(first.json["clusters"].MemberBegin()->name.GetString(), "beta");
  const auto again = submit(first.body);
  ASSERT_EQ(again.status, 201) << again.body;
  EXPECT_EQ(get(path(again.json["id"].GetInt64(), "/jdl")).body, first.body);
  EXPECT_EQ(sql("SELECT count(DISTINCT (jdl, project, total)) FROM campaigns"), "1");
}

TEST_F(Campaigns, Tasks_ArePagedExactly) {
  const auto id = a_campaign_of(4);
  const auto first = get(path(id, "/tasks?limit=2"));
  EXPECT_EQ(first.json["total"].GetInt(), 4);
  ASSERT_NE(first.link("next"), "");
  const auto second = get(first.link("next"));
  ASSERT_EQ(second.json["items"].Size(), 2U);
  EXPECT_EQ(second.json["items"][0]["id"].GetInt(), 2);
  EXPECT_EQ(second.link("next"), "");
  EXPECT_EQ(get(path(id, "/tasks?offset=10")).json["items"].Size(), 0U);
}

TEST_F(Campaigns, TasksOfAState_ArePagedByTheirNumbers) {
  const auto id = a_campaign_of(6);
  take(id, 5, "failed");
  sql("UPDATE tasks SET state = 'waiting' WHERE number = 1");
  const auto first = get(path(id, "/tasks?state=failed&limit=2"));
  EXPECT_EQ(first.json["total"].GetInt(), 4);
  EXPECT_EQ(first.json["items"][1]["id"].GetInt(), 2);
  const auto second = get(first.link("next"));
  ASSERT_EQ(second.json["items"].Size(), 2U);
  EXPECT_EQ(second.json["items"][0]["id"].GetInt(), 3);
  EXPECT_EQ(second.link("next"), "");
}

TEST_F(Campaigns, Task_HasItsLastJob_AndAllOfThemWhenAskedFor) {
  const auto id = a_campaign_of(2);
  for (const int attempt : {0, 1})
    sql("INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, remote_id, exit_status, ending) SELECT 7, campaign_id, cluster_id, 1, " +
        std::to_string(attempt) + ", 'terminated', 100 + " + std::to_string(attempt) + ", 768, 'task_error' FROM campaign_clusters");
  const auto list = get(path(id, "/tasks"));
  EXPECT_TRUE(list.json["items"][0]["job_id"].IsNull());
  EXPECT_EQ(list.json["items"][1]["remote_id"].GetInt(), 101);
  EXPECT_EQ(list.json["items"][1]["exit_code"].GetInt(), 3);
  EXPECT_STREQ(list.json["items"][1]["cluster_name"].GetString(), "alpha");
  const auto task = get(path(id, "/tasks/1"));
  ASSERT_EQ(task.json["jobs"].Size(), 2U) << task.body;
  const auto job = get("/v1/jobs/" + std::to_string(task.json["jobs"][0]["id"].GetInt64()));
  EXPECT_EQ(job.json["remote_id"].GetInt(), 100);
  EXPECT_STREQ(job.json["user"].GetString(), "alice");
  EXPECT_EQ(get(path(id, "/tasks/2")).status, 404);
}

TEST_F(Campaigns, KeyOfAQueryThatARouteDoesNotHave_IsAnError_AndNothingIsDone) {
  const auto id = a_campaign_of(1);
  const auto answer = remove(path(id, "?hodl=1"));
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.json["message"].GetString(),
              testing::AllOf(testing::HasSubstr("there is no query key 'hodl' here (did you mean 'hold'?)"),
                             testing::EndsWith(" takes dry_run, hold, resume, purge, pretty")));
  EXPECT_EQ(state(id), "in_treatment");
  EXPECT_EQ(get("/v1/campaigns?stat=paused").status, 400);
  EXPECT_EQ(get("/v1/campaigns?pretty").status, 200);
}

TEST_F(Campaigns, AKeyThatComesTwice_IsAnError_UnlessItIsAList) {
  const auto id = a_campaign_of(1);
  const auto answer = remove(path(id, "?hold=1&dry_run=0&hold=0"));
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.json["message"].GetString(), HasSubstr("the query key 'hold' is given twice: DELETE /v1/campaigns/"));
  EXPECT_EQ(state(id), "in_treatment");
  EXPECT_EQ(get("/v1/campaigns?limit=1&limit=2").status, 400);
  EXPECT_EQ(get("/v1/campaigns?state=paused&state=in_treatment").json["items"].Size(), 1U);
}

TEST_F(Campaigns, Clusters_HaveTheirStatus) {
  sql("INSERT INTO gridstatus SELECT id, now() - interval '1 min', 16, 4, 10, 2, 3, 1, true, 20 FROM clusters WHERE name = 'alpha'");
  sql("INSERT INTO gridstatus SELECT id, now(), 16, 6, 8, 2, 3, 1, true, 20 FROM clusters WHERE name = 'alpha'");
  const auto cluster = get("/v1/clusters/alpha");
  ASSERT_EQ(cluster.status, 200) << cluster.body;
  EXPECT_EQ(cluster.json["status"]["free"].GetInt(), 6);
  EXPECT_EQ(get("/v1/clusters/" + std::to_string(cluster.json["id"].GetInt())).json["name"], cluster.json["name"]);
  EXPECT_EQ(get("/v1/clusters").json["items"].Size(), 3U);
  EXPECT_TRUE(get("/v1/clusters/gamma").json["blacklisted"].GetBool());
  EXPECT_EQ(get("/v1/clusters/delta").status, 404);
  EXPECT_EQ(get("/v1/gridusage").json["items"][0]["clusters"][0]["unavailable_resources"].GetInt(), 2);
  EXPECT_EQ(get("/v1/gridusage?from=1970-01-01T00:00:00Z").json["items"][0]["clusters"].Size(), 1U);
  EXPECT_EQ(get("/v1/gridusage?from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z").status, 400);
}

TEST_F(Campaigns, WhatIsNotThere_IsNamed) {
  EXPECT_THAT(get("/nothing").message(), HasSubstr("GET /nothing"));
  EXPECT_EQ(get("/nothing").code(), "no_such_path");
  EXPECT_EQ(get("/v1/campaigns/toto").status, 404);
  EXPECT_EQ(get("/v1/campaigns/-1").status, 404);
  EXPECT_EQ(get("/v1/campaigns/1'%20OR%201=1").status, 404);
  EXPECT_EQ(get("/v1/jobs/99").status, 404);
  EXPECT_EQ(get("/v1/events/99").status, 404);
  const auto wrong = as("alice", {.method = "PATCH", .target = "/v1/campaigns/1"});
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers.at("allow"), "GET, PUT, DELETE");
}

TEST_F(Campaigns, Pretty_IsTheSameDocumentIndented) {
  const auto id = a_campaign_of(1);
  const auto plain = get(path(id));
  const auto pretty = get(path(id) + "?pretty");
  EXPECT_EQ(plain.json, pretty.json);
  EXPECT_THAT(pretty.body, HasSubstr("\n  \"id\""));
}

TEST_F(Campaigns, DatabaseDown_IsSaid_AndHealsByItself) {
  const auto id = a_campaign_of(1);
  ASSERT_EQ(get(path(id)).status, 200);
  PrivatePostgres::instance().stop();
  const auto down = get(path(id));
  EXPECT_EQ(down.status, 503);
  EXPECT_EQ(down.headers.count("retry-after"), 1U);
  EXPECT_EQ(ask(port(), {.target = "/health"}).status, 503);
  PrivatePostgres::instance().start();
  EXPECT_EQ(get(path(id)).status, 200);
  EXPECT_EQ(ask(port(), {.target = "/health"}).status, 200);
}

TEST_F(Campaigns, Health_ReportsTheConductor) {
  sql("UPDATE lease SET holder = 'host:1', term = 4, expires_at = now() + interval '1 hour'");
  sql("INSERT INTO cycles (term, started_at) VALUES (4, now() - interval '10 s')");
  const auto health = ask(port(), {.target = "/health"});
  ASSERT_EQ(health.status, 200) << health.body;
  EXPECT_EQ(health.json["conductor"]["term"].GetInt(), 4);
  EXPECT_GE(health.json["last_cycle"]["age"].GetDouble(), 10);
}

}  // namespace
}  // namespace gleaner::tests
