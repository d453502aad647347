#include <gmock/gmock.h>

#include <fmt/format.h>

#include "lib/intake/request_freed.hpp"
#include "lib/store/dependencies.hpp"
#include "lib/store/prediction.hpp"
#include "tests/db/campaigns_fixture.hpp"

/// Campaigns that come after others, over the API.
namespace gleaner::tests {
namespace {

using testing::HasSubstr;

class DependenciesOverTheApi : public CampaignsFixture {
 protected:
  [[nodiscard]] static std::string jdl(const std::string& name, const std::string& keys, int tasks = 2) {
    return fmt::format(R"({{"name": "{}", "nb_jobs": {}, {} "clusters": {{"alpha": {{"exec_file": "run"}}}}}})", name, tasks, keys);
  }
  [[nodiscard]] std::int64_t submitted(const std::string& name, const std::string& keys = {}, int tasks = 2) const {
    const auto answer = post("/v1/campaigns", jdl(name, keys, tasks));
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.json["id"].GetInt64();
  }
  [[nodiscard]] std::string dependencies(std::int64_t id) const {
    return sql(
        fmt::format("SELECT coalesce(string_agg(concat_ws(' ', kind, on_campaign, met_at IS NOT NULL), ', ' ORDER BY on_campaign), '') "
                    "FROM dependencies WHERE campaign_id = {}",
                    id));
  }
  /// As the metascheduler does before it plans.
  void release_freed() const {
    store::Database database{ApiTest::database()};
    const auto now = std::chrono::time_point_cast<grid::Instant::duration>(std::chrono::system_clock::now());
    (void)store::release_freed(database, std::nullopt, std::chrono::minutes{10}, now, intake::request_freed,
                               [](const store::ToRelease&, const std::string& why) { throw std::runtime_error{why}; });
  }
  [[nodiscard]] std::string bag(std::int64_t id) const {
    return sql(fmt::format("SELECT string_agg(number::text, ' ' ORDER BY number) FROM returned_tasks WHERE campaign_id = {}", id));
  }
};

TEST_F(DependenciesOverTheApi, AreGivenByNumber_OrByTheNameOfTheNewestCampaignOfTheUser) {
  const auto old = submitted("mesh");
  const auto mesh = submitted("mesh");
  const auto id = submitted("solve", fmt::format(R"("after": "mesh", "after_any_end": {},)", old));
  EXPECT_EQ(dependencies(id), fmt::format("after_any_end {} f, after {} f", old, mesh));
  const auto campaign = get(path(id));
  const auto& shown = campaign.json["dependencies"];
  ASSERT_EQ(shown.Size(), 2U);
  EXPECT_EQ(shown[1]["campaign_id"].GetInt64(), mesh);
  EXPECT_STREQ(shown[1]["name"].GetString(), "mesh");
  EXPECT_STREQ(shown[1]["kind"].GetString(), "after");
  EXPECT_FALSE(shown[1]["met"].GetBool());
  EXPECT_EQ(remove(path(mesh)).status, 202);
  const auto after_old = submitted("solve", R"("after": "mesh",)");
  EXPECT_EQ(dependencies(after_old), fmt::format("after {} f", old)) << "the newest is cancelled";
}

TEST_F(DependenciesOverTheApi, WhatIsWrong_IsSaid_AndNothingIsStored) {
  const auto mesh = submitted("mesh");
  const auto refusal = [&](const std::string& keys, const std::string& query = {}) {
    const auto answer = post("/v1/campaigns" + query, jdl("solve", keys, 3));
    EXPECT_EQ(answer.status, 400) << answer.body;
    return answer.message();
  };
  for (const std::string query : {"", "?dry_run=1"}) {
    EXPECT_THAT(refusal(R"("after": "mush",)", query), HasSubstr("after: you have no campaign 'mush' that is not cancelled"));
    EXPECT_THAT(refusal(R"("after": 99,)", query), HasSubstr("after: there is no campaign 99"));
    EXPECT_THAT(refusal(fmt::format(R"("after_each": {},)", mesh), query), HasSubstr("task 2 would wait for none"));
    EXPECT_THAT(refusal(fmt::format(R"("after": [{}, "mesh"],)", mesh), query), HasSubstr("named twice, by its name and its number"));
  }
  EXPECT_THAT(refusal(R"("after": 0,)"), HasSubstr("after: there is no campaign 0"));
  EXPECT_EQ(post("/v1/campaigns?dry_run=1", jdl("solve", R"("after": [0, 0],)")).status, 200) << "they are submitted along with it";
  EXPECT_EQ(sql("SELECT count(*) FROM campaigns"), "1");
  EXPECT_EQ(as("bob", {.method = "POST",
                       .target = "/v1/campaigns",
                       .body = jdl("solve", R"("after": "mesh",)"),
                       .headers = {{"Content-Type", "application/json"}}})
                .status,
            400)
      << "a name is one of the user's own";
}

TEST_F(DependenciesOverTheApi, OnTasksWhoseClusterTheCampaignDoesNotHave_AreRefused_UnlessTheyNeedNoFiles) {
  const auto mesh = post("/v1/campaigns", R"({"name": "mesh", "nb_jobs": 2, "exec_file": "run", "clusters": {"alpha": {}, "beta": {}}})");
  ASSERT_EQ(mesh.status, 201) << mesh.body;
  for (const std::string query : {"?dry_run=1", ""}) {
    const auto answer = post("/v1/campaigns" + query, jdl("solve", R"("after_each": "mesh",)", 2));
    EXPECT_EQ(answer.status, 400) << answer.body;
    EXPECT_THAT(answer.message(),
                HasSubstr("has tasks on beta, where no task of this campaign could find their files: add it to its clusters"));
    EXPECT_EQ(post("/v1/campaigns" + query, jdl("solve", R"("after_each": "mesh", "after_each_cluster": "any",)", 2)).status,
              query.empty() ? 201 : 200);
  }
  sql("UPDATE clusters SET shared_home = 'site' WHERE name IN ('alpha', 'beta')");
  EXPECT_EQ(post("/v1/campaigns", jdl("solve", R"("after_each": "mesh",)", 2)).status, 201);
}

TEST_F(DependenciesOverTheApi, OnFailedTasks_AreTaken_WithAWarning) {
  const auto mesh = submitted("mesh");
  take(mesh, 1, "failed");
  const auto answer = post("/v1/campaigns", jdl("solve", R"("after": "mesh",)"));
  ASSERT_EQ(answer.status, 201) << answer.body;
  ASSERT_EQ(answer.json["warnings"].Size(), 1U);
  EXPECT_THAT(answer.json["warnings"][0].GetString(), HasSubstr(fmt::format("gridsub --retry {}", mesh)));
  EXPECT_THAT(answer.json["warnings"][0].GetString(), HasSubstr("this campaign starts when all are done"));
  const auto each = post("/v1/campaigns?dry_run=1", jdl("solve", R"("after_each": "mesh",)"));
  ASSERT_EQ(each.json["warnings"].Size(), 1U) << each.body;
  EXPECT_THAT(each.json["warnings"][0].GetString(),
              HasSubstr("the tasks that come after these start when they are done, and the others do not wait for them"));
}

TEST_F(DependenciesOverTheApi, TaskByTask_AppendedTasksAreHeldToo_AndNoMoreThanTheOtherHas) {
  const auto mesh = submitted("mesh", "", 4);
  const auto solve = submitted("solve", R"("after_each": "mesh",)", 2);
  take(mesh, 4, "done");
  release_freed();
  EXPECT_EQ(bag(solve), "0 1");
  const auto append = [&](int tasks) {
    return as("alice", {.method = "POST",
                        .target = path(solve, fmt::format("/tasks?nb_jobs={}", tasks)),
                        .headers = {{"Content-Type", "application/x-ndjson"}}});
  };
  const auto refused = append(3);
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.message(), HasSubstr("append to campaign 1 first"));
  EXPECT_EQ(append(1).status, 201);
  release_freed();
  EXPECT_EQ(bag(solve), "0 1 2");
  EXPECT_EQ(counters(solve), "3 0 0 3");
}

TEST_F(DependenciesOverTheApi, StayAsTheyWereSubmitted) {
  EXPECT_GT(submitted("mesh"), 0);
  const auto solve = submitted("solve", R"("after": "mesh",)");
  const auto answer = as(
      "alice", {.method = "PUT", .target = path(solve), .body = R"({"after": null})", .headers = {{"Content-Type", "application/json"}}});
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.message(), HasSubstr("what it comes after stays"));
  EXPECT_THAT(get(path(solve, "/jdl")).body, HasSubstr(R"("after":["mesh"])"));
}

