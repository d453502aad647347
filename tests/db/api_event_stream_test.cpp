// GET /v1/events?after=ID: the stream of changes.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "clients/follow.hpp"
#include "tests/db/api_fixture.hpp"
#include "tests/db/event_stream_reader.hpp"
#include "tests/unit/certificates.hpp"

namespace gleaner::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

class ApiEventStream : public ApiTest {
 protected:
  [[nodiscard]] EventStreamReader stream(const std::string& query, const std::string& user = "alice") const {
    return {port(), {.target = "/v1/events" + query, .headers = {token_header(user)}}};
  }
  void set_state(std::int64_t campaign, const std::string& state) const {
    sql("UPDATE campaigns SET state = '" + state + "' WHERE id = " + std::to_string(campaign));
  }
  /// Pauses or resumes it so often, in a transaction each.
  void flip(std::int64_t campaign, int times) const {
    for (int i = 0; i < times; ++i)
      sql("UPDATE campaigns SET state = CASE state WHEN 'paused' THEN 'in_treatment' ELSE 'paused' END::campaign_state WHERE id = " +
          std::to_string(campaign));
  }
  /// The status of a stream that is closed at once.
  static int ask_for_stream(const std::string& address) { return EventStreamReader{address, {.target = "/v1/events?after=now"}}.status(); }
  /// Waits until the condition holds.
  static bool comes(const std::function<bool()>& condition) {
    const auto until = std::chrono::steady_clock::now() + EventStreamReader::kPatience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    return true;
  }
};

