// GET /v1/events?after=ID: the stream of changes.
#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/db/api_event_stream_fixture.hpp"

namespace gleaner::tests {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;

/// The members of a message that are not as the object has them.
std::vector<std::string> departures(const StreamMessage& message, const rapidjson::Value& object) {
  std::vector<std::string> all;
  const auto data = message.json();
  for (const auto& member : data.GetObject()) {
    const std::string name = member.name.GetString();
    if (!object.HasMember(name.c_str()) || object[name.c_str()] != member.value) all.push_back(name);
  }
  return all;
}

TEST(TimesOfStreams, ForManyStreams_TheFeedIsReadLessOften_AndOnceASecondAtLeast) {
  using std::chrono::milliseconds;
  const api::StreamTimes times;
  EXPECT_EQ(times.pause_for(1), milliseconds{100});
  EXPECT_EQ(times.pause_for(100), milliseconds{100});
  EXPECT_EQ(times.pause_for(300), milliseconds{300});
  EXPECT_EQ(times.pause_for(50'000), milliseconds{1000});
}

TEST_F(ApiEventStream, BreaksOff_AndItsClientsComeAgain_NotAllAtOnce) {
  std::set<int> delays;
  for (int i = 0; i < 8; ++i) {
    auto one = stream("?after=now");
    ASSERT_TRUE(one.begins());
    ASSERT_TRUE(one.retry());
    EXPECT_THAT(*one.retry(), AllOf(Ge(1'000), Le(10'000)));
    delays.insert(*one.retry());
  }
  EXPECT_GT(delays.size(), 1U);
}

TEST_F(ApiEventStream, HasACampaignThatIsSubmitted_ItsStates_AndItsCounts) {
  auto all = stream("?after=now");
  ASSERT_EQ(all.status(), 200);
  EXPECT_THAT(all.head(), HasSubstr("content-type: text/event-stream"));
  EXPECT_THAT(all.head(), HasSubstr("cache-control: no-store, no-transform")) << "a proxy that compresses would keep messages back";
  const auto id = a_campaign_of(3);
  const auto created = all.next("campaign");
  ASSERT_TRUE(created);
  const auto campaign = created->json();
  EXPECT_EQ(campaign["id"].GetInt64(), id);
  EXPECT_STREQ(campaign["user"].GetString(), "alice");
  EXPECT_STREQ(campaign["state"].GetString(), "in_treatment");
  EXPECT_EQ(campaign["total_tasks"].GetInt64(), 3);
  ASSERT_TRUE(all.next("progress"));
  sql("UPDATE tasks SET state = 'done' WHERE campaign_id = " + std::to_string(id) + " AND number < 2");
  const auto progress = all.next("progress");
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->json()["tasks"]["done"].GetInt64(), 2);
  set_state(id, "terminated");
  const auto ended = all.next();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->event, "campaign");
  EXPECT_STREQ(ended->json()["state"].GetString(), "terminated");
}

TEST_F(ApiEventStream, MessagesHaveTheMembersOfTheObject_AsItsOwnRouteHasThem) {
  auto all = stream("?after=now");
  const auto id = std::to_string(a_campaign_of(3));
  sql("UPDATE campaigns SET state = 'cancelled', ended_at = '2026-11-20 18:14:56+00' WHERE id = " + id);
  sql("UPDATE clusters SET reachable = false, unreachable_since = now(), last_error = 'no route' WHERE name = 'beta'");
  sql("INSERT INTO events (code, campaign_id, opened_at, last_at, message) VALUES ('TEST', " + id + ", now(), now(), 'm')");
  const auto created = all.next("campaign"), cancelled = all.next("campaign"), cluster = all.next("cluster"), event = all.next("event");
  ASSERT_TRUE(created && cancelled && cluster && event);
  EXPECT_TRUE(created->json()["end_time"].IsNull());
  EXPECT_STREQ(cancelled->json()["end_time"].GetString(), "2026-11-20T18:14:56Z");
  const auto campaign = get("/v1/campaigns/" + id), beta = get("/v1/clusters/beta"),
             opened = get("/v1/events/" + std::to_string(event->json()["id"].GetInt64()));
  EXPECT_THAT(departures(*cancelled, campaign.json), IsEmpty());
  EXPECT_THAT(departures(*cluster, beta.json), IsEmpty());
  EXPECT_THAT(departures(*event, opened.json), IsEmpty());
}

TEST_F(ApiEventStream, NamesTheStateThatACampaignEntered_NotTheOneThatItHasNow) {
  const auto id = a_campaign_of(1);
  auto first = stream("?after=now");
  ASSERT_TRUE(first.begins());
  flip(id, 3);
  auto later = stream("?after=" + first.last_id());
  std::vector<std::string> states;
  for (int i = 0; i < 3; ++i) states.emplace_back(later.next("campaign").value().json()["state"].GetString());
  EXPECT_THAT(states, ElementsAre("paused", "in_treatment", "paused"));
}

TEST_F(ApiEventStream, HasEvents_AndClusters) {
  auto all = stream("?after=now");
  sql("INSERT INTO events (code, opened_at, last_at, message) VALUES ('TEST', now(), now(), 'two' || chr(10) || 'lines')");
  const auto opened = all.next("event");
  ASSERT_TRUE(opened);
  EXPECT_STREQ(opened->json()["state"].GetString(), "open");
  EXPECT_STREQ(opened->json()["message"].GetString(), "two\nlines");
  sql("UPDATE events SET occurrences = 2 WHERE code = 'TEST'");
  EXPECT_EQ(all.next("event").value().json()["occurrences"].GetInt64(), 2);
  sql("UPDATE events SET state = 'closed', closed_at = now() WHERE code = 'TEST'");
  EXPECT_STREQ(all.next("event").value().json()["state"].GetString(), "closed");
  sql("UPDATE clusters SET reachable = false, last_error = 'no route' WHERE name = 'beta'");
  const auto cluster = all.next("cluster");
  ASSERT_TRUE(cluster);
  EXPECT_STREQ(cluster->json()["name"].GetString(), "beta");
  EXPECT_FALSE(cluster->json()["reachable"].GetBool());
  EXPECT_STREQ(cluster->json()["last_error"].GetString(), "no route");
}

TEST_F(ApiEventStream, IsBegunByTheHeaderOfABrowser_AndTheListStays) {
  auto browser = EventStreamReader{port(), {.target = "/v1/events", .headers = {token_header("bob"), {"Accept", "text/event-stream"}}}};
  EXPECT_EQ(browser.status(), 200);
  EXPECT_THAT(browser.head(), HasSubstr("text/event-stream"));
  const auto list = get("/v1/events");
  EXPECT_EQ(list.status, 200);
  EXPECT_TRUE(list.json["items"].IsArray());
  const auto head = as("alice", {.method = "HEAD", .target = "/v1/events?after=now"});
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-type"), "text/event-stream");
}

TEST_F(ApiEventStream, CanBeOfSomeCampaigns_OrOfTheCallers) {
  const auto one = a_campaign_of(1), other = a_campaign_of(1), third = a_campaign_of(1);
  sql("UPDATE campaigns SET user_name = 'bob' WHERE id = " + std::to_string(third));
  auto named = stream("?after=now&campaign=" + std::to_string(other) + "," + std::to_string(third));
  auto mine = stream("?after=now&mine=1", "bob");
  auto all = stream("?after=now", "bob");
  sql("UPDATE clusters SET enabled = false WHERE name = 'beta'");
  for (const auto id : {one, other, third}) set_state(id, "paused");
  const auto next = [](EventStreamReader& reader) { return reader.next("campaign").value().json()["id"].GetInt64(); };
  EXPECT_EQ(named.next().value().json()["id"].GetInt64(), other);
  EXPECT_EQ(next(named), third);
  EXPECT_EQ(mine.next().value().json()["id"].GetInt64(), third);
  // Whoever may read the lists may read all changes.
  EXPECT_EQ(all.next().value().event, "cluster");
  EXPECT_EQ(next(all), one);
  EXPECT_EQ(next(all), other);
}

TEST_F(ApiEventStream, GoesOnAfterTheLastMessageThatWasRead_AlsoOfAnApiThatWasRestarted) {
  const auto id = a_campaign_of(1);
  std::string place;
  {
    auto first = stream("?after=now");
    flip(id, 2);
    place = first.next("campaign").value().id;
  }
  flip(id, 1);
  restart_api();
  flip(id, 1);
  const auto states = [](EventStreamReader reader) {
    std::vector<std::string> all;
    for (int i = 0; i < 3; ++i) all.emplace_back(reader.next("campaign").value().json()["state"].GetString());
    return all;
  };
  EXPECT_THAT(states(stream("?after=" + place)), ElementsAre("in_treatment", "paused", "in_treatment"));
  // A browser repeats its first address, and adds its place.
  const ApiRequest again{.target = "/v1/events?after=now", .headers = {token_header("alice"), {"Last-Event-ID", place}}};
  EXPECT_THAT(states(EventStreamReader{port(), again}), ElementsAre("in_treatment", "paused", "in_treatment"));
}

TEST_F(ApiEventStream, PlaceThatIsTooOld_OrOfAnotherDatabase_IsGone) {
  const auto id = a_campaign_of(1);
  auto first = stream("?after=now");
  flip(id, 1);
  const auto place = first.next("campaign").value().id;
  sql("UPDATE grid SET feed_from = (SELECT max(xact) + 1 FROM feed)");
  for (const auto& old : {place, std::string{"0-0"}, std::string{"999999999999-0"}}) {
    const auto gone = get("/v1/events?after=" + old);
    EXPECT_EQ(gone.status, 410) << old;
    EXPECT_EQ(gone.code(), "no_longer_kept");
    EXPECT_THAT(gone.message(), HasSubstr("changes after " + old + " are no longer kept: read the lists, and begin again with after=now"));
  }
  EXPECT_EQ(stream("?after=now").status(), 200);
}

TEST_F(ApiEventStream, WrongQuestions_AreRefusedWithTheReason) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"?after=yesterday", "after=yesterday: 'now' is needed, or the id of a message"},
      {"?after=12", "after=12: "},
      {"?after=12--3", "after=12--3: "},
      {"?after=now&limit=3", "limit is of the list of events"},
      {"?after=now&campaign=x", "campaign=x: ids"},
      {"?after=now&campaign=", "campaign=: ids"},
      {"?after=now&campaign=,", "campaign=: ids"},
      {"?campaign=1", "campaign is of a stream"}};
  for (const auto& [query, why] : wrong) {
    const auto answer = get("/v1/events" + query);
    EXPECT_EQ(answer.status, 400) << query;
    EXPECT_EQ(answer.code(), "bad_value") << query;
    EXPECT_THAT(answer.message(), HasSubstr(why));
  }
  EXPECT_EQ(get("/v1/events?after=now&campaign=999").code(), "no_such_campaign");
  EXPECT_EQ(get("/v1/events?after=now&campaigns=1").code(), "unknown_key");
  EXPECT_EQ(get("/events?after=now").code(), "no_such_path");
  EXPECT_EQ(ask(port(), {.target = "/v1/events?after=now"}).code(), "unknown_caller");
}

