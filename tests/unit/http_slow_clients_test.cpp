#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <latch>
#include <thread>

#include "tests/db/await.hpp"
#include "tests/unit/http_raw_client.hpp"

/// Clients that are slow, or say nothing, cost nobody else anything.
namespace gleaner::http {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

/// No time limit but those that a test sets.
ServerOptions patient() {
  ServerOptions options;
  options.deadlines = {.idle = 1h, .handshake = 1h, .head = 1h, .pause = 1h, .least_rate = 1, .longest = 1h, .closing = 100ms};
  return options;
}

/// Sends a byte now and then until the server has enough of it, and gives the answer.
std::string dribble(RawClient& client, std::string_view begin, std::chrono::milliseconds pause) {
  client.send(begin);
  std::atomic<bool> closed{false};
  std::thread sender{[&] {
    while (!closed && client.send("x")) std::this_thread::sleep_for(pause);
  }};
  auto answer = client.read_to_end();
  closed = true;
  sender.join();
  return answer;
}

constexpr std::string_view kHalfAHead = "GET / HTTP/1.1\r\nX: ";
constexpr std::string_view kPost = "POST / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n";

Response length_of(const Request& request) {
  const auto body = request.body->read_all(1 << 20);
  return body ? text(std::to_string(body->size())) : text(std::string{describe(body.error())}, 408);
}

TEST(HttpSlowClients, HalfAHeadOnEachConnection_SilencesNobody) {
  auto options = patient();
  options.max_connections = 4;
  const auto server = serve([](const Request&) { return text("ok"); }, options);
  std::deque<RawClient> silent;
  for (int i = 0; i < 12; ++i) silent.emplace_back(server->port()).send(i % 2 == 0 ? kHalfAHead : "");
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(ask(*server, kGet).ends_with("ok"));
}

TEST(HttpSlowClients, AHeadHasItsTime_HoweverOftenAByteComes) {
  auto options = patient();
  options.deadlines.head = 100ms;
  const auto server = serve([](const Request&) { return text("ok"); }, options);
  RawClient client{server->port()};
  EXPECT_THAT(dribble(client, kHalfAHead, 5ms), StartsWith("HTTP/1.1 408"));
}

TEST(HttpSlowClients, ABodyHasALeastRate) {
  auto options = patient();
  options.deadlines.pause = 1s;
  options.deadlines.least_rate = 1 << 20;
  const auto server = serve(length_of, options);
  RawClient client{server->port()};
  EXPECT_THAT(dribble(client, kPost, 5ms), HasSubstr("the body did not arrive in time"));
}

TEST(HttpSlowClients, ABodyThatStops_IsGivenUp_HoweverFastItCameBefore) {
  auto options = patient();
  options.deadlines.pause = 50ms;
  const auto server = serve(length_of, options);
  RawClient client{server->port()};
  client.send(kPost);
  client.send(std::string(500'000, 'x'));
  EXPECT_THAT(client.read_to_end(), HasSubstr("the body did not arrive in time"));
}

TEST(HttpSlowClients, ABodyThatKeepsItsRate_ArrivesWhole_ThoughItTakesLong) {
  auto options = patient();
  options.deadlines.pause = 3s;
  options.deadlines.least_rate = 1;
  const auto server = serve(length_of, options);
  RawClient client{server->port()};
  client.send("POST / HTTP/1.1\r\nContent-Length: 50\r\nConnection: close\r\n\r\n");
  for (int i = 0; i < 50; ++i) {
    client.send("x");
    std::this_thread::sleep_for(100ms);  // longer than the pause, all together
  }
  EXPECT_TRUE(client.read_to_end().ends_with("50"));
}

TEST(HttpSlowClients, NoBodyIsWaitedForForEver) {
  auto options = patient();
  options.deadlines.longest = 100ms;
  const auto server = serve(length_of, options);
  RawClient client{server->port()};
  EXPECT_THAT(dribble(client, kPost, 5ms), HasSubstr("the body did not arrive in time"));
}

TEST(HttpSlowClients, WhatIsSentBehindAnAnswer_IsWaitedForAMoment) {
  const auto server = serve([](const Request&) { return text("who are you?", 401); }, patient());
  RawClient client{server->port()};
  EXPECT_THAT(dribble(client, kPost, 5ms), StartsWith("HTTP/1.1 401"));
}

TEST(HttpSlowClients, AnAnswerThatNobodyReads_IsGivenUp) {
  auto options = patient();
  options.deadlines.pause = 50ms;
  options.deadlines.patience = 1h;
  options.max_connections = 1;
  std::latch asked{1};
  const auto server = serve(
      [&](const Request& request) {
        if (request.path == "/next") return text("next");
        asked.count_down();
        return text(std::string(64 << 20, 'x'));
      },
      options);
  RawClient client{server->port()};
  client.send(kGet);
  asked.wait();
  // There is one thread: when somebody else is answered, it has closed although nothing was read, so not all of it is there.
  EXPECT_TRUE(ask(*server, "GET /next HTTP/1.1\r\nConnection: close\r\n\r\n").ends_with("next"));
  EXPECT_LT(client.read_to_end().size(), std::size_t{64} << 20);
}

TEST(HttpSlowClients, ATlsHandshakeHasItsTime) {
  auto pattern = (std::filesystem::temp_directory_path() / "gleaner-slow-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  const auto made = std::system(
      fmt::format(
          "cd '{}' && exec >/dev/null 2>&1; openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -batch -x509 -days 2 -subj /CN=x "
          "-keyout key -out certificate",
          folder.string())
          .c_str());
  ASSERT_EQ(made, 0);
  auto options = patient();
  options.tcp = TcpEndpoint{};
  options.tls = TlsFiles{folder / "certificate", folder / "key", std::nullopt};
  options.deadlines.handshake = 100ms;
  const auto server = serve([](const Request&) { return text("ok"); }, options);
  std::filesystem::remove_all(folder);
  RawClient silent{server->port()};
  EXPECT_EQ(silent.read_to_end(), "");
  RawClient slow{server->port()};
  // The head of a handshake's record, and then it comes by bytes.
  EXPECT_EQ(dribble(slow, std::string_view{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11}, 5ms), "");
}

TEST(HttpSlowClients, OnePeer_HasItsPartOfTheThreads_AndItsOtherConnectionsWait) {
  std::latch two{2};
  std::latch release{1};
  auto options = patient();
  options.max_connections = 4;
  options.max_of_peer = 2;
  const auto server = serve(
      [&](const Request& request) {
        if (request.path == "/hold") {
          two.count_down();
          release.wait();
        }
        return text("ok");
      },
      options);
  std::deque<RawClient> holding;
  for (int i = 0; i < 2; ++i) holding.emplace_back(server->port()).send("GET /hold HTTP/1.1\r\nConnection: close\r\n\r\n");
  two.wait();
  RawClient waiting{server->port()};
  waiting.send(kGet);
  RawClient other{server->port(), 2};
  other.send(kGet);
  EXPECT_TRUE(other.read_to_end().ends_with("ok"));
  EXPECT_FALSE(waiting.has_answer());
  release.count_down();
  EXPECT_TRUE(waiting.read_to_end().ends_with("ok"));
  for (auto& client : holding) EXPECT_TRUE(client.read_to_end().ends_with("ok"));
}

TEST(HttpSlowClients, AnIdleConnectionOfAPeer_MakesRoomForItsNextOne) {
  auto options = patient();
  options.max_of_peer = 1;
  const auto server = serve([](const Request&) { return text("ok"); }, options);
  RawClient idle{server->port()};
  idle.send("GET / HTTP/1.1\r\n\r\n");
  (void)idle.read_until("ok");
  EXPECT_TRUE(ask(*server, kGet).ends_with("ok"));
  EXPECT_EQ(idle.read_to_end(), "");
}

TEST(HttpSlowClients, ANewConnection_HasHalfASecondForItsFirstRequest_AlsoWhenOthersWait) {
  auto options = patient();
  options.max_connections = 1;
  const auto server = serve([](const Request&) { return text("ok"); }, options);
  const auto begun = std::chrono::steady_clock::now();
  const RawClient silent{server->port()};
  RawClient other{server->port(), 2};
  other.send(kGet);
  EXPECT_TRUE(other.read_to_end().ends_with("ok"));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 500ms);
}

/// Threads for so many, and clients that are late soon.
ServerOptions impatient(std::size_t threads) {
  auto options = patient();
  options.max_connections = threads;
  options.deadlines.patience = 100ms;
  return options;
}

/// Whether an answer comes.
bool is_answered(const RawClient& client) {
  return tests::await([&] { return client.has_answer(); });
}

/// Sends a text again and again, until the server closes; whether it does so in time, and somebody else has an answer.
bool answers_beside(const Server& server, RawClient& sender, std::string_view begin, std::string_view again,
                    std::chrono::milliseconds pause) {
  sender.send(begin);
  std::this_thread::sleep_for(pause);
  const RawClient other{server.port(), 2};
  other.send(kGet);
  for (const auto end = std::chrono::steady_clock::now() + tests::kHangGuard; std::chrono::steady_clock::now() < end;) {
    if (other.has_answer() || !sender.send(again)) return is_answered(other);
    std::this_thread::sleep_for(pause);
  }
  return false;
}

TEST(HttpSlowClients, ThoseWhoReadNoAnswer_GiveWayToAnotherPeer) {
  const auto server =
      serve([](const Request& request) { return text(request.path == "/long" ? std::string(16 << 20, 'x') : "ok"); }, impatient(2));
  std::deque<RawClient> unread;
  for (int i = 0; i < 2; ++i) unread.emplace_back(server->port()).send("GET /long HTTP/1.1\r\n\r\nGET /long HTTP/1.1\r\n\r\n");
  for (const auto& client : unread) ASSERT_TRUE(is_answered(client));
  const RawClient other{server->port(), 2};
  other.send(kGet);
  EXPECT_TRUE(is_answered(other));
}

TEST(HttpSlowClients, SmallBodiesThatAllComeLate_GiveWayToAnotherPeer) {
  const auto server = serve(length_of, impatient(1));
  RawClient client{server->port()};
  EXPECT_TRUE(answers_beside(*server, client, "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n",
                             "xPOST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n", 40ms));
}

TEST(HttpSlowClients, HeadsThatAllComeByHalves_GiveWayToAnotherPeer) {
  const auto server = serve(length_of, impatient(1));
  RawClient client{server->port()};
  EXPECT_TRUE(answers_beside(*server, client, kHalfAHead, fmt::format("x\r\n\r\n{}", kHalfAHead), 40ms));
}

TEST(HttpSlowClients, ASlowUpload_IsNotCutOff_ForItsOwnPeer) {
  auto options = impatient(2);
  options.max_of_peer = 1;
  std::latch reading{1};
  const auto server = serve(
      [&](const Request& request) {
        if (request.method == "POST") reading.count_down();
        return length_of(request);
      },
      options);
  RawClient uploading{server->port()};
  uploading.send("POST / HTTP/1.1\r\nContent-Length: 20\r\nConnection: close\r\n\r\n");
  reading.wait();
  RawClient waiting{server->port()};
  waiting.send(kGet);
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(20ms);
    uploading.send("x");
  }
  EXPECT_TRUE(uploading.read_to_end().ends_with("20"));
  EXPECT_TRUE(waiting.read_to_end().ends_with("0"));
}

TEST(HttpSlowClients, OfThoseWhoAreLate_OneOfTheGreatestCrowdIsCutOff) {
  std::latch reading{3};
  const auto server = serve(
      [&](const Request& request) {
        if (request.method == "POST") reading.count_down();
        return length_of(request);
      },
      impatient(3));
  RawClient alone{server->port(), 2};
  alone.send("POST / HTTP/1.1\r\nContent-Length: 1\r\nConnection: close\r\n\r\n");
  std::this_thread::sleep_for(20ms);
  std::deque<RawClient> crowd;
  for (int i = 0; i < 2; ++i) crowd.emplace_back(server->port()).send(kPost);
  reading.wait();
  std::this_thread::sleep_for(500ms);
  const RawClient other{server->port(), 3};
  other.send(kGet);
  ASSERT_TRUE(is_answered(other));
  alone.send("x");
  EXPECT_TRUE(alone.read_to_end().ends_with("1"));
}

TEST(HttpSlowClients, WhenTooManyWait_ThePeerWithTheMostLosesOne) {
  std::latch one{1};
  std::latch release{1};
  auto options = patient();
  options.max_connections = 1;
  options.max_waiting = 3;
  const auto server = serve(
      [&](const Request& request) {
        if (request.path == "/hold") {
          one.count_down();
          release.wait();
        }
        return text("ok");
      },
      options);
  RawClient holding{server->port()};
  holding.send("GET /hold HTTP/1.1\r\nConnection: close\r\n\r\n");
  one.wait();
  RawClient lonely{server->port(), 2};
  lonely.send(kGet);
  std::deque<RawClient> crowd;
  for (int i = 0; i < 6; ++i) {
    crowd.emplace_back(server->port()).send(kGet);
    // Each is known to be accepted before the next one comes.
    if (i < 2) continue;
    EXPECT_EQ(crowd[static_cast<std::size_t>(i) - 2].read_to_end(), "") << i;
  }
  release.count_down();
  EXPECT_TRUE(lonely.read_to_end().ends_with("ok"));
  for (std::size_t i = 4; i < 6; ++i) EXPECT_TRUE(crowd[i].read_to_end().ends_with("ok")) << i;
}

TEST(HttpSlowClients, AStop_WaitsForNoSlowClient) {
  std::latch reading{1};
  auto server = serve(
      [&](const Request& request) {
        reading.count_down();
        return length_of(request);
      },
      patient());
  RawClient silent{server->port()};
  RawClient half{server->port()};
  half.send(kHalfAHead);
  RawClient uploading{server->port()};
  uploading.send(kPost);
  reading.wait();
  server->stop();
  EXPECT_EQ(silent.read_to_end(), "");
  EXPECT_THAT(uploading.read_to_end(), HasSubstr("the body did not arrive in time"));
}

}  // namespace
}  // namespace gleaner::http
