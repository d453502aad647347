#include <gmock/gmock.h>

#include <fmt/format.h>

#include "tests/db/campaigns_fixture.hpp"

/// Reports to gridwait and `gridstat --why` of campaigns that do not end unless somebody acts.
namespace gleaner::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CannotEnd : public CampaignsFixture {
 protected:
  [[nodiscard]] std::int64_t submitted(const std::string& keys, int tasks = 2) const {
    const auto answer = post("/v1/campaigns", fmt::format(R"({{"name": "c", "nb_jobs": {}, "exec_file": "run", {}}})", tasks, keys));
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.json["id"].GetInt64();
  }
  [[nodiscard]] std::int64_t on_both(const std::string& keys = {}, int tasks = 2) const {
    return submitted(keys + R"("clusters": {"alpha": {}, "beta": {}})", tasks);
  }
  /// Empty: it can.
  [[nodiscard]] std::string why(std::int64_t id) const {
    const auto answer = get(path(id, "/decisions"));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json["cannot_end"].IsNull() ? std::string{} : answer.json["cannot_end"].GetString();
  }
  /// Whether what keeps it from ending may pass without its user.
  [[nodiscard]] bool may_pass(std::int64_t id) const {
    const auto answer = get(path(id, "/decisions"));
    EXPECT_FALSE(answer.json["cannot_end"].IsNull()) << answer.body;
    return answer.json["cannot_end_may_pass"].IsBool() && answer.json["cannot_end_may_pass"].GetBool();
  }
  void decide(std::int64_t id, const std::string& cluster, const std::string& reason) const {
    sql(
        fmt::format("INSERT INTO decisions (campaign_id, cluster_id, stage, reason, figures, jobs, since) SELECT {}, id, 'feasible', "
                    "'{}', '{{}}', 0, now() FROM clusters WHERE name = '{}' RETURNING 1",
                    id, reason, cluster));
  }
  void of_cluster(const std::string& name, const std::string& change) const {
    sql(fmt::format("UPDATE clusters SET {} WHERE name = '{}' RETURNING 1", change, name));
  }
  void of_pair(std::int64_t id, const std::string& cluster, const std::string& change) const {
    sql(
        fmt::format("UPDATE campaign_clusters SET {} WHERE campaign_id = {} AND cluster_id = (SELECT id FROM clusters WHERE name = '{}') "
                    "RETURNING 1",
                    change, id, cluster));
  }
  void of_task(std::int64_t id, int number, const std::string& state) const { of_tasks(id, fmt::format("number = {}", number), state); }
  void settle(std::int64_t id) const { of_tasks(id, "number >= 0", "done"); }

 private:
  void of_tasks(std::int64_t id, const std::string& which, const std::string& state) const {
    for (const auto& step : {std::string{"launching"}, state})
      sql(fmt::format("UPDATE tasks SET state = '{}' WHERE campaign_id = {} AND {} RETURNING 1", step, id, which));
  }
};

TEST_F(CannotEnd, WhoseTasksAreHeld_WaitsForItsUser_UnlessTheOthersAreStuck) {
  const auto id = on_both({}, 3);
  EXPECT_EQ(post(path(id, "/hold?tasks=0-*")).status, 202);
  of_cluster("alpha", "enabled = false");
  of_cluster("beta", "enabled = false");
  EXPECT_EQ(why(id), "") << "as a campaign that its user paused";
  EXPECT_EQ(post(path(id, "/resume?tasks=1")).status, 202);
  EXPECT_THAT(why(id), HasSubstr("none of its clusters takes its tasks"));
}

TEST_F(CannotEnd, WhereNoClusterTakesItsTasks_EachIsNamedWithItsReason) {
  const auto id = on_both();
  EXPECT_EQ(why(id), "");
  of_cluster("alpha", "enabled = false");
  EXPECT_EQ(why(id), "") << "beta takes them";
  of_cluster("beta", "reachable = false");
  EXPECT_EQ(why(id), "") << "it may answer again";
  of_cluster("beta", "retired_at = now()");
  EXPECT_EQ(why(id), fmt::format("none of its clusters takes its tasks: alpha is disabled, beta is retired; 'griddel {}' cancels it", id));
  of_cluster("beta", "retired_at = NULL");
  of_pair(id, "beta", "prologue = 'p', prepared = true");
  EXPECT_EQ(why(id), "");
  sql(
      fmt::format("INSERT INTO tasks (campaign_id, number, parameter, state) SELECT {}, prologue_on(id), '', 'failed' FROM clusters "
                  "WHERE name = 'beta' RETURNING 1",
                  id));
  EXPECT_THAT(why(id), HasSubstr("its prologue failed on beta ('gridsub --fix'"));
  of_pair(id, "beta", "prologue = '', max_jobs = 0");
  EXPECT_THAT(why(id), HasSubstr("it does not use beta"));
  of_cluster("alpha", "enabled = true");
  EXPECT_EQ(why(id), "");
  sql("UPDATE campaigns SET user_name = 'al.ice' RETURNING 1");
  EXPECT_THAT(as("boss", {.target = path(id, "/decisions")}).body, HasSubstr("its user has no account on alpha"));
}

