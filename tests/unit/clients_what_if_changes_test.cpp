// The changes that gridsub --what-if assumes.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "clients/gridsub/what_if_changes.hpp"
#include "lib/process/exit_code.hpp"

namespace gleaner::gridsub {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(const std::vector<std::string>& words) {
  try {
    return "accepted: " + what_if_question(words, std::nullopt);
  } catch (const process::Error& error) {
    EXPECT_EQ(error.code(), process::ExitCode::usage);
    return error.what();
  }
}

TEST(WhatIfWords, AreTheQuestionOfTheApi) {
  EXPECT_EQ(what_if_question({"clusters_off=beta,a\"b", "after=2h"}, "{}\n"),
            R"({"jdl": "{}\n", "changes": {"clusters_off": ["beta", "a\"b"], "after": 7200}})");
  EXPECT_EQ(what_if_question({"clusters_off=beta", "off_after=3h"}, std::nullopt),
            R"({"changes": {"clusters_off": ["beta"], "off_after": 10800}})");
  EXPECT_THAT(refusal_of({"clusters_off=beta", "off_after=noon"}),
              HasSubstr("'off_after=noon': off_after is a time such as 30m, 2h or 1d"));
  EXPECT_EQ(
      what_if_question({"campaigns.12.priority=2", "order=priority,fairshare", "campaigns.3.paused=true", "campaigns.12.paused=false"},
                       std::nullopt),
      R"({"changes": {"order": "priority,fairshare", "campaigns": [{"id": 3, "paused": true}, {"id": 12, "priority": 2, "paused": false}]}})");
}

TEST(WhatIfWords, ThatAreWrong_AreRefusedInWords) {
  EXPECT_THAT(refusal_of({"beta"}), HasSubstr("'beta': this is no change: --what-if takes KEY=VALUE, such as clusters_off=beta"));
  EXPECT_THAT(refusal_of({"clusters_of=beta"}), HasSubstr("(did you mean 'clusters_off'?)"));
  EXPECT_THAT(refusal_of({"order="}), HasSubstr("there is no value"));
  EXPECT_THAT(refusal_of({"order=fifo", "order=fifo"}), HasSubstr("order is given twice"));
  EXPECT_THAT(refusal_of({"after=soon"}), HasSubstr("after is a time such as 30m, 2h or 1d"));
  EXPECT_THAT(refusal_of({"campaigns.x.paused=true"}), HasSubstr("names no campaign"));
  EXPECT_THAT(refusal_of({"campaigns.12=2"}), HasSubstr("names no campaign"));
  EXPECT_THAT(refusal_of({"campaigns.12.paused=yes"}), HasSubstr("paused is true or false"));
  EXPECT_THAT(refusal_of({"campaigns.12.priority=high"}), HasSubstr("a priority is a whole number"));
  EXPECT_THAT(refusal_of({"campaigns.12.name=u"}), HasSubstr("priority and paused can be changed"));
}

TEST(WhatIfWords, TheAnswerIsThatOfTheDocument) {
  const auto answer = clients::Json::parse(R"({"campaigns": [
    {"id": 12, "name": "pi", "user": "bzizou", "difference": 4200, "effect": "pays",
     "before": {"ends_in": {"expected": 7800, "earliest": 6600, "latest": 9900}, "blocked": null, "evidence": "own", "if_others_run_to_their_walltimes": false},
     "after": {"ends_in": {"expected": 12000, "earliest": 10200, "latest": 14100}, "blocked": null, "evidence": "own", "if_others_run_to_their_walltimes": false}},
    {"id": null, "name": "sweep", "user": "ada", "difference": null, "effect": "new", "before": null,
     "after": {"ends_in": {"expected": 20000, "earliest": 19000, "latest": 22200}, "blocked": null, "evidence": "walltime", "if_others_run_to_their_walltimes": false}}],
    "assumptions": ["beta would get no further job; the jobs that run there would go on."], "warnings": []})");
  ASSERT_TRUE(answer);
  const auto text = describe_changed(*answer, terminal::Screen{});
  const char* folder = std::getenv("GLEANER_SOURCE_DIR");
  std::ostringstream document;
  document << std::ifstream{std::string{folder != nullptr ? folder : "."} + "/docs/commands.md"}.rdbuf();
  EXPECT_NE(document.str().find("\n" + text + "```\n"), std::string::npos) << "docs/commands.md does not have\n" << text;
}

TEST(WhatIfWords, ACampaignThatWaits_HasItsReasonForATime_AndOneThatGainsItsTime) {
  const auto answer = clients::Json::parse(R"({"campaigns": [
    {"id": 12, "name": "a\u001bb", "user": "u", "difference": null, "effect": "gains", "before": {"ends_in": null, "blocked": "paused", "evidence": "own"},
     "after": {"ends_in": null, "blocked": null, "evidence": "own"}},
    {"id": 13, "name": null, "user": "user-1", "difference": -1200, "effect": "gains",
     "before": {"ends_in": {"expected": 7200, "earliest": 7200, "latest": 7200}, "blocked": null, "evidence": "own"},
     "after": {"ends_in": {"expected": 6000, "earliest": 6000, "latest": 6000}, "blocked": null, "evidence": "own"}}],
    "assumptions": [], "warnings": ["campaign 12: a note"]})");
  ASSERT_TRUE(answer);
  const auto text = describe_changed(*answer, terminal::Screen{});
  EXPECT_THAT(text, testing::AllOf(HasSubstr("paused"), HasSubstr("not foreseen"), HasSubstr("20m sooner: gains"),
                                   HasSubstr("campaign 12: a note")));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace gleaner::gridsub
