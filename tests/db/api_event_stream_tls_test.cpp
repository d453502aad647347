// The stream of changes over TLS, and a command of another machine that reads it.
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "clients/follow.hpp"
#include "tests/db/api_event_stream_fixture.hpp"
#include "tests/unit/certificates.hpp"

namespace gleaner::tests {
namespace {

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

/// The command's output is of no interest here.
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
  config.connect_timeout = config.api_timeout = std::chrono::seconds{30};
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
