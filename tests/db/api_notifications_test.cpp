// Subscriptions over the API and by gridnotify, up to the mail that arrives.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "lib/process/child.hpp"
#include "tests/db/api_fixture.hpp"
#include "tests/db/fake_receivers.hpp"

namespace gleaner::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class Notifications : public ApiTest {
 protected:
  [[nodiscard]] process::Config configuration() const override {
    auto config = ApiTest::configuration();
    config.webhook_hosts = {"hooks.example.org", "127.0.0.1:8080"};
    config.mail_domains = {"example.org"};
    return config;
  }
  ApiAnswer subscribe(const std::string& user, const std::string& body) const {
    return as(user, {.method = "POST", .target = "/v1/notifications", .body = body, .headers = {{"Content-Type", "application/json"}}});
  }
  static process::Captured run(std::vector<std::string> arguments) {
    const char* bin = std::getenv("GLEANER_BIN_DIR");
    arguments[0] = fmt::format("{}/{}", bin != nullptr ? bin : "build-sanitize/bin", arguments[0]);
    auto captured = process::capture({.arguments = std::move(arguments), .environment = {{"TZ", "Europe/Paris"}}}, std::chrono::minutes{5});
    if (!captured) throw std::runtime_error{captured.error()};
    return *captured;
  }
  [[nodiscard]] process::Captured gridnotify(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "gridnotify");
    arguments.insert(arguments.end(), {"--api", "unix:" + socket()});
    return run(std::move(arguments));
  }
};

TEST_F(Notifications, ASubscription_IsShownToItsUserAlone_AndEndsOnce) {
  const auto made = subscribe(
      "alice", R"({"channel": "mail", "address": "ada@example.org", "severity": "high", "quiet": "22:00-7:30", "zone": "Europe/Paris"})");
  ASSERT_EQ(made.status, 201) << made.body;
  const auto mine = get("/v1/notifications");
  ASSERT_EQ(mine.json["items"].Size(), 1U) << mine.body;
  EXPECT_STREQ(mine.json["items"][0]["quiet"].GetString(), "22:00-07:30");
  EXPECT_EQ(as("bob", {.target = "/v1/notifications"}).json["items"].Size(), 0U);
  const auto self = fmt::format("/v1/notifications/{}", made.json["id"].GetInt64());
  EXPECT_EQ(as("bob", {.method = "DELETE", .target = self}).status, 404);
  EXPECT_EQ(as("bob", {.method = "POST", .target = self + "/test"}).status, 404);
  EXPECT_EQ(remove(self).status, 202);
  EXPECT_EQ(remove(self).status, 404);
}