TEST_F(DependenciesOverTheApi, WhoWaitsForACancelledCampaign_IsNamedAtTheAct_AndGetsAnEvent) {
  const auto mesh = submitted("mesh");
  const auto solve = submitted("solve", R"("after": "mesh",)");
  const auto each = submitted("each", R"("after_each": "mesh",)");
  const auto clean = submitted("clean", R"("after_any_end": "mesh",)");
  EXPECT_THAT(
      remove(path(mesh, "/tasks?tasks=1")).message(),
      HasSubstr(fmt::format("1 task cancelled; campaign {0} waits for it, and cannot end any more: 'griddel {0}' cancels it; tasks 1 of "
                            "campaign {1} wait for cancelled ones, and cannot run any more: 'griddel {1} --task 1' cancels them",
                            solve, each)));
  EXPECT_THAT(remove(path(mesh)).message(), HasSubstr(fmt::format("cancelled; campaigns {}, {} wait for it", solve, each)));
  EXPECT_EQ(
      sql("SELECT string_agg(concat_ws(' ', code, campaign_id, occurrences), ', ' ORDER BY campaign_id) FROM events WHERE state = 'open'"),
      fmt::format("AWAITS_IN_VAIN {} 2, AWAITS_IN_VAIN {} 2", solve, each))
      << "campaign " << clean << " goes on";
  EXPECT_THAT(sql("SELECT message FROM events LIMIT 1"), HasSubstr(fmt::format("submit it again without 'after': {}", mesh)));
  EXPECT_EQ(remove(path(solve)).message(), fmt::format("Campaign {} cancelled", solve)) << "nobody waits for it";
}

