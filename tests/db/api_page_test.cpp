// The page for browsers as gridapi serves it, and the summary that it shows.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "api/web_assets.hpp"
#include "tests/db/api_fixture.hpp"

namespace gleaner::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Page : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    if (api::web_assets().empty()) GTEST_SKIP() << "built without the page";
  }
  [[nodiscard]] ApiAnswer visit(const std::string& target, const std::map<std::string, std::string>& headers = {}) const {
    return ask(port(), {.target = target, .headers = headers});
  }
};

TEST_F(Page, IsForEverybody_AndTheQueryIsForItsScript) {
  const auto answer = visit("/ui/?view=tasks&id=12&state=failed");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.headers.at("content-type"), HasSubstr("text/html"));
  EXPECT_THAT(answer.body, HasSubstr("<!doctype html>"));
}

TEST_F(Page, AddressesWithoutTheSlash_AndTheApisOwn_LeadABrowserThere) {
  const auto without = visit("/ui");
  EXPECT_EQ(without.status, 308);
  EXPECT_EQ(without.headers.at("location"), "ui/");
  const auto root = visit("/", {{"Accept", "text/html,application/xhtml+xml"}});
  EXPECT_EQ(root.status, 303);
  EXPECT_EQ(root.headers.at("location"), "ui/") << "relative: a proxy may have put a prefix before it";
  EXPECT_EQ(get("/").status, 200) << "programs get the entry";
}

TEST_F(Page, NothingInIt_LeavesThisOrigin_AndNoScriptIsInline) {
  const auto policy = visit("/ui/").headers.at("content-security-policy");
  EXPECT_THAT(policy, AllOf(HasSubstr("default-src 'none'"), HasSubstr("script-src 'self'"), HasSubstr("frame-ancestors 'none'"),
                            HasSubstr("require-trusted-types-for 'script'")));
  EXPECT_THAT(policy, testing::Not(HasSubstr("unsafe")));
  for (const auto& asset : api::web_assets()) {
    if (asset.name != "index.html") continue;
    for (const auto* outside : {"http://", "https://", "\"//", "<style", " style=", "onload=", "href=\"/", "src=\"/"})
      EXPECT_EQ(asset.content.find(outside), std::string_view::npos) << outside;
  }
}

TEST_F(Page, EachFileThatThePageNames_IsThere_ForEver) {
  const auto page = visit("/ui/").body;
  int files = 0;
  for (const auto& asset : api::web_assets()) {
    if (asset.name == "index.html") continue;
    ++files;
    const auto answer = visit(fmt::format("/ui/{}", asset.name));
    EXPECT_EQ(answer.status, 200) << asset.name;
    EXPECT_EQ(answer.body, asset.content) << asset.name;
    EXPECT_EQ(answer.headers.at("content-type"), asset.type);
    EXPECT_THAT(answer.headers.at("cache-control"), HasSubstr("immutable"));
    EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff");
  }
  EXPECT_GE(files, 2);
  EXPECT_EQ(visit("/ui/app-of-yesterday.js").status, 404);
  EXPECT_EQ(visit("/ui/index.html").status, 404) << "the document has one address";
}

TEST_F(Page, IsCompressed_ForWhoTakesThat) {
  const auto plain = visit("/ui/");
  const auto packed = visit("/ui/", {{"Accept-Encoding", "br;q=1.0, gzip;q=0.8"}});
  EXPECT_EQ(packed.headers.at("content-encoding"), "gzip");
  EXPECT_LT(packed.body.size(), plain.body.size());
  EXPECT_EQ(plain.headers.count("content-encoding"), 0U);
  for (const auto* refused : {"identity", "gzip;q=0", "gzip; q=0.000", "xgzip"})
    EXPECT_EQ(visit("/ui/", {{"Accept-Encoding", refused}}).body, plain.body) << refused;
}

TEST_F(Page, ThatIsUnchanged_IsNotSentAgain) {
  const auto first = visit("/ui/");
  EXPECT_EQ(visit("/ui/", {{"If-None-Match", first.headers.at("etag")}}).status, 304);
}

/// A portal shows the page within its own.
class PageInPortal : public Page {
 protected:
  void configure(api::ApiOptions& options) override { options.config.api_frame_ancestors = ancestors_; }
  std::vector<std::string> ancestors_{"https://portal.example.org:8443", "self"};
};

