// Single sign-on: a web server names the user of the page in a header, and nobody else does.
#include <gmock/gmock.h>
#include <openssl/ssl.h>
#include <pwd.h>
#include <unistd.h>

#include <fmt/format.h>

#include <array>
#include <memory>
#include <set>

#include "api/router.hpp"
#include "api/web_assets.hpp"
#include "lib/http/tls.hpp"
#include "tests/db/api_fixture.hpp"
#include "tests/unit/certificates.hpp"

namespace gleaner::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kHeader = "X-Gleaner-User";
using Headers = std::map<std::string, std::string>;

/// The user of this process is the web server's, on the unix socket.
class SignOn : public ApiTest {
 protected:
  static std::string own_name() { return ::getpwuid(::geteuid())->pw_name; }
  [[nodiscard]] process::Config configuration() const override {
    auto config = ApiTest::configuration();
    config.api_proxies = {"www-data", own_name()};
    return config;
  }
  void configure(api::ApiOptions& options) override { options.admin_group = "games"; }

  /// As the web server passes on what a browser asks.
  [[nodiscard]] ApiAnswer visit(const std::string& user, ApiRequest request) const {
    request.headers.emplace(kHeader, user);
    return ask(socket(), request);
  }
  [[nodiscard]] ApiAnswer act(const std::string& user, const std::string& target, Headers headers) const {
    return visit(user, {.method = "POST", .target = target, .headers = std::move(headers)});
  }
};

TEST_F(SignOn, TheWebServersHeader_NamesTheUser_WithoutASession) {
  for (const Headers& of_browser : {Headers{{"Sec-Fetch-Site", "same-origin"}}, Headers{{"Origin", "http://grid"}}, Headers{}}) {
    const auto answer = visit("alice", {.target = "/", .headers = of_browser});
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_STREQ(answer.json["user"].GetString(), "alice");
    EXPECT_FALSE(answer.json["administrator"].GetBool());
    EXPECT_FALSE(answer.json["session"].GetBool()) << "there is none to end";
  }
  EXPECT_EQ(sql("SELECT count(*) FROM web_sessions"), "0");
}

TEST_F(SignOn, AdministratorsAreThoseOfTheSocket_AndAnUnknownNameIsAUser) {
  const auto is_administrator = [&](const std::string& user) { return visit(user, {.target = "/"}).json["administrator"].GetBool(); };
  EXPECT_TRUE(is_administrator("games")) << "a member of the group of administrators";
  EXPECT_TRUE(is_administrator("root"));
  EXPECT_FALSE(is_administrator("daemon"));
  EXPECT_FALSE(is_administrator("boss")) << "who is one by a token";
  EXPECT_FALSE(is_administrator("nobody-has-this-name")) << "as the owner of a token whom this machine does not know";
}

TEST_F(SignOn, AWebServerThatNamesNobody_HasNoIdentity_ButPassesSessionsOn) {
  for (const Headers& headers : {Headers{}, Headers{{kHeader, ""}}, Headers{{"Host", "localhost"}}})
    EXPECT_EQ(ask(socket(), {.target = "/v1/campaigns", .headers = headers}).code(), "unknown_caller");
  if (api::web_assets().empty()) return;
  const auto code = as("bob", {.method = "POST", .target = "/v1/session-codes"});
  const auto body = fmt::format(R"({{"code": "{}"}})", code.json["code"].GetString());
  const auto begun =
      ask(socket(), {.method = "POST", .target = "/session", .body = body, .headers = {{"Content-Type", "application/json"}}});
  ASSERT_EQ(begun.status, 201) << begun.body;
  const auto set = begun.headers.at("set-cookie");
  const std::pair<std::string, std::string> cookie{"Cookie", set.substr(0, set.find(';'))};
  const auto by_session = ask(socket(), {.target = "/", .headers = {cookie, {kHeader, ""}}});
  EXPECT_STREQ(by_session.json["user"].GetString(), "bob");
  EXPECT_TRUE(by_session.json["session"].GetBool());
  EXPECT_STREQ(visit("alice", {.target = "/", .headers = {cookie}}).json["user"].GetString(), "alice") << "the login of now counts";
}

