// Users' tokens for a cluster of OAR 3: given, checked, kept and used, against minioar, which checks their signatures.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lib/fleet/tokens.hpp"
#include "lib/grid/clock.hpp"
#include "lib/oar/bearer.hpp"
#include "lib/process/child.hpp"
#include "lib/store/clusters.hpp"
#include "tests/contract/minioar_process.hpp"
#include "tests/db/api_fixture.hpp"

namespace gleaner::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::string_view kSiteKey{"the key of the site"};
constexpr grid::Seconds kDay{86400};

std::string program(const std::string& name) {
  const char* bin = std::getenv("GLEANER_BIN_DIR");
  return fmt::format("{}/{}", bin != nullptr ? bin : "build-sanitize/bin", name);
}

class ClusterTokens : public ApiTest {
 protected:
  void SetUp() override {
    char name[] = "/tmp/gleaner-tokens-XXXXXX";
    keys_ = ::mkdtemp(name);
    write(keys_ / "token.key", std::string(64, 'a'), 0640);
    write(keys_ / "site.key", std::string{kSiteKey}, 0600);
    oar_ = std::make_unique<contract::MiniOarProcess>(
        program("minioar"), "2.6", std::vector<std::string>{"alice", "bob"},
        std::vector<std::string>{"--api", "oar3", "--token-key-file", (keys_ / "site.key").string(), "--token-minutes", "60000"});
    ApiTest::SetUp();
    sql(fmt::format("UPDATE clusters SET url = '{}', api = 'oar3', authentication = 'token', homes = '{}' WHERE name = 'alpha'",
                    oar_->url(), oar_->homes()));
    sql("UPDATE clusters SET enabled = false WHERE name <> 'alpha'");
  }
  void TearDown() override {
    ApiTest::TearDown();
    oar_.reset();
    std::filesystem::remove_all(keys_);
  }
  [[nodiscard]] process::Config configuration() const override {
    auto config = ApiTest::configuration();
    config.token_key_file = keys_ / "token.key";
    return config;
  }
  static void write(const std::filesystem::path& file, const std::string& text, unsigned mode) {
    std::ofstream{file} << text << "\n";
    std::filesystem::permissions(file, static_cast<std::filesystem::perms>(mode));
  }
  static std::string token_of(const std::string& user, grid::Seconds life = kDay * 100) {
    return oar::signed_token(user, kSiteKey, grid::now(), life);
  }
  ApiAnswer give(const std::string& user, const std::string& token, const std::string& cluster = "alpha") const {
    return as(user, {.method = "POST",
                     .target = "/v1/tokens/" + cluster,
                     .body = fmt::format(R"({{"token": "{}"}})", token),
                     .headers = {{"Content-Type", "application/json"}}});
  }

  std::filesystem::path keys_;
  std::unique_ptr<contract::MiniOarProcess> oar_;
};

TEST_F(ClusterTokens, OneThatItsClusterTakes_IsKeptSealed_AndNeverShown) {
  const auto token = token_of("alice");
  const auto given = give("alice", token);
  ASSERT_EQ(given.status, 201) << given.body;
  EXPECT_TRUE(given.json["checked"].GetBool()) << given.body;
  EXPECT_THAT(given.body, Not(HasSubstr(token.substr(token.rfind('.') + 1))));
  const auto listed = get("/v1/tokens");
  ASSERT_EQ(listed.json["items"].Size(), 1U) << listed.body;
  EXPECT_STREQ(listed.json["items"][0]["state"].GetString(), "valid");
  EXPECT_THAT(listed.body, Not(HasSubstr("eyJ")));
  EXPECT_EQ(as("bob", {.target = "/v1/tokens"}).json["items"].Size(), 0U);
  const auto row = sql("SELECT string_agg(t::text, ' ') || (SELECT string_agg(a::text, ' ') FROM audit a) FROM cluster_tokens t");
  EXPECT_THAT(row, AllOf(Not(HasSubstr("eyJ")), Not(HasSubstr(token.substr(token.rfind('.') + 1))), HasSubstr("token given")));
}

