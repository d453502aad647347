// Acts that are only foretold, against the same acts done.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/db/campaigns_fixture.hpp"
#include "tests/seed.hpp"

namespace gleaner::tests {
namespace {

using testing::HasSubstr;

class DryRun : public CampaignsFixture {
 protected:
  struct Act {
    std::string method;
    std::string target;
  };
  [[nodiscard]] ApiAnswer done(const Act& act, const std::string& user = "alice") const {
    return as(user, {.method = act.method, .target = act.target});
  }
  [[nodiscard]] ApiAnswer foretold(const Act& act, const std::string& user = "alice") const {
    return done({act.method, act.target + (act.target.find('?') == std::string::npos ? "?" : "&") + "dry_run=1"}, user);
  }
  /// All that an act may change.
  [[nodiscard]] std::string rows() const {
    std::string query;
    for (const auto* table : {"campaigns", "tasks", "returned_tasks", "withheld_tasks", "events", "brakes", "audit", "failure_groups",
                              "kill_requests", "dependencies"})
      query += fmt::format("{0}(SELECT '{1} ' || coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '-') FROM {1} t)",
                           query.empty() ? "" : ", ", table);
    return sql("SELECT concat_ws(' ', " + query + ")");
  }
  /// Tasks that wait, are held, run, are done and failed, and an open event.
  std::int64_t a_busy_campaign(Dice& dice) {
    const auto id = a_campaign_of(40);
    sql(fmt::format(R"(
      INSERT INTO failure_groups (campaign_id, cluster_id, ending, exit_status, pattern, stderr_line)
        SELECT {0}, id, 'task_error', 768, 'no', 'no' FROM clusters WHERE name = 'alpha';
      UPDATE tasks SET state = 'launching' WHERE campaign_id = {0} AND number < 20;
      UPDATE campaigns SET next_task = 20 WHERE id = {0};
      UPDATE tasks SET state = (CASE number % 4 WHEN 0 THEN 'failed' WHEN 1 THEN 'running' WHEN 2 THEN 'done' ELSE 'submitted' END)::task_state,
        failure = CASE WHEN number % 8 = 0 THEN (SELECT max(id) FROM failure_groups) END
        WHERE campaign_id = {0} AND number < {1};
      INSERT INTO events (code, campaign_id, cluster_id, message, opened_at, last_at) SELECT 'EXIT_ERROR', {0}, id, 'no', now(), now() FROM clusters WHERE name = 'alpha')",
                    id, dice.roll(4, 20)));
    EXPECT_EQ(done({"POST", path(id, "/hold?tasks=30-32")}).status, 202);
    if (dice.roll(1, 3) == 1) static_cast<void>(done({"POST", path(id, "/hold")}));
    return id;
  }
  [[nodiscard]] std::vector<Act> acts_on(std::int64_t id) const {
    const auto group = sql(fmt::format("SELECT max(id) FROM failure_groups WHERE campaign_id = {}", id));
    const auto event = sql(fmt::format("SELECT max(id) FROM events WHERE campaign_id = {}", id));
    return {{"POST", path(id, "/hold")},
            {"POST", path(id, "/resume")},
            {"DELETE", path(id, "?hold=1")},
            {"DELETE", path(id, "?resume=1")},
            {"POST", path(id, "/hold?tasks=0-*")},
            {"POST", path(id, "/resume?tasks=31,35")},
            {"DELETE", path(id, "/tasks?tasks=1,3,25-28,31")},
            {"DELETE", path(id, "/tasks/0")},
            {"DELETE", path(id, "/tasks/39")},
            {"POST", path(id, "/retries")},
            {"POST", path(id, "/retries?expect=2")},
            {"POST", path(id, "/retries?failure=" + group)},
            {"POST", path(id, "/retries?tasks=0-7")},
            {"POST", path(id, "/retries?sink=alpha")},
            {"DELETE", path(id, "/events")},
            {"DELETE", path(id, "/events?resubmit=1")},
            {"DELETE", "/v1/events/" + event + "?resubmit=1"},
            {"DELETE", "/v1/events/" + event}};
  }
};

TEST_F(DryRun, OfAnAct_IsWhatTheActThenReports_AndChangesNothing) {
  Dice dice{test_seed()};
  int done_acts = 0;
  for (int round = 0; round < 4; ++round) {
    const auto id = a_busy_campaign(dice);
    auto acts = acts_on(id);
    for (int i = static_cast<int>(acts.size()) - 1; i > 0; --i)
      std::swap(acts[static_cast<std::size_t>(i)], acts[static_cast<std::size_t>(dice.roll(0, i))]);
    for (const auto& act : acts) {
      const auto before = rows();
      const auto said = foretold(act);
      EXPECT_EQ(rows(), before) << act.target;
      const auto answer = done(act);
      if (answer.status == 202) {
        ++done_acts;
        ASSERT_EQ(said.status, 200) << act.target << said.body;
        EXPECT_TRUE(said.json["dry_run"].GetBool());
        EXPECT_EQ(said.message(), "If done now: " + answer.message()) << act.target;
        EXPECT_EQ(said.json["count"].GetInt(), answer.json["count"].GetInt()) << act.target;
        if (answer.json.HasMember("killed")) {
          EXPECT_EQ(said.json["killed"].GetInt(), answer.json["killed"].GetInt()) << act.target;
        }
      } else {
        EXPECT_EQ(said.status, answer.status) << act.target;
        EXPECT_EQ(said.message(), answer.message()) << act.target;
      }
    }
  }
  EXPECT_GT(done_acts, 20) << "of 72";
}

TEST_F(DryRun, IsForThoseWhoMayActAlone) {
  Dice dice{test_seed()};
  for (const auto& act : acts_on(a_busy_campaign(dice))) EXPECT_EQ(foretold(act, "bob").status, 403) << act.target;
}

TEST_F(DryRun, OfALongList_NamesTheRest_AsADryRunToo) {
  const auto id = a_campaign_of(3);
  const auto answer = foretold({"DELETE", path(id, "/tasks?tasks=0-1")});
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.body.find("\"status\""), std::string::npos);
  EXPECT_THAT(answer.body, HasSubstr("If done now: "));
  EXPECT_EQ(remove(path(id, "/tasks?tasks=0-1&dry_run=0")).status, 202) << "0 is no";
}

TEST_F(DryRun, OfACancellation_NamesTheCampaignsThatWouldWaitInVain) {
  const auto first = a_campaign_of(2);
  const auto answer =
      post("/v1/campaigns",
           fmt::format(R"({{"name": "next", "nb_jobs": 1, "after": [{}], "exec_file": "run", "clusters": {{"alpha": {{}}}}}})", first));
  ASSERT_EQ(answer.status, 201) << answer.body;
  const auto next = answer.json["id"].GetInt64();
  const auto said = foretold({"DELETE", path(first)});
  ASSERT_EQ(said.status, 200) << said.body;
  EXPECT_THAT(said.message(), HasSubstr(fmt::format("campaign {0} waits for it, and cannot end any more: 'griddel {0}' cancels it", next)));
  ASSERT_EQ(said.json["waiting_in_vain"].Size(), 1U);
  EXPECT_EQ(said.json["waiting_in_vain"][0].GetInt64(), next);
  EXPECT_EQ(sql("SELECT count(*) FROM events WHERE code = 'AWAITS_IN_VAIN'"), "0");
  EXPECT_THAT(remove(path(first)).message(), HasSubstr(fmt::format("campaign {} waits for it", next)));
}

}  // namespace
}  // namespace gleaner::tests
