// Permissions to read: the lines of stderr in events, and others' campaigns (read_access).
#include <gmock/gmock.h>

#include <fmt/format.h>

#include "tests/db/answer_times.hpp"
#include "tests/db/await.hpp"
#include "tests/db/campaigns_fixture.hpp"
#include "tests/db/event_stream_reader.hpp"

namespace gleaner::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr auto kSecret = "PASSWORD=hunter2";

/// An API where everybody may read CiGri's routes.
class ReadAccess : public CampaignsFixture {
 protected:
  [[nodiscard]] process::Config configuration() const override {
    auto config = ApiTest::configuration();
    config.api_cigri_public = true;
    config.read_access = access();
    return config;
  }
  [[nodiscard]] virtual process::ReadAccess access() const { return process::ReadAccess::all; }

  /// An event of a task that failed, with what it wrote; its id.
  std::string failed_with_secret(std::int64_t campaign) {
    return sql(
        fmt::format("INSERT INTO events (code, campaign_id, cluster_id, opened_at, last_at, message, output) SELECT 'TASK_ERROR', "
                    "campaign_id, cluster_id, now(), now(), 'exit 1', '{}' FROM campaign_clusters WHERE campaign_id = {} RETURNING id",
                    kSecret, campaign));
  }
  /// The data of the first event of a user's stream.
  [[nodiscard]] std::string streamed(const std::string& user, const std::string& place) const {
    EventStreamReader reader{port(), {.target = "/v1/events?after=" + place, .headers = {token_header(user)}}};
    const auto message = reader.next("event");
    return message ? message->data : "no message";
  }
  [[nodiscard]] std::string place_now() const {
    EventStreamReader reader{port(), {.target = "/v1/events?after=now", .headers = {token_header("boss")}}};
    return reader.begins() ? reader.last_id() : "no place";
  }
  [[nodiscard]] int status(const std::string& user, const std::string& target) const { return as(user, {.target = target}).status; }
};

TEST_F(ReadAccess, Attack_ReadingStderrOfOthers_ShowsTheCauseAlone_AndItsOwnerAndAdministratorsReadTheLines) {
  const auto id = a_campaign_of(1);
  const auto place = place_now();
  const auto event = failed_with_secret(id);
  const std::vector<std::string> targets{path(id, "/events"), "/v1/events/" + event, fmt::format("/cigri/campaigns/{}/events", id),
                                         "/cigri/events/" + event};
  for (const auto& target : targets) {
    const auto others = as("bob", {.target = target});
    EXPECT_THAT(others.body, testing::AllOf(HasSubstr("exit 1"), Not(HasSubstr("hunter2")))) << target;
    EXPECT_THAT(others.body, HasSubstr("are for alice and administrators")) << target;
    for (const auto* reader : {"alice", "boss"}) EXPECT_THAT(as(reader, {.target = target}).body, HasSubstr(kSecret)) << target << reader;
    if (!target.starts_with("/cigri")) continue;
    EXPECT_THAT(ask(port(), {.target = target}).body, testing::AllOf(HasSubstr("exit 1"), Not(HasSubstr("hunter2")))) << target;
  }
  EXPECT_THAT(as("alice", {.target = "/v1/events?mine=1"}).body, HasSubstr(kSecret));
  EXPECT_THAT(streamed("bob", place), testing::AllOf(HasSubstr("exit 1"), Not(HasSubstr("hunter2"))));
  EXPECT_THAT(streamed("alice", place), HasSubstr(kSecret));
  EXPECT_THAT(streamed("boss", place), HasSubstr(kSecret));
}

TEST_F(ReadAccess, Attack_SixteenReadersOfOthersEvents_FindNoLine_AndTheOwnerIsAnswered) {
  const auto id = a_campaign_of(1);
  failed_with_secret(id);
  const auto target = path(id, "/events");
  const auto answers_alice = [&] { ASSERT_THAT(as("alice", {.target = target}).body, HasSubstr(kSecret)); };
  const auto alone = answer_times(answers_alice);
  std::atomic<int> leaks = 0;
  Attackers readers{16, [&] { leaks += as("mal", {.target = target}).body.find(kSecret) != std::string::npos ? 1 : 0; }};
  ASSERT_TRUE(await([&] { return readers.acts() >= 16; }));
  show_beside("16 readers of others' events", alone, answer_times(answers_alice));
  EXPECT_EQ(leaks, 0);
}

/// Users read their own campaigns.
class ReadAccessOwn : public ReadAccess {
 protected:
  [[nodiscard]] process::ReadAccess access() const override { return process::ReadAccess::own; }
};

