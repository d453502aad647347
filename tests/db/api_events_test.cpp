// Events about faulty campaigns, about the reasons why they do not run, and about their users' reactions.
#include <gmock/gmock.h>

#include <ctime>
#include <future>
#include <thread>

#include <fmt/format.h>

#include "lib/decisions/figures.hpp"
#include "lib/grid/clock.hpp"
#include "lib/text/json_value.hpp"
#include "tests/db/campaigns_fixture.hpp"

namespace gleaner::tests {
namespace {

using testing::ElementsAre;

namespace reason = decisions::reason;

class CampaignEvents : public CampaignsFixture {
 protected:
  /// Decides on all pairs.
  void decide(const decisions::Reason& reason) const {
    sql(
        fmt::format("INSERT INTO decisions (campaign_id, cluster_id, stage, reason, figures, jobs, since) SELECT campaign_id, cluster_id, "
                    "'throttle', '{}', '{}', 0, now() FROM campaign_clusters RETURNING 1",
                    decisions::name_of(reason), decisions::figures_of(reason)));
  }
};

TEST_F(CampaignEvents, ListKeepsAnEndedCampaignWithFailures_UntilItsEventsAreFixed_OrItIsAcknowledged) {
  std::vector<std::int64_t> failed;
  for (int i = 0; i < 3; ++i) {
    failed.push_back(a_campaign_of(2));
    take(failed.back(), 2, "failed");
  }
  const auto fine = a_campaign_of(1);
  sql("UPDATE campaigns SET state = 'terminated', ended_at = now()");
  EXPECT_THAT(ids("/v1/campaigns"), ElementsAre()) << "nothing is open";
  sql("INSERT INTO events (code, campaign_id, opened_at, last_at, message) SELECT 'TASK_ERROR', id, now(), now(), 'x' FROM campaigns");
  EXPECT_THAT(ids("/v1/campaigns"), ElementsAre(failed[0], failed[1], failed[2]));
  EXPECT_EQ(get("/v1/campaigns?limit=1").json["total"].GetInt(), 3);
  EXPECT_TRUE(get("/v1/campaigns").json["items"][0]["has_events"].GetBool());
  EXPECT_THAT(ids("/v1/campaigns?state=in_treatment,paused"), ElementsAre());
  ASSERT_EQ(remove(path(failed[0], "/events")).status, 202);
  const auto acknowledged = remove(path(failed[1]));
  ASSERT_EQ(acknowledged.status, 202);
  EXPECT_THAT(acknowledged.message(), testing::EndsWith("was over already: its events are closed"));
  EXPECT_EQ(state(failed[1]), "terminated");
  EXPECT_THAT(ids("/v1/campaigns"), ElementsAre(failed[2]));
  EXPECT_EQ(remove(path(failed[1])).status, 409);
  ASSERT_EQ(post(path(failed[2], "/retries")).status, 202);
  EXPECT_THAT(ids("/v1/campaigns"), ElementsAre(failed[2]));
  EXPECT_EQ(state(fine), "terminated");
}

TEST_F(CampaignEvents, DecisionsThatRestOnABrake_AreShownWhileItHolds) {
  const auto id = std::to_string(a_campaign_of(1));
  sql("INSERT INTO decisions (campaign_id, cluster_id, stage, reason, figures, jobs, since) SELECT campaign_id, cluster_id, 'feasible', "
      "'pair_braked', '{\"brake\": \"why\", \"until\": null}', 0, now() FROM campaign_clusters");
  sql("INSERT INTO brakes (campaign_id, cluster_id, reason, created_at, expires_at) SELECT campaign_id, cluster_id, 'why', now(), now() + interval '1 h' "
      "FROM campaign_clusters");
  const auto shown = [&] { return get("/v1/campaigns/" + id + "/decisions").json["items"].Size(); };
  EXPECT_EQ(shown(), 1U);
  ASSERT_EQ(post("/v1/campaigns/" + id + "/resume").status, 202);
  EXPECT_EQ(shown(), 0U);
}

TEST_F(CampaignEvents, Decisions_SayWhy) {
  const auto id = a_campaign_of(1);
  decide(reason::MaxJobsReached{.live_jobs = 4, .frozen_jobs = 1, .max_jobs = 5});
  const auto answer = get(path(id, "/decisions"));
  ASSERT_EQ(answer.json["items"].Size(), 1U) << answer.body;
  const auto& decision = answer.json["items"][0];
  EXPECT_STREQ(decision["reason"].GetString(), "max_jobs_reached");
  EXPECT_STREQ(
      decision["sentence"].GetString(),
      "held back by a limit on alpha: 4 jobs live on alpha and 1 of unknown fate, and the JDL's max_jobs is 5; more start when jobs end, "
      "or with a larger max_jobs");
  EXPECT_STREQ(decision["advice"].GetString(), "more start when jobs end, or with a larger max_jobs");
  EXPECT_EQ(text::json_text(decision["figures"]), R"({"live_jobs":4,"frozen_jobs":1,"max_jobs":5})");
}

TEST_F(CampaignEvents, ADecisionAgainstWhichNothingHelps_HasNoAdvice_AndFollowsTheNameOfItsCluster) {
  const auto id = a_campaign_of(1);
  decide(reason::Unreachable{});
  sql("UPDATE clusters SET name = 'omega' WHERE name = 'alpha'");
  const auto answer = get(path(id, "/decisions"));
  const auto& decision = answer.json["items"][0];
  EXPECT_THAT(decision["sentence"].GetString(), testing::HasSubstr("omega does not answer"));
  EXPECT_TRUE(decision["advice"].IsNull());
  EXPECT_EQ(text::json_text(decision["figures"]), "{}");
}

TEST_F(CampaignEvents, DecisionsThatCannotBeRead_SaySo_AndHideNoOther) {
  const auto id = a_campaign_of(1);
  decide(reason::Frozen{3});
  for (const auto* change : {"figures = '{}'", "figures = '{\"frozen_jobs\": \"three\"}'", "reason = 'bad_weather'", "stage = 'dream'",
                             "figures = '{\"frozen_jobs\": 99999999999999999999999}'"}) {
    sql(std::string{"UPDATE decisions SET "} + change + " RETURNING 1");
    sql("INSERT INTO decisions (campaign_id, cluster_id, stage, reason, figures, jobs, since) SELECT campaign_id, 0, 'feasible', 'paused', '{}', 0, "
        "now() FROM decisions ON CONFLICT DO NOTHING");
    const auto answer = get(path(id, "/decisions"));
    ASSERT_EQ(answer.status, 200) << change;
    ASSERT_EQ(answer.json["items"].Size(), 2U) << answer.body;
    EXPECT_STREQ(answer.json["items"][0]["sentence"].GetString(), "not running: the campaign is paused; 'gridsub --resume' resumes it");
    EXPECT_THAT(answer.json["items"][1]["sentence"].GetString(), testing::HasSubstr("figures cannot be read (")) << change;
    EXPECT_TRUE(answer.json["items"][1]["figures"].IsObject());
    sql("DELETE FROM decisions WHERE cluster_id = 0");
    sql("UPDATE decisions SET stage = 'match', reason = 'frozen', figures = '{\"frozen_jobs\": 3}'");
  }
}

TEST_F(CampaignEvents, Events_CanBeFixedByTheirOwnerAndLiftTheirBrake) {
  const auto id = std::to_string(a_campaign_of(1));
  const auto event = sql(
      "INSERT INTO events (code, campaign_id, cluster_id, opened_at, last_at, message) SELECT 'TASK_ERROR', campaign_id, cluster_id, now(), "
      "now(), 'exit 1' FROM campaign_clusters RETURNING id");
  sql("INSERT INTO brakes (campaign_id, cluster_id, reason, created_at, expires_at) SELECT campaign_id, cluster_id, 'why', now(), now() + interval '1 h' "
      "FROM campaign_clusters");
  const auto global = sql(
      "INSERT INTO events (code, cluster_id, opened_at, last_at, message) SELECT 'CLUSTER_UNREACHABLE', cluster_id, now(), now(), 'down' "
      "FROM campaign_clusters RETURNING id");
  EXPECT_TRUE(get("/v1/campaigns/" + id).json["has_events"].GetBool());
  EXPECT_EQ(get("/v1/campaigns/" + id + "/events").json["total"].GetInt(), 2);
  EXPECT_EQ(get("/v1/events").json["total"].GetInt(), 1);
  EXPECT_EQ(as("bob", {.method = "DELETE", .target = "/v1/events/" + event}).status, 403);
  EXPECT_EQ(remove("/v1/events/" + global).status, 403);
  EXPECT_EQ(as("boss", {.method = "DELETE", .target = "/v1/events/" + global}).status, 202);
  EXPECT_EQ(remove("/v1/events/" + event).status, 202);
  EXPECT_EQ(remove("/v1/events/" + event).status, 409);
  EXPECT_EQ(sql("SELECT count(*) FROM brakes"), "0");
  EXPECT_EQ(get("/v1/campaigns/" + id + "/events").json["total"].GetInt(), 0);
  EXPECT_EQ(get("/v1/campaigns/" + id + "/events?all=1").json["total"].GetInt(), 1);
  EXPECT_STREQ(get("/v1/events/" + event).json["state"].GetString(), "closed");
}

TEST_F(CampaignEvents, Document003_ErrorsToFix_OfAllMyCampaigns_AreOneList) {
  const auto first = a_campaign_of(1);
  const auto second = a_campaign_of(1);
  sql("INSERT INTO events (code, campaign_id, opened_at, last_at, message) SELECT 'TASK_ERROR', id, now(), now(), 'x' FROM campaigns");
  sql("INSERT INTO events (code, cluster_id, opened_at, last_at, message) SELECT 'CLUSTER_UNREACHABLE', id, now(), now(), 'x' FROM clusters");
  sql("UPDATE events SET state = 'closed', closed_at = now() WHERE campaign_id = " + std::to_string(first));
  const auto mine = get("/v1/events?mine=1");
  ASSERT_EQ(mine.json["total"].GetInt(), 1) << mine.body;
  EXPECT_EQ(mine.json["items"][0]["campaign_id"].GetInt64(), second);
  EXPECT_EQ(get("/v1/events?mine=1&all=1").json["total"].GetInt(), 2);
  EXPECT_EQ(as("bob", {.target = "/v1/events?mine=1"}).json["total"].GetInt(), 0);
}

TEST_F(CampaignEvents, ClusterBlacklistedForACampaign_IsBrakedUntilItsEventIsFixed) {
  const auto id = std::to_string(a_campaign_of(1));
  const auto expires = std::time(nullptr) + 86'400;
  const auto answer = post("/v1/events?cluster=alpha&campaign=" + id + "&reason=licence&expires=" + utc(expires));
  ASSERT_EQ(answer.status, 201) << answer.body;
  const auto event = std::to_string(answer.json["id"].GetInt64());
  EXPECT_STREQ(get("/v1/events/" + event).json["code"].GetString(), "BLACKLISTED");
  EXPECT_THAT(get("/v1/events/" + event).json["message"].GetString(), testing::StartsWith("licence (by alice)"));
  EXPECT_EQ(sql("SELECT reason || ' ' || set_by || ' ' || extract(epoch FROM expires_at)::bigint FROM brakes"),
            fmt::format("licence alice {}", expires));
  EXPECT_EQ(post("/v1/events?cluster=alpha&campaign=" + id + "&reason=again").status, 201) << "in place of the first one";
  EXPECT_EQ(sql("SELECT count(*) || ' ' || max(reason) FROM brakes"), "1 again");
  EXPECT_EQ(remove("/v1/events/" + event).status, 202);
  EXPECT_EQ(sql("SELECT count(*) FROM brakes"), "0");
}

/// A host's clock that is two hours behind; its steady clock is this machine's.
class Behind final : public grid::TimeSource {
 public:
  Behind() { grid::take_time_from(this); }
  ~Behind() override { grid::take_time_from(nullptr); }
  Behind(const Behind&) = delete;
  Behind& operator=(const Behind&) = delete;
  [[nodiscard]] grid::Instant now() const override {
    return std::chrono::floor<grid::Instant::duration>(std::chrono::system_clock::now()) - std::chrono::hours{2};
  }
  [[nodiscard]] grid::Instant steady() const override {
    return grid::Instant{std::chrono::floor<grid::Instant::duration>(std::chrono::steady_clock::now().time_since_epoch())};
  }
};

TEST_F(CampaignEvents, HostWhoseClockIsBehind_DatesWhatItWritesByTheDatabasesClock) {
  const auto id = std::to_string(a_campaign_of(1));
  const Behind host;
  EXPECT_EQ(post("/v1/events?cluster=alpha&campaign=" + id + "&reason=licence").status, 201);
  EXPECT_EQ(sql("SELECT created_at BETWEEN now() - interval '1 min' AND now() FROM brakes"), "t");
  EXPECT_LT(remove("/v1/campaigns/" + id).status, 300);
  EXPECT_EQ(sql("SELECT ended_at >= submitted_at AND ended_at <= now() FROM campaigns"), "t");
}

TEST_F(CampaignEvents, AfterTheDatabaseAnsweredSlowly_AreNotDatedAhead) {
  const auto id = std::to_string(a_campaign_of(1));
  restart_api();
  pqxx::connection locker{database()};
  pqxx::work lock{locker};
  lock.exec("LOCK TABLE schema_migrations IN ACCESS EXCLUSIVE MODE");  // new connections read it first
  auto slow = std::async(std::launch::async, [&] { return get("/v1/campaigns/" + id).status; });
  std::this_thread::sleep_for(std::chrono::seconds{1});
  lock.commit();
  ASSERT_EQ(slow.get(), 200);
  ASSERT_EQ(post("/v1/events?cluster=alpha&campaign=" + id + "&reason=licence").status, 201);
  EXPECT_EQ(sql("SELECT created_at <= now() FROM brakes"), "t");
}

TEST_F(CampaignEvents, ABlacklisting_StaysWhenTheCampaignIsResumed_RetriedAndFixedElsewhere_AndGoesWithAllItsEvents) {
  const auto id = std::to_string(a_campaign_of(2));
  ASSERT_EQ(post("/v1/events?cluster=alpha&campaign=" + id + "&reason=licence").status, 201);
  ASSERT_EQ(as("boss", {.method = "POST", .target = "/v1/events?cluster=alpha&reason=repair"}).status, 201);
  const auto other =
      sql("INSERT INTO events (code, campaign_id, cluster_id, opened_at, last_at, message) SELECT 'TASK_ERROR', campaign_id, "
          "cluster_id, now(), now(), 'x' FROM campaign_clusters RETURNING id");
  const auto down =
      sql("INSERT INTO events (code, cluster_id, opened_at, last_at, message) SELECT 'CLUSTER_UNREACHABLE', cluster_id, now(), "
          "now(), 'x' FROM campaign_clusters RETURNING id");
  sql("UPDATE tasks SET state = 'failed' WHERE number = 0");
  EXPECT_EQ(remove("/v1/events/" + other).status, 202);
  EXPECT_EQ(as("boss", {.method = "DELETE", .target = "/v1/events/" + down}).status, 202);
  EXPECT_EQ(post("/v1/campaigns/" + id + "/resume").status, 202);
  EXPECT_EQ(post("/v1/campaigns/" + id + "/retries").status, 202);
  EXPECT_EQ(sql("SELECT count(*) FROM brakes"), "2");
  EXPECT_EQ(remove("/v1/campaigns/" + id + "/events").status, 202);
  EXPECT_EQ(sql("SELECT string_agg(reason, ' ') FROM brakes"), "repair") << "the administrators' one is of all campaigns";
}

TEST_F(CampaignEvents, BlacklistingOfAWholeCluster_IsForAdministrators_AndThatOfAPairForItsOwner) {
  const auto id = std::to_string(a_campaign_of(1));
  const auto by = [&](const std::string& user, const std::string& query) {
    return as(user, {.method = "POST", .target = "/v1/events?" + query}).status;
  };
  EXPECT_EQ(by("alice", "cluster=alpha&reason=x"), 403);
  EXPECT_EQ(by("bob", "cluster=alpha&reason=x&campaign=" + id), 403);
  EXPECT_EQ(by("alice", "cluster=beta&reason=x&campaign=" + id), 409) << "it does not use beta";
  EXPECT_EQ(by("alice", "cluster=alpha&campaign=" + id), 400) << "no reason";
  EXPECT_EQ(by("alice", "cluster=alpha&reason=x&expires=2020-01-01T00:00:00Z&campaign=" + id), 400) << "over";
  EXPECT_EQ(by("alice", "cluster=alpha&reason=x&expires=3026-01-01T00:00:00Z&campaign=" + id), 400) << "too late";
  EXPECT_EQ(by("boss", "cluster=nowhere&reason=x"), 404);
  EXPECT_EQ(by("boss", "reason=x"), 400);
  EXPECT_EQ(by("boss", "job=1&reason=x"), 404);
  EXPECT_EQ(sql("SELECT count(*) FROM brakes"), "0");
  EXPECT_EQ(by("boss", "cluster=alpha&reason=x"), 201);
  EXPECT_EQ(sql("SELECT count(*) FROM brakes WHERE campaign_id IS NULL"), "1");
}

TEST_F(CampaignEvents, AllEventsOfACampaign_CanBeFixedAtOnce) {
  const auto id = a_campaign_of(1);
  for (const std::string code : {"TASK_ERROR", "WALLTIME"})
    sql("INSERT INTO events (code, campaign_id, opened_at, last_at, message) SELECT '" + code + "', id, now(), now(), 'x' FROM campaigns");
  const auto answer = remove(path(id, "/events"));
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(answer.json["count"].GetInt(), 2);
}

TEST_F(CampaignEvents, EventsFixedWithResubmit_GiveEachFailedTaskBackOnce) {
  const auto id = a_campaign_of(5);
  take(id, 2, "failed");
  sql("UPDATE campaigns SET state = 'terminated', ended_at = now()");
  for (const std::string code : {"TASK_ERROR", "WALLTIME"})
    sql("INSERT INTO events (code, campaign_id, opened_at, last_at, message) SELECT '" + code + "', id, now(), now(), 'x' FROM campaigns");
  const auto answer = remove(path(id, "/events?resubmit=1"));
  ASSERT_EQ(answer.status, 202) << answer.body;
  EXPECT_THAT(answer.json["message"].GetString(), testing::EndsWith(" events closed; 2 failed tasks will run again"));
  EXPECT_EQ(state(id), "in_treatment");
  EXPECT_EQ(sql("SELECT string_agg(number::text, ' ' ORDER BY number) FROM returned_tasks"), "0 1");
  EXPECT_THAT(remove(path(id, "/events?resubmit=1")).json["message"].GetString(),
              testing::EndsWith("there is no failed task to run again"));
  EXPECT_EQ(sql("SELECT max(attempt) FROM tasks"), "1");
}

TEST_F(CampaignEvents, EventFixedWithResubmit_GivesBackTheFailedTasksOfItsCluster) {
  const auto id = submit_lines(head_of(kOnBoth, R"("nb_jobs": 4)"), "").json["id"].GetInt64();
  take(id, 3, "failed");
  sql("UPDATE campaigns SET state = 'terminated', ended_at = now()");
  for (const std::string task : {"0", "1", "2"})
    sql("INSERT INTO launches (campaign_id, cluster_id, state, term, jobs, resources, planned_at) SELECT " + std::to_string(id) +
        ", id, 'accepted', 1, 1, 1, now() FROM clusters WHERE name = '" + (task == "1" ? "beta" : "alpha") + "'");
  sql("INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, resources) "
      "SELECT id, campaign_id, cluster_id, row_number() OVER (ORDER BY id) - 1, 0, 'terminated', 1 FROM launches");
  const auto event = sql("INSERT INTO events (code, campaign_id, cluster_id, opened_at, last_at, message) SELECT 'TASK_ERROR', " +
                         std::to_string(id) + ", id, now(), now(), 'exit 1' FROM clusters WHERE name = 'alpha' RETURNING id");
  const auto answer = remove("/v1/events/" + event + "?resubmit=1");
  ASSERT_EQ(answer.status, 202) << answer.body;
  EXPECT_EQ(answer.json["message"].GetString(), "Event " + event + " closed; 2 failed tasks will run again");
  EXPECT_EQ(sql("SELECT string_agg(number::text, ' ' ORDER BY number) FROM returned_tasks"), "0 2");
  EXPECT_EQ(state(id), "in_treatment");
}

}  // namespace
}  // namespace gleaner::tests
