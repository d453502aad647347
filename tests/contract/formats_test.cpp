#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>

#include "tests/contract/raw_http.hpp"
#include "tests/contract/world.hpp"

/// The form of the API's answers, whom it believes, and how a client identifies itself.
namespace gleaner::contract {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Formats : public Contract {
 protected:
  static RawAnswer get(const std::string& path, const std::string& accept) {
    return raw(world().access(), "GET", path, {identity(world().access(), world().user()), accept});
  }
  static rapidjson::Document json_of(const RawAnswer& answer) {
    rapidjson::Document document;
    document.Parse(answer.body.c_str());
    EXPECT_FALSE(document.HasParseError()) << answer.body;
    return document;
  }
};
GLEANER_ON_EACH_BACKEND(Formats);

TEST_P(Formats, WithoutAnExtension_OnlyTheExactAcceptOfJsonIsAnswered) {
  EXPECT_EQ(get("/jobs", kAcceptJson).status, 200);
  EXPECT_EQ(get("/jobs", "Accept: */*").status, 406);
  EXPECT_EQ(get("/jobs", kNoAccept).status, 406);
  EXPECT_EQ(get("/jobs", "Accept: text/html, application/json").status, 406);
}

TEST_P(Formats, AnExtensionDecides_WhateverIsAccepted) {
  for (const auto& accept : {kAcceptJson, std::string{"Accept: */*"}, kNoAccept}) {
    const auto answer = get("/jobs.json", accept);
    EXPECT_EQ(answer.status, 200) << accept;
    EXPECT_THAT(answer.content_type, StartsWith("application/json")) << accept;
  }
}

TEST_P(Formats, TheExtensionIsTheLastWord) {
  const auto id = std::to_string(world().shared().long_one.ids.front().value());
  EXPECT_EQ(get("/jobs/" + id + ".json", "Accept: */*").status, 200);
  EXPECT_EQ(get("/jobs/" + id + "/details.json", "Accept: */*").status, 200);
  EXPECT_EQ(get("/jobs/" + id + "/details", "Accept: */*").status, 406);
}

TEST_P(Formats, FilesWantTheSameAccept) {
  EXPECT_EQ(get("/media/~/nosuchfile", "Accept: */*").status, 406);
  EXPECT_EQ(get("/media/~/nosuchfile", kAcceptJson).status, 404);
}

TEST_P(Formats, JsonIsAnnouncedAsLatin1) { EXPECT_THAT(get("/jobs.json", kAcceptJson).content_type, HasSubstr("ISO-8859-1")); }

TEST_P(Formats, LettersOfLatin1ComeAsSingleBytes_AndTheClientMakesThemUtf8) {
  const auto id = world().shared().latin.ids.front();
  const auto bytes = get("/jobs/" + std::to_string(id.value()) + ".json", kAcceptJson).body;
  EXPECT_THAT(bytes, HasSubstr("caf\xE9"));
  EXPECT_EQ(world().details(id).job.command, "/bin/echo caf\xC3\xA9");
}

TEST_P(Formats, AnErrorIsACodeATitleAndAMessage) {
  const auto answer = get("/jobs/999999999.json", kAcceptJson);
  EXPECT_EQ(answer.status, 404);
  const auto error = json_of(answer);
  EXPECT_EQ(error["code"].GetInt(), 404);
  EXPECT_TRUE(error["title"].IsString());
  EXPECT_TRUE(error["message"].IsString());
}

TEST_P(Formats, AnUnknownPathIsNotFound) {
  EXPECT_EQ(get("/nosuchpath.json", kAcceptJson).status, 404);
  EXPECT_EQ(get("/jobs/abc.json", kAcceptJson).status, 404);
}

TEST_P(Formats, WrongCredentialsAreRefusedInHtml) {
  auto access = world().access();
  access.secret = "not-the-secret";
  const auto answer = raw(access, "GET", "/whoami.json", {kAcceptJson});
  EXPECT_EQ(answer.status, 401);
  EXPECT_THAT(answer.content_type, StartsWith("text/html"));
  const auto failure = oar::Client{access}.version();
  ASSERT_FALSE(failure);
  ASSERT_TRUE(std::holds_alternative<oar::Refused>(failure.error())) << oar::describe(failure.error());
  EXPECT_EQ(std::get<oar::Refused>(failure.error()).status, 401);
  EXPECT_THAT(oar::describe(failure.error()), ::testing::Not(HasSubstr("not-the-secret")));
}

TEST_P(Formats, AJobIsNamedByANumber_AndByATextInTheAnswerToItsDeletion) {
  const auto submitted = world().submit(world().request("sleep 100"));
  const auto path = "/jobs/" + std::to_string(submitted.ids.front().value()) + ".json";
  EXPECT_TRUE(json_of(get(path, kAcceptJson))["id"].IsInt64());
  const auto deleted = raw(world().access(), "DELETE", path, {identity(world().access(), world().user()), kAcceptJson});
  EXPECT_EQ(deleted.status, 202);
  EXPECT_TRUE(json_of(deleted)["id"].IsString());
}

TEST_P(Formats, StressIsAText_AndTheClientReadsANumber) {
  EXPECT_TRUE(json_of(get("/stress_factor.json", kAcceptJson))["GLOBAL_STRESS"].IsString());
  const auto stress = until_answered([] { return client().stress(); });
  ASSERT_TRUE(stress) << oar::describe(stress.error());
  EXPECT_GE(*stress, 0.0);
}

class Identity : public Contract {
 protected:
  static RawAnswer nobody(const std::string& method, const std::string& path, const std::string& body = {}) {
    return raw(world().access(), method, path, {kAcceptJson, "Content-Type: application/json"}, body);
  }
};
GLEANER_ON_EACH_BACKEND(Identity);

TEST_P(Identity, TheHeaderNamesTheUser) {
  for (const auto& user : {world().user(), world().other_user()}) {
    EXPECT_EQ(until_answered([&] { return client().who_am_i(user); }).value_or("failed"), user);
  }
}

TEST_P(Identity, TheHeaderMayBeWrittenWithHyphens) {
  auto access = world().access();
  access.identity_header = "X-REMOTE-IDENT";
  oar::Client hyphened{access};
  EXPECT_EQ(until_answered([&] { return hyphened.who_am_i(world().user()); }).value_or("failed"), world().user());
}

TEST_P(Identity, WithoutOne_ListsWork) {
  auto access = world().access();
  access.reader.clear();
  oar::Client stranger{access};
  const auto ids = world().shared().echo.ids;
  const auto jobs = until_answered([&] { return stranger.jobs(ids); });
  ASSERT_TRUE(jobs) << oar::describe(jobs.error());
  EXPECT_EQ(jobs->size(), ids.size());
  const auto resources = until_answered([&] { return stranger.resources(); });
  EXPECT_TRUE(resources) << oar::describe(resources.error());
}

TEST_P(Identity, WithoutOne_AJobASubmissionAndADeletionAreRefused) {
  const auto path = "/jobs/" + std::to_string(world().shared().long_one.ids.front().value()) + ".json";
  EXPECT_EQ(nobody("GET", path).status, 401);
  EXPECT_EQ(nobody("POST", "/jobs.json", R"({"command":"true"})").status, 401);
  EXPECT_EQ(nobody("DELETE", path).status, 401);
}

TEST_P(Identity, AUserThatTheClusterDoesNotKnow_IsRefusedAtSubmission) {
  auto request = world().request("true");
  request.user = "nosuchuser";
  const auto submitted = until_answered([&] { return client().submit({&request, 1}).front(); });
  ASSERT_FALSE(submitted);
  ASSERT_TRUE(std::holds_alternative<oar::Refused>(submitted.error())) << oar::describe(submitted.error());
  EXPECT_EQ(std::get<oar::Refused>(submitted.error()).status, 401);
}

/// OAR would submit as `griduser1`.
TEST_P(Identity, ANameThatTheApiWouldCut_IsNotSent) {
  auto request = world().request("true");
  request.user = world().user() + ".other";
  const auto before = client().requests();
  const auto submitted = client().submit({&request, 1}).front();
  ASSERT_FALSE(submitted);
  EXPECT_EQ(std::get<oar::Refused>(submitted.error()).status, 0);
  EXPECT_EQ(client().requests(), before);
}

TEST_P(Identity, ANameIsCutAtTheFirstLetterThatIsNoneOfAWord) {
  const auto answer = raw(world().access(), "POST", "/jobs.json",
                          {identity(world().access(), world().user() + ".other"), kAcceptJson, "Content-Type: application/json"},
                          R"({"command":"true","stdout":"/dev/null","stderr":"/dev/null","name":")" + world().token() + R"(.cut"})");
  ASSERT_EQ(answer.status, 201) << answer.body;
  rapidjson::Document document;
  document.Parse(answer.body.c_str());
  EXPECT_EQ(world().details(grid::RemoteJobId{document["id"].GetInt64()}).job.owner, world().user());
}

}  // namespace
}  // namespace gleaner::contract