TEST_F(DependenciesOverTheApi, TasksThatWaitInVain_AreNamedInRanges_WhichTheCommandTakesAsTheyStand) {
  const auto mesh = submitted("mesh", "", 300);
  const auto each = submitted("each", fmt::format(R"("after_each": {},)", mesh), 300);
  const auto list = [&] {
    const auto message = sql(fmt::format("SELECT message FROM events WHERE campaign_id = {} AND code = 'AWAITS_IN_VAIN'", each));
    const auto begin = message.find("--task ") + 7;
    return message.substr(begin, message.find('\'', begin) - begin);
  };
  EXPECT_THAT(remove(path(mesh, "/tasks?tasks=3-40,57")).message(), HasSubstr("tasks 3-40,57 of campaign"));
  EXPECT_EQ(list(), "3-40,57");
  std::string odd;
  for (int task = 101; task < 301; task += 2) odd += fmt::format(",{}", task);
  const auto many = remove(path(mesh, "/tasks?tasks=" + odd.substr(1)));
  EXPECT_THAT(many.message(), HasSubstr(" and 62 more of campaign"));
  EXPECT_THAT(sql(fmt::format("SELECT message FROM events WHERE campaign_id = {}", each)),
              HasSubstr(fmt::format("cancels some, and leaves 62; 'griddel {}' cancels the campaign", each)));
  EXPECT_LT(list().size(), 300U);
  const auto cancelled = remove(path(each, "/tasks?tasks=" + list()));
  EXPECT_THAT(cancelled.message(), HasSubstr("77 tasks cancelled")) << "39, and 38 of the others";
}

