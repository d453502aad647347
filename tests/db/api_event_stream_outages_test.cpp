// The stream of changes while the API, its database or a reader ends, is busy, or is far behind.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/db/api_event_stream_fixture.hpp"
#include "tests/seed.hpp"

namespace gleaner::tests {
namespace {

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

TEST_F(ApiEventStream, EndOfTheApi_EndsStreamsAtOnce_AndTheySayWhy) {
  auto one = stream("?after=now"), other = stream("?after=now");
  restart_api();
  EXPECT_EQ(end_of(one), "unavailable");
  EXPECT_EQ(end_of(other), "unavailable");
}

TEST_F(ApiEventStream, PlaceThatGrowsTooOldMeanwhile_EndsTheStream_WhichStatesThat) {
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
  std::mt19937_64 random{test_seed()};
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

}  // namespace
}  // namespace gleaner::tests