class ApiEventStreamTimes : public ApiEventStream {
 protected:
  void configure(api::ApiOptions& options) override {
    options.streams.heartbeat = std::chrono::milliseconds{50};
    options.streams.patience = std::chrono::milliseconds{200};
    options.config.api_streams = 4;
    options.config.api_streams_of_user = 2;
  }
};

TEST_F(ApiEventStreamTimes, HeartbeatsHaveAPlace_SoThatAQuietStreamDoesNotGrowOld) {
  const auto id = a_campaign_of(1), other = a_campaign_of(1);
  auto quiet = stream("?after=now&campaign=" + std::to_string(other));
  ASSERT_TRUE(quiet.gets_heartbeat());
  flip(id, 2);
  const auto last_flip = std::stoll(sql("SELECT max(xact) FROM feed"));
  ASSERT_TRUE(comes([&] { return quiet.gets_heartbeat() && std::stoll(quiet.last_id()) > last_flip; }));
  auto again = stream("?after=" + quiet.last_id());
  set_state(other, "cancelled");
  EXPECT_EQ(again.next("campaign").value().json()["id"].GetInt64(), other);
}

TEST_F(ApiEventStreamTimes, StreamsAreFew_InAll_AndOfAUser) {
  auto first = std::make_unique<EventStreamReader>(stream("?after=now"));
  const auto second = stream("?after=now");
  ASSERT_EQ(second.status(), 200);
  const auto refused = get("/v1/events?after=now");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.code(), "busy");
  EXPECT_EQ(refused.headers.at("retry-after"), "30");
  EXPECT_THAT(refused.message(), HasSubstr("4 may be open at once, and 2 of one user"));
  const auto bobs = stream("?after=now", "bob"), others = stream("?after=now", "bob");
  EXPECT_EQ(stream("?after=now", "boss").status(), 503);
  // A wrong question takes no place, and a client that has gone gives its own back.
  EXPECT_EQ(get("/v1/events?after=x").status, 400);
  first.reset();
  EXPECT_TRUE(comes([&] { return stream("?after=now").status() == 200; }));
}