TEST_F(SignOn, Attack_ANameThatIsNone_IsNobody) {
  const auto ask_as = [&](std::string_view fields) {
    return ask_raw(socket(), fmt::format("GET / HTTP/1.1\r\nHost: grid\r\n{}Connection: close\r\n\r\n", fields));
  };
  EXPECT_EQ(ask_as("X-Gleaner-User: alice\r\n").status, 200);
  for (const auto* twice : {"X-Gleaner-User: alice\r\nX-Gleaner-User: alice\r\n", "X-Gleaner-User: alice\r\nx-gleaner-USER: root\r\n",
                            "X-Gleaner-User: \r\nX-Gleaner-User: root\r\n"})
    EXPECT_THAT(ask_as(twice).message(), HasSubstr("2 times")) << twice;
  using namespace std::string_view_literals;
  for (const auto name : {"alice, root"sv, "alice root"sv, "alice;root"sv, "../alice"sv, "-alice"sv, "al\tice"sv, "al\xc3\xa9"sv,
                          "\"root\""sv, "root/"sv, "nobody"sv, "unknown"sv, "null"sv, "(null)"sv, "%{REMOTE_USER}e"sv})
    EXPECT_EQ(ask_as(fmt::format("X-Gleaner-User: {}\r\n", name)).code(), "unknown_caller") << name;
  for (const auto control : {"\x01"sv, "\x1b"sv, "\x7f"sv, "\0"sv, "\r"sv, "\n"sv, "\r\n "sv}) {
    const auto answer = ask_as(fmt::format("X-Gleaner-User: ro{}ot\r\n", control));
    EXPECT_THAT(answer.status, testing::AnyOf(400, 401)) << answer.body;
  }
  EXPECT_EQ(visit(std::string(65, 'a'), {.target = "/"}).code(), "unknown_caller");
  EXPECT_EQ(ask_as("X_Gleaner_User: root\r\n").code(), "unknown_caller") << "another header, which a web server might pass on";
}

TEST_F(SignOn, Attack_ChangingSomething_IsAllowedToThePageAlone_AsToASession) {
  static_cast<void>(a_campaign_of(1));
  const std::vector<Headers> elsewhere{{},
                                       {{"Sec-Fetch-Site", "same-site"}},
                                       {{"Sec-Fetch-Site", "none"}},
                                       {{"Origin", "http://evil.example"}},
                                       {{"Origin", "http://grid:3000"}},
                                       {{"Origin", "null"}},
                                       {{"Sec-Fetch-Site", "same-site"}, {"Origin", "http://grid"}}};
  for (const auto& route : api::all_routes()) {
    if (route.method == "GET" || route.pattern == api::kSessionPath) continue;
    std::string target{route.pattern};
    for (auto at = target.find(':'); at != std::string::npos; at = target.find(':'))
      target.replace(at, std::min(target.find('/', at), target.size()) - at, "1");
    const auto change = [&](const Headers& headers) {
      return visit("games", {.method = std::string{route.method}, .target = target, .headers = headers});
    };
    for (const auto& headers : elsewhere) EXPECT_EQ(change(headers).code(), "only_reads") << route.method << " " << target;
    EXPECT_EQ(change({{"Sec-Fetch-Site", "cross-site"}}).code(), "unknown_caller") << target;
    if (route.in_page != api::InPage::no) continue;
    EXPECT_EQ(change({{"Sec-Fetch-Site", "same-origin"}, {"Content-Type", "application/json"}}).code(), "only_reads") << target;
  }
  EXPECT_EQ(sql("SELECT state FROM campaigns WHERE id = 1"), "in_treatment");
}

