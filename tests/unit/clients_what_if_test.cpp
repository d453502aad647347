#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "clients/gridsub/what_if.hpp"
#include "tests/unit/api_under_test.hpp"

/// The texts of gridsub --what-if and --dry-run.
namespace gleaner::gridsub {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string commands_document() {
  const char* folder = std::getenv("GLEANER_SOURCE_DIR");
  std::ostringstream text;
  text << std::ifstream{std::string{folder != nullptr ? folder : "."} + "/docs/commands.md"}.rdbuf();
  return text.str();
}

constexpr double kMinute = 60, kHour = 3600;

/// The example of docs/commands.md: a campaign that runs, and one that is not submitted.
Outlook the_example() {
  const gridsim::Prospect pi{.id = 12,
                             .name = "pi",
                             .user = "bzizou",
                             .started = true,
                             .start = {},
                             .end = gridsim::Times{2 * kHour + 10 * kMinute, kHour + 50 * kMinute, 2 * kHour + 45 * kMinute},
                             .evidence = "own",
                             .seen = 1200};
  const gridsim::Prospect sweep{.name = "sweep",
                                .user = "ada",
                                .start = gridsim::Times{40 * kMinute, 31 * kMinute, 52 * kMinute},
                                .end = gridsim::Times{5 * kHour + 2 * kMinute, 4 * kHour + 20 * kMinute, 6 * kHour + 10 * kMinute},
                                .evidence = "history",
                                .seen = 300};
  return {.prospects = {.campaigns = {pi, sweep},
                        .clusters = {{.cluster = "alpha", .held = 12, .resources = 32}, {.cluster = "beta", .held = 0, .resources = 16}},
                        .runs = 20},
          .left_out = {}};
}

TEST(WhatIfText, OfTheExample_IsThatOfTheDocument) {
  const terminal::Screen screen;
  const auto document = commands_document();
  for (const auto& text : {describe(the_example(), screen), sentence_of(the_example(), screen)})
    EXPECT_NE(document.find("\n" + text + "```\n"), std::string::npos) << "docs/commands.md does not have\n" << text;
}

TEST(WhatIfText, StatesTheAssumptions_ThatTheTableRestsOn) {
  const terminal::Screen wide{.width = 500};
  auto outlook = the_example();
  EXPECT_THAT(describe(outlook, wide), AllOf(Not(HasSubstr("walltime")), Not(HasSubstr("not foreseen")), Not(HasSubstr("not simulated"))));
  auto& sweep = outlook.prospects.campaigns[1];
  sweep.evidence = "walltime";
  sweep.group = 50;
  sweep.start = {};
  auto& pi = outlook.prospects.campaigns[0];
  pi.end = {};
  outlook.left_out.push_back(clients::Json::parse(R"({"cluster_name": "gamma", "why": "not reachable"})").value());
  EXPECT_THAT(describe(outlook, wide),
              AllOf(HasSubstr("by 6h10m "), Not(HasSubstr("5h02m")),
                    HasSubstr("Each is assumed to take its whole walltime, so the end is a bound.\n"),
                    HasSubstr("one job runs up to 50 tasks"), HasSubstr("not foreseen: in the simulation no cluster gets its jobs"),
                    HasSubstr("Cluster gamma is not simulated: it is not reachable.\n")));
  EXPECT_THAT(sentence_of(outlook, wide), HasSubstr("It would end in at most 6 h 10 min, if each task took its whole walltime. "
                                                    "You have no earlier campaign with this command.\n"));
  sweep.end = {};
  EXPECT_THAT(sentence_of(outlook, wide), HasSubstr("Its end is not foreseen: in the simulation no cluster gets its jobs"));
}

TEST(WhatIfText, OfTasksThatFollowOthersToTheirClusters_StatesThatTheyAreSimulatedAnywhere) {
  const auto live = [](const std::string& campaign) { return std::vector{clients::Json::parse(campaign).value()}; };
  EXPECT_TRUE(has_followers(live(R"({"after_each": [12], "clusters": {"alpha": {}, "beta": {}}})")));
  EXPECT_FALSE(has_followers(live(R"({"after_each": [12], "clusters": {"alpha": {}}})"))) << "they have one cluster";
  EXPECT_FALSE(has_followers(live(R"({"after": [12], "clusters": {"alpha": {}, "beta": {}}})")));
  const terminal::Screen wide{.width = 500};
  auto outlook = the_example();
  EXPECT_THAT(describe(outlook, wide), Not(HasSubstr("after_each")));
  EXPECT_THAT(to_json(outlook), HasSubstr(R"("followers_anywhere":false)"));
  outlook.follows = true;
  for (const auto& text : {describe(outlook, wide), sentence_of(outlook, wide)})
    EXPECT_THAT(text, HasSubstr("Tasks of after_each are simulated on any cluster of their campaign."));
  EXPECT_THAT(to_json(outlook), HasSubstr(R"("followers_anywhere":true)"));
}

TEST(WhatIfText, OfAStartThatRestsOnOthersWalltimes_StatesThat) {
  const terminal::Screen wide{.width = 500};
  auto outlook = the_example();
  const std::string condition{"if the others' jobs run to their walltimes"};
  EXPECT_THAT(describe(outlook, wide), Not(HasSubstr(condition)));
  EXPECT_THAT(to_json(outlook), Not(HasSubstr(R"("if_others_run_to_their_walltimes":true)")));
  outlook.prospects.campaigns[1].behind_walltimes = true;
  EXPECT_THAT(describe(outlook, wide), AllOf(HasSubstr("by 52m "), HasSubstr("by 6h10m "), HasSubstr(condition)));
  EXPECT_THAT(sentence_of(outlook, wide),
              HasSubstr("It would start in at most 52 min, if the others' jobs run to their walltimes, and end in at most 6 h 10 min, by"));
  EXPECT_THAT(to_json(outlook), HasSubstr(R"("if_others_run_to_their_walltimes":true)"));
}

TEST(WhatIfText, OfACampaignThatNothingIsSentFor_HasTheReasonInsteadOfTimes) {
  const terminal::Screen wide{.width = 500};
  const std::vector<std::pair<std::string, std::string>> reasons{
      {"paused", "paused: no forecast until it is resumed.\n"},
      {"braked", "braked: nothing of it is sent, and there is no forecast, until its brakes are over."},
      {"closed", "no cluster: none of its clusters takes tasks, and there is no forecast until one does.\n"}};
  for (const auto& [blocked, sentence] : reasons) {
    auto outlook = the_example();
    auto& sweep = outlook.prospects.campaigns[1];
    sweep.blocked = blocked;
    sweep.start = sweep.end = {};
    EXPECT_THAT(describe(outlook, wide), AllOf(HasSubstr(sentence), Not(HasSubstr("not foreseen"))));
    EXPECT_THAT(to_json(outlook), HasSubstr(fmt::format(R"("blocked":"{}")", blocked)));
    if (blocked == "paused") continue;
    EXPECT_THAT(sentence_of(outlook, wide), HasSubstr("It would not start now: "));
  }
}

TEST(WhatIfText, OfASimulationThatRanOutOfTime_StatesHowFarItCame) {
  const terminal::Screen wide{.width = 500};
  auto outlook = the_example();
  outlook.prospects.out_of_time = true;
  outlook.prospects.runs = 3;
  EXPECT_THAT(describe(outlook, wide),
              AllOf(HasSubstr("Simulated 3 times in 10s: too seldom for times that hold in 8 of 10 cases. --budget "
                              "allows more time.\n"),
                    Not(HasSubstr("In 8 of 10 cases"))));
  EXPECT_THAT(sentence_of(outlook, wide), HasSubstr("too seldom"));
  EXPECT_THAT(to_json(outlook), HasSubstr(R"("runs":3,"out_of_time":true,"known_until":null)"));
  outlook.prospects.runs = 1;
  outlook.prospects.known_until = kHour;
  outlook.prospects.campaigns[0].end = gridsim::Times{kMinute, kMinute, kMinute};
  outlook.prospects.campaigns[1].end = {};
  EXPECT_THAT(
      describe(outlook, wide),
      AllOf(HasSubstr("  1m00s  "), HasSubstr("  after 1h00m  "), Not(HasSubstr("not foreseen")),
            HasSubstr("Simulated once, until 1 h from now; stopped after 10s: what follows is not known. --budget allows more time.\n")));
  EXPECT_THAT(sentence_of(outlook, wide), HasSubstr("It would start in 40 min (31 min to 52 min) and end later than 1 h from now.\n"));
  EXPECT_THAT(to_json(outlook), HasSubstr(R"("known_until":3600)"));
}

TEST(WhatIfProgress, IsABarOfTheTime_WithHowFarTheSimulationIs) {
  const gridsim::Advance advance{.runs = 2, .simulated = 2 * kHour + 10 * kMinute, .spent = 5};
  EXPECT_EQ(simulation_line(advance, {}, 80),
            "[" + std::string(14, '#') + std::string(14, ' ') + "] simulating: run 3, 2 h 10 min ahead, 5 s of 10 s");
  EXPECT_EQ(simulation_line(advance, {}, 50), "simulating: run 3, 2 h 10 min ahead, 5 s of 10 s");
}

TEST(WhatIf, WithoutAClusterToSimulate_StatesTheReasonForEach) {
  const tests::ApiUnderTest api{[](const http::Request&) {
    return tests::answer(200, R"({"standstill": null, "scenario": {"clusters": {}, "live": []}, "left_out": [
      {"cluster_name": "alpha", "why": "disabled"}, {"cluster_name": "beta", "why": "not reachable"}]})");
  }};
  clients::ApiClient client{api.config()};
  try {
    static_cast<void>(simulate(client, {}, {}, terminal::Form::human));
    FAIL();
  } catch (const process::Error& error) {
    EXPECT_STREQ(error.what(), "there is nothing to simulate: alpha is disabled, beta is not reachable");
  }
}

}  // namespace
}  // namespace gleaner::gridsub
