// The words of messages, and the places that they may go to.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <netdb.h>
#include <netinet/in.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "herald/delivery.hpp"
#include "herald/private_address.hpp"
#include "herald/wording.hpp"
#include "lib/text/destination.hpp"

namespace {

/// A name server that is silent.
struct Lookup {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_asked = false;
  bool is_released = false;
} lookup;

}  // namespace

/// In the place of the C library's, for libcurl.
extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
  if (name == nullptr || std::string_view{name} != "silent.invalid") {
    const auto real = reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    return real(name, service, hints, found);
  }
  std::unique_lock lock{lookup.mutex};
  lookup.is_asked = true;
  lookup.changed.wait(lock, [] { return lookup.is_released; });
  return EAI_FAIL;
}

namespace gleaner {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

bool is_public(const std::string& text) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) return herald::is_public(reinterpret_cast<const sockaddr*>(&v4), sizeof v4);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr), 1) << text;
  return herald::is_public(reinterpret_cast<const sockaddr*>(&v6), sizeof v6);
}

TEST(Herald, AddressesOfTheInternet_ArePublic_AndAllOthersAreNot) {
  for (const auto* address : {"1.1.1.1", "8.8.8.8", "193.55.1.1", "172.32.0.1", "172.15.255.255", "100.128.0.1", "2606:4700::1111",
                              "64:ff9b::808:808", "2002:808:808::1"})
    EXPECT_TRUE(is_public(address)) << address;
  for (const auto* address : {"127.0.0.1",
                              "127.1.2.3",
                              "10.0.0.1",
                              "172.16.0.1",
                              "172.31.255.255",
                              "192.168.1.1",
                              "169.254.169.254",
                              "100.64.0.1",
                              "0.0.0.0",
                              "224.0.0.1",
                              "255.255.255.255",
                              "198.18.0.1",
                              "::1",
                              "::",
                              "fe80::1",
                              "fd00::1",
                              "ff02::1",
                              "::ffff:127.0.0.1",
                              "::ffff:10.0.0.1",
                              "64:ff9b::7f00:1",
                              "2002:7f00:1::",
                              "2001:db8::1",
                              "2001:0:1::1",
                              "::127.0.0.1"})
    EXPECT_FALSE(is_public(address)) << address;
}

TEST(Herald, MailAddresses_HaveNothingThatAHeaderOrAProgramCouldMistake) {
  for (const auto* right : {"ada@example.org", "a.b+grid@sub.example.org", "root@localhost", "o'neil@example.org"})
    EXPECT_TRUE(text::is_mail_address(right)) << right;
  for (const auto* wrong : {"", "ada", "@example.org", "ada@", "-oQ/tmp@example.org", "a b@example.org", "a@b@c",
                            "ada@example.org\nBcc: eve@x.org", "ada@example.org,eve@x.org", "\"a b\"@example.org", "a..b@example.org",
                            "ada@-x.org", "ada@example..org", "ad\xC3\xA9@example.org", "<ada@example.org>", "ada@[127.0.0.1]"})
    EXPECT_FALSE(text::is_mail_address(wrong)) << wrong;
  EXPECT_FALSE(text::is_mail_address(std::string(65, 'a') + "@example.org"));
}

TEST(Herald, WebAddresses_AreReadWithTheirHostAndPort_AndNothingIsHiddenInThem) {
  const auto host = [](const std::string& url) {
    const auto read = text::web_address(url);
    return read ? read->host + " " + std::to_string(read->port) : std::string{"no"};
  };
  EXPECT_EQ(host("https://Hooks.Example.org/services/x?y=1"), "hooks.example.org 443");
  EXPECT_EQ(host("http://h:8080"), "h 8080");
  EXPECT_EQ(host("https://[2001:DB8::1]:8443/x"), "2001:db8::1 8443");
  for (const auto* wrong :
       {"ftp://h/", "https://", "https://user@h/", "https://h/#x", "https://h h/", "https://h:0/", "https://h:70000/", "https://a..b/",
        "https://h\r\nX: y/", "https://h/\xC3\xA9", "file:///etc/passwd", "https:///x", "https://h\\@evil/", "HTTPS://h/"})
    EXPECT_EQ(host(wrong), "no") << wrong;
}

TEST(Herald, OnlyListedHosts_AreListed) {
  const std::vector<std::string> hosts{"hooks.example.org", "chat.example.org:8443", "*.slack.com"};
  const auto is_listed = [&](const std::string& url) { return text::is_listed(*text::web_address(url), hosts); };
  EXPECT_TRUE(is_listed("https://hooks.example.org/x"));
  EXPECT_TRUE(is_listed("https://chat.example.org:8443/x"));
  EXPECT_TRUE(is_listed("https://hooks.slack.com/x"));
  EXPECT_FALSE(is_listed("https://hooks.example.org:22/x"));
  EXPECT_FALSE(is_listed("https://chat.example.org/x"));
  EXPECT_FALSE(is_listed("https://evilslack.com/x"));
  EXPECT_FALSE(is_listed("https://slack.com/x"));
  EXPECT_FALSE(is_listed("https://hooks.example.org.evil.com/x"));
  EXPECT_FALSE(text::is_listed(*text::web_address("https://any.org/"), {}));
  for (const auto* right : {"example.org", "*.example.org", "h:1", "[::1]:80", "127.0.0.1"})
    EXPECT_TRUE(text::is_host_entry(right)) << right;
  for (const auto* wrong : {"", "*", "https://h", "h:", "h:x", "a b", "*example.org"}) EXPECT_FALSE(text::is_host_entry(wrong)) << wrong;
}