TEST_F(PageInPortal, ItsOriginsAlone_MayShowThePage) {
  for (const auto* target : {"/ui/", "/ui/?embed=1&view=grid"})
    EXPECT_THAT(visit(target).headers.at("content-security-policy"),
                HasSubstr("; frame-ancestors https://portal.example.org:8443 'self'; "));
}

TEST_F(PageInPortal, AnotherPolicy_IsSent_ToBrowsersThatHaveThePage) {
  const auto etag = visit("/ui/").headers.at("etag");
  EXPECT_EQ(visit("/ui/", {{"If-None-Match", etag}}).status, 304);
  ancestors_ = {};
  ApiTest::TearDown();
  ApiTest::SetUp();
  const auto again = visit("/ui/", {{"If-None-Match", etag}});
  EXPECT_EQ(again.status, 200);
  EXPECT_THAT(again.headers.at("content-security-policy"), HasSubstr("frame-ancestors 'none'"));
}

class Summary : public ApiTest {
 protected:
  void decide(std::int64_t campaign, const std::string& cluster, const std::string& stage, const std::string& reason,
              const std::string& figures) const {
    sql(
        fmt::format("INSERT INTO decisions (campaign_id, cluster_id, stage, reason, figures, jobs, since) VALUES ({}, coalesce((SELECT id "
                    "FROM clusters WHERE name = '{}'), 0), '{}', '{}', '{}', 0, now())",
                    campaign, cluster, stage, reason, figures));
  }
  [[nodiscard]] rapidjson::Document summary(const std::string& user, const std::string& query = "") const {
    auto answer = as(user, {.target = "/v1/summary" + query});
    EXPECT_EQ(answer.status, 200) << answer.body;
    return std::move(answer.json);
  }
  /// As the page waits after a change: what is shared until then may be older.
  static void settle() { std::this_thread::sleep_for(std::chrono::milliseconds{300}); }
};

TEST_F(Summary, HasTheCountsOfTheCampaignsOwnRoute) {
  const auto id = a_campaign_of(3);
  const auto all = summary("alice");
  ASSERT_EQ(all["campaigns"].Size(), 1U);
  const auto& shown = all["campaigns"][0];
  const auto own = get(fmt::format("/v1/campaigns/{}", id));
  for (const auto* member : {"id", "name", "user", "state", "total_tasks", "tasks", "held_tasks", "submission_time", "forecast_end"})
    EXPECT_EQ(shown[member], own.json[member]) << member;
  EXPECT_TRUE(shown["reason"].IsNull());
  EXPECT_EQ(all["clusters"].Size(), 3U);
}

TEST_F(Summary, TheReason_IsTheOneOfTheClusterThatCameFurthest_AsWhyHasIt) {
  const auto id = a_campaign_of(3);
  sql(fmt::format(
      "INSERT INTO brakes (campaign_id, cluster_id, reason, expires_at, created_at) SELECT {}, id, 'a test', now() + interval '1 "
      "hour', now() FROM clusters WHERE name = 'alpha'",
      id));
  decide(id, "alpha", "feasible", "pair_braked", R"({"brake": "a test", "until": null})");
  decide(id, "beta", "allocate", "no_free_resources", R"({"sentence": "beta is full"})");
  decide(id, "", "prioritize", "standing", R"({"sentence": "its place in the order"})");
  const auto shown = summary("alice");
  const auto& reason = shown["campaigns"][0]["reason"];
  EXPECT_STREQ(reason["cluster_name"].GetString(), "beta");
  EXPECT_STREQ(reason["stage"].GetString(), "allocate");
  const auto decisions = get(fmt::format("/v1/campaigns/{}/decisions", id));
  bool is_one_of_why = false;
  for (const auto& one : decisions.json["items"].GetArray()) is_one_of_why = is_one_of_why || one["sentence"] == reason["sentence"];
  EXPECT_TRUE(is_one_of_why) << decisions.body;
  sql("DELETE FROM decisions WHERE cluster_id = 0");
  decide(id, "", "feasible", "paused", R"({"sentence": "it is on hold"})");
  settle();
  EXPECT_TRUE(summary("alice")["campaigns"][0]["reason"]["cluster_name"].IsNull()) << "one on the whole campaign goes before";
}

