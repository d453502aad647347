#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/db/api_fixture.hpp"

/// Properties that all routes have in common: versions, errors, pages, times, ETags.
namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;

class ApiForms : public ApiTest {
 protected:
  [[nodiscard]] static std::string path(std::int64_t id, const std::string& rest = {}) {
    return fmt::format("/v1/campaigns/{}{}", id, rest);
  }
};

TEST_F(ApiForms, PathWithoutItsVersion_IsNotFound_AndTheRightOneIsNamed) {
  const auto answer = get("/campaigns?all=1");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.message(), "the API is under /v1: /v1/campaigns");
  EXPECT_EQ(post("/campaigns/3/hold").message(), "the API is under /v1: /v1/campaigns/3/hold");
  EXPECT_EQ(get("/campaigns/3/jobs/7").message(), "the API is under /v1: /v1/campaigns/3/tasks/7");
  EXPECT_EQ(get("/").link("collection"), "/v1/campaigns");
}

TEST_F(ApiForms, EachError_HasACodeForPrograms) {
  const auto id = a_campaign_of(1);
  EXPECT_EQ(get("/v1/campaigns/99").code(), "no_such_campaign");
  EXPECT_EQ(get(path(id, "/tasks/7")).code(), "no_such_task");
  for (const auto* rest : {"/tasks/7/stdout", "/tasks/x/stderr"}) {
    EXPECT_EQ(get(path(id, rest)).code(), "no_such_task") << rest;
    EXPECT_EQ(get(path(99, rest)).code(), "no_such_campaign") << rest;
  }
  EXPECT_EQ(get(path(99, "/tasks/7")).code(), "no_such_campaign");
  EXPECT_EQ(get("/v1/jobs/99").code(), "no_such_job");
  EXPECT_EQ(get("/v1/clusters/delta").code(), "no_such_cluster");
  EXPECT_EQ(get("/v1/events/99").code(), "no_such_event");
  EXPECT_EQ(get("/v1/campaigns?limit=0").code(), "bad_value");
  EXPECT_EQ(get("/v1/campaigns?stat=paused").code(), "unknown_key");
  EXPECT_EQ(post("/v1/campaigns", "{").code(), "bad_input");
  EXPECT_EQ(post(path(id, "/retries")).code(), "wrong_state");
  EXPECT_EQ(as("bob", {.method = "DELETE", .target = path(id)}).code(), "not_yours");
  EXPECT_EQ(ask(port(), {.target = "/v1/campaigns"}).code(), "unknown_caller");
  EXPECT_EQ(as("alice", {.method = "PATCH", .target = path(id)}).code(), "wrong_method");
  EXPECT_EQ(get("/v1/events?campaign=3").code(), "bad_value");
}