TEST(Herald, ASignature_IsTheHmacOfTimeAndBody) {
  // printf '1.{}' | openssl dgst -sha256 -hmac key
  EXPECT_EQ(herald::signature("key", 1, "{}"), "t=1,v1=1ba6b8171186efc613e8bcc0cbdab2748f24984d7c5a84faa2637afa0e40d224");
}

TEST(Herald, AMail_IsSevenBits_OfShortLines_WithoutALoneDot) {
  herald::Content content{.uid = "6a-b", .grid = "gleaner"};
  content.campaign = herald::CampaignFacts{.id = 3, .user = "ada", .name = "l\xC3\xA9 \xFF\r\nBcc: eve", .state = "paused", .total = 5};
  content.lines.push_back({.code = "MAX_FAILS", .campaign = 3, .message = ".\n.\nFrom here " + std::string(2000, '=')});
  const auto mail = herald::mail(content, "grid@example.org", "ada@example.org", grid::from_unix(1'800'000'000));
  EXPECT_THAT(mail, AllOf(HasSubstr("Date: Fri, 15 Jan 2027 08:00:00 +0000\r\n"), HasSubstr("Message-ID: <6a-b@example.org>\r\n"),
                          HasSubstr("Subject: [gleaner] campaign 3 is paused: more tasks failed than it allows\r\n"),
                          Not(HasSubstr("\r\nBcc")), Not(HasSubstr("\r\n.")), HasSubstr("gridsub --resume 3")));
  for (std::size_t at = 0; at < mail.size();) {
    const auto end = mail.find("\r\n", at);
    ASSERT_NE(end, std::string::npos);
    const auto line = mail.substr(at, end - at);
    EXPECT_LE(line.size(), 76U);
    for (const char c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
    at = end + 2;
  }
}

/// A message waits for the ones before it, and meanwhile the campaign's user appends tasks, or resumes it.
TEST(Herald, ACampaignThatGoesOnWhenTheMessageIsMade_IsNotSaidToBeOverOrPaused) {
  herald::Content content{.uid = "x", .grid = "g"};
  content.campaign = herald::CampaignFacts{.id = 3, .user = "ada", .name = "c", .state = "terminated", .total = 2, .done = 2};
  content.lines.push_back({.code = "CAMPAIGN_TERMINATED", .campaign = 3});
  EXPECT_EQ(herald::subject(content), "[g] campaign 3 is over: 2 of 2 tasks done");
  content.campaign->state = "in_treatment";
  content.campaign->total = 5;
  content.campaign->waiting = 3;
  EXPECT_EQ(herald::subject(content), "[g] campaign 3 was over, and has tasks again: 2 of 5 tasks done, 3 waiting");
  content.lines[0].code = "MAX_FAILS";
  EXPECT_EQ(herald::subject(content), "[g] campaign 3 was paused: more tasks failed than it allowed");
  EXPECT_THAT(herald::plain_text(content), Not(HasSubstr("gridsub --resume")));
}

TEST(Herald, AnEventThatNobodyDescribed_IsReportedByItsCode_WithTheCommandThatShowsIt) {
  herald::Content content{.uid = "x", .grid = "g"};
  content.lines.push_back({.code = "SOMETHING_NEW", .cluster = "alpha", .event = 7});
  EXPECT_EQ(herald::subject(content), "[g] SOMETHING_NEW on alpha");
  EXPECT_THAT(herald::plain_text(content), HasSubstr("gridevents -e 7"));
}

TEST(Herald, AWebhookWhoseNameIsNeverFound_HoldsUpNoOther) {
  process::Config config;
  config.herald_time_limit = process::Duration{300};
  config.webhook_hosts = {"silent.invalid"};
  herald::Deliveries deliveries{config, {}};
  store::OutgoingMessage message;
  message.id = 1;
  message.uid = "a";
  message.user = "alice";
  message.channel = "webhook";
  message.address = "http://silent.invalid/a";
  message.form = "json";
  message.content = R"({"id": "a", "grid": "g", "events": []})";
  deliveries.begin(message);
  bool is_ended = false;
  std::thread later{[&] {
    std::unique_lock lock{lookup.mutex};
    lookup.changed.wait_for(lock, std::chrono::seconds{20}, [&] { return is_ended; });
    lookup.is_released = true;
    lookup.changed.notify_all();
  }};
  std::vector<herald::Delivered> ended;
  while (ended.empty()) ended = deliveries.wait(process::Duration{100}, -1);
  {
    const std::lock_guard lock{lookup.mutex};
    EXPECT_TRUE(lookup.is_asked) << ended[0].error;
    EXPECT_FALSE(lookup.is_released) << "the attempt waited for the name";
    is_ended = true;
    lookup.changed.notify_all();
  }
  later.join();
  EXPECT_EQ(ended[0].outcome, herald::Delivered::Outcome::again);
}

}  // namespace
}  // namespace gleaner
