// Answers with gzip's coding, as gridapi sends them.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include "tests/db/api_fixture.hpp"
#include "tests/unit/gunzip.hpp"

namespace gleaner::tests {
namespace {

using testing::HasSubstr;

class Compressed : public ApiTest {
 protected:
  [[nodiscard]] ApiAnswer packed(const std::string& target, std::map<std::string, std::string> headers = {},
                                 const std::string& method = "GET") const {
    headers.emplace("Accept-Encoding", "gzip, deflate");
    return as("boss", {.method = method, .target = target, .headers = std::move(headers)});
  }
  /// Campaigns with a decision and a forecast each, as those of a grid at work.
  void some_campaigns(int count) const {
    for (int i = 0; i < count; ++i) {
      const auto id = a_campaign_of(2);
      sql(fmt::format(
          "INSERT INTO decisions (campaign_id, cluster_id, stage, reason, figures, jobs, since) VALUES ({}, (SELECT id FROM "
          "clusters WHERE name = 'alpha'), 'allocate', 'no_free_resources', '{{\"sentence\": \"alpha: {} of 640 resources are free, and {} "
          "jobs wait there\"}}', 0, now() - interval '{} seconds')",
          id, i * 37 % 640, i * 7 % 80, i * 13));
    }
  }
};

TEST_F(Compressed, LongAnswers_AreWhatTheyAreWithout) {
  some_campaigns(20);
  sql("UPDATE clusters SET enabled = false");
  for (const auto* target : {"/v1/summary", "/v1/campaigns", "/v1/campaigns?pretty", "/openapi.json", "/v1/clusters"}) {
    const auto plain = as("boss", {.target = target});
    const auto answer = packed(target);
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.headers.at("content-encoding"), "gzip") << target;
    EXPECT_EQ(answer.headers.at("content-length"), std::to_string(answer.body.size())) << target;
    EXPECT_THAT(answer.headers.at("vary"), HasSubstr("Accept-Encoding")) << target;
    EXPECT_EQ(answer.headers.at("content-type"), plain.headers.at("content-type")) << target;
    EXPECT_EQ(gunzipped(answer.body), plain.body) << target;
    EXPECT_LT(answer.body.size(), plain.body.size() / 2) << target;
    EXPECT_EQ(plain.headers.count("content-encoding"), 0U) << target;
    EXPECT_THAT(plain.headers.at("vary"), HasSubstr("Accept-Encoding")) << target;
    EXPECT_NE(plain.headers.at("etag"), answer.headers.at("etag")) << target;
  }
}

TEST_F(Compressed, TheSummaryOf200Campaigns_IsAFifthAtMost) {
  some_campaigns(200);
  const auto plain = as("boss", {.target = "/v1/summary"});
  const auto answer = packed("/v1/summary");
  EXPECT_LT(answer.body.size(), plain.body.size() / 5);
  RecordProperty("plain", static_cast<int>(plain.body.size()));
  RecordProperty("packed", static_cast<int>(answer.body.size()));
}

TEST_F(Compressed, ForHead_HasTheHeadOfGet) {
  const auto got = packed("/openapi.json"), head = packed("/openapi.json", {}, "HEAD");
  EXPECT_TRUE(head.body.empty());
  for (const auto* name : {"content-length", "content-encoding", "etag", "vary", "content-type"})
    EXPECT_EQ(head.headers.at(name), got.headers.at(name)) << name;
}

TEST_F(Compressed, ThatIsUnchanged_IsNotSentAgain_WhicheverFormTheClientHas) {
  const auto etags = {packed("/openapi.json").headers.at("etag"), as("boss", {.target = "/openapi.json"}).headers.at("etag")};
  for (const auto& etag : etags) {
    EXPECT_EQ(packed("/openapi.json", {{"If-None-Match", etag}}).status, 304) << etag;
    EXPECT_EQ(as("boss", {.target = "/openapi.json", .headers = {{"If-None-Match", etag}}}).status, 304) << etag;
  }
}

TEST_F(Compressed, ACampaignThatWasReadSo_MayBeEditedByItsEtag) {
  const auto jdl = fmt::format(R"({{"name": "t", "nb_jobs": 1, "prologue": ["echo {}"], "clusters": {{"alpha": {{"exec_file": "run"}}}}}})",
                               std::string(2000, 'p'));
  const auto id = post("/v1/campaigns", jdl).json["id"].GetInt64();
  const auto target = fmt::format("/v1/campaigns/{}", id);
  const auto read = as("alice", {.target = target + "/jdl", .headers = {{"Accept-Encoding", "gzip"}}});
  ASSERT_EQ(read.headers.count("content-encoding"), 1U) << read.body;
  const ApiRequest edit{
      .method = "PUT", .target = target, .body = R"({"name": "renamed"})", .headers = {{"If-Match", read.headers.at("etag")}}};
  EXPECT_EQ(as("alice", edit).status, 202);
  EXPECT_EQ(as("alice", edit).status, 412) << "the JDL was edited since";
}

TEST_F(Compressed, ShortAnswersErrorsAndSecrets_AreNot) {
  for (const auto* target : {"/health", "/v1/gridusage", "/v1/nothing", "/v1/notifications", "/v1/tokens"})
    EXPECT_EQ(packed(target).headers.count("content-encoding"), 0U) << target;
  const auto code = packed("/v1/session-codes", {}, "POST");
  EXPECT_EQ(code.status, 201);
  EXPECT_EQ(code.headers.count("content-encoding"), 0U);
}

TEST_F(Compressed, Metrics_AreForAScraperThatTakesIt) {
  const auto answer = packed("/metrics");
  EXPECT_EQ(answer.headers.at("content-encoding"), "gzip");
  EXPECT_THAT(gunzipped(answer.body), HasSubstr("gleaner_"));
}

}  // namespace
}  // namespace gleaner::tests