TEST_F(ApiForms, WhatIsNoRequest_IsAnsweredInTheFormOfAllErrors) {
  const auto answer_to = [&](const std::string& bytes) { return ask_raw(port(), bytes); };
  const auto nonsense = answer_to("nonsense\r\n\r\n");
  EXPECT_EQ(nonsense.status, 400);
  EXPECT_EQ(nonsense.code(), "not_http");
  EXPECT_EQ(nonsense.headers.at("content-type"), "application/json");
  EXPECT_EQ(nonsense.json["status"].GetInt(), 400);
  EXPECT_STREQ(nonsense.json["title"].GetString(), "Bad request");
  EXPECT_THAT(nonsense.message(), HasSubstr("not an HTTP request"));
  const auto long_head = answer_to("GET / HTTP/1.1\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(long_head.status, 431);
  EXPECT_EQ(long_head.code(), "head_too_large");
}

TEST_F(ApiForms, WhatIsNoText_IsTheCallersMistake_AndNotAnErrorOfTheServer) {
  for (const auto* target : {"/v1/campaigns?user=%ff", "/v1/campaigns?user=a%00b", "/v1/campaigns?%ff=1", "/v1/events/%ff",
                             "/v1/usage?user=%c3%28", "/cigri/campaigns?limit=%ff", "/v1/campaigns/1/outputs/%ff"}) {
    const auto answer = get(target);
    EXPECT_EQ(answer.status, 400) << target << answer.body;
    EXPECT_THAT(answer.message(), HasSubstr("not UTF-8, or has a NUL")) << target;
  }
  EXPECT_EQ(get("/v1/campaigns?user=f%c3%bcr").status, 200);
}

TEST_F(ApiForms, EveryList_HasPages_WithTheSameMembersAndKeys) {
  const auto id = a_campaign_of(3);
  for (const auto& list :
       {std::string{"/v1/campaigns"}, path(id, "/tasks"), path(id, "/events"), path(id, "/decisions"), path(id, "/forecasts"),
        std::string{"/v1/clusters"}, std::string{"/v1/events"}, std::string{"/v1/usage"}, std::string{"/v1/gridusage"}}) {
    const auto answer = get(list);
    ASSERT_EQ(answer.status, 200) << list << answer.body;
    EXPECT_TRUE(answer.json["items"].IsArray()) << list;
    EXPECT_TRUE(answer.json["total"].IsInt64()) << list;
    EXPECT_EQ(answer.json["offset"].GetInt(), 0) << list;
    EXPECT_EQ(answer.json["limit"].GetInt(), 100) << list;
    EXPECT_EQ(answer.link("self"), list);
    EXPECT_EQ(get(list + "?limit=0").code(), "bad_value") << list;
    EXPECT_EQ(get(list + "?limit=10001").code(), "bad_value") << list;
  }
}

TEST_F(ApiForms, Pages_LeadToTheNextOne_AndToTheOneBefore) {
  const auto first = get("/v1/clusters?limit=2");
  EXPECT_EQ(first.json["items"].Size(), 2U);
  EXPECT_EQ(first.json["total"].GetInt(), 3);
  EXPECT_EQ(first.link("prev"), "");
  ASSERT_EQ(first.link("next"), "/v1/clusters?limit=2&offset=2");
  const auto second = get(first.link("next"));
  EXPECT_EQ(second.json["items"].Size(), 1U);
  EXPECT_EQ(second.link("next"), "");
  EXPECT_EQ(second.link("prev"), "/v1/clusters?limit=2&offset=0");
  EXPECT_EQ(get("/v1/clusters?limit=2&offset=1").link("prev"), "/v1/clusters?limit=2&offset=0");
  const auto beyond = get("/v1/clusters?limit=2&offset=9");
  EXPECT_EQ(beyond.json["items"].Size(), 0U);
  EXPECT_EQ(beyond.link("next"), "");
  EXPECT_EQ(beyond.link("prev"), "/v1/clusters?limit=2&offset=1");
  EXPECT_EQ(get("/v1/events?offset=9").link("prev"), "") << "there is no event";
  const auto id = a_campaign_of(5);
  EXPECT_EQ(get(path(id, "/tasks?limit=2&offset=3")).link("prev"), path(id, "/tasks?limit=2&offset=1"));
}

TEST_F(ApiForms, ListsInAQuery_HaveCommas_OrTheirKeySeveralTimes) {
  const auto paused = a_campaign_of(1);
  ASSERT_NE(a_campaign_of(1), paused);
  ASSERT_EQ(post(path(paused, "/hold")).status, 202);
  EXPECT_EQ(get("/v1/campaigns?state=paused").json["total"].GetInt(), 1);
  EXPECT_EQ(get("/v1/campaigns?state=paused,in_treatment").json["total"].GetInt(), 2);
  EXPECT_EQ(get("/v1/campaigns?state=paused&state=in_treatment").json["total"].GetInt(), 2);
}

TEST_F(ApiForms, Times_AreInUtc_AndNumbersAreNone) {
  const auto id = a_campaign_of(1);
  sql("UPDATE campaigns SET submitted_at = '2026-11-20 18:14:56.7+00'");
  EXPECT_STREQ(get(path(id)).json["submission_time"].GetString(), "2026-11-20T18:14:56Z");
  const auto submitted_at_or_after = [&](const std::string& time) { return get("/v1/campaigns?from=" + time).json["items"].Size(); };
  EXPECT_EQ(submitted_at_or_after("2026-11-20T18:14:56Z"), 1U);
  EXPECT_EQ(submitted_at_or_after("2026-11-20T19:14:56%2B01:00"), 1U);
  EXPECT_EQ(submitted_at_or_after("2026-11-20T19:14:56+01:00"), 1U) << "a plus that is not encoded";
  EXPECT_EQ(submitted_at_or_after("2026-11-20T19:14:57+01:00"), 0U);
  EXPECT_EQ(submitted_at_or_after("2026-11-20T18:14:57Z"), 0U);
  for (const auto* wrong : {"1795198496", "yesterday", "2026-11-20", "1969-12-31T23:59:59Z", "2026-11-20+18:14:56Z"}) {
    const auto answer = get(std::string{"/v1/campaigns?from="} + wrong);
    EXPECT_EQ(answer.code(), "bad_value") << wrong;
    EXPECT_THAT(answer.message(), HasSubstr("a time such as 2026-11-20T18:14:56Z is needed"));
  }
}

TEST_F(ApiForms, AnswerThatTheClientHas_IsNotSentAgain_UntilItChanges) {
  const auto id = a_campaign_of(2);
  const auto again = [&](const std::string& method, const std::string& target, const std::string& tag) {
    return as("alice", {.method = method, .target = target, .headers = {{"If-None-Match", tag}}});
  };
  for (const auto& target : {path(id), path(id, "/tasks"), path(id, "/jdl"), std::string{"/v1/clusters"},
                             std::string{"/v1/campaigns?pretty"}, std::string{"/"}, std::string{"/openapi.json"}}) {
    const auto first = get(target);
    ASSERT_EQ(first.headers.count("etag"), 1U) << target;
    const auto tag = first.headers.at("etag");
    EXPECT_EQ(as("alice", {.method = "HEAD", .target = target}).headers.at("etag"), tag) << target;
    for (const auto* method : {"GET", "HEAD"}) {
      const auto same = again(method, target, "\"other\", W/" + tag);
      EXPECT_EQ(same.status, 304) << target;
      EXPECT_EQ(same.body, "");
      EXPECT_EQ(same.headers.at("etag"), tag);
      EXPECT_EQ(same.headers.count("content-length"), 0U);
    }
    EXPECT_EQ(again("GET", target, "\"other\"").status, 200) << target;
  }
  const auto tag = get(path(id)).headers.at("etag");
  EXPECT_NE(get(path(id, "?pretty")).headers.at("etag"), tag) << "it has other bytes";
  ASSERT_EQ(post(path(id, "/hold")).status, 202);
  EXPECT_EQ(again("GET", path(id), tag).status, 200);
  for (const auto& target : {path(id, "/tasks.ndjson"), path(id, "/tasks.csv"), path(id, "/stats"), std::string{"/health"},
                             std::string{"/v1/scenario"}, std::string{"/v1/usage"}, path(999)})
    EXPECT_EQ(get(target).headers.count("etag"), 0U) << target;
}

TEST_F(ApiForms, EditOfAJdlThatSomebodyEditedMeanwhile_ChangesNothing) {
  const auto id = a_campaign_of(1);
  const auto edit = [&](const std::string& walltime, const std::string& tag) {
    return as("alice", {.method = "PUT",
                        .target = path(id),
                        .body = fmt::format(R"({{"walltime": "{}"}})", walltime),
                        .headers = {{"Content-Type", "application/json"}, {"If-Match", tag}}});
  };
  const auto tag = get(path(id, "/jdl")).headers.at("etag");
  EXPECT_EQ(edit("0:10:0", tag).status, 202);
  const auto late = edit("0:20:0", tag);
  EXPECT_EQ(late.status, 412) << late.body;
  EXPECT_EQ(late.code(), "outdated");
  EXPECT_EQ(edit("0:20:0", get(path(id, "/jdl?pretty")).headers.at("etag")).status, 202);
  EXPECT_EQ(edit("0:30:0", "*").status, 202);
  const auto current = get(path(id, "/jdl")).headers.at("etag");
  EXPECT_EQ(edit("0:40:0", "W/" + current).code(), "outdated") << "it is a weak one";
  EXPECT_EQ(edit("0:40:0", "\"a, b\", " + current).status, 202);
}

TEST_F(ApiForms, EditOfACampaignThatIsAsItWasRead_IsDone_AndOneOfAnother_StatesWhatMayHaveChanged) {
  const auto id = a_campaign_of(2);
  const auto set_state = [&](const std::string& state, const std::string& etag) {
    return as("alice", {.method = "PUT",
                        .target = path(id),
                        .body = fmt::format(R"({{"state": "{}"}})", state),
                        .headers = {{"Content-Type", "application/json"}, {"If-Match", etag}}});
  };
  const auto own = get(path(id)).headers.at("etag");
  const auto jdl = get(path(id, "/jdl")).headers.at("etag");
  EXPECT_EQ(set_state("paused", own).status, 202);
  const auto late = set_state("in_treatment", own);
  EXPECT_EQ(late.status, 412) << late.body;
  EXPECT_THAT(late.message(), testing::AllOf(HasSubstr("or a job of the campaign went on"), HasSubstr(path(id, "/jdl"))));
  EXPECT_EQ(sql("SELECT state FROM campaigns"), "paused");
  EXPECT_EQ(set_state("in_treatment", jdl).status, 202) << "the JDL is as it was";
}

TEST_F(ApiForms, IfMatch_IsNotIgnored_WhereItIsNotCompared) {
  const auto id = a_campaign_of(1);
  const auto etag = get(path(id)).headers.at("etag");
  const std::vector<std::pair<std::string, std::string>> changes{
      {"DELETE", path(id)}, {"POST", path(id, "/hold")}, {"DELETE", path(id, "/tasks/0")}};
  for (const auto& [method, target] : changes) {
    const auto answer = as("alice", {.method = method, .target = target, .headers = {{"If-Match", etag}}});
    EXPECT_EQ(answer.code(), "bad_value") << answer.body;
    EXPECT_THAT(answer.message(), HasSubstr("only PUT /v1/campaigns/ID takes it"));
  }
  EXPECT_EQ(sql("SELECT state || ' ' || waiting FROM campaigns"), "in_treatment 1");
}

}  // namespace
}  // namespace gleaner::tests
