// Acts of administrators over the API: the same as by gridctl, in the same words in the audit, and refused to everybody else.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/router.hpp"
#include "tests/db/api_fixture.hpp"
#include "tests/db/gridctl_fixture.hpp"

namespace gleaner::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Administration : public ApiTest {
 protected:
  [[nodiscard]] ApiAnswer act(const std::string& method, const std::string& target, const std::string& body = {},
                              const std::string& user = "boss") const {
    return as(user, {.method = method, .target = target, .body = body, .headers = {{"Content-Type", "application/json"}}});
  }
  /// The newest act in the audit: `boss | 127.0.0.1 | limit set | limit 1 nodes`.
  [[nodiscard]] std::string newest() const {
    return sql("SELECT concat_ws(' | ', actor, origin, act, subject) FROM audit ORDER BY id DESC LIMIT 1");
  }
};

TEST_F(Administration, AReaderIsRefusedEveryAct) {
  static_cast<void>(a_campaign_of(1));
  sql("INSERT INTO events (code, state, campaign_id, message, occurrences, opened_at, last_at) VALUES ('X', 'open', 1, 'm', 1, now(), now())");
  const auto before = sql("SELECT count(*) FROM audit");
  int acts = 0;
  for (const auto& route : api::all_routes()) {
    if (route.in_page != api::InPage::act) continue;
    ++acts;
    std::string target{route.pattern};
    for (auto at = target.find(':'); at != std::string::npos; at = target.find(':'))
      target.replace(at, std::min(target.find('/', at), target.size()) - at, "1");
    const auto answer = act(std::string{route.method}, target, "{}", "bob");
    EXPECT_EQ(answer.status, 403) << route.method << " " << target << answer.body;
    EXPECT_EQ(answer.code(), route.access == api::Access::administering ? "administrators_only" : "not_yours") << target;
  }
  EXPECT_EQ(acts, 12);
  EXPECT_EQ(sql("SELECT count(*) FROM audit"), before);
  EXPECT_EQ(sql("SELECT enabled FROM clusters WHERE id = 1"), "t");
}

TEST_F(Administration, AClusterIsDisabledAndEnabled_ByItsNameOrId_AndAgainChangesNothing) {
  const auto disabled = act("POST", "/v1/clusters/alpha/disable");
  EXPECT_EQ(disabled.status, 202) << disabled.body;
  EXPECT_THAT(disabled.message(), HasSubstr("alpha is disabled: nothing more is submitted to it"));
  EXPECT_EQ(sql("SELECT enabled FROM clusters WHERE name = 'alpha'"), "f");
  EXPECT_EQ(newest(), "boss | 127.0.0.1 | cluster disable | cluster alpha");
  const auto acts = sql("SELECT count(*) FROM audit");
  EXPECT_EQ(act("POST", "/v1/clusters/alpha/disable").status, 202);
  EXPECT_EQ(sql("SELECT count(*) FROM audit"), acts);
  EXPECT_EQ(act("POST", fmt::format("/v1/clusters/{}/enable", sql("SELECT id FROM clusters WHERE name = 'alpha'"))).status, 202);
  EXPECT_EQ(newest(), "boss | 127.0.0.1 | cluster enable | cluster alpha");
  EXPECT_EQ(act("POST", "/v1/clusters/omega/disable").code(), "no_such_cluster");
}

TEST_F(Administration, ARetiredClusterThatIsEnabled_ComesBackIntoUse) {
  sql("UPDATE clusters SET retired_at = now(), enabled = false WHERE name = 'beta'");
  EXPECT_THAT(act("POST", "/v1/clusters/beta/enable").message(), AllOf(HasSubstr("beta is in use again"), HasSubstr("beta is enabled")));
  EXPECT_EQ(sql("SELECT retired_at IS NULL AND enabled FROM clusters WHERE name = 'beta'"), "t");
}

TEST_F(Administration, ALimitIsSet_InPlaceOfTheOneOnTheSameTarget_AndLifted) {
  const auto set = act("PUT", "/v1/limits", R"({"kind": "running_jobs", "most": 200, "user": "alice", "cluster": "alpha"})");
  ASSERT_EQ(set.status, 202) << set.body;
  const auto id = sql("SELECT id FROM limits");
  EXPECT_EQ(newest(), fmt::format("boss | 127.0.0.1 | limit set | limit {} running_jobs on alpha", id));
  EXPECT_EQ(act("PUT", "/v1/limits", R"({"kind": "running_jobs", "most": "150", "user": "alice", "cluster": "alpha"})").status, 202);
  EXPECT_EQ(sql("SELECT string_agg(most::text, ',') FROM limits"), "150");
  EXPECT_EQ(act("DELETE", "/v1/limits/" + id).status, 202);
  EXPECT_EQ(newest(), fmt::format("boss | 127.0.0.1 | limit remove | limit {} running_jobs on alpha", id));
  EXPECT_EQ(act("DELETE", "/v1/limits/" + id).code(), "no_such_limit");
  EXPECT_EQ(act("PUT", "/v1/limits", R"({"kind": "consumable", "consumable": "matlab", "most": 4})").status, 202);
  EXPECT_THAT(newest(), HasSubstr("limit set consumable"));
}

