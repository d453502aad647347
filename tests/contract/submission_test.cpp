#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>
#include <vector>

#include "tests/contract/raw_http.hpp"
#include "tests/contract/world.hpp"

namespace gleaner::contract {
namespace {

using ::testing::HasSubstr;

class Submission : public Contract {
 protected:
  static std::string output(grid::RemoteJobId id) {
    const auto text = until_answered([&] { return client().read_file(world().user(), fmt::format("~/{}/{}.out", world().token(), id.value())); });
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
  const auto jobs = until_answered([&] { return client().jobs_of_array(grid::RemoteJobId{document["id"].GetInt64()}); });
  ASSERT_TRUE(jobs) << oar::describe(jobs.error());
  EXPECT_EQ(jobs->size(), 2U);
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

/// They come as 500, like a server that failed; the message tells them apart.
TEST_P(Submission, AWrongSyntaxOrTypeIsAnswered500_AndKnownForARefusal) {
  auto syntax = world().request("true");
  syntax.resources = "core=;;";
  expect_refused(syntax, 500);
  auto type = world().request("true");
  type.types = {"nosuchtype"};
  expect_refused(type, 500);
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
  request.directory = "/tmp";
  request.walltime = "0:10:0";
  const auto details = world().details(world().submit(request).ids.front());
  EXPECT_EQ(details.job.name, request.name);
  EXPECT_EQ(details.job.owner, world().user());
  EXPECT_EQ(details.job.project, "demo");
  EXPECT_EQ(details.job.queue, "besteffort");
  EXPECT_TRUE(details.job.is_best_effort());
  EXPECT_EQ(details.directory, "/tmp");
  EXPECT_EQ(details.types, std::vector<std::string>{"besteffort"});
  EXPECT_EQ(details.stdout_file, fmt::format("{}/{}.out", world().token(), details.job.id.value()));
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
