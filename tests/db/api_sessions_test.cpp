// Sessions of browsers: how they begin and end, and what they may do.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <set>

#include "api/router.hpp"
#include "api/web_assets.hpp"
#include "lib/store/web_sessions.hpp"
#include "tests/db/api_fixture.hpp"

namespace gleaner::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kJson = "application/json";

class Sessions : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    if (api::web_assets().empty()) GTEST_SKIP() << "built without the page";
  }
  [[nodiscard]] std::string code_of(const std::string& user) const {
    const auto answer = as(user, {.method = "POST", .target = "/v1/session-codes"});
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.status == 201 ? answer.json["code"].GetString() : std::string{};
  }
  [[nodiscard]] ApiAnswer sign_in(const std::string& code, std::map<std::string, std::string> headers = {}) const {
    headers.emplace("Content-Type", kJson);
    return ask(port(),
               {.method = "POST", .target = "/session", .body = fmt::format(R"({{"code": "{}"}})", code), .headers = std::move(headers)});
  }
  /// The cookie of a session of this user, as a browser sends it.
  [[nodiscard]] std::string cookie_of(const std::string& user) const {
    const auto set = sign_in(code_of(user)).headers["set-cookie"];
    return set.substr(0, set.find(';'));
  }
  [[nodiscard]] ApiAnswer with_cookie(const std::string& cookie, ApiRequest request) const {
    request.headers["Cookie"] = cookie;
    return ask(port(), request);
  }
  [[nodiscard]] std::string user_of(const std::string& cookie) const {
    const auto answer = with_cookie(cookie, {.target = "/"});
    return answer.status == 200 ? answer.json["user"].GetString() : answer.code();
  }
};

TEST_F(Sessions, ACode_BeginsOneSession_OfWhoeverAskedForIt) {
  const auto code = code_of("alice");
  const auto begun = sign_in(code);
  ASSERT_EQ(begun.status, 201) << begun.body;
  EXPECT_STREQ(begun.json["user"].GetString(), "alice");
  const auto set = begun.headers.at("set-cookie");
  EXPECT_THAT(set, AllOf(HasSubstr("HttpOnly"), HasSubstr("SameSite=Strict"), Not(HasSubstr("Path")), Not(HasSubstr("Secure"))));
  EXPECT_EQ(user_of(set.substr(0, set.find(';'))), "alice");
  const auto again = sign_in(code);
  EXPECT_EQ(again.status, 401);
  EXPECT_THAT(again.message(), HasSubstr("gridstat --web"));
  EXPECT_EQ(again.headers.count("set-cookie"), 0U);
}

TEST_F(Sessions, SeeWhatTroublesTheGrid_AsEveryKnownUserDoes) {
  sql("UPDATE clusters SET reachable = false, unreachable_since = now() WHERE name = 'alpha'");
  const auto seen = with_cookie(cookie_of("alice"), {.target = "/health"});
  const auto by_command = as("alice", {.target = "/health"});
  EXPECT_STREQ(seen.json["troubles"][0]["message"].GetString(), "it does not answer") << seen.body;
  EXPECT_TRUE(seen.json["troubles"] == by_command.json["troubles"]) << seen.body;
  for (const auto* cookie : {"", "gleaner-session=of-nobody"})
    EXPECT_TRUE(with_cookie(cookie, {.target = "/health"}).json["troubles"][0]["message"].IsNull()) << cookie;
}

TEST_F(Sessions, BehindAProxyWithTls_TheCookieIsSecure) {
  EXPECT_THAT(sign_in(code_of("alice"), {{"X-Forwarded-Proto", "https"}}).headers["set-cookie"], HasSubstr("Secure"));
}

TEST_F(Sessions, ACodeThatIsTooOld_BeginsNone) {
  const auto code = code_of("alice");
  sql("UPDATE web_sessions SET expires_at = now() - interval '1 second'");
  EXPECT_EQ(sign_in(code).status, 401);
}

TEST_F(Sessions, WithoutItsSecret_TheDatabaseLetsNobodyIn) {
  const auto code = code_of("alice");
  const auto stored = sql("SELECT digest FROM web_sessions");
  EXPECT_NE(stored, code);
  EXPECT_EQ(sign_in(stored).status, 401);
  const auto cookie = cookie_of("bob");
  EXPECT_EQ(user_of("gleaner_session=" + sql("SELECT digest FROM web_sessions WHERE NOT is_code")), "unknown_caller");
  EXPECT_EQ(user_of(cookie), "bob");
}

TEST_F(Sessions, ASession_IsOverAfterItsTime_AndItsAnswerNamesTheCommandThatBeginsAnother) {
  const auto cookie = cookie_of("alice");
  sql("UPDATE web_sessions SET expires_at = now() - interval '1 second'");
  const auto answer = with_cookie(cookie, {.target = "/v1/summary", .headers = {{"Sec-Fetch-Site", "same-origin"}}});
  EXPECT_EQ(answer.status, 401);
  EXPECT_THAT(answer.message(), HasSubstr("gridstat --web"));
}