TEST_F(DependenciesOverTheApi, WhoWaitsForAPurgedCampaign_IsNamedAtTheAct_AndGetsAnEvent) {
  const auto mesh = submitted("mesh");
  const auto solve = submitted("solve", R"("after": "mesh",)");
  sql(fmt::format("UPDATE campaigns SET user_name = 'bob' WHERE id = {} RETURNING 1", solve));
  sql(fmt::format("UPDATE tasks SET state = 'failed' WHERE campaign_id = {} RETURNING 1", mesh));
  sql(fmt::format("UPDATE campaigns SET state = 'terminated', ended_at = now() WHERE id = {} RETURNING 1", mesh));
  sql("UPDATE campaign_clusters SET cleaned_at = now() RETURNING 1");
  EXPECT_EQ(
      remove(path(mesh) + "?purge=1").message(),
      fmt::format("Campaign {} purged; campaign {} of other users waits for it, and cannot end any more: each has an event AWAITS_IN_VAIN",
                  mesh, solve));
  EXPECT_EQ(sql("SELECT code || ' ' || campaign_id FROM events WHERE state = 'open'"), fmt::format("AWAITS_IN_VAIN {}", solve));
}

/// The deadlock is one of the transaction's end: all of the piece had been counted.
TEST_F(DependenciesOverTheApi, OfTasksThatASinkGivesBack_AreCountedOnce_WhereADeadlockHasThePieceRepeated) {
  const auto mesh = submitted("mesh");
  const auto solve = submitted("solve", R"("after_each": "mesh",)");
  take(mesh, 2, "done");
  release_freed();
  ASSERT_EQ(bag(solve), "0 1");
  sql(fmt::format(
      "INSERT INTO events (code, campaign_id, opened_at, last_at, message) VALUES ('SINK', {}, now(), now(), 'why') RETURNING 1", mesh));
  sql(
      fmt::format("INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, ending, started_at, ended_at, sink) "
                  "SELECT 0, campaign_id, (SELECT id FROM clusters WHERE name = 'alpha'), number, 0, 'terminated', 'done', now(), now(), "
                  "(SELECT id FROM events WHERE code = 'SINK') FROM tasks WHERE campaign_id = {} RETURNING 1",
                  mesh));
  sql("CREATE SEQUENCE commits; "
      "CREATE FUNCTION deadlock_once() RETURNS trigger LANGUAGE plpgsql AS "
      "'BEGIN IF nextval(''commits'') = 1 THEN RAISE EXCEPTION USING ERRCODE = ''deadlock_detected''; END IF; RETURN NULL; END'; "
      "CREATE CONSTRAINT TRIGGER deadlock AFTER UPDATE ON campaigns DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "
      "deadlock_once()");
  const auto answer = post(path(mesh, "/retries?sink=alpha"));
  ASSERT_EQ(answer.status, 202) << answer.body;
  EXPECT_GT(std::stoi(sql("SELECT last_value FROM commits")), 1);
  EXPECT_THAT(answer.body, HasSubstr("2 tasks of campaign 1 that a sink swallowed will run again; 2 tasks of campaigns after it wait for"));
}

