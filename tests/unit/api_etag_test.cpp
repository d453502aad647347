#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "api/etag.hpp"
#include "lib/http/outlet.hpp"

namespace gleaner::api {
namespace {

TEST(Etag, IsOfTheText_AndOfItsLayout) {
  EXPECT_EQ(etag_of("{}", Layout::plain), etag_of("{}", Layout::plain));
  EXPECT_NE(etag_of("{}", Layout::plain), etag_of("{} ", Layout::plain));
  EXPECT_NE(etag_of("{}", Layout::plain), etag_of("{}", Layout::pretty));
}

TEST(Etag, IsFoundInAList_AmongOthers_WhichMayHaveCommas) {
  for (const auto comparison : {Comparison::strong, Comparison::weak}) {
    for (const auto* list : {"\"a\"", "\"b\", \"a\"", "\"b\",\"a\" , \"c\"", "\"b, c\", \"a\"", "W/\"b\", \"a\"", "*", " * "})
      EXPECT_TRUE(names_etag(list, "\"a\"", comparison)) << list;
    for (const auto* list : {"", "\"b\"", "a", "\"a", "\"b\" \"a\"", ",,", "W/", "\"A\"", "\"b, \"a\"", "\"b,\"a\",\"", "w/\"a\""})
      EXPECT_FALSE(names_etag(list, "\"a\"", comparison)) << list;
  }
}

TEST(Etag, ThatIsWeak_SavesATransfer_AndAllowsNoChange) {
  for (const auto* list : {"W/\"a\"", "\"b\", W/\"a\""}) {
    EXPECT_TRUE(names_etag(list, "\"a\"", Comparison::weak)) << list;
    EXPECT_FALSE(names_etag(list, "\"a\"", Comparison::strong)) << list;
  }
}

http::Request request_of(const std::string& method) {
  http::Request made{};
  made.method = method;
  return made;
}

TEST(Etag, AnswersThatAreNoneOfAReadRequest_HaveNone) {
  http::Response changed;
  add_etag(request_of("POST"), changed);
  EXPECT_FALSE(changed.headers.find("ETag"));
  http::Response missing;
  missing.status = 404;
  add_etag(request_of("GET"), missing);
  EXPECT_FALSE(missing.headers.find("ETag"));
  http::Response streamed;
  streamed.stream = [](http::Sink&) { return true; };
  add_etag(request_of("GET"), streamed);
  EXPECT_FALSE(streamed.headers.find("ETag"));
  http::Response passed_on;
  passed_on.pass_on = [](std::unique_ptr<http::Outlet>) {};
  add_etag(request_of("GET"), passed_on);
  EXPECT_FALSE(passed_on.headers.find("ETag"));
}

TEST(Etag, FieldsOfOneName_AreOneList) {
  auto request = request_of("GET");
  http::Response first;
  add_etag(request, first);
  request.headers.add("If-None-Match", "\"b\"");
  request.headers.add("if-none-match", std::string{*first.headers.find("ETag")});
  http::Response again;
  add_etag(request, again);
  EXPECT_EQ(again.status, 304U);
}

/// Whether the query makes an answer pretty.
bool is_pretty(const std::string& value) {
  auto request = request_of("GET");
  request.query = {{"pretty", value}};
  return layout_of(request) == Layout::pretty;
}

TEST(Etag, Layout_IsThatOfAFlag) {
  EXPECT_EQ(layout_of(request_of("GET")), Layout::plain);
  for (const auto* yes : {"", "1", "true"}) EXPECT_TRUE(is_pretty(yes)) << yes;
  for (const auto* no : {"0", "false"}) EXPECT_FALSE(is_pretty(no)) << no;
}

/// Whether the route refuses a request that has this condition.
bool refuses(const Route& route, const std::string& condition) {
  auto request = request_of(std::string{route.method});
  request.headers.add(condition, "\"a\"");
  return refuse_conditions(request, route).has_value();
}

TEST(Etag, InAConditionThatIsNotCompared_IsRefused) {
  for (const auto& route : all_routes()) {
    EXPECT_FALSE(refuse_conditions(request_of(std::string{route.method}), route)) << route.pattern;
    const bool changes = route.method != "GET";
    EXPECT_EQ(refuses(route, "If-Match"), changes && route.etag != Etag::compared) << route.method << " " << route.pattern;
    EXPECT_EQ(refuses(route, "If-None-Match"), changes) << route.method << " " << route.pattern;
  }
}

}  // namespace
}  // namespace gleaner::api
