#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <rapidjson/document.h>

#include "api/cigri/body.hpp"
#include "api/cigri/caller.hpp"
#include "api/cigri/gate.hpp"
#include "api/cigri/words.hpp"
#include "lib/grid/states.hpp"
#include "lib/process/options.hpp"
#include "lib/text/percent.hpp"

/// CiGri's words, and the forms and callers of its requests.
namespace gleaner::api::cigri {
namespace {

TEST(CigriWords, EachStateOfAJob_HasOneOfCiGris) {
  const std::map<grid::JobState, std::string_view> expected{
      {grid::JobState::planned, "to_launch"},     {grid::JobState::launching, "launching"},
      {grid::JobState::unknown, "launching"},     {grid::JobState::remote_waiting, "remote_waiting"},
      {grid::JobState::pooled, "batch_waiting"},  {grid::JobState::running, "running"},
      {grid::JobState::terminated, "terminated"}, {grid::JobState::error, "event"},
      {grid::JobState::killed, "event"}};
  for (const auto& [state, word] : expected) EXPECT_EQ(job_state(grid::name_of(state), ""), word);
  EXPECT_EQ(job_state("terminated", "done"), "terminated");
  EXPECT_EQ(job_state("terminated", "task_error"), "event") << "as its failed task";
}

TEST(CigriWords, ATask_HasTheStateOfItsJob_OrWaitsForOne) {
  EXPECT_EQ(task_state("waiting", ""), "pending");
  EXPECT_EQ(task_state("waiting", "error"), "pending") << "it runs again";
  EXPECT_EQ(task_state("launching", "planned"), "to_launch");
  EXPECT_EQ(task_state("launching", "launching"), "launching");
  EXPECT_EQ(task_state("submitted", "remote_waiting"), "remote_waiting");
  EXPECT_EQ(task_state("submitted", "pooled"), "batch_waiting");
  EXPECT_EQ(task_state("running", "running"), "running");
  EXPECT_EQ(task_state("done", "terminated"), "terminated");
  EXPECT_EQ(task_state("failed", "terminated"), "event") << "its job ended, with an error";
  EXPECT_EQ(task_state("cancelled", ""), "event");
}

TEST(CigriWords, Dates_AreThoseOfItsDatabase) { EXPECT_EQ(date("2026-11-20T18:14:56Z"), "2026-11-20 18:14:56+00"); }

TEST(CigriWords, ReturnCodes_AreWaitStatuses) {
  EXPECT_EQ(return_code(0), 0);
  EXPECT_EQ(return_code(1), 256);
  EXPECT_EQ(return_code(66), 16896);
}

TEST(CigriWords, EventsThatMeanTheSame_HaveItsCodes_OthersOurs) {
  EXPECT_EQ(event_code("TASK_ERROR"), "EXIT_ERROR");
  EXPECT_EQ(event_code("BLACKLISTED"), "CLUSTER_MANUALLY_DISABLED");
  EXPECT_EQ(event_code("WALLTIME"), "WALLTIME");
  EXPECT_EQ(event_class("grid"), "log");
  EXPECT_EQ(event_class("job"), "job");
}

TEST(CigriWords, Hosts_AreThoseOfUrls) {
  EXPECT_EQ(host_of("https://alpha.grid:6669/oarapi"), "alpha.grid");
  EXPECT_EQ(host_of("http://me@alpha/x"), "alpha");
  EXPECT_EQ(host_of("http://[::1]:80/x"), "[::1]");
  EXPECT_EQ(host_of("alpha"), "");
}

TEST(CigriLinks, BeginWithThePrefix) {
  EXPECT_EQ(href("", "/campaigns/1"), "/campaigns/1");
  for (const auto* prefix : {"cigri-api", "/cigri-api", "/cigri-api/"}) EXPECT_EQ(href(prefix, "/campaigns/1"), "/cigri-api/campaigns/1");
  EXPECT_EQ(href("a/b", "/"), "/a/b/");
}

TEST(CigriLinks, PrefixThatWouldLeadElsewhere_IsNone) {
  for (const auto* good : {"", "/", "cigri", "/a/b-c_d.e~f/"}) EXPECT_TRUE(is_prefix(good)) << good;
  for (const auto* bad : {"//evil.org", "/a//b", "a//", "..", "/a/../b", ".", "http://evil.org", "a b", "a%2f", "a\r\nX: y", "a\"b",
                          "\\evil", "a?b", "a#b", "<b>"})
    EXPECT_FALSE(is_prefix(bad)) << bad;
  EXPECT_FALSE(is_prefix(std::string(300, 'a')));
}

RC_GTEST_PROP(CigriLinks, WithAnyGoodPrefix_StayOnThisServer, ()) {
  const auto prefix = *rc::gen::container<std::string>(rc::gen::elementOf(std::string{"abc1-_~./:?#%@\\\"\r\n "}));
  if (!is_prefix(prefix)) return;
  const auto link = href(prefix, "/campaigns");
  RC_ASSERT(link.starts_with('/'));
  RC_ASSERT(link.find("//") == std::string::npos);
  RC_ASSERT(link.find_first_of("\r\n\"<> \\?#:%@") == std::string::npos);
}

/// A body that arrives in pieces.
class Dripping final : public http::Body {
 public:
  Dripping(std::string text, std::size_t piece) : text_{std::move(text)}, piece_{piece} {}
  [[nodiscard]] tl::expected<std::size_t, http::BodyError> read(std::span<char> into) override {
    const auto size = std::min({into.size(), piece_, text_.size() - read_});
    std::copy_n(text_.data() + read_, size, into.data());
    read_ += size;
    return size;
  }