TEST_F(CannotEnd, WhereItsUserHasNoTokenThatWorks_TheirUserMayHaveToGiveOne) {
  const auto id = on_both();
  of_cluster("beta", "retired_at = now()");
  decide(id, "alpha", "no_token");
  const auto because = [&](const std::string& fault) {
    sql(fmt::format(R"(UPDATE decisions SET figures = '{{"user": "alice", "token": "{}"}}' RETURNING 1)", fault));
    return std::pair{why(id), may_pass(id)};
  };
  const auto text = [&](const std::string& words) {
    return fmt::format("none of its clusters takes its tasks: {}, beta is retired; 'griddel {}' cancels it", words, id);
  };
  EXPECT_EQ(because("missing"), std::pair(text("the token of its user for alpha is missing ('gridtoken add alpha')"), false));
  EXPECT_EQ(because("ended"), std::pair(text("the token of its user for alpha ended ('gridtoken add alpha')"), false));
  EXPECT_EQ(because("refused"), std::pair(text("the token of its user for alpha is refused there ('gridtoken add alpha')"), true))
      << "it is tried again";
  EXPECT_EQ(because("unreadable"), std::pair(text("the grid cannot read the token of its user for alpha ('gridtoken add alpha')"), true))
      << "administrators can mend that";
}

TEST_F(CannotEnd, WhereAClusterIsDisabledOrTooSmall_ThatMayPassWithoutItsUser) {
  const auto id = on_both();
  of_cluster("beta", "retired_at = now()");
  decide(id, "alpha", "no_free_resources");
  EXPECT_EQ(why(id), "");
  const auto because = [&](const std::string& reason) {
    sql(fmt::format("UPDATE decisions SET reason = '{}' RETURNING 1", reason));
    EXPECT_TRUE(may_pass(id)) << reason;
    return why(id);
  };
  EXPECT_EQ(because("too_big"),
            fmt::format("none of its clusters takes its tasks: alpha has too few resources for one of its jobs ('gridsub --edit {0} "
                        "resources=...'), beta is retired; 'griddel {0}' cancels it",
                        id));
  EXPECT_EQ(because("no_task_fits"),
            fmt::format("none of its clusters takes its tasks: alpha has too few resources for each of its tasks, beta is retired; "
                        "'griddel {}' cancels it",
                        id));
  EXPECT_THAT(because("few_match"), HasSubstr(fmt::format("too few resources of alpha have the JDL's properties ('gridsub --edit {} "
                                                          "properties=...')",
                                                          id)));
  sql(R"(UPDATE decisions SET figures = '{"limit_most": 8, "fits_one_job": false, "leaves_too_few": true}' RETURNING 1)");
  EXPECT_THAT(because("limit_reached"), HasSubstr("a limit allows less on alpha than one of its jobs needs ('gridctl limit list')"));
  EXPECT_THAT(because("kept_for_others"),
              HasSubstr("so much of alpha is kept for others that none of its jobs fits ('gridctl keep list')"));
  sql(R"(UPDATE decisions SET figures = '{"limit_most": 8, "fits_one_job": true, "leaves_too_few": false}' RETURNING 1)");
  EXPECT_EQ(why(id), "") << "less is used or kept when jobs end";
  of_cluster("alpha", "enabled = false");
  EXPECT_TRUE(may_pass(id)) << "an administrator enables it after a maintenance";
  of_cluster("alpha", "retired_at = now()");
  EXPECT_FALSE(may_pass(id));
}