TEST_F(Summary, ABrakeThatIsOver_IsNoReason) {
  const auto id = a_campaign_of(3);
  decide(id, "alpha", "feasible", "pair_braked", R"({"brake": "a test", "until": null})");
  EXPECT_TRUE(summary("alice")["campaigns"][0]["reason"].IsNull());
}

TEST_F(Summary, EndedCampaigns_AreShownForADay_AndThoseToFixUntilTheyAreFixed) {
  const auto recent = a_campaign_of(1), old = a_campaign_of(1), unfixed = a_campaign_of(1);
  sql(fmt::format("UPDATE campaigns SET state = 'cancelled', ended_at = now() - interval '23 hours' WHERE id = {}", recent));
  sql(fmt::format("UPDATE campaigns SET state = 'cancelled', ended_at = now() - interval '25 hours' WHERE id = {}", old));
  sql(fmt::format("INSERT INTO events (code, campaign_id, opened_at, last_at, message) VALUES ('TASK_ERROR', {}, now(), now(), 'exit 1')",
                  unfixed));
  const auto all = summary("alice");
  ASSERT_EQ(all["campaigns"].Size(), 2U);
  EXPECT_EQ(all["campaigns"][0]["id"].GetInt64(), recent);
  EXPECT_EQ(all["campaigns"][1]["id"].GetInt64(), unfixed);
  EXPECT_EQ(all["campaigns"][1]["open_events"].GetInt64(), 1);
}

TEST_F(Summary, IsOfOneUser_OrOfThoseWhomTheCallerMayRead) {
  static_cast<void>(a_campaign_of(1));
  EXPECT_EQ(summary("bob")["campaigns"].Size(), 1U);
  EXPECT_EQ(summary("bob", "?user=me")["campaigns"].Size(), 0U);
  EXPECT_EQ(summary("bob", "?user=alice")["campaigns"].Size(), 1U);
  EXPECT_EQ(ask(port(), {.target = "/v1/summary"}).status, 401);
}

TEST_F(Summary, IsSharedForAMoment_AndEachViewerIsNamed_AndSoIsAChangeSoonAfter) {
  static_cast<void>(a_campaign_of(1));
  EXPECT_EQ(summary("bob")["campaigns"].Size(), 1U);
  EXPECT_STREQ(summary("alice")["user"].GetString(), "alice");
  EXPECT_STREQ(summary("bob")["user"].GetString(), "bob");
  static_cast<void>(a_campaign_of(1));
  settle();
  EXPECT_EQ(summary("bob")["campaigns"].Size(), 2U);
}

TEST_F(Summary, ClustersThatAreRetired_AreLeftOut) {
  EXPECT_EQ(summary("alice")["clusters"].Size(), 3U);
  sql("UPDATE clusters SET retired_at = now() WHERE name = 'beta'");
  settle();
  const auto all = summary("alice");
  ASSERT_EQ(all["clusters"].Size(), 2U);
  EXPECT_STREQ(all["clusters"][0]["name"].GetString(), "alpha");
  EXPECT_STREQ(all["clusters"][1]["name"].GetString(), "gamma");
}

TEST_F(Summary, ThatIsUnchanged_IsNotSentAgain) {
  static_cast<void>(a_campaign_of(1));
  const auto first = get("/v1/summary");
  EXPECT_EQ(as("alice", {.target = "/v1/summary", .headers = {{"If-None-Match", first.headers.at("etag")}}}).status, 304);
}

/// An API where users read their own campaigns alone.
class SummaryOfOneself : public Summary {
 protected:
  [[nodiscard]] process::Config configuration() const override {
    auto config = ApiTest::configuration();
    config.read_access = process::ReadAccess::own;
    return config;
  }
};

TEST_F(SummaryOfOneself, Attack_ReadingOthersCampaigns_ShowsNone) {
  static_cast<void>(a_campaign_of(1));
  EXPECT_EQ(summary("bob")["campaigns"].Size(), 0U);
  EXPECT_EQ(summary("bob", "?user=alice")["campaigns"].Size(), 0U);
  EXPECT_EQ(summary("boss")["campaigns"].Size(), 1U);
}

}  // namespace
}  // namespace gleaner::tests