TEST_F(Administration, AWrongLimit_IsRefused_WithWhatWouldBeRight) {
  const auto message = [&](const std::string& body) { return act("PUT", "/v1/limits", body).message(); };
  EXPECT_THAT(message(R"({"kind": "runing_jobs", "most": 5})"), HasSubstr("did you mean 'running_jobs'?"));
  EXPECT_THAT(message(R"({"kind": "running_jobs", "most": "many"})"), HasSubstr("'many' is not a limit: a number, 0 or more"));
  EXPECT_THAT(message(R"({"kind": "running_jobs", "most": 5, "days": 2})"), HasSubstr("days is for resource_seconds"));
  EXPECT_THAT(message(R"({"kind": "running_jobs", "most": 5, "user": "each", "project": "each"})"),
              HasSubstr("user=each and project=each: only one of them can be each"));
  EXPECT_THAT(message(R"({"kind": "running_jobs", "most": 5, "cluster": "alpa"})"), HasSubstr("did you mean 'alpha'?"));
  EXPECT_THAT(message(R"({"kind": "running_jobs", "most": 5, "usr": "ada"})"), HasSubstr("did you mean 'user'?"));
  EXPECT_THAT(message(R"({"kind": "running_jobs", "most": true})"), HasSubstr("most: its value is neither a text nor a number"));
  EXPECT_EQ(act("PUT", "/v1/limits", R"({"kind": "nodes", "most": 5, "campaign": 4711})").code(), "no_such_campaign");
  EXPECT_EQ(act("PUT", "/v1/limits", R"({"kind": "nodes", "most": 5, "user": "a\u001bb"})").status, 400);
  EXPECT_EQ(act("PUT", "/v1/limits", R"({"kind": "nodes", "most": 5, "most": 6, "user": "ada"})").message(),
            "'most' is given twice: write one");
  EXPECT_EQ(act("PUT", "/v1/limits", "[]").code(), "bad_input");
  EXPECT_EQ(sql("SELECT count(*) FROM limits"), "0");
}

TEST_F(Administration, SharesAreSet_AndRemovedWithWhatIsBelow) {
  EXPECT_EQ(act("PUT", "/v1/shares", R"({"kind": "project", "name": "physics", "shares": 60})").status, 202);
  EXPECT_EQ(newest(), "boss | 127.0.0.1 | share set | share of project physics");
  EXPECT_EQ(act("PUT", "/v1/shares", R"({"kind": "user", "name": "ada", "shares": 1.5, "project": "physics"})").status, 202);
  EXPECT_EQ(sql("SELECT shares FROM shares WHERE name = 'ada'"), "1.5");
  EXPECT_EQ(act("PUT", "/v1/shares", R"({"kind": "user", "name": "ada", "shares": 1, "project": "physic"})").code(), "no_such_share");
  EXPECT_THAT(act("PUT", "/v1/shares", R"({"kind": "team", "name": "x", "shares": 1})").message(),
              HasSubstr("'team' is neither project, group nor user"));
  EXPECT_EQ(act("PUT", "/v1/shares", R"({"kind": "user", "name": "x", "shares": -1})").code(), "bad_value");
  EXPECT_EQ(act("DELETE", "/v1/shares?kind=user&name=ada").code(), "no_such_share") << "she is below physics";
  EXPECT_EQ(act("DELETE", "/v1/shares?kind=user").code(), "bad_value");
  EXPECT_EQ(act("DELETE", "/v1/shares?kind=project&name=physics").status, 202);
  EXPECT_EQ(sql("SELECT count(*) FROM shares"), "0");
  EXPECT_EQ(sql("SELECT count(*) FROM audit WHERE act = 'share remove' AND actor = 'boss'"), "2");
}

TEST_F(Administration, ABrakeIsLifted_OfACluster_AndOfACampaignOnAllItsClusters) {
  const auto id = a_campaign_of(1);
  sql(
      fmt::format("INSERT INTO brakes (campaign_id, cluster_id, reason, created_at, expires_at) SELECT c, k.id, 'failures', now(), now() + "
                  "interval '1 hour' FROM clusters k, unnest(ARRAY[NULL, {}]) c WHERE k.name = 'alpha'",
                  id));
  EXPECT_EQ(act("DELETE", "/v1/brakes?cluster=alpha").status, 202);
  EXPECT_EQ(sql("SELECT string_agg(campaign_id::text, ',') FROM brakes"), std::to_string(id));
  EXPECT_EQ(newest(), "boss | 127.0.0.1 | brake clear | brake on alpha");
  EXPECT_EQ(act("DELETE", fmt::format("/v1/brakes?campaign={}", id)).status, 202);
  EXPECT_EQ(sql("SELECT count(*) FROM brakes"), "0");
  EXPECT_EQ(act("DELETE", "/v1/brakes").code(), "bad_value");
  EXPECT_EQ(act("DELETE", "/v1/brakes?campaign=4711").code(), "no_such_campaign");
}