class Document000 : public DependenciesOverTheApi {
 protected:
  void SetUp() override {
    DependenciesOverTheApi::SetUp();
    sql("UPDATE clusters SET memory_property = 'mem', memory_unit_mb = 1024, memory_max_mb = 16384");
    mesh = submitted("mesh", R"("gives": ["cells"],)", 4);
  }
  [[nodiscard]] static std::string taking(const std::string& more = {}) {
    return R"("after_each": "mesh", "given": {"cells": 1000}, "memory_mb": "2 * cells",)" + more;
  }
  /// As if the first tasks of the mesh had given these, in the name of their ends.
  void gives(const std::vector<std::string>& notes, int attempt = 0) const {
    for (std::size_t i = 0; i < notes.size(); ++i) {
      if (!notes[i].empty())
        sql(fmt::format("INSERT INTO task_gives (campaign_id, number, attempt, given) VALUES ({}, {}, {}, '{}')", mesh, i, attempt,
                        notes[i]));
    }
    take(mesh, static_cast<int>(notes.size()), "done");
  }
  /// The tasks in the bag, each with the memory that it asks for.
  [[nodiscard]] std::string asked(std::int64_t id) const {
    return sql(
        fmt::format("SELECT coalesce(string_agg(r.number || ':' || q.memory_mb, ' ' ORDER BY r.number), '') FROM returned_tasks r "
                    "JOIN tasks t ON t.campaign_id = r.campaign_id AND t.number = r.number AND t.request = r.request "
                    "JOIN request_tasks s ON s.campaign_id = r.campaign_id AND s.number = r.number AND s.request = r.request "
                    "JOIN request_bags b ON b.campaign_id = r.campaign_id AND b.request = r.request AND b.untaken = 0 "
                    "JOIN campaign_requests q ON q.campaign_id = r.campaign_id AND q.request = r.request WHERE r.campaign_id = {}",
                    id));
  }
  std::int64_t mesh = 0;
};

TEST_F(Document000, TasksAskForWhatFollowsFromTheNumbersThatOthersGave) {
  const auto id = submitted("solve", taking(), 4);
  gives({"cells=500", "", "cells=4000", "cells=500"});
  release_freed();
  EXPECT_EQ(asked(id), "0:1000 1:2000 2:8000 3:1000");
  EXPECT_EQ(sql(fmt::format("SELECT requests FROM campaigns WHERE id = {}", id)), "3");
  EXPECT_EQ(sql(fmt::format("SELECT count(*) FROM request_tasks WHERE campaign_id = {}", id)), "4") << "each has one request";
  EXPECT_EQ(sql("SELECT count(*) FROM events"), "0");
}

TEST_F(Document000, TheNumbersOfACampaignThatIsOver_CountAsWell_AndSoDoThoseOfAppendedTasks) {
  gives({"cells=500", "cells=4000", "", ""});
  sql(fmt::format("UPDATE campaigns SET state = 'terminated', done = total, waiting = 0 WHERE id = {}", mesh));
  const auto id = submitted("solve", taking(R"("after_each_cluster": "any",)"), 2);
  release_freed();
  EXPECT_EQ(asked(id), "0:1000 1:8000");
  const auto appended =
      as("alice", {.method = "POST", .target = path(id, "/tasks?nb_jobs=2"), .headers = {{"Content-Type", "application/x-ndjson"}}});
  ASSERT_EQ(appended.status, 201) << appended.body;
  release_freed();
  EXPECT_EQ(asked(id), "0:1000 1:8000 2:2000 3:2000");
}

TEST_F(Document000, NumbersOfAnEarlierAttempt_DoNotCount) {
  const auto id = submitted("solve", taking(), 1);
  gives({"cells=500"}, 7);
  release_freed();
  EXPECT_EQ(asked(id), "0:2000");
}