TEST_F(SignOn, ThePage_ActsForItsUser_AndTheAuditNamesTheWebServer) {
  const auto id = a_campaign_of(2);
  const auto hold = fmt::format("/v1/campaigns/{}/hold", id), resume = fmt::format("/v1/campaigns/{}/resume", id);
  const Headers of_page{{"Sec-Fetch-Site", "same-origin"}};
  EXPECT_EQ(act("bob", hold, of_page).code(), "not_yours");
  EXPECT_EQ(act("alice", hold, of_page).status, 202);
  EXPECT_EQ(sql("SELECT actor || ', ' || origin FROM audit WHERE act = 'campaign paused'"), "alice, web, named by " + own_name());
  EXPECT_EQ(act("games", resume, {{"Origin", "http://grid"}}).status, 202) << "an administrator, over plain http";
  const auto purge = visit("alice", {.method = "DELETE", .target = fmt::format("/v1/campaigns/{}?purge=1", id), .headers = of_page});
  EXPECT_EQ(purge.code(), "only_reads");
}

TEST_F(SignOn, Attack_APageOfAnotherSite_ReadsNothing_ThoughTheBrowserIsLoggedIn) {
  const auto answer = visit("alice", {.target = "/v1/events?after=now", .headers = {{"Sec-Fetch-Site", "cross-site"}}});
  EXPECT_EQ(answer.code(), "unknown_caller") << "a stream would take one of the user's places";
  if (api::web_assets().empty()) return;
  EXPECT_EQ(visit("alice", {.target = "/ui/", .headers = {{"Sec-Fetch-Site", "cross-site"}}}).status, 200) << "a link may lead to the page";
}

TEST_F(SignOn, Attack_NamingAUserToCiGrisRoutes_WhereThePageIsPassedOn_IsRefused) {
  const ApiRequest submission{.method = "POST", .target = "/cigri/campaigns", .body = "{}", .headers = {{"X-CIGRI-USER", "root"}}};
  EXPECT_EQ(visit("alice", submission).status, 403);
  EXPECT_EQ(ask(socket(), submission).status, 403) << "api_proxies are no api_cigri_proxies";
  EXPECT_EQ(ask(socket(), {.target = "/cigri/campaigns"}).status, 403) << "nor have they an identity of their own there";
}

/// No web server is trusted.
class NoSignOn : public ApiTest {};

TEST_F(NoSignOn, AHeaderFromNobodyIsNobody) {
  for (const auto* target : {"/", "/v1/campaigns", "/v1/summary", "/metrics"}) {
    const ApiRequest request{.target = target, .headers = {{kHeader, "root"}}};
    const auto at_socket = ask(socket(), request);
    EXPECT_EQ(at_socket.code(), "unknown_caller") << target;
    EXPECT_THAT(at_socket.message(), AllOf(HasSubstr("does not count"), HasSubstr("api_proxies")));
    EXPECT_EQ(ask(port(), request).code(), "unknown_caller") << target << ": TCP without a certificate";
    EXPECT_EQ(as("alice", request).code(), "unknown_caller") << target << ": a token is no web server's";
    EXPECT_EQ(as("apache", request).code(), "unknown_caller") << target << ": one of CiGri's proxies is none of the page";
  }
  EXPECT_EQ(ask(socket(), {.target = "/", .headers = {{kHeader, ""}}}).code(), "unknown_caller");
  EXPECT_EQ(as("alice", {.method = "POST", .target = "/v1/session-codes", .headers = {{kHeader, "root"}}}).code(), "unknown_caller");
  EXPECT_EQ(ask(socket(), {.target = "/health", .headers = {{kHeader, "root"}}}).status, 200) << "who asks does not matter";
}

/// A web server of another machine shows a certificate.
class SignOnOverTls : public ApiTest {
 protected:
  void configure(api::ApiOptions& options) override {
    const auto& certificates = Certificates::get();
    options.tls = certificates.server();
    options.tls->client_authority = certificates.file("ca.pem");
    options.tls->clients = http::TlsFiles::Clients::anybody;
    options.config.api_proxy_authority = certificates.file("ca.pem");
    options.config.api_proxy_subject = subject();
  }
  [[nodiscard]] virtual std::string subject() const { return "CN=client"; }