TEST_F(Sessions, ASession_LivesOnWhenTheApiStartsAgain) {
  const auto cookie = cookie_of("alice");
  restart_api();
  EXPECT_EQ(user_of(cookie), "alice");
}

TEST_F(Sessions, AreNotLookedUpForThePageItself_SoThatItIsThereWithoutTheDatabase) {
  const auto cookie = cookie_of("alice");
  sql("ALTER TABLE web_sessions RENAME TO out_of_reach");
  EXPECT_EQ(user_of(cookie), "unavailable");
  for (const auto* target : {"/ui/", "/health", "/openapi.json"}) EXPECT_EQ(with_cookie(cookie, {.target = target}).status, 200) << target;
}

TEST_F(Sessions, SignedOut_ABrowserEndsItsOwnSession_AndTheUserAllOfThem) {
  const auto first = cookie_of("alice"), second = cookie_of("alice"), others = cookie_of("bob");
  EXPECT_EQ(with_cookie(first, {.method = "DELETE", .target = "/session"}).status, 202);
  EXPECT_EQ(user_of(first), "unknown_caller");
  EXPECT_EQ(user_of(second), "alice");
  EXPECT_EQ(as("alice", {.method = "DELETE", .target = "/session"}).status, 202);
  EXPECT_EQ(user_of(second), "unknown_caller");
  EXPECT_EQ(user_of(others), "bob");
}

TEST_F(Sessions, OfOneUser_AreBounded_AndTheOldestEnds) {
  const auto first = cookie_of("alice"), others = cookie_of("bob");
  for (int i = 0; i < store::kMostSessionsOfUser; ++i) EXPECT_FALSE(code_of("alice").empty());
  EXPECT_EQ(user_of(first), "unknown_caller");
  EXPECT_EQ(user_of(others), "bob");
  EXPECT_EQ(sql("SELECT count(*) FROM web_sessions WHERE user_name = 'alice'"), std::to_string(store::kMostSessionsOfUser));
}

TEST_F(Sessions, WhatIsOver_IsDeletedByTheNextCodeOfAnybody) {
  EXPECT_FALSE(cookie_of("bob").empty());
  sql("UPDATE web_sessions SET expires_at = now() - interval '1 second'");
  EXPECT_FALSE(code_of("alice").empty());
  EXPECT_EQ(sql("SELECT count(*) FROM web_sessions"), "1");
}

/// The target of a route, about campaign 1.
std::string target_of(const api::Route& route) {
  std::string target{route.pattern};
  for (auto at = target.find(':'); at != std::string::npos; at = target.find(':'))
    target.replace(at, std::min(target.find('/', at), target.size()) - at, "1");
  return target;
}

TEST_F(Sessions, Attack_ChangingSomethingByASession_IsRefusedByEveryRoute_ButThoseOfThePage) {
  const auto cookie = cookie_of("boss");
  int acts = 0;
  for (const auto& route : api::all_routes()) {
    if (route.method == "GET" || route.pattern == api::kSessionPath) continue;
    const auto target = target_of(route);
    const auto answer = with_cookie(
        cookie,
        {.method = std::string{route.method}, .target = target, .headers = {{"Content-Type", kJson}, {"Sec-Fetch-Site", "same-origin"}}});
    if (route.in_page == api::InPage::act) ++acts;
    else if (route.in_page == api::InPage::ask) EXPECT_NE(answer.code(), "only_reads") << "what if: " << answer.body;
    else EXPECT_EQ(answer.code(), "only_reads") << route.method << " " << target << answer.body;
  }
  EXPECT_EQ(acts, 12) << "hold, resume, cancel, run again, fix, and those of administrators: whoever adds one adds its test";
  EXPECT_EQ(with_cookie(cookie, {.method = "POST", .target = "/v1/session-codes"}).code(), "only_reads") << "a session begets none";
}

TEST_F(Sessions, Attack_ActingFromElsewhere_IsRefused_ThoughTheBrowserSendsTheCookie) {
  const auto cookie = cookie_of("boss");
  static_cast<void>(a_campaign_of(1));
  const std::vector<std::map<std::string, std::string>> elsewhere{{},
                                                                  {{"Sec-Fetch-Site", "cross-site"}},
                                                                  {{"Sec-Fetch-Site", "same-site"}},
                                                                  {{"Sec-Fetch-Site", "none"}},
                                                                  {{"Sec-Fetch-Site", "cross-site"}, {"Origin", "http://grid"}},
                                                                  {{"Origin", "http://grid:3000"}},
                                                                  {{"Origin", "http://grid.example"}},
                                                                  {{"Origin", "null"}},
                                                                  {{"Origin", "://"}},
                                                                  {{"Origin", "grid"}}};
  for (const auto& route : api::all_routes()) {
    if (route.in_page == api::InPage::no) continue;
    for (const auto& headers : elsewhere) {
      const auto answer = with_cookie(cookie, {.method = std::string{route.method}, .target = target_of(route), .headers = headers});
      EXPECT_EQ(answer.code(), "only_reads") << target_of(route) << answer.body;
    }
  }
  EXPECT_EQ(sql("SELECT state FROM campaigns WHERE id = 1"), "in_treatment");
}