 private:
  std::string text_;
  std::size_t piece_;
  std::size_t read_ = 0;
};

constexpr std::string_view kForm{"application/x-www-form-urlencoded"};

struct Sent {
  std::string text;
  std::string_view type = kForm;
  std::string_view method = "POST";
  std::size_t piece = 1000;
};

/// The request as it is received: method, query and body.
struct Got {
  unsigned status = 200;  ///< of the answer, if there is one
  std::string method;
  http::Query query;
  std::string body;
};

Got received(const Sent& sent) {
  Dripping body{sent.text, sent.piece};
  http::Request request{
      .method = std::string{sent.method}, .target = {}, .path = {}, .query = {}, .headers = {}, .peer = {}, .body = &body};
  request.headers.add("content-type", std::string{sent.type});
  const auto got = receive(request);
  if (!got) return {.status = got.error().status, .method = {}, .query = {}, .body = {}};
  auto& rest = got->body ? *got->body : *request.body;
  return {.method = got->method, .query = got->query, .body = rest.read_all(1'000'000).value_or("?")};
}

TEST(CigriForms, Fields_BecomeMembersOfJson) {
  const auto got = received({.text = "name=a+%22b%22&state=paused"});
  EXPECT_EQ(got.method, "POST");
  EXPECT_EQ(got.body, R"({"name":"a \"b\"","state":"paused"})");
}

TEST(CigriForms, JsonUnderTheTypeOfForms_AsCurlSendsIt_IsJson) {
  const std::string jdl = R"(  {"name": "_method=DELETE&x", "n": [1, 2]})";
  for (const auto piece : {std::size_t{1}, std::size_t{3}, std::size_t{1000}}) EXPECT_EQ(received({.text = jdl, .piece = piece}).body, jdl);
  EXPECT_EQ(received({.text = "[\"1\"]"}).body, "[\"1\"]");
  EXPECT_EQ(received({.text = jdl}).method, "POST");
}

TEST(CigriForms, Method_IsTakenFromThePostOfAFormAlone) {
  const auto held = received({.text = "_method=delete&hold=1"});
  EXPECT_EQ(held.method, "DELETE");
  EXPECT_EQ(held.query, (http::Query{{"hold", "1"}}));
  EXPECT_EQ(held.body, "");
  const auto edited = received({.text = "_method=put&state=paused"});
  EXPECT_EQ(edited.method, "PUT");
  EXPECT_EQ(edited.body, R"({"state":"paused"})");
  EXPECT_EQ(received({.text = "_method=delete", .method = "GET"}).method, "GET");
  EXPECT_EQ(received({.text = R"({"_method": "delete"})", .type = "application/json"}).method, "POST");
  EXPECT_EQ(received({.text = "_method=delete", .method = "PUT"}).status, 400U);
  EXPECT_EQ(received({.text = "_method=TRACE"}).status, 400U);
  EXPECT_EQ(received({.text = "_method=delete&_method=put"}).status, 400U);
}

TEST(CigriForms, OtherTypes_AndLongForms_AreRefused) {
  for (const auto* type : {"text/plain", "multipart/form-data; boundary=x", "application/xml"})
    EXPECT_EQ(received({.text = "{}", .type = type}).status, 415U) << type;
  EXPECT_EQ(received({.text = "a=" + std::string(kLongestForm, 'x')}).status, 413U);
  EXPECT_EQ(received({.text = std::string(kLongestForm + 10, ' ')}).status, 413U);
  EXPECT_EQ(received({.text = "{}", .type = "application/json; charset=utf-8"}).body, "{}");
}

RC_GTEST_PROP(CigriForms, AnyFields_ComeBackAsMembers, (const std::map<std::string, std::string>& fields)) {
  RC_PRE(!fields.contains("_method"));
  std::string text;
  for (const auto& [name, value] : fields)
    text += (text.empty() ? "" : "&") + text::percent_encoded(name) + "=" + text::percent_encoded(value);
  const auto got = received({.text = text, .piece = *rc::gen::inRange<std::size_t>(1, 20)});
  RC_ASSERT(got.status == 200U);
  rapidjson::Document json;
  json.Parse(got.body.data(), got.body.size());
  RC_ASSERT(json.IsObject());
  std::map<std::string, std::string> members;
  for (const auto& one : json.GetObject())
    members.emplace(std::string{one.name.GetString(), one.name.GetStringLength()},
                    std::string{one.value.GetString(), one.value.GetStringLength()});
  RC_ASSERT(members == fields);
}

RC_GTEST_PROP(CigriForms, AnyBytes_AreReadWithoutHarm_AndChangeTheMethodOnlyByName, (const std::string& text)) {
  const auto got = received({.text = text, .piece = *rc::gen::inRange<std::size_t>(1, 20)});
  RC_ASSERT(got.status != 200U || got.method == "POST" || text.find("_method") != std::string::npos || text.find('%') != std::string::npos);
}

/// A request over TCP, or, with a name, of that user of the unix socket.
http::Request request_of(const std::vector<std::pair<std::string, std::string>>& headers, const std::string& process = {}) {
  http::Request request{.method = "POST", .target = {}, .path = {}, .query = {}, .headers = {}, .peer = {}, .body = nullptr};
  for (const auto& [name, value] : headers) request.headers.add(name, value);
  if (!process.empty()) request.peer.process = http::Peer::Process{.uid = 1000, .gid = 1000, .pid = 1, .user = process};
  return request;
}

process::Config with_proxies() {
  auto config = process::default_config();
  config.api_cigri_proxies = {"www-data"};
  config.api_cigri_admins = {"root"};
  return config;
}

/// The name of the caller; `-` before it: an administrator; `?`: the request is refused.
std::string caller_name(const http::Request& request, const std::optional<Caller>& peer) {
  const auto caller = caller_of(request, peer, with_proxies());
  if (!caller) return "?";
  return (caller->role == Role::administrator ? "-" : "") + caller->user;
}

TEST(CigriCallers, ProxyAlone_NamesOthers) {
  const auto alice = request_of({{"x-cigri-user", "alice"}}, "www-data");
  EXPECT_EQ(caller_name(alice, Caller{"www-data"}), "alice");
  EXPECT_EQ(caller_name(request_of({{"X-CIGRI-USER", "alice"}}), Caller{"apache", Role::proxy}), "alice");
  EXPECT_EQ(caller_name(request_of({{"X-CIGRI-USER", "alice"}}), Caller{"bob"}), "?");
  EXPECT_EQ(caller_name(request_of({{"X-CIGRI-USER", "alice"}}), Caller{"boss", Role::administrator}), "?");
  EXPECT_EQ(caller_name(request_of({{"X-CIGRI-USER", "alice"}}), std::nullopt), "?");
  EXPECT_EQ(caller_name(request_of({{"X-CIGRI-USER", "alice"}}, "bob"), Caller{"bob"}), "?");
  EXPECT_EQ(caller_name(request_of({{"X-CIGRI-USER", "alice"}}), Caller{"www-data"}), "?") << "the name of a proxy, over TCP";
  EXPECT_EQ(caller_name(request_of({{"X-CIGRI-USER", "alice"}}, "apache"), Caller{"apache", Role::proxy}), "?")
      << "a token's word, on the socket";
}

TEST(CigriCallers, OthersAreThemselves) {
  EXPECT_EQ(caller_name(request_of({}), Caller{"bob"}), "bob");
  EXPECT_EQ(caller_name(request_of({{"X-CIGRI-USER", "bob"}}), Caller{"bob"}), "bob");
  EXPECT_EQ(caller_name(request_of({}), Caller{"boss", Role::administrator}), "-boss");
  EXPECT_EQ(caller_name(request_of({}), std::nullopt), "");
  EXPECT_EQ(caller_name(request_of({{"X_CIGRI_USER", "alice"}}), Caller{"bob"}), "bob") << "another header";
}

TEST(CigriCallers, ProxyWithoutAName_IsNobody) {
  for (const auto* nobody : {"", "unknown", "null", "(null)", "nobody", "alice, root", "alice root", "../x", "-x", "a\tb"})
    EXPECT_EQ(caller_name(request_of({{"X-CIGRI-USER", nobody}}, "www-data"), Caller{"www-data", Role::administrator}), "") << nobody;
  EXPECT_EQ(caller_name(request_of({}, "www-data"), Caller{"www-data", Role::administrator}), "");
}

TEST(CigriCallers, TwoNames_AreRefused) {
  EXPECT_EQ(caller_name(request_of({{"X-CIGRI-USER", "root"}, {"x-cigri-user", "alice"}}, "www-data"), Caller{"www-data"}), "?");
  EXPECT_EQ(caller_name(request_of({{"X-CIGRI-USER", "bob"}, {"X-CIGRI-USER", "bob"}}), Caller{"bob"}), "?");
}

TEST(CigriCallers, NamedUser_IsAnAdministratorByTheConfigurationAlone) {
  const Caller proxy{"www-data", Role::administrator};
  EXPECT_EQ(caller_name(request_of({{"X-CIGRI-USER", "root"}}, "www-data"), proxy), "-root");
  EXPECT_EQ(caller_name(request_of({{"X-CIGRI-USER", "www-data"}}, "www-data"), proxy), "www-data");
  EXPECT_EQ(caller_of(request_of({{"X-CIGRI-USER", "root"}}), Caller{"apache", Role::proxy}, process::default_config())->role, Role::user);
}

TEST(CigriCallers, PagesOfOtherSites_AreKnownByTheirBrowser) {
  EXPECT_FALSE(is_from_another_site(request_of({{"Host", "grid:80"}})));
  EXPECT_FALSE(is_from_another_site(request_of({{"Host", "grid:80"}, {"Origin", "http://grid:80"}, {"Sec-Fetch-Site", "same-origin"}})));
  EXPECT_TRUE(is_from_another_site(request_of({{"Host", "grid"}, {"Origin", "http://evil.org"}})));
  EXPECT_TRUE(is_from_another_site(request_of({{"Host", "grid"}, {"Origin", "null"}})));
  EXPECT_TRUE(is_from_another_site(request_of({{"Host", "grid"}, {"Sec-Fetch-Site", "cross-site"}})));
  EXPECT_TRUE(is_from_another_site(request_of({{"Host", "grid"}, {"Sec-Fetch-Site", "same-site"}})));
}

TEST(CigriPath, HoldsWhatIsBelowIt) {
  EXPECT_TRUE(is_below("/cigri", "/cigri"));
  EXPECT_TRUE(is_below("/cigri", "/cigri/campaigns"));
  EXPECT_FALSE(is_below("/cigri", "/cigris"));
  EXPECT_FALSE(is_below("/cigri", "/campaigns"));
  EXPECT_FALSE(is_below("", "/campaigns"));
}

/// `GET /campaigns/ID` of the routes, with names in capitals as the document has them.
std::string shape(std::string_view method, std::string_view pattern) {
  return std::string{method} + " " + std::regex_replace(std::string{pattern}, std::regex{":[a-z]+"}, "*");
}

/// docs/from-cigri.md has a row for each route that CiGri had; each of them is answered here.
TEST(CigriRoutes, AreThoseThatTheDocumentCompares) {
  std::ifstream file{std::string{std::getenv("GLEANER_SOURCE_DIR")} + "/docs/from-cigri.md"};
  ASSERT_TRUE(file);
  std::set<std::string> written;
  const std::regex row{R"(\| `(GET|POST|PUT|DELETE) (/[^ `]*)` \|.*)"};
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row))
      written.insert(match[1].str() + " " + std::regex_replace(match[2].str(), std::regex{"[A-Z]+"}, "*"));
  }
  std::set<std::string> served;
  for (const auto& route : cigri::all_routes()) served.insert(shape(route.method, route.pattern));
  EXPECT_EQ(written, served);
}

}  // namespace
}  // namespace gleaner::api::cigri
