#include "api/coding.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "api/etag.hpp"
#include "lib/http/outlet.hpp"

namespace gleaner::api {
namespace {

const Route kRoute{"GET", "/v1/things", Access::identified, nullptr};
const Route kSecretRoute{"GET", "/v1/secrets", Access::identified, nullptr, {}, Etag::sent, Compression::never};

http::Request asking(const std::string& method, const std::string& accepted = "gzip") {
  http::Request made{};
  made.method = method;
  if (!accepted.empty()) made.headers.add("Accept-Encoding", accepted);
  return made;
}

http::Response of_size(std::size_t size) { return answer(200, std::string(size, 'x')); }

TEST(Coding, IsForWholeTextsOfSomeLength_ThatAreReadByWhoTakesIt) {
  EXPECT_EQ(coding_of(asking("GET"), kRoute, of_size(1000)), Coding::gzip);
  EXPECT_EQ(coding_of(asking("HEAD"), kRoute, of_size(1000)), Coding::gzip);
  EXPECT_EQ(coding_of(asking("GET"), kRoute, of_size(999)), Coding::identity);
  EXPECT_EQ(coding_of(asking("GET"), kRoute, of_size((4U << 20U) + 1)), Coding::identity);
  EXPECT_EQ(coding_of(asking("GET", ""), kRoute, of_size(1000)), Coding::identity);
  EXPECT_EQ(coding_of(asking("GET", "gzip;q=0"), kRoute, of_size(1000)), Coding::identity);
  auto other = of_size(1000);
  other.status = 404;
  EXPECT_EQ(coding_of(asking("GET"), kRoute, other), Coding::identity);
  other = of_size(1000);
  other.stream = [](http::Sink&) { return true; };
  EXPECT_EQ(coding_of(asking("GET"), kRoute, other), Coding::identity);
  other = of_size(1000);
  other.pass_on = [](std::unique_ptr<http::Outlet>) {};
  EXPECT_EQ(coding_of(asking("GET"), kRoute, other), Coding::identity);
  other = {};
  other.body = std::string(1000, 'x');
  other.headers.add("Content-Type", "application/octet-stream");
  EXPECT_EQ(coding_of(asking("GET"), kRoute, other), Coding::identity);
}

TEST(Coding, Attack_OnASecretsLength_HasNoCompressedAnswer) {
  for (const auto* method : {"POST", "PUT", "DELETE"}) EXPECT_EQ(coding_of(asking(method), kRoute, of_size(1000)), Coding::identity);
  EXPECT_EQ(coding_of(asking("GET"), kSecretRoute, of_size(1000)), Coding::identity);
  const std::set<std::string_view> secret{"/v1/notifications", "/v1/tokens"};  // addresses of webhooks; what is said of tokens
  for (const auto& route : all_routes()) {
    const bool is_of_user =
        route.pattern.ends_with("/stdout") || route.pattern.ends_with("/stderr") || route.pattern.ends_with("outputs/:name");
    if (route.method != "GET" || !(secret.contains(route.pattern) || is_of_user)) continue;
    EXPECT_EQ(route.compression, Compression::never) << route.pattern;
  }
}

TEST(Coding, GivesEachFormItsEtag_AndEitherSavesTheTransfer) {
  auto plain = of_size(2000), packed = of_size(2000);
  EXPECT_EQ(choose_form(asking("GET", ""), kRoute, plain), Coding::identity);
  EXPECT_EQ(choose_form(asking("GET"), kRoute, packed), Coding::gzip);
  EXPECT_NE(plain.headers.find("ETag"), packed.headers.find("ETag"));
  for (const auto& known : {plain, packed}) {
    for (const auto* accepted : {"", "gzip"}) {
      auto request = asking("GET", accepted);
      request.headers.add("If-None-Match", std::string{*known.headers.find("ETag")});
      auto again = of_size(2000);
      EXPECT_EQ(choose_form(request, kRoute, again), Coding::identity);
      EXPECT_EQ(again.status, 304U);
      EXPECT_FALSE(again.headers.find("Content-Encoding"));
      EXPECT_EQ(again.headers.find("Vary"), std::optional<std::string_view>{"Accept-Encoding"});
      EXPECT_EQ(again.headers.find("ETag"), (*accepted == '\0' ? plain : packed).headers.find("ETag"));
    }
  }
}

TEST(Coding, AnEtagOfTheCompressedForm_AllowsAChangeToo) {
  const auto plain = etag_of("{}", Layout::plain), packed = etag_of("{}", Layout::plain, Coding::gzip);
  EXPECT_TRUE(names_etag(packed, plain, Comparison::strong));
  EXPECT_FALSE(names_etag(etag_of("{} ", Layout::plain, Coding::gzip), plain, Comparison::strong));
  EXPECT_FALSE(names_etag(etag_of("{}", Layout::pretty, Coding::gzip), plain, Comparison::strong));
  for (const auto* other : {"\"-gzip\"", "\"", "-gzip\"", "\"a-gzip-gzip\""})
    EXPECT_FALSE(names_etag(other, "\"a\"", Comparison::strong)) << other;
}

TEST(Coding, AnswersOfARouteThatMayBeCompressed_VaryAlsoWhereTheyAreNot) {
  auto small = of_size(10), secret = of_size(2000);
  EXPECT_EQ(choose_form(asking("GET"), kRoute, small), Coding::identity);
  EXPECT_TRUE(small.headers.find("Vary"));
  EXPECT_EQ(choose_form(asking("GET"), kSecretRoute, secret), Coding::identity);
  EXPECT_FALSE(secret.headers.find("Vary"));
  EXPECT_FALSE(secret.headers.find("Content-Encoding"));
}

}  // namespace
}  // namespace gleaner::api