TEST_F(Administration, ADryRun_NamesWhatWouldChange_AndChangesNothing) {
  const auto foretold = [&](const std::string& method, const std::string& target, const std::string& body = {}) {
    const auto answer = act(method, target + (target.find('?') == std::string::npos ? "?" : "&") + "dry_run=1", body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_TRUE(answer.json["dry_run"].IsBool() && answer.json["dry_run"].GetBool()) << answer.body;
    return answer.message();
  };
  const std::string limit{R"({"kind": "running_jobs", "most": 200, "user": "alice", "cluster": "alpha"})"};
  EXPECT_EQ(foretold("PUT", "/v1/limits", limit),
            "If done now: a new limit (user alice, cluster alpha): at most 200 running_jobs, 0 now; in force from the next cycle");
  EXPECT_EQ(sql("SELECT count(*) FROM limits"), "0");
  const auto set = act("PUT", "/v1/limits", limit).message();
  const auto id = sql("SELECT id FROM limits");
  EXPECT_EQ(set, fmt::format("limit {} (user alice, cluster alpha): at most 200 running_jobs, 0 now; in force from the next cycle", id));
  EXPECT_EQ(
      foretold("PUT", "/v1/limits", R"({"kind": "running_jobs", "most": 150, "user": "alice", "cluster": "alpha"})"),
      fmt::format(
          "If done now: limit {} (user alice, cluster alpha): at most 150 running_jobs instead of 200, 0 now; in force from the next cycle",
          id));
  EXPECT_EQ(foretold("DELETE", "/v1/limits/" + id),
            fmt::format("If done now: limit {} is removed (user alice, cluster alpha: at most 200 running_jobs)", id));
  for (const auto* body :
       {R"({"kind": "project", "name": "physics", "shares": 3})", R"({"kind": "project", "name": "chemistry", "shares": 1})",
        R"({"kind": "user", "name": "ada", "shares": 1, "project": "physics"})"})
    ASSERT_EQ(act("PUT", "/v1/shares", body).status, 202);
  EXPECT_EQ(foretold("PUT", "/v1/shares", R"({"kind": "project", "name": "chemistry", "shares": 3})"),
            "If done now: project chemistry has 3 shares instead of 1: 50.0 % of the grid instead of 25.0 %");
  EXPECT_EQ(foretold("PUT", "/v1/shares", R"({"kind": "user", "name": "bob", "shares": 2, "project": "physics"})"),
            "If done now: user bob has 2 shares: 50.0 % of the grid");
  EXPECT_THAT(foretold("DELETE", "/v1/shares?kind=project&name=physics"), HasSubstr("If done now: project physics has no shares any more"));
  EXPECT_THAT(foretold("POST", "/v1/clusters/alpha/disable"), HasSubstr("If done now: alpha is disabled"));
  EXPECT_THAT(foretold("DELETE", "/v1/brakes?cluster=alpha"), HasSubstr("If done now: the brake is lifted"));
  EXPECT_EQ(act("PUT", "/v1/limits?dry_run=1", R"({"kind": "nodes", "most": 5, "campaign": 4711})").code(), "no_such_campaign");
  EXPECT_EQ(sql("SELECT string_agg(most::text, ',') FROM limits"), "200");
  EXPECT_EQ(sql("SELECT string_agg(name || ' ' || shares, ', ' ORDER BY name) FROM shares"), "ada 1, chemistry 1, physics 3");
  EXPECT_EQ(sql("SELECT enabled FROM clusters WHERE name = 'alpha'"), "t");
  EXPECT_EQ(sql("SELECT count(*) FROM audit WHERE actor = 'boss'"), "4") << "a dry run is in no audit";
}

class AsGridctl : public Gridctl {};

TEST_F(AsGridctl, BrakesLaunchesAndSharesInUse_AreListed) {
  ASSERT_EQ(code({"cluster", "add", "alpha", "http://localhost:1/oarapi"}), 0);
  EXPECT_THAT(run({"brake", "list"}).output, HasSubstr("No brake is in force"));
  EXPECT_THAT(run({"launch", "list"}).output, HasSubstr("The fate of every launch is known"));
  ASSERT_EQ(code({"share", "set", "project", "physics", "3"}), 0);
  ASSERT_EQ(code({"share", "set", "user", "ada", "1", "--project", "physics"}), 0);
  EXPECT_THAT(run({"--csv", "share", "list"}).output, AllOf(HasSubstr("part_of_grid"), HasSubstr("/physics/ada,user,1,1,1,0,0,1")));
}

}  // namespace
}  // namespace gleaner::tests