  struct Visitor {
    std::string certificate;  ///< empty: none
    http::TlsContext context{SSL_CTX_new(TLS_client_method())};
    std::unique_ptr<SSL_SESSION, decltype(&SSL_SESSION_free)> session{nullptr, SSL_SESSION_free};
    bool is_resumed = false;
  };
  /// The status line, the head and the body; empty: no connection.
  [[nodiscard]] std::string ask_over_tls(Visitor& visitor, const ApiRequest& request) const {
    const auto& files = Certificates::get();
    SSL_CTX_set_max_proto_version(visitor.context.get(), TLS1_2_VERSION);  // whose sessions are known after the handshake
    if (!visitor.certificate.empty()) {
      SSL_CTX_use_certificate_file(visitor.context.get(), files.file(visitor.certificate + ".pem").c_str(), SSL_FILETYPE_PEM);
      SSL_CTX_use_PrivateKey_file(visitor.context.get(), files.file(visitor.certificate + ".key").c_str(), SSL_FILETYPE_PEM);
    }
    const auto fd = connect_to(port());
    const http::TlsSession tls{SSL_new(visitor.context.get())};
    SSL_set_fd(tls.get(), fd.get());
    if (visitor.session) SSL_set_session(tls.get(), visitor.session.get());
    const auto bytes = text_of(request);
    if (SSL_connect(tls.get()) != 1 || SSL_write(tls.get(), bytes.data(), static_cast<int>(bytes.size())) <= 0) return {};
    visitor.is_resumed = SSL_session_reused(tls.get()) == 1;
    visitor.session.reset(SSL_get1_session(tls.get()));
    std::string answer;
    std::array<char, 16384> buffer{};
    for (int got = 0; (got = SSL_read(tls.get(), buffer.data(), buffer.size())) > 0;)
      answer.append(buffer.data(), static_cast<std::size_t>(got));
    SSL_shutdown(tls.get());  // otherwise the session would be thrown away
    return answer;
  }
  [[nodiscard]] std::string ask_as(const std::string& certificate, Headers headers) const {
    Visitor visitor{.certificate = certificate};
    return ask_over_tls(visitor, {.target = "/", .headers = std::move(headers)});
  }
};

TEST_F(SignOnOverTls, ACertificate_NamesUsers_AlsoInASessionOfTlsThatIsResumed) {
  Visitor web_server{.certificate = "client"};
  for (const bool is_resumed : {false, true}) {
    EXPECT_THAT(ask_over_tls(web_server, {.target = "/", .headers = {{kHeader, "alice"}}}), HasSubstr(R"("user":"alice")"));
    EXPECT_EQ(web_server.is_resumed, is_resumed);
  }
  EXPECT_THAT(ask_as("client", {}), HasSubstr("unknown_caller")) << "it has no identity of its own";
}

TEST_F(SignOnOverTls, WithoutACertificate_TokensCountAsEver_AndTheHeaderIsNobodys) {
  EXPECT_THAT(ask_as("", {token_header("alice")}), HasSubstr(R"("user":"alice")"));
  EXPECT_THAT(ask_as("", {{kHeader, "alice"}}), AllOf(HasSubstr("unknown_caller"), HasSubstr("api_proxy_subject")));
}

TEST_F(SignOnOverTls, Attack_ACertificateOfAnotherAuthority_GetsNoConnection) { EXPECT_EQ(ask_as("stranger", {{kHeader, "alice"}}), ""); }

class SignOnOfAnotherSubject : public SignOnOverTls {
 protected:
  [[nodiscard]] std::string subject() const override { return "CN=client2"; }
};

TEST_F(SignOnOfAnotherSubject, Attack_AnotherCertificateOfTheSameAuthority_NamesNobody) {
  EXPECT_THAT(ask_as("client", {{kHeader, "alice"}}), AllOf(HasSubstr("unknown_caller"), HasSubstr("CN=client")));
}

}  // namespace
}  // namespace gleaner::tests
