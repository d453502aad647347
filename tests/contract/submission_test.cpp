#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>
#include <vector>

#include "lib/grid/oarsub_words.hpp"
#include "lib/grid/resource_request.hpp"
#include "tests/contract/raw_http.hpp"
#include "tests/contract/world.hpp"

namespace gleaner::contract {
namespace {

using ::testing::HasSubstr;

class Submission : public Contract {
 protected:
  static std::string output(grid::RemoteJobId id) {
    const auto text =
        until_answered([&] { return client().read_file(world().user(), fmt::format("~/{}/{}.out", world().token(), id.value())); });
    EXPECT_TRUE(text) << oar::describe(text.error());
    return text.value_or("");
  }
  static oar::Failure failure_of(const oar::SubmitRequest& request) {
    auto submitted = until_answered([&] { return client().submit({&request, 1}).front(); });
    if (submitted) {
      throw std::runtime_error("it was accepted");
    }
    return submitted.error();
  }
  static void expect_refused(const oar::SubmitRequest& request, int status) {
    const auto failure = failure_of(request);
    ASSERT_TRUE(std::holds_alternative<oar::Refused>(failure)) << oar::describe(failure);
    EXPECT_EQ(std::get<oar::Refused>(failure).status, status) << oar::describe(failure);
    EXPECT_FALSE(oar::outcome_unknown(failure));
  }
};
GLEANER_ON_EACH_BACKEND(Submission);

TEST_P(Submission, AnArrayHasAJobALine_InTheirOrder) {
  const auto& echo = world().shared().echo;
  ASSERT_EQ(echo.ids.size(), 3U);
  EXPECT_EQ(echo.array, echo.ids.front());
  const auto jobs = world().await_end(echo.ids);
  EXPECT_EQ(jobs[0].command, "/bin/echo a 1");
  EXPECT_EQ(jobs[1].command, "/bin/echo b 2");
  EXPECT_EQ(jobs[2].command, "/bin/echo \"c d\" 3");
  for (const auto& job : jobs) {
    EXPECT_EQ(job.array, echo.array);
  }
}

TEST_P(Submission, TheShellOfTheJobReadsTheLines) {
  const auto& ids = world().shared().echo.ids;
  world().await_end(ids);
  EXPECT_EQ(output(ids[0]), "a 1\n");
  EXPECT_EQ(output(ids[2]), "c d 3\n");
}

TEST_P(Submission, OneLineIsOneJob_AndItsOwnArray) {
  const auto& latin = world().shared().latin;
  ASSERT_EQ(latin.ids.size(), 1U);
  EXPECT_EQ(latin.array, latin.ids.front());
}

TEST_P(Submission, ABareDollarIsExpandedAtSubmission_AnEscapedOneInTheJob) {
  const auto& ids = world().shared().dollars.ids;
  const auto job = world().await_end(ids).front();
  EXPECT_THAT(job.command, HasSubstr("$LOGNAME"));
  EXPECT_THAT(job.command, ::testing::Not(HasSubstr("$LOGNAME:")));
  EXPECT_THAT(output(ids.front()), ::testing::EndsWith(":" + world().user() + "\n"));
}

TEST_P(Submission, LinesThatOarWouldDropAreNotSent) {
  for (const std::string line : {"", "  \t", "# remark", "  # remark", "one\ntwo"}) {
    expect_refused(world().request("/bin/echo", {"first", line, "last"}), 0);
  }
}

TEST_P(Submission, BlankLinesAndRemarksOfParametersMakeNoJob) {
  const auto answer = raw(world().access(), "POST", "/jobs.json",
                          {identity(world().access(), world().user()), kAcceptJson, "Content-Type: application/json"},
                          R"({"command":"true","stdout":"/dev/null","stderr":"/dev/null","param_file":"one\n\n# remark\ntwo\n","name":")" +
                              world().token() + R"(.blank"})");
  ASSERT_EQ(answer.status, 201) << answer.body;
  rapidjson::Document document;
  document.Parse(answer.body.c_str());
  const auto listed = raw(world().access(), "GET", fmt::format("/jobs.json?array={}", document["id"].GetInt64()),
                          {identity(world().access(), world().user()), kAcceptJson});
  rapidjson::Document jobs;
  jobs.Parse(listed.body.c_str());
  ASSERT_TRUE(jobs.IsObject()) << listed.body;
  EXPECT_EQ(jobs["total"].GetInt(), 2);
}

TEST_P(Submission, ResourcesAndPropertiesThatCannotBeHadAreABadQuery) {
  auto unknown = world().request("true");
  unknown.resources = "/nosuchproperty=1";
  expect_refused(unknown, 400);
  auto too_many = world().request("true");
  too_many.resources = "/core=100000";
  expect_refused(too_many, 400);
  auto no_sql = world().request("true");
  no_sql.properties = "mem >>> 1";
  expect_refused(no_sql, 400);
  auto nothing_has_it = world().request("true");
  nothing_has_it.properties = "mem > 100000";
  expect_refused(nothing_has_it, 400);
}

TEST_P(Submission, BrokenJsonAndAMissingCommandAreABadQuery) {
  const std::vector<std::string> headers{identity(world().access(), world().user()), kAcceptJson, "Content-Type: application/json"};
  EXPECT_EQ(raw(world().access(), "POST", "/jobs.json", headers, R"({"resource":"/core=1",)").status, 400);
  EXPECT_EQ(raw(world().access(), "POST", "/jobs.json", headers, R"({"resource":"/core=1"})").status, 400);
}

TEST_P(Submission, EverythingThatAGridSendsIsKept) {
  auto request = world().request("true");
  request.types = {"besteffort"};
  request.project = "demo";
  request.properties = "mem >= 8";
  request.walltime = "0:10:0";
  const auto details = world().details(world().submit(request).ids.front());
  EXPECT_EQ(details.job.name, request.name);
  EXPECT_EQ(details.job.owner, world().user());
  EXPECT_EQ(details.job.project, "demo");
  EXPECT_EQ(details.job.queue, "besteffort");
  EXPECT_TRUE(details.job.is_best_effort());
  EXPECT_EQ(details.types, std::vector<std::string>{"besteffort"});
  EXPECT_EQ(details.stdout_file, fmt::format("{}/{}.out", world().token(), details.job.id.value()));
}

/// The arguments of `oarsub`, as OAR recorded them.
std::string recorded(World& world, grid::RemoteJobId id) {
  const auto answer =
      raw(world.access(), "GET", fmt::format("/jobs/{}.json", id.value()), {identity(world.access(), world.user()), kAcceptJson});
  rapidjson::Document document;
  document.Parse(answer.body.c_str());
  EXPECT_TRUE(document.IsObject() && document.HasMember("initial_request")) << answer.body;
  return document.IsObject() && document.HasMember("initial_request") ? document["initial_request"].GetString() : "";
}

/// The reason for the grammars of lib/grid/oarsub_words.hpp: OAR quotes nothing of the options for its shell.
TEST_P(Submission, AShellOfTheFrontEndReadsTheOptions_SoTheGrammarsRefuseWhatItWouldRead) {
  auto request = world().request("true");
  request.project = "a$(echo b)`echo c`";
  EXPECT_TRUE(grid::wrong_project(request.project));
  EXPECT_EQ(world().details(world().submit(request).ids.front()).job.project, "abc");
  auto swallowed = world().request("true");
  swallowed.project = "x\\";  // the quote behind it is a part of the project
  EXPECT_TRUE(grid::wrong_project(swallowed.project));
  EXPECT_TRUE(std::holds_alternative<oar::Refused>(failure_of(swallowed)) ||
              std::holds_alternative<oar::ServerError>(failure_of(swallowed)));
}

TEST_P(Submission, WhatTheGrammarsAccept_ArrivesByteForByte) {
  const std::vector<std::string> projects{"demo", "a b.c:d@e/f+g,h=i-j%k", "_", std::string(80, 'p')};
  const std::vector<std::string> types{"besteffort", "timesharing=user,name", "container", "idempotent"};
  const std::vector<std::string> conditions{"host LIKE '%[a]{b}?!*;&|<>#^~@,' OR mem >= 8",
                                            "mem IN ('8', '16') AND NOT (cluster = 'it''s')", "mem >= -1 AND NOT mem < 2 AND host <> 'a:b'",
                                            "\"mem\" BETWEEN 1 AND 99 AND cpu IS NOT NULL"};
  for (std::size_t i = 0; i < projects.size(); ++i) {
    auto request = world().request("true");
    request.project = projects[i];
    request.types = {types[i]};
    request.properties = conditions[i];
    request.resources = fmt::format("{{{}}}/core=1", conditions[(i + 1) % conditions.size()]);
    if (request.resources.find('}') != request.resources.rfind('}')) request.resources = "/core=1";  // OAR ends them at the first brace
    ASSERT_FALSE(grid::wrong_project(request.project));
    ASSERT_FALSE(grid::wrong_job_type(types[i]));
    ASSERT_FALSE(grid::wrong_properties(request.properties)) << *grid::wrong_properties(request.properties);
    ASSERT_TRUE(grid::ResourceRequest::parse(request.resources)) << grid::ResourceRequest::parse(request.resources).error();
    const auto id = world().submit(request).ids.front();
    const auto details = world().details(id);
    EXPECT_EQ(details.job.project, request.project);
    EXPECT_EQ(details.types, request.types);
    const auto called = recorded(world(), id);
    EXPECT_THAT(called, HasSubstr(fmt::format("--property={} ", request.properties)));
    EXPECT_THAT(called, HasSubstr(fmt::format("--resource={},walltime=", request.resources)));
  }
}

/// Each field of a campaign that is sent, with what shells, globs, SQL and Perl read: the grammar refuses it, or it arrives.
TEST_P(Submission, WhatShellsRead_IsRefusedOrArrives_InEachField) {
  std::string project{"p"};
  std::string quoted;
  for (const char one : std::string_view{" ;&|<>()*?[]{}~#!^%\n\t\r'\"\\`$"}) {
    const std::string text{'a', one, 'b'};
    if (!grid::wrong_project(text)) project += text;
    if (!grid::wrong_properties(fmt::format("host LIKE '{}'", text))) quoted += text;
    EXPECT_TRUE(one == ' ' || one == '*' || one == '%' || grid::wrong_job_type(text)) << one;
  }
  auto request = world().request("true");
  request.project = project;
  request.types = {"noop=standby"};
  request.properties = fmt::format("mem >= 8 OR host LIKE '{}'", quoted);
  std::erase_if(quoted, [](char letter) { return letter == '{' || letter == '}'; });  // OAR ends them at the first brace
  request.resources = fmt::format("{{mem >= 8 OR host LIKE '{}'}}/core=1", quoted);
  ASSERT_FALSE(grid::wrong_properties(request.properties));
  ASSERT_TRUE(grid::ResourceRequest::parse(request.resources)) << grid::ResourceRequest::parse(request.resources).error();
  const auto id = world().submit(request).ids.front();
  EXPECT_EQ(world().details(id).job.project, project);
  const auto called = recorded(world(), id);
  EXPECT_THAT(called, HasSubstr(fmt::format("--property={} ", request.properties)));
  EXPECT_THAT(called, HasSubstr(fmt::format("--resource={},walltime=", request.resources)));
  for (const char one : std::string_view{";&|<>()*?[]~"}) EXPECT_THAT(quoted, HasSubstr(std::string{one})) << "it was tried";
}

TEST_P(Submission, SeveralLaunchesGoTogether_AndEachAnswerIsInItsPlace) {
  std::vector<oar::SubmitRequest> requests{world().request("true"), world().request("true"), world().request("true")};
  requests[1].resources = "/core=100000";
  auto results = client().submit(requests);
  ASSERT_EQ(results.size(), 3U);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (broke_off(results[i])) {
      results[i] = until_answered([&] { return client().submit({&requests[i], 1}).front(); });
    }
  }
  EXPECT_TRUE(results[0]);
  EXPECT_FALSE(results[1]);
  EXPECT_TRUE(results[2]);
}

}  // namespace
}  // namespace gleaner::contract
