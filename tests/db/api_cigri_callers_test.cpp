// Permissions of callers on CiGri's routes.
#include <gmock/gmock.h>
#include <pwd.h>
#include <unistd.h>

#include <string>

#include "tests/db/api_fixture.hpp"

namespace gleaner::tests {
namespace {

using testing::HasSubstr;

std::string own_name() { return ::getpwuid(::geteuid())->pw_name; }

constexpr auto kOneTask = R"({"name": "t", "nb_jobs": 1, "clusters": {"alpha": {"exec_file": "run", "type": "best-effort"}}})";
constexpr auto kForm = "application/x-www-form-urlencoded";

class CigriCallers : public ApiTest {
 protected:
  void TearDown() override {
    // Whatever was tried, nobody has a campaign but those who could.
    EXPECT_EQ(sql("SELECT count(*) FROM campaigns WHERE user_name NOT IN ('alice', 'bob')"), "0");
    ApiTest::TearDown();
  }

  [[nodiscard]] static ApiRequest submission(const std::string& named) {
    ApiRequest request{.method = "POST", .target = "/cigri/campaigns", .body = kOneTask, .headers = {{"Content-Type", "application/json"}}};
    if (!named.empty()) request.headers["X-CIGRI-USER"] = named;
    return request;
  }
  [[nodiscard]] std::string last_user() const { return sql("SELECT user_name FROM campaigns ORDER BY id DESC LIMIT 1"); }
};

TEST_F(CigriCallers, ProxyActsForTheUserWhomItNames_OnTheseRoutesAlone) {
  ASSERT_EQ(as("apache", submission("alice")).status, 201);
  EXPECT_EQ(last_user(), "alice");
  ASSERT_EQ(as("apache", submission("bob")).status, 201);
  EXPECT_EQ(last_user(), "bob");
  EXPECT_STREQ(as("apache", {.target = "/", .headers = {{"X-CIGRI-USER", "alice"}}}).json["user"].GetString(), "apache");
  EXPECT_EQ(as("apache", {.method = "DELETE", .target = "/v1/campaigns/1", .headers = {{"X-CIGRI-USER", "alice"}}}).status, 403);
}

TEST_F(CigriCallers, AuditHasTheProxy_BesideTheUserWhomItNames) {
  ASSERT_EQ(as("apache", submission("alice")).status, 201);
  ASSERT_EQ(as("bob", submission("")).status, 201);
  EXPECT_EQ(sql("SELECT string_agg(actor || ' from ' || origin, '; ' ORDER BY id) FROM audit WHERE act = 'campaign submitted'"),
            "alice from 127.0.0.1, named by apache; bob from 127.0.0.1");
}

TEST_F(CigriCallers, NobodyElseMayNameAnother) {
  for (const auto* other : {"alice", "boss", "root"}) {
    const auto answer = as("bob", submission(other));
    EXPECT_EQ(answer.status, 403) << other;
    EXPECT_THAT(answer.message(), HasSubstr("api_cigri_proxies"));
  }
  EXPECT_EQ(as("boss", submission("alice")).status, 403) << "an administrator is no proxy";
  EXPECT_EQ(ask(port(), submission("alice")).status, 403) << "no token";
  EXPECT_EQ(ask(socket(), submission("alice")).status, 403) << "a user of the socket who is no proxy";
  auto wrong = submission("alice");
  wrong.headers["Authorization"] = "Bearer apache-token-0123456788";
  EXPECT_EQ(ask(port(), wrong).status, 403);
  EXPECT_EQ(sql("SELECT count(*) FROM campaigns"), "0");
  ASSERT_EQ(as("bob", submission("")).status, 201) << "a user's own token";
  EXPECT_EQ(last_user(), "bob");
}

TEST_F(CigriCallers, NamedAdministrator_IsOneByTheConfigurationAlone) {
  ASSERT_EQ(as("apache", submission("alice")).status, 201);
  for (const auto* name : {"root", "boss", "apache"})
    EXPECT_EQ(as("apache", {.method = "DELETE", .target = "/cigri/campaigns/1", .headers = {{"X-CIGRI-USER", name}}}).status, 403) << name;
  EXPECT_EQ(as("boss", {.method = "DELETE", .target = "/cigri/campaigns/1"}).status, 202) << "by a token of an administrator";
}

TEST_F(CigriCallers, WithoutAName_NothingIsRead) {
  for (const auto* target :
       {"/cigri", "/cigri/campaigns", "/cigri/clusters", "/cigri/events", "/cigri/gridusage", "/cigri/jobs/1/stdout"}) {
    EXPECT_EQ(as("apache", {.target = target}).status, 403) << target;
    EXPECT_EQ(ask(port(), {.target = target}).status, 403) << target;
  }
  EXPECT_STREQ(as("apache", {.target = "/cigri/campaigns"}).json["message"].GetString(), "Access denied: not authenticated");
}

TEST_F(CigriCallers, MethodOfAForm_GivesNobodyMoreRights) {
  ASSERT_EQ(as("apache", submission("alice")).status, 201);
  const auto by = [&](const std::string& user, const std::string& method, const std::string& target, const std::string& body) {
    ApiRequest request{.method = method, .target = target, .body = body, .headers = {{"Content-Type", kForm}}};
    request.headers["X-CIGRI-USER"] = user;
    return as("apache", request).status;
  };
  EXPECT_EQ(by("bob", "POST", "/cigri/campaigns/1", "_method=delete"), 403);
  EXPECT_EQ(by("", "POST", "/cigri/campaigns/1", "_method=delete"), 403);
  EXPECT_EQ(by("alice", "POST", "/cigri/campaigns/1?_method=delete", ""), 405) << "in the address";
  EXPECT_EQ(by("alice", "POST", "/cigri/campaigns/1", "_method=TRACE"), 400);
  EXPECT_EQ(by("alice", "POST", "/cigri/campaigns/1", "_method=delete&hold=1&purge=1"), 400) << "two acts";
  EXPECT_EQ(by("alice", "POST", "/cigri/campaigns/1", "_method=delete&what=1"), 400) << "an unknown key";
  EXPECT_EQ(by("alice", "GET", "/cigri/campaigns/1?_method=delete", ""), 400);
  EXPECT_EQ(sql("SELECT state FROM campaigns"), "in_treatment");
  EXPECT_EQ(by("alice", "DELETE", "/cigri/campaigns/1?hold=0", ""), 202) << "CiGri did not read the value";
  EXPECT_EQ(sql("SELECT state FROM campaigns"), "paused");
}

TEST_F(CigriCallers, PageOfAnotherSite_ChangesNothing) {
  ASSERT_EQ(as("apache", submission("alice")).status, 201);
  ApiRequest form{.method = "POST", .target = "/cigri/campaigns/1", .body = "_method=delete", .headers = {{"Content-Type", kForm}}};
  form.headers["X-CIGRI-USER"] = "alice";
  form.headers["Origin"] = "http://evil.org";
  EXPECT_EQ(as("apache", form).status, 403);
  auto text = form;
  text.headers.erase("Origin");
  text.headers["Content-Type"] = "text/plain";
  EXPECT_EQ(as("apache", text).status, 415) << "pages may send that type without being asked";
  EXPECT_EQ(sql("SELECT state FROM campaigns"), "in_treatment");
  form.headers["Origin"] = "http://grid";
  EXPECT_EQ(as("apache", form).status, 202);
}

TEST_F(CigriCallers, PartsOfAPath_StayParts) {
  ASSERT_EQ(as("apache", submission("alice")).status, 201);
  const auto of_alice = [&](const std::string& target) {
    return as("apache", {.target = target, .headers = {{"X-CIGRI-USER", "alice"}}}).status;
  };
  EXPECT_EQ(of_alice("/cigri/campaigns/1%2Fjobs"), 404);
  EXPECT_EQ(of_alice("/cigri/campaigns/1%3Fall=1"), 404);
  EXPECT_EQ(of_alice("/cigri/campaigns/..%2Fhealth"), 404);
  EXPECT_EQ(of_alice("/cigri/../campaigns"), 404);
  EXPECT_EQ(of_alice("/cigri/scenario"), 404) << "a route of ours alone";
  EXPECT_EQ(of_alice("/cigri/campaigns/1/jobs.csv"), 404);
  EXPECT_EQ(of_alice("/cigris/campaigns"), 404);
}

/// The user of this process is a proxy on the socket.
class CigriSocket : public CigriCallers {
 protected:
  [[nodiscard]] process::Config configuration() const override {
    auto config = ApiTest::configuration();
    config.api_cigri_proxies = {own_name()};
    return config;
  }
};

TEST_F(CigriSocket, ProxyOfTheSocket_NamesUsers_AndIsNobodyItself) {
  ASSERT_EQ(ask(socket(), submission("alice")).status, 201);
  EXPECT_EQ(last_user(), "alice");
  for (const auto* nobody : {"", "unknown", "(null)", "alice, root"}) EXPECT_EQ(ask(socket(), submission(nobody)).status, 403) << nobody;
  ASSERT_EQ(ask(socket(), submission("bob")).status, 201);
  EXPECT_EQ(ask(socket(), {.method = "DELETE", .target = "/cigri/campaigns/1", .headers = {{"X-CIGRI-USER", "bob"}}}).status, 403)
      << "the proxy itself is an administrator";
}

TEST_F(CigriSocket, TwoNames_AreRefused) {
  auto twice = submission("alice");
  twice.headers["x-cigri-user"] = "bob";
  EXPECT_EQ(ask(socket(), twice).status, 403);
  EXPECT_EQ(sql("SELECT count(*) FROM campaigns"), "0");
}

/// Everybody may read, and the path is another one.
class CigriPublic : public CigriCallers {
 protected:
  [[nodiscard]] process::Config configuration() const override {
    auto config = ApiTest::configuration();
    config.api_cigri_public = true;
    config.api_cigri_path = "/cigri-api";
    return config;
  }
};

TEST_F(CigriPublic, PublicReading_ShowsNoOutputs_AndChangesNothing) {
  auto request = submission("alice");
  request.target = "/cigri-api/campaigns";
  ASSERT_EQ(as("apache", request).status, 201);
  for (const auto* target : {"/cigri-api", "/cigri-api/campaigns", "/cigri-api/campaigns/1", "/cigri-api/campaigns/1/jobs",
                             "/cigri-api/campaigns/1/jdl", "/cigri-api/clusters", "/cigri-api/gridusage"})
    EXPECT_EQ(ask(port(), {.target = target}).status, 200) << target;
  for (const auto* target : {"/cigri-api/jobs/1/stdout", "/cigri-api/jobs/1/cinfos", "/cigri-api/notifications", "/cigri-api/tokens"})
    EXPECT_EQ(ask(port(), {.target = target}).status, 403) << target;
  EXPECT_EQ(ask(port(), {.method = "DELETE", .target = "/cigri-api/campaigns/1"}).status, 403);
  EXPECT_EQ(ask(port(), {.target = "/v1/campaigns"}).status, 401) << "our own routes";
  EXPECT_EQ(ask(port(), {.target = "/cigri/campaigns"}).status, 404) << "the usual path";
}

/// There is no such API.
class CigriOff : public CigriCallers {
 protected:
  [[nodiscard]] process::Config configuration() const override {
    auto config = ApiTest::configuration();
    config.api_cigri_path = "";
    return config;
  }
};

TEST_F(CigriOff, NothingIsThere) { EXPECT_EQ(as("apache", submission("alice")).status, 404); }

}  // namespace
}  // namespace gleaner::tests