TEST_F(Sessions, FromThePage_ActAsTheirUser_AndAreInTheAudit) {
  const auto id = a_campaign_of(2);
  const auto act = [&](const std::string& user, const std::string& method, const std::string& what,
                       const std::string& header = "Sec-Fetch-Site", const std::string& value = "same-origin") {
    return with_cookie(cookie_of(user),
                       {.method = method, .target = fmt::format("/v1/campaigns/{}{}", id, what), .headers = {{header, value}}});
  };
  EXPECT_EQ(act("bob", "POST", "/hold").code(), "not_yours");
  EXPECT_EQ(act("alice", "POST", "/hold").status, 202);
  EXPECT_EQ(act("alice", "POST", "/hold").status, 409) << "two clicks act once";
  EXPECT_EQ(sql("SELECT actor || ' ' || origin FROM audit WHERE act = 'campaign paused'"), "alice web");
  EXPECT_EQ(act("boss", "POST", "/resume").status, 202) << "an administrator's session is one";
  EXPECT_EQ(act("alice", "DELETE", "?purge=1").code(), "only_reads");
  EXPECT_EQ(act("alice", "DELETE", "", "Origin", "http://grid").status, 202) << "plain http has no Sec-Fetch-Site";
  EXPECT_EQ(sql("SELECT state FROM campaigns"), "cancelled");
}

TEST_F(Sessions, Attack_ReadingOthersOutputs_IsRefusedToASessionAsToItsUser) {
  const auto id = a_campaign_of(1);
  EXPECT_EQ(with_cookie(cookie_of("bob"), {.target = fmt::format("/v1/campaigns/{}/outputs", id)}).code(), "not_yours");
}

TEST_F(Sessions, Attack_SigningAReaderInAsSomebodyElse_IsRefusedToOtherSites) {
  const auto code = code_of("bob");
  for (const auto* site : {"cross-site", "same-site"}) {
    const auto answer = sign_in(code, {{"Sec-Fetch-Site", site}});
    EXPECT_EQ(answer.code(), "not_yours") << site;
    EXPECT_EQ(answer.headers.count("set-cookie"), 0U);
  }
  EXPECT_EQ(sign_in(code, {{"Sec-Fetch-Site", "same-origin"}}).status, 201) << "a refused code is not used up";
}

TEST_F(Sessions, Attack_ABrowserAtAForwardedSocket_IsNotWhoTheKernelNames) {
  for (const std::map<std::string, std::string>& headers : {std::map<std::string, std::string>{{"Sec-Fetch-Site", "cross-site"}},
                                                            {{"Sec-Fetch-Mode", "cors"}},
                                                            {{"Origin", "http://evil.example"}}}) {
    const auto answer = ask(socket(), {.target = "/v1/campaigns", .headers = headers});
    EXPECT_EQ(answer.status, 401) << headers.begin()->first;
    EXPECT_THAT(answer.message(), HasSubstr("gridstat --web"));
  }
  EXPECT_EQ(ask_raw(socket(), "GET /v1/campaigns HTTP/1.1\r\nHost: evil.example:8080\r\nConnection: close\r\n\r\n").status, 401)
      << "a name that was made to lead to this machine";
}

TEST_F(Sessions, CommandsAtASocket_AreWhoTheKernelNames_AlsoByAForwardedPort) {
  for (const auto* host : {"localhost", "localhost:8080", "127.0.0.1:8080", "[::1]:8080", "gleaner"}) {
    const auto answer = ask_raw(socket(), fmt::format("GET /v1/campaigns HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", host));
    EXPECT_EQ(answer.status, 200) << host << answer.body;
  }
}

TEST_F(Sessions, CookiesOfOtherGridsAtTheSameHost_DoNoHarm) {
  const auto cookie = cookie_of("alice");
  EXPECT_EQ(user_of("theme=dark; gleaner_session=of-another-grid; " + cookie), "alice");
  EXPECT_EQ(user_of("gleaner_session=; gleaner_sessions=x; x" + cookie), "unknown_caller");
}

TEST_F(Sessions, ABodyThatIsNoCode_IsRefused_AndNothingOfItIsRepeated) {
  for (const auto* body : {"", "[]", "{}", R"({"code": 1})", R"({"secret-word": ""})", R"({"code": "a", "secret-word": "b"})"}) {
    const auto answer = ask(port(), {.method = "POST", .target = "/session", .body = body, .headers = {{"Content-Type", kJson}}});
    EXPECT_EQ(answer.status, 400) << body << answer.body;
    EXPECT_THAT(answer.body, Not(HasSubstr("secret-word")));
  }
}

}  // namespace
}  // namespace gleaner::tests