TEST_F(CannotEnd, WhileSomethingIsInFlight_OrItsUserPausedIt_ItMay) {
  const auto id = on_both();
  sql("UPDATE clusters SET enabled = false RETURNING 1");
  EXPECT_NE(why(id), "");
  sql("UPDATE tasks SET state = 'launching' WHERE number = 0 RETURNING 1");
  EXPECT_EQ(why(id), "");
  sql("UPDATE tasks SET state = 'done' WHERE number = 0 RETURNING 1");
  sql("UPDATE campaigns SET state = 'paused' RETURNING 1");
  EXPECT_EQ(why(id), "");
  sql(
      fmt::format("INSERT INTO events (code, campaign_id, message, state, opened_at, last_at) VALUES ('MAX_FAILS', {}, '', 'open', now(), "
                  "now()) RETURNING 1",
                  id));
  EXPECT_THAT(why(id), HasSubstr("more tasks failed than its max_fails allows, which paused it"));
  settle(id);
  EXPECT_EQ(why(id), "") << "it ends in a moment";
}

TEST_F(CannotEnd, OfATestCampaign_TheClustersThatHadTheirJobTakeNoMore) {
  const auto id = submitted(R"("test_mode": true, "clusters": {"alpha": {}, "beta": {}})");
  of_task(id, 0, "done");
  of_pair(id, "alpha", "concluded = 1");
  EXPECT_EQ(why(id), "");
  of_cluster("beta", "retired_at = now(), enabled = false");
  EXPECT_THAT(why(id), AllOf(HasSubstr("alpha had it"), HasSubstr("beta is retired")));
}

TEST_F(CannotEnd, TasksThatAreBoundToAClusterThatTakesNone_DoNotRunElsewhere) {
  const auto id = on_both();
  take(id, 2, "waiting");
  sql("UPDATE returned_tasks SET cluster_id = (SELECT id FROM clusters WHERE name = 'alpha'), follows = true WHERE number = 0 RETURNING 1");
  of_cluster("alpha", "enabled = false");
  EXPECT_EQ(why(id), "") << "task 1 may run on beta";
  sql("DELETE FROM returned_tasks WHERE number = 1 RETURNING 1");
  of_task(id, 1, "done");
  EXPECT_EQ(why(id), fmt::format("the tasks left can run nowhere else: alpha is disabled; 'griddel {}' cancels it", id));
  EXPECT_TRUE(may_pass(id));
  of_cluster("alpha", "retired_at = now()");
  EXPECT_FALSE(may_pass(id));
}

TEST_F(CannotEnd, AnEpilogueThatIsDue_WhereNothingIsSentTo) {
  const auto id = on_both();
  of_pair(id, "alpha", "epilogue = 'e', epilogue_due = true, last_start_at = now()");
  settle(id);
  EXPECT_EQ(why(id), "");
  of_cluster("alpha", "enabled = false");
  EXPECT_THAT(why(id), HasSubstr("its epilogue is due, and cannot run: alpha is disabled; its administrators can change that"));
  EXPECT_TRUE(may_pass(id));
  of_cluster("alpha", "retired_at = now()");
  EXPECT_EQ(why(id), "") << "it ends without";
}

TEST_F(CannotEnd, AChainGoesOn_WhereTheTasksThatFailedAreThoseOfNone) {
  const auto mesh = on_both({}, 6);
  const auto each = on_both(fmt::format(R"("after_each": {},)", mesh), 2);
  for (const int number : {2, 3, 4}) of_task(mesh, number, "failed");
  EXPECT_EQ(why(each), "") << "tasks 0 and 1 of the other one wait";
  of_task(mesh, 0, "failed");
  EXPECT_EQ(why(each), "");
  of_task(mesh, 1, "cancelled");
  EXPECT_THAT(why(each), HasSubstr(fmt::format("it waits for campaign {}, of which 1 task was cancelled", mesh)));
}

TEST_F(CannotEnd, WhatWaitsForACampaignThatCannot_CannotEither) {
  const auto mesh = on_both();
  const auto solve = on_both(fmt::format(R"("after_any_end": {},)", mesh));
  const auto each = on_both(fmt::format(R"("after_each": {},)", mesh));
  const auto last = on_both(fmt::format(R"("after": {},)", solve));
  for (const auto id : {solve, each, last}) EXPECT_EQ(why(id), "");
  of_pair(mesh, "alpha", "max_jobs = 0");
  of_pair(mesh, "beta", "max_jobs = 0");
  for (const auto id : {solve, each})
    EXPECT_THAT(why(id), HasSubstr(fmt::format("it waits for campaign {}, which cannot end: none of its clusters takes its tasks", mesh)));
  EXPECT_THAT(why(last), HasSubstr(fmt::format("it waits for campaign {}, which cannot end: it waits for campaign {}", solve, mesh)));
  of_task(mesh, 0, "done");
  EXPECT_EQ(why(each), "") << "its task 0 is about to be in the bag";
}

}  // namespace
}  // namespace gleaner::tests