TEST_F(ReadAccessOwn, OthersReadNothingOfACampaign_OnNoRoute_AndItsOwnerAndAdministratorsDo) {
  const auto id = a_campaign_of(1);
  const auto event = failed_with_secret(id);
  sql("INSERT INTO decisions (campaign_id, cluster_id, stage, reason, figures, jobs, since) SELECT campaign_id, cluster_id, 'match', "
      "'unreachable', '{}', 0, now() FROM campaign_clusters");
  for (const auto* rest : {"", "/stats", "/jdl", "/decisions", "/decisions/history", "/forecasts", "/events", "/tasks", "/tasks.csv",
                           "/tasks.ndjson", "/tasks/0"}) {
    const auto target = path(id, rest);
    const auto refused = as("bob", {.target = target});
    EXPECT_EQ(refused.status, 403) << target;
    EXPECT_THAT(refused.message(), HasSubstr("is of alice, and you are bob")) << target;
    EXPECT_EQ(status("alice", target), 200) << target;
    EXPECT_EQ(status("boss", target), 200) << target;
  }
  EXPECT_EQ(status("bob", "/v1/events/" + event), 403);
  EXPECT_EQ(status("alice", "/v1/events/" + event), 200);
  for (const auto* rest : {"", "/jobs", "/jobs/finished", "/jdl", "/stats", "/events"}) {
    const auto target = fmt::format("/cigri/campaigns/{}{}", id, rest);
    EXPECT_EQ(status("bob", target), 403) << target;
    EXPECT_EQ(ask(port(), {.target = target}).status, 403) << target << ", without a name";
    EXPECT_EQ(status("alice", target), 200) << target;
  }
}

TEST_F(ReadAccessOwn, ListsAndStreamsLeaveOthersCampaignsOut_AndNobodyCanWaitForThem) {
  const auto id = a_campaign_of(1);
  const auto place = place_now();
  static_cast<void>(failed_with_secret(id));
  const auto total = [&](const std::string& user, const std::string& target) {
    return as(user, {.target = target}).json["total"].GetInt();
  };
  for (const auto* target : {"/v1/campaigns?all=1", "/v1/campaigns?ids=1", "/v1/campaigns?user=alice"}) {
    EXPECT_EQ(total("bob", target), 0) << target;
    EXPECT_EQ(total("alice", target), 1) << target;
    EXPECT_EQ(total("boss", target), 1) << target;
  }
  EXPECT_EQ(ask(port(), {.target = "/cigri/campaigns"}).json["total"].GetInt(), 0);
  EXPECT_EQ(status("bob", fmt::format("/v1/events?after=now&campaign={}", id)), 404);
  sql("UPDATE clusters SET enabled = false WHERE name = 'beta'");
  EventStreamReader others{port(), {.target = "/v1/events?after=" + place, .headers = {token_header("bob")}}};
  const auto first = others.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->event, "cluster") << "neither the campaign's event nor its state: " << first->data;
  EXPECT_THAT(streamed("alice", place), HasSubstr(kSecret));
  const auto waits = as(
      "bob", {.method = "POST",
              .target = "/v1/campaigns",
              .body = fmt::format(R"({{"name": "b", "after": [{}], "params": ["0"], "clusters": {{"alpha": {{"exec_file": "x"}}}}}})", id),
              .headers = {{"Content-Type", "application/json"}}});
  EXPECT_EQ(waits.status, 400) << waits.body;
  EXPECT_THAT(waits.message(), HasSubstr("is not yours to read"));
}

TEST_F(ReadAccessOwn, TheScenario_NamesNeitherOthersNorTheirCampaigns_AndKeepsWhatASimulationNeeds) {
  static_cast<void>(a_campaign_of(3));
  sql("UPDATE campaigns SET name = 'secret-project'");
  sql("INSERT INTO user_priorities (user_name, priority) VALUES ('alice', 7)");
  const auto others = as("bob", {.target = "/v1/scenario"});
  ASSERT_EQ(others.status, 200) << others.body;
  EXPECT_THAT(others.body, testing::AllOf(Not(HasSubstr("alice")), Not(HasSubstr("secret-project")), HasSubstr("user-1")));
  EXPECT_THAT(as("alice", {.target = "/v1/scenario"}).body, testing::AllOf(HasSubstr("alice"), HasSubstr("secret-project")));
}

/// Users read the campaigns of their projects, too.
class ReadAccessProject : public ReadAccess {
 protected:
  [[nodiscard]] process::ReadAccess access() const override { return process::ReadAccess::project; }
};

TEST_F(ReadAccessProject, AMemberOfTheProjectInTheTreeOfShares_ReadsItsCampaigns_ButNoStderr_AndOthersDoNot) {
  const auto id = a_campaign_of(1);
  sql(R"(UPDATE campaigns SET jdl = jdl || '{"project": "physics"}')");
  const auto event = failed_with_secret(id);
  EXPECT_EQ(status("bob", path(id)), 403);
  sql("WITH department AS (INSERT INTO shares (kind, name, shares) VALUES ('project', 'physics', 1) RETURNING id), team AS "
      "(INSERT INTO shares (kind, name, parent_id, shares) SELECT 'project', 'lasers', id, 1 FROM department RETURNING id) "
      "INSERT INTO shares (kind, name, parent_id, shares) SELECT 'user', 'bob', id, 1 FROM team");
  EXPECT_EQ(status("bob", path(id)), 200);
  EXPECT_EQ(as("bob", {.target = "/v1/campaigns"}).json["total"].GetInt(), 1);
  EXPECT_THAT(as("bob", {.target = "/v1/events/" + event}).body, testing::AllOf(HasSubstr("exit 1"), Not(HasSubstr("hunter2"))));
  sql(R"(UPDATE campaigns SET jdl = jdl || '{"project": "chemistry"}')");
  EXPECT_EQ(status("bob", path(id)), 403);
}

}  // namespace
}  // namespace gleaner::tests