TEST_F(Document000, ATaskThatWasGivenSomethingWrong_Waits_WithAnEvent_AndTheOthersGoOn) {
  const auto id = submitted("solve", taking(), 4);
  gives({"cells=500", "cells=many", "cells=1e6", "cells=-1"});
  release_freed();
  EXPECT_EQ(asked(id), "0:1000");
  const auto message =
      sql(fmt::format("SELECT message FROM events WHERE campaign_id = {} AND code = 'GIVEN_WRONG' AND state = 'open'", id));
  EXPECT_THAT(message,
              HasSubstr("task 1 waits, as what it asks for cannot be computed: the task that it comes after: it gives cells='many', "
                        "which is not a number: a task writes words such as size=100 into $CIGRI_GIVES; further tasks that wait so: 2"));
  const auto why = [&](int task) { return std::string{get(path(id, fmt::format("/tasks/{}", task))).json["withheld"].GetString()}; };
  EXPECT_THAT(why(2), HasSubstr("memory_mb gives 2000000, and the nodes of alpha have 16384 MB (cells=1e+06 was given)"));
  EXPECT_THAT(why(3), HasSubstr("memory_mb '2 * cells': it gives -2, and must give more than 0"));
  EXPECT_TRUE(get(path(id, "/tasks/0")).json["withheld"].IsNull());
  store::Database database{ApiTest::database()};
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    const auto now = std::chrono::time_point_cast<grid::Instant::duration>(std::chrono::system_clock::now());
    const auto is_it = [&](const auto& campaign) { return campaign.id.value() == id; };
    const auto planned = store::planning_facts(transaction, {.flood = 1, .array_size = 100}, now).campaigns;
    EXPECT_EQ(std::ranges::find_if(planned, is_it)->withheld_tasks, 3);
    const auto predicted = store::prediction_facts(transaction, {.flood = 1, .array_size = 100}, now, now).campaigns;
    EXPECT_EQ(std::ranges::find_if(predicted, is_it)->held, 3) << "no end is foretold while some are";
  });
  sql(fmt::format("DELETE FROM returned_tasks WHERE campaign_id = {}", id));
  for (const auto* state : {"launching", "failed"})
    sql(fmt::format("UPDATE tasks SET state = '{}' WHERE campaign_id = {} AND number = 0", state, id));
  EXPECT_THAT(std::string{get(path(id, "/decisions")).body}, HasSubstr("waits, as what it asks for cannot be computed"));
  // Its user has the JDL's own number used instead.
  EXPECT_EQ(remove(path(id, "/events")).status, 202);
  release_freed();
  EXPECT_EQ(asked(id), "1:2000 2:2000 3:2000");
  EXPECT_EQ(sql("SELECT count(*) FROM withheld_tasks"), "0");
  EXPECT_EQ(sql("SELECT count(*) FROM events WHERE state = 'open'"), "0");
}

TEST_F(Document000, ATaskWhosePredecessorIsDoneAnew_TakesWhatThatGaveThen_AndTheEventIsOver) {
  const auto id = submitted("solve", taking(), 2);
  gives({"cells=many", "cells=500"});
  release_freed();
  EXPECT_EQ(asked(id), "1:1000");
  EXPECT_EQ(sql("SELECT string_agg(code || ' ' || state, ', ') FROM events"), "GIVEN_WRONG open");
  sql(fmt::format("UPDATE task_gives SET given = 'cells=3000' WHERE campaign_id = {} AND number = 0", mesh));
  for (const auto* state : {"waiting", "launching", "done"})
    sql(fmt::format("UPDATE tasks SET state = '{}' WHERE campaign_id = {} AND number = 0", state, mesh));
  release_freed();
  EXPECT_EQ(asked(id), "0:6000 1:1000");
  EXPECT_EQ(sql("SELECT string_agg(code || ' ' || state, ', ') FROM events"), "GIVEN_WRONG closed");
}

TEST_F(Document000, ANumberThatNobodyGives_IsRefused_AtTheSubmission) {
  const auto refusal = [&](const std::string& keys, const std::string& query = {}) {
    const auto answer = post("/v1/campaigns" + query, jdl("solve", keys, 2));
    EXPECT_EQ(answer.status, 400) << answer.body;
    return answer.message();
  };
  for (const std::string query : {"", "?dry_run=1"})
    EXPECT_THAT(refusal(R"("after_each": "mesh", "given": {"cell": 1}, "memory_mb": "cell",)", query),
                HasSubstr("given: no campaign of after_each gives 'cell' (did you mean 'cells'?)"));
  EXPECT_EQ(post("/v1/campaigns?dry_run=1", jdl("solve", R"("after_each": 0, "given": {"any": 1}, "memory_mb": "any",)", 2)).status, 200)
      << "it is submitted along with it";
  EXPECT_THAT(refusal(R"("after_each": "mesh", "given": {"cells": 9000}, "memory_mb": "2 * cells",)"), HasSubstr("have 16384 MB"))
      << "what is assumed must be possible";
}

}  // namespace
}  // namespace gleaner::tests