TEST_F(ClusterTokens, WhatIsNotTheCallersOwn_OrNotTaken_IsRefusedInWords_AndNeverRepeated) {
  const auto refused = [&](const std::string& token, const std::string& words, unsigned status) {
    const auto answer = give("alice", token);
    EXPECT_EQ(answer.status, status) << answer.body;
    EXPECT_THAT(answer.body, AllOf(HasSubstr(words), Not(HasSubstr("eyJ"))));
  };
  refused(token_of("bob"), "it is of the user 'bob', and you are 'alice'", 400);
  refused(token_of("alice", grid::Seconds{-10}), "it ended on", 400);
  refused(oar::signed_token("alice", "another key", grid::now(), kDay), "does not take this token", 403);
  refused("eyJnonsense", "no JSON web token", 400);
  EXPECT_EQ(give("alice", token_of("alice"), "beta").status, 409);
  EXPECT_EQ(give("alice", token_of("alice"), "nowhere").status, 404);
  EXPECT_EQ(remove("/v1/tokens/alpha").status, 404);
  EXPECT_EQ(sql("SELECT count(*) FROM cluster_tokens"), "0");
}

TEST_F(ClusterTokens, WhileItsClusterIsAway_OneIsKeptUnchecked_AsTheAnswerStates) {
  sql("UPDATE clusters SET url = 'http://127.0.0.1:9/oarapi' WHERE name = 'alpha'");
  const auto given = give("alice", token_of("alice"));
  ASSERT_EQ(given.status, 201) << given.body;
  EXPECT_FALSE(given.json["checked"].GetBool());
  EXPECT_THAT(given.body, HasSubstr("not checked yet"));
  EXPECT_STREQ(get("/v1/tokens").json["items"][0]["state"].GetString(), "unchecked");
}

TEST_F(ClusterTokens, WithoutItsKey_TheGridKeepsNone_AndReportsIt) {
  std::filesystem::remove(keys_ / "token.key");
  const auto given = give("alice", token_of("alice"));
  EXPECT_EQ(given.status, 503);
  EXPECT_THAT(given.body, HasSubstr("can keep no tokens now"));
  EXPECT_EQ(get("/v1/tokens").status, 200);
}

TEST_F(ClusterTokens, ARowThatIsCopiedToAnotherUser_IsNotOpened) {
  ASSERT_EQ(give("alice", token_of("alice")).status, 201);
  sql("INSERT INTO cluster_tokens SELECT 'bob', cluster_id, login, sealed, key_name, fingerprint, given_at FROM cluster_tokens");
  store::Database connection{database()};
  auto transaction = connection.begin();
  const auto cluster = store::find_cluster(transaction, "alpha").value();
  const auto opened = fleet::open_tokens(cluster, configuration(), grid::now());
  ASSERT_THAT(opened.readings, SizeIs(2));
  EXPECT_EQ(opened.readings[0].unreadable, "");
  EXPECT_THAT(opened.readings[1].unreadable, HasSubstr("another user's"));
}

TEST_F(ClusterTokens, CigrisClients_GiveListAndRemoveThem) {
  const auto id = sql("SELECT id FROM clusters WHERE name = 'alpha'");
  const auto made = as("alice", {.method = "POST",
                                 .target = "/cigri/tokens",
                                 .body = fmt::format(R"({{"cluster_id": {}, "token": "{}"}})", id, token_of("alice")),
                                 .headers = {{"Content-Type", "application/json"}}});
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_THAT(made.body, HasSubstr("New token registered"));
  const auto listed = as("alice", {.target = "/cigri/tokens"});
  EXPECT_THAT(listed.body, AllOf(HasSubstr("Bearer fingerprint:"), Not(HasSubstr("eyJ"))));
  const auto beta = sql("SELECT id FROM clusters WHERE name = 'beta'");
  EXPECT_EQ(as("alice", {.method = "POST",
                         .target = "/cigri/tokens",
                         .body = fmt::format(R"({{"cluster_id": {}, "token": "{}"}})", beta, token_of("alice")),
                         .headers = {{"Content-Type", "application/json"}}})
                .status,
            403);
  EXPECT_EQ(as("alice", {.method = "DELETE", .target = "/cigri/tokens/" + id}).status, 202);
  EXPECT_EQ(sql("SELECT count(*) FROM cluster_tokens"), "0");
}

}  // namespace
}  // namespace gleaner::tests