TEST_F(ApiEventStream, HasACampaignThatIsSubmitted_ItsStates_AndItsCounts) {
  auto all = stream("?after=now");
  ASSERT_EQ(all.status(), 200);
  EXPECT_THAT(all.head(), HasSubstr("content-type: text/event-stream"));
  EXPECT_THAT(all.head(), HasSubstr("cache-control: no-store"));
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

TEST_F(ApiEventStream, WrongQuestions_AreToldSo) {
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

class ApiWithFewThreads : public ApiEventStream {
 protected:
  void configure(api::ApiOptions& options) override {
    options.config.api_connections = 2;
    options.config.api_connections_of_peer = 2;
  }
};

TEST_F(ApiWithFewThreads, StreamsHoldNoThread_AndOneConnectionToTheDatabase) {
  std::vector<std::unique_ptr<EventStreamReader>> streams;
  for (int i = 0; i < 20; ++i) streams.push_back(std::make_unique<EventStreamReader>(stream("?after=now")));
  const auto id = a_campaign_of(1);
  for (auto& one : streams) EXPECT_EQ(one->next("campaign").value().json()["id"].GetInt64(), id);
  // Those of two threads, the streams' one, and the one that asks.
  EXPECT_LE(std::stoi(sql("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'")),
            4);
  EXPECT_EQ(get("/v1/campaigns/" + std::to_string(id)).status, 200);
}

/// The code in the last message of a stream.
std::string end_of(EventStreamReader& reader) {
  const auto message = reader.next("end");
  if (!message || !message->id.empty() || !reader.ends()) return "no end";
  return message->json()["code"].GetString();
}

TEST_F(ApiEventStream, EndOfTheApi_EndsStreamsAtOnce_AndTheySayWhy) {
  auto one = stream("?after=now"), other = stream("?after=now");
  restart_api();
  EXPECT_EQ(end_of(one), "unavailable");
  EXPECT_EQ(end_of(other), "unavailable");
}

TEST_F(ApiEventStream, PlaceThatGrowsTooOldMeanwhile_EndsTheStream_WhichSaysSo) {
  const auto id = a_campaign_of(1);
  auto one = stream("?after=now");
  ASSERT_TRUE(one.begins());
  sql("UPDATE grid SET feed_from = 999999999999");
  flip(id, 1);
  EXPECT_EQ(end_of(one), "no_longer_kept");
}

TEST_F(ApiEventStream, DatabaseThatWasRestoredIntoAnotherPostgres_HasAFeedThatBeginsAnew) {
  const auto id = a_campaign_of(1);
  sql("INSERT INTO feed (xact, noted_at, kind, change, subject, campaign_id) VALUES (999999999999, now(), 'campaign', 'cancelled', " +
      std::to_string(id) + ", " + std::to_string(id) + ")");
  sql("UPDATE grid SET feed_from = 999999999990");
  restart_api();
  ASSERT_TRUE(comes([&] { return sql("SELECT feed_from < 999999999990 FROM grid") == "t"; }));
  EXPECT_EQ(get("/v1/events?after=999999999995-1").code(), "no_longer_kept");
  auto one = stream("?after=now");
  flip(id, 1);
  const auto first = one.next("campaign");
  ASSERT_TRUE(first);
  EXPECT_STREQ(first->json()["state"].GetString(), "paused");
  flip(id, 1);
  EXPECT_STREQ(stream("?after=" + first->id).next("campaign").value().json()["state"].GetString(), "in_treatment");
}

class ApiEventStreamOfABusyDatabase : public ApiEventStream {
 protected:
  void configure(api::ApiOptions& options) override { options.config.api_patience = std::chrono::seconds{2}; }
  [[nodiscard]] bool somebody_waits_for_a_lock() const {
    return sql("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')") == "t";
  }
};

TEST_F(ApiEventStreamOfABusyDatabase, FeedThatCouldNotBeBegunAnewAtFirst_IsBegunAnewLater) {
  const auto id = a_campaign_of(1);
  sql("UPDATE grid SET feed_from = 999999999990");
  {
    pqxx::connection other{database()};
    pqxx::work work{other};
    work.exec("SELECT FROM grid FOR UPDATE");
    restart_api();
    ASSERT_TRUE(comes([&] { return somebody_waits_for_a_lock(); }));
    ASSERT_TRUE(comes([&] { return !somebody_waits_for_a_lock(); }));
  }
  const auto opening = stream("?after=now");
  ASSERT_TRUE(comes([&] { return sql("SELECT feed_from < 999999999990 FROM grid") == "t"; }));
  auto one = stream("?after=now");
  flip(id, 1);
  EXPECT_TRUE(one.next("campaign"));
}

class ApiEventStreamOneReadingASecond : public ApiEventStream {
 protected:
  /// Each reading is for the streams at one place.
  void configure(api::ApiOptions& options) override {
    options.streams.pause = std::chrono::seconds{1};
    options.streams.reading = std::chrono::milliseconds{0};
  }
};

TEST_F(ApiEventStreamOneReadingASecond, StreamsThatAreFarBehind_DoNotDelayThoseAtTheEnd) {
  constexpr int kBehind = 5;
  const auto id = a_campaign_of(1);
  std::vector<std::string> places;
  for (int i = 0; i < kBehind; ++i) {
    auto first = stream("?after=now");
    ASSERT_TRUE(first.begins());
    places.push_back(first.last_id());
    flip(id, 1);
  }
  auto current = stream("?after=now");
  ASSERT_TRUE(current.begins());
  std::vector<EventStreamReader> behind;
  for (const auto& place : places) behind.push_back(stream("?after=" + place));
  flip(id, 1);
  ASSERT_TRUE(current.next("campaign"));
  const auto has_message = [](EventStreamReader& reader) { return reader.next(std::chrono::milliseconds{100}).has_value(); };
  EXPECT_LT(std::ranges::count_if(behind, has_message), kBehind);
  for (auto& reader : behind) EXPECT_TRUE(reader.next("campaign"));
}

TEST_F(ApiEventStream, DatabaseConnectionThatIsLost_EndsStreams_WhichGoOnLater) {
  const auto id = a_campaign_of(1);
  auto one = stream("?after=now");
  flip(id, 1);
  const auto place = one.next("campaign").value().id;
  sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()");
  EXPECT_EQ(end_of(one), "unavailable");
  flip(id, 1);
  EXPECT_STREQ(stream("?after=" + place).next("campaign").value().json()["state"].GetString(), "in_treatment");
}

TEST_F(ApiEventStream, ReaderThatDisconnectsAnywhere_SeesEachChangeOnce_InOrder) {
  const auto id = a_campaign_of(1);
  constexpr int kChanges = 60;
  std::string place;
  {
    auto first = stream("?after=now");
    ASSERT_TRUE(first.begins());
    place = first.last_id();
  }
  std::thread writer{[&] { flip(id, kChanges); }};
  std::mt19937 random{11};
  std::vector<std::string> states;
  std::set<std::string> ids;
  while (states.size() < kChanges) {
    auto reader = stream("?after=" + place);
    for (auto left = random() % 12; left > 0 && states.size() < kChanges; --left) {
      const auto message = reader.next("campaign");
      if (!message) break;
      place = message->id;
      EXPECT_TRUE(ids.insert(message->id).second);
      states.emplace_back(message->json()["state"].GetString());
    }
  }
  writer.join();
  for (std::size_t i = 0; i < states.size(); ++i) EXPECT_EQ(states[i], i % 2 == 0 ? "paused" : "in_treatment") << i;
}

class ApiEventStreamOverTls : public ApiEventStream {
 protected:
  void configure(api::ApiOptions& options) override {
    options.tls = Certificates::get().server();
    options.config.api_streams_of_user = 1;
  }
  /// A campaign of ours, submitted over the unix socket.
  [[nodiscard]] std::int64_t a_campaign() const {
    const auto answer = ask(socket(), {.method = "POST",
                                       .target = "/v1/campaigns",
                                       .body = head_of(kOnAlpha, R"("nb_jobs": 1)") + "\n",
                                       .headers = {{"Content-Type", "application/x-ndjson"}}});
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.json["id"].GetInt64();
  }
  [[nodiscard]] EventStreamReader tls_stream() const {
    return {port(), {.target = "/v1/events?after=now", .headers = {token_header("alice")}}, EventStreamReader::Transport::tls};
  }
};

TEST_F(ApiEventStreamOverTls, HasEachMessage_AndEndsWithTheApi) {
  const auto id = a_campaign();
  auto one = tls_stream();
  ASSERT_EQ(one.status(), 200);
  ASSERT_TRUE(one.begins());
  // 1.2 MB: many records, and more than is buffered at a time.
  sql("INSERT INTO events (code, campaign_id, opened_at, last_at, message) SELECT 'TEST' || n, " + std::to_string(id) +
      ", now(), now(), repeat('x', 4000) FROM generate_series(1, 300) n");
  for (int n = 1; n <= 300; ++n) {
    const auto message = one.next("event");
    ASSERT_TRUE(message) << n;
    EXPECT_EQ(message->json()["code"].GetString(), "TEST" + std::to_string(n));
  }
  restart_api();
  EXPECT_EQ(end_of(one), "unavailable");
}

TEST_F(ApiEventStreamOverTls, ClientThatGoes_GivesItsPlaceBack) {
  std::optional<EventStreamReader> first{tls_stream()};
  ASSERT_TRUE(first->begins());
  EXPECT_EQ(tls_stream().status(), 503);
  first.reset();
  EXPECT_TRUE(comes([&] { return tls_stream().status() == 200; }));
}

/// What the command prints is of no interest here.
class Silence final : public terminal::Output {
 public:
  Silence() = default;
  void show(const terminal::Answer&) override {}
  void report(std::string_view) override {}
};

TEST_F(ApiEventStreamOverTls, CommandOfAnotherMachine_SeesTheEndOfACampaign_WithoutAskingAgain) {
  const auto id = a_campaign();
  process::Config config;
  config.api = "https://127.0.0.1:" + port();
  config.api_ca_file = Certificates::get().file("ca.pem");
  config.token_file = folder() / "token";
  config.connect_timeout = config.submit_timeout = std::chrono::seconds{30};
  std::ofstream{config.token_file} << "alice-token-0123456789\n";
  std::filesystem::permissions(config.token_file, std::filesystem::perms::owner_read);
  clients::ApiClient client{config};
  Silence output;
  std::thread ending;
  int looks = 0;
  const auto code = clients::follow(client, output,
                                    {.ids = {id},
                                     .period = std::chrono::hours{1},
                                     .slowest = std::chrono::hours{1},
                                     .time_limit = {},
                                     .show = [&](const std::vector<clients::Json>&) {
                                       // The second look comes with the beginning of the stream.
                                       if (++looks == 2) ending = std::thread{[&] { set_state(id, "terminated"); }};
                                     }});
  ending.join();
  EXPECT_EQ(code, process::ExitCode::failure) << "its task is not done";
  EXPECT_EQ(looks, 3);
}

}  // namespace
}  // namespace gleaner::tests
