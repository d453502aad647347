#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "lib/oar/client.hpp"
#include "lib/oar/parse.hpp"
#include "tests/unit/oar_transcripts.hpp"

/// The outcome of a request: submissions, deletions and failures, in OAR's answers.
namespace gleaner::oar {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(OarOutcomes, ASubmissionNamesItsJobsInOrder) {
  const auto& exchange = answer("04", "As many jobs as lines");
  const auto submitted = parse_submission(exchange.body, 3);
  ASSERT_TRUE(submitted) << submitted.error();
  EXPECT_THAT(submitted->ids, ElementsAre(grid::RemoteJobId{1130}, grid::RemoteJobId{1131}, grid::RemoteJobId{1132}));
  EXPECT_EQ(submitted->array, grid::RemoteJobId{1130});
  EXPECT_THAT(parse_submission(exchange.body, 4).error(), HasSubstr("4 jobs were asked for, and the answer names 3"));
  const auto single = parse_submission(answer("03", "One job").body, 1);
  ASSERT_TRUE(single) << single.error();
  EXPECT_EQ(single->array, single->ids.front());
}

TEST(OarOutcomes, ASubmissionThatContradictsItselfIsNoAnswer) {
  EXPECT_FALSE(parse_submission(R"({"id":3,"cmd_output":"OAR_JOB_ID=1\nOAR_JOB_ID=2\n"})", 2));
  EXPECT_FALSE(parse_submission(R"({"id":1,"cmd_output":"OAR_JOB_ID=1\nOAR_JOB_ID=1\n"})", 2));
  EXPECT_FALSE(parse_submission(R"({"id":1})", 1));
  EXPECT_FALSE(parse_submission(R"({"id":-5,"cmd_output":"OAR_JOB_ID=-5\n"})", 1));
  EXPECT_FALSE(parse_submission(R"({"id":1,"cmd_output":"said OAR_JOB_ID=1\n"})", 1));
}

template <class Kind>
void expect_kind(const Exchange& exchange) {
  const auto failure = submission_failure(exchange.status, parse_message(exchange.body));
  EXPECT_TRUE(std::holds_alternative<Kind>(failure)) << exchange.title << ": " << describe(failure);
}

/// The status says it in few cases: 500 may be a refusal, and 400 a job that exists.
TEST(OarOutcomes, ARefusedSubmissionIsDistinguishedFromOneWhoseOutcomeIsUnknown) {
  for (const std::string title :
       {"Resource request that is not", "Resource request with a syntax", "More resources", "Property that is not SQL", "Property that no",
        "Unknown type", "Unknown queue", "Unknown option", "No command", "Broken JSON", "Empty body", "Wrong content type",
        "Best effort and reservation", "The user root"}) {
    expect_kind<Refused>(answer("13", title));
  }
  expect_kind<Refused>(answer("01", "Identity that is no unix account"));
  expect_kind<ServerError>(answer("14", "Submission fails, though"));
  expect_kind<ServerError>(answer("13", "Reservation in the past"));
  EXPECT_TRUE(std::holds_alternative<ServerError>(submission_failure(500, "Cannot connect to the database")));
  EXPECT_TRUE(std::holds_alternative<ServerError>(submission_failure(502, "Bad gateway")));
}

TEST(OarOutcomes, AnOutcomeOfADeletionIsReadInItsText) {
  const auto outcome = [](const std::string& section, const std::string& title) {
    const auto& exchange = answer(section, title);
    return removal_outcome(exchange.status, parse_message(exchange.body));
  };
  EXPECT_EQ(outcome("06", "Deletion while it runs"), Removal::accepted);
  EXPECT_EQ(outcome("04", "The whole array is deleted"), Removal::accepted);
  EXPECT_EQ(outcome("06", "Deletion again"), Removal::already_over_or_asked);
  EXPECT_TRUE(std::holds_alternative<Refused>(outcome("06", "Somebody else may").error()));
  EXPECT_TRUE(std::holds_alternative<Refused>(outcome("06", "Deletion of an unknown").error()));
  EXPECT_TRUE(std::holds_alternative<Refused>(outcome("06", "Nor may").error()));
  // Registered, but without a notification: it may not be carried out.
  EXPECT_TRUE(std::holds_alternative<ServerError>(outcome("14", "Deletion fails too").error()));
}

TEST(OarOutcomes, APageOfTheWebServerIsItsTitle_AndAMessageIsOneLine) {
  EXPECT_EQ(parse_message(answer("01", "Wrong password").body), "401 Unauthorized");
  EXPECT_EQ(parse_message(R"({"message":"one"})"), "one");
  EXPECT_EQ(parse_message(""), "no message");
  const auto failure = read_failure(500, std::string(5000, 'x') + "\ny");
  EXPECT_LT(describe(failure).size(), 1000U);
  EXPECT_THAT(describe(read_failure(404, "two\nlines")), ::testing::Not(HasSubstr("\n")));
}

TEST(OarOutcomes, TheEncodedCommandInARefusal_IsLeftOut_SoThatItsReasonIsSeen) {
  const auto message = "oarsub 'bash -c \"$(echo " + std::string(2000, 'Q') + "==|base64 -d)\" gleaner12' : /home/ada/runs is no folder";
  EXPECT_EQ(describe(read_failure(400, message)),
            "refused (400): oarsub 'bash -c \"$(echo ...|base64 -d)\" gleaner12' : /home/ada/runs is no folder");
}

}  // namespace
}  // namespace gleaner::oar