TEST_F(Notifications, WhatIsWrong_IsNamedWithWhatWouldBeRight) {
  const auto refused = [&](const std::string& body, unsigned status = 400) {
    const auto answer = subscribe("alice", body);
    EXPECT_EQ(answer.status, static_cast<int>(status)) << body << answer.body;
    return answer.body;
  };
  EXPECT_THAT(refused(R"({"channel": "mail", "address": "ada@example.org\nBcc: eve@example.org", "severity": "low"})"),
              HasSubstr("a mail address"));
  EXPECT_THAT(refused(R"({"channel": "mail", "address": "ada@other.org", "severity": "low"})"), HasSubstr("mail_domains"));
  EXPECT_THAT(refused(R"({"channel": "mail", "address": "ada@example.org", "severity": "hihg"})"), HasSubstr("did you mean 'high'"));
  EXPECT_THAT(refused(R"({"channel": "mail", "address": "ada@example.org"})"), HasSubstr("low, medium or high"));
  EXPECT_THAT(refused(R"({"channel": "mail", "adress": "ada@example.org", "severity": "low"})"), HasSubstr("did you mean 'address'"));
  EXPECT_THAT(refused(R"({"channel": "command", "address": "/bin/sh", "severity": "low"})"), HasSubstr("mail or webhook"));
  EXPECT_THAT(refused(R"({"channel": "webhook", "address": "https://evil.org/", "severity": "low"})"), HasSubstr("webhook_hosts"));
  EXPECT_THAT(refused(R"({"channel": "webhook", "address": "http://hooks.example.org:22/", "severity": "low"})"),
              HasSubstr("webhook_hosts"));
  EXPECT_THAT(refused(R"({"channel": "webhook", "address": "https://hooks.example.org@evil.org/", "severity": "low"})"),
              HasSubstr("without a user"));
  EXPECT_THAT(refused(R"({"channel": "mail", "address": "ada@example.org", "severity": "low", "quiet": "22-7"})"),
              HasSubstr("22:00-07:00"));
  EXPECT_THAT(
      refused(R"({"channel": "mail", "address": "ada@example.org", "severity": "low", "quiet": "22:00-07:00", "zone": "Mars/Base"})"),
      HasSubstr("Europe/Paris"));
  EXPECT_THAT(refused("[]"), HasSubstr("no JSON object"));
  EXPECT_THAT(refused(R"({"channel": "mail", "address": "ada@example.org", "severity": "low", "audience": "administrators"})", 403),
              HasSubstr("administrators"));
  EXPECT_EQ(sql("SELECT count(*) FROM subscriptions"), "0");
}

TEST_F(Notifications, AUserHas20SubscriptionsAtMost_AndOneToAnAddress) {
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(subscribe("alice", fmt::format(R"({{"channel": "mail", "address": "a{}@example.org", "severity": "low"}})", i)).status, 201);
  EXPECT_THAT(subscribe("alice", R"({"channel": "mail", "address": "more@example.org", "severity": "low"})").body,
              HasSubstr("20 subscriptions at most"));
  EXPECT_EQ(subscribe("bob", R"({"channel": "mail", "address": "a1@example.org", "severity": "low"})").status, 201);
  EXPECT_EQ(subscribe("bob", R"({"channel": "mail", "address": "a1@example.org", "severity": "high"})").status, 409);
}

TEST_F(Notifications, TheSecretOfAWebhook_IsShownOnce) {
  const auto made =
      subscribe("alice", R"({"channel": "webhook", "address": "https://hooks.example.org/x", "severity": "low", "form": "text"})");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string secret = made.json["secret"].GetString();
  EXPECT_THAT(secret, SizeIs(64));
  EXPECT_THAT(get("/v1/notifications").body, Not(HasSubstr(secret)));
  EXPECT_EQ(sql("SELECT count(*) FROM audit WHERE after::text LIKE '%" + secret + "%'"), "0");
}

TEST_F(Notifications, Gridnotify_SubscribesTestsAndEnds_AndTheMailArrives) {
  Receiver mail{Receiver::Kind::mail};
  EXPECT_EQ(gridnotify({"--mail", "ada@example.org"}).end.exit_status, 2);
  EXPECT_EQ(gridnotify({"--jabber", "ada"}).end.exit_status, 2);
  EXPECT_EQ(gridnotify({"--severity", "low"}).end.exit_status, 2);
  EXPECT_EQ(gridnotify({"-u", "-m", "ada@example.org"}).end.exit_status, 3);
  const auto made = gridnotify({"-m", "ada@example.org", "-s", "high", "--quiet-hours", "22:00-07:00"});
  EXPECT_EQ(made.end.exit_status, 0) << made.output;
  EXPECT_THAT(gridnotify({"-l"}).output, AllOf(HasSubstr("ada@example.org"), HasSubstr("22:00-07:00 Europe/Paris")));
  EXPECT_EQ(gridnotify({"-l", "--style", "cigri"}).output, " - mail on ada@example.org with severity high\n");
  auto herald = process::Child::start({.arguments = {std::string{std::getenv("GLEANER_BIN_DIR")} + "/herald", "--database", database(),
                                                     "--mail_server", "smtp://127.0.0.1:" + mail.port(), "--mail_from", "grid@example.org"},
                                       .output = folder() / "herald.log"});
  ASSERT_TRUE(herald) << herald.error();
  const auto tested = gridnotify({"--test"});
  EXPECT_EQ(tested.end.exit_status, 0) << tested.output;
  EXPECT_THAT(tested.output, HasSubstr("mail ada@example.org: a test message was taken"));
  ASSERT_THAT(mail.taken(), SizeIs(1));
  EXPECT_EQ(mail.taken()[0].headers["subject"], "[gleaner] this is a test message of gridnotify: messages arrive here");
  EXPECT_EQ(gridnotify({"--test"}).end.exit_status, 4) << "once a minute";
  EXPECT_EQ(gridnotify({"-u", "-m", "ada@example.org"}).end.exit_status, 0);
  EXPECT_THAT(gridnotify({}).output, HasSubstr("Nobody is told anything"));
  EXPECT_TRUE(herald->stop(std::chrono::seconds{60}).succeeded());
}

}  // namespace
}  // namespace gleaner::tests
