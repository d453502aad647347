#include <gtest/gtest.h>

#include <set>

#include <rapidjson/document.h>

#include "api/openapi.hpp"
#include "api/router.hpp"

namespace gleaner::api {
namespace {

const std::vector<Route>& routes() {
  static const auto all = all_routes();
  return all;
}

TEST(Router, PathWithNames_GivesTheirDecodedParts) {
  const auto found = find_route(routes(), "GET", "/v1/campaigns/12/tasks/a%2Fb");
  ASSERT_TRUE(std::holds_alternative<Match>(found));
  EXPECT_EQ(std::get<Match>(found).route->pattern, "/v1/campaigns/:id/tasks/:task");
  EXPECT_EQ(std::get<Match>(found).parts, (std::vector<std::string>{"12", "a/b"}));
}

TEST(Router, SlashAtTheEnd_CountsForNothing) {
  EXPECT_TRUE(std::holds_alternative<Match>(find_route(routes(), "GET", "/v1/campaigns/")));
  EXPECT_TRUE(std::holds_alternative<Match>(find_route(routes(), "GET", "/")));
}

TEST(Router, UnknownPath_IsNotFound) {
  for (const auto* path : {"/v1/campaign", "/v1/campaigns//tasks", "/v1/campaigns/1/nothing", "", "campaigns", "/v1/campaigns/%ZZ"})
    EXPECT_TRUE(std::holds_alternative<NoSuchPath>(find_route(routes(), "GET", path))) << path;
}

TEST(Router, PathsOfEarlierReleases_LeadToPathsOfToday) {
  const auto of_today = [](std::string_view method, std::string_view path) { return path_of_today(routes(), method, path); };
  EXPECT_EQ(of_today("GET", "/campaigns"), "/v1/campaigns");
  EXPECT_EQ(of_today("DELETE", "/campaigns/3"), "/v1/campaigns/3");
  EXPECT_EQ(of_today("GET", "/campaigns/3/jobs"), "/v1/campaigns/3/tasks");
  EXPECT_EQ(of_today("POST", "/campaigns/3/jobs/"), "/v1/campaigns/3/tasks");
  EXPECT_EQ(of_today("GET", "/campaigns/3/jobs.csv"), "/v1/campaigns/3/tasks.csv");
  EXPECT_EQ(of_today("GET", "/campaigns/3/jobs.ndjson"), "/v1/campaigns/3/tasks.ndjson");
  EXPECT_EQ(of_today("GET", "/campaigns/3/jobs/7/stdout"), "/v1/campaigns/3/tasks/7/stdout");
  EXPECT_EQ(of_today("GET", "/jobs/31"), "/v1/jobs/31");
  EXPECT_EQ(of_today("GET", "/events"), "/v1/events");
  for (const auto* path : {"/nothing", "/v1/campaigns/3/jobs", "", "/campaigns/3/jobsters", "/campaigns/3/outputs/a/b"})
    EXPECT_EQ(of_today("GET", path), std::nullopt) << path;
}

TEST(Router, KnownPathWithAnotherMethod_NamesTheMethodsOfThePath) {
  const auto found = find_route(routes(), "POST", "/v1/campaigns/1");
  ASSERT_TRUE(std::holds_alternative<WrongMethod>(found));
  EXPECT_EQ(std::get<WrongMethod>(found).allowed, "GET, PUT, DELETE");
}

TEST(Router, Head_GoesWhereGetGoes) { EXPECT_TRUE(std::holds_alternative<Match>(find_route(routes(), "HEAD", "/v1/clusters"))); }

TEST(Router, EachRoute_TakesThePrettyForm_AndItsOwnKeys) {
  const auto found = find_route(routes(), "DELETE", "/v1/campaigns/1/events");
  EXPECT_EQ(keys_of(*std::get<Match>(found).route), (std::vector<std::string_view>{"dry_run", "resubmit", "pretty"}));
}

/// `/v1/campaigns/:id` as the document writes it, its names left out.
std::string shape(std::string_view pattern) {
  std::string out;
  bool in_name = false;
  for (const char c : pattern) {
    if (c == ':' || c == '{') {
      in_name = true;
      out += '*';
    } else if (c == '/') {
      in_name = false;
      out += c;
    } else if (!in_name) {
      out += c;
    }
  }
  return out;
}

TEST(OpenApi, Document_HasExactlyTheRoutes) {
  rapidjson::Document document;
  document.Parse(openapi_document().data(), openapi_document().size());
  ASSERT_FALSE(document.HasParseError());
  std::set<std::string> written;
  for (const auto& path : document["paths"].GetObject()) {
    for (const auto& method : path.value.GetObject()) {
      std::string name = method.name.GetString();
      for (auto& c : name) c = static_cast<char>(std::toupper(c));
      written.insert(name + " " + shape(path.name.GetString()));
    }
  }
  std::set<std::string> served;
  for (const auto& route : routes()) served.insert(std::string{route.method} + " " + shape(route.pattern));
  EXPECT_EQ(written, served);
}

TEST(OpenApi, Document_HasExactlyTheKeysOfEachQuery) {
  rapidjson::Document document;
  document.Parse(openapi_document().data(), openapi_document().size());
  ASSERT_FALSE(document.HasParseError());
  std::set<std::string> written;
  for (const auto& path : document["paths"].GetObject()) {
    for (const auto& method : path.value.GetObject()) {
      std::string name = method.name.GetString();
      for (auto& c : name) c = static_cast<char>(std::toupper(c));
      if (!method.value.HasMember("parameters")) continue;
      for (const auto& parameter : method.value["parameters"].GetArray()) {
        if (parameter.HasMember("in") && parameter["in"] == "query")
          written.insert(name + " " + shape(path.name.GetString()) + " " + parameter["name"].GetString());
      }
    }
  }
  std::set<std::string> known;
  for (const auto& route : routes()) {
    for (const auto key : keys_of(route)) {
      if (key != "pretty") known.insert(std::string{route.method} + " " + shape(route.pattern) + " " + std::string{key});
    }
  }
  EXPECT_EQ(written, known);
}

}  // namespace
}  // namespace gleaner::api