TEST_F(ApiEventStreamTimes, ReaderThatTakesNothing_IsCutOff_AndCanGoOnWhereItWas) {
  const auto id = a_campaign_of(1), quiet = a_campaign_of(1);
  // On the unix socket little is on its way.
  EventStreamReader slow{socket(), {.target = "/v1/events?after=now"}};
  ASSERT_TRUE(slow.begins());
  const EventStreamReader other{socket(), {.target = "/v1/events?after=now&campaign=" + std::to_string(quiet)}};
  // More than the socket takes: 600 kB.
  sql("INSERT INTO events (code, campaign_id, opened_at, last_at, message) "
      "SELECT 'TEST' || n, " +
      std::to_string(id) + ", now(), now(), repeat('x', 4000) FROM generate_series(1, 150) n");
  ASSERT_TRUE(comes([&] { return ask_for_stream(socket()) == 200; }));
  std::set<std::string> seen;
  std::string last = slow.last_id();
  while (const auto message = slow.next(std::chrono::milliseconds{5000})) {
    EXPECT_TRUE(seen.insert(message->id).second);
    last = message->id;
  }
  EXPECT_LT(seen.size(), 150U);
  // On a machine under load, it may be cut off again. Its place is free when the API has seen that a client has gone.
  while (seen.size() < 150) {
    std::optional<EventStreamReader> again;
    ASSERT_TRUE(comes([&] { return again.emplace(socket(), ApiRequest{.target = "/v1/events?after=" + last}).status() == 200; }));
    while (seen.size() < 150) {
      const auto message = again->next();
      if (!message) break;
      EXPECT_TRUE(seen.insert(message->id).second);
      last = message->id;
    }
  }
}

}  // namespace
}  // namespace gleaner::tests
