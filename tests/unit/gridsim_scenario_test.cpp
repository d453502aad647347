#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sim/gridsim/engine/scenario_file.hpp"
#include "sim/gridsim/engine/swf.hpp"

namespace gleaner::gridsim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> errors(const std::string& text) {
  std::vector<std::string> lines;
  const auto scenario = read_scenario(text, ".");
  if (scenario) return lines;
  for (const auto& problem : scenario.error()) lines.push_back(jdl::render(std::span{&problem, 1}, "s.json"));
  return lines;
}

constexpr std::string_view kRight = R"({"clusters": {"alpha": {"nodes": 4, "cores": 8}}, "campaigns": [{"tasks": 3, "duration": "10s"}]})";

TEST(GridsimScenario, TheSmallestOne_IsRead_WithProductionsDefaults) {
  const auto scenario = read_scenario(kRight, ".");
  ASSERT_TRUE(scenario);
  EXPECT_EQ(scenario->clusters.at(0).resources(), 32);
  EXPECT_EQ(scenario->campaigns.at(0).clusters.at(0).facts.resources_per_job, 1);
  EXPECT_EQ(scenario->config.cycle_period, std::chrono::seconds{5});
}

TEST(GridsimScenario, EveryError_IsReportedAtOnce_WithPlaceValueAndWhatIsRight) {
  EXPECT_THAT(errors("{\"clusters\": {\"alpha\": {\"nodes\": 0, \"cores\": 8, \"start_rat\": 2}},\n"
                     " \"campaigns\": [{\"tasks\": 3, \"duration\": \"soon\"}],\n \"lenght\": \"1d\"}"),
              ElementsAre(HasSubstr("s.json:1:34: clusters.alpha.nodes: '0' is too small; write a whole number from 1 to 100000"),
                          HasSubstr("clusters.alpha.start_rat: there is no key 'start_rat' (did you mean 'start_rate'?)"),
                          HasSubstr("s.json:2:41: campaigns[0].duration: 'soon' is not right here; write a time such as"),
                          HasSubstr("s.json:3:2: lenght: there is no key 'lenght' (did you mean 'length'?)")));
}

TEST(GridsimScenario, AConfigurationKey_ThatIsUnknownWrongOrUseless_IsRefused) {
  const auto with = [](std::string configuration) {
    return errors("{\"configuration\": " + configuration +
                  ", \"clusters\": {\"a\": {\"nodes\": 1, \"cores\": 1}}, \"campaigns\": [{\"tasks\": 1, \"duration\": 1}]}");
  };
  EXPECT_THAT(with(R"({"predictor_algoritm": "measured"})"), ElementsAre(HasSubstr("did you mean 'predictor_algorithm'?")));
  EXPECT_THAT(with(R"({"predictor_algorithm": "slowstart"})"), ElementsAre(HasSubstr("did you mean 'slow-start'?")));
  EXPECT_THAT(with(R"({"campaign_order": "fifi"})"), ElementsAre(HasSubstr("did you mean 'fifo'?")));
  EXPECT_THAT(with(R"({"flood": -1})"), ElementsAre(HasSubstr("a number from 0 to 100")));
  EXPECT_THAT(with(R"({"database": "dbname=x"})"), ElementsAre(HasSubstr("has no meaning in a simulation")));
}

TEST(GridsimScenario, MissingKeysAndUnknownClusters_AreReported) {
  EXPECT_THAT(errors("{}"), ElementsAre(HasSubstr("clusters: it is missing"), HasSubstr("campaigns: it is missing")));
  EXPECT_THAT(
      errors(R"({"clusters": {"alpha": {"nodes": 1, "cores": 4}}, "campaigns": [{"tasks": 1, "duration": 1, "clusters": ["alpa"]}]})"),
      ElementsAre(HasSubstr("there is no cluster 'alpa' (did you mean 'alpha'?)")));
  EXPECT_THAT(
      errors(R"({"clusters": {"alpha": {"nodes": 1, "cores": 4}}, "campaigns": [{"tasks": 1, "duration": 1, "resources": "/nodes=2"}]})"),
      ElementsAre(HasSubstr("never fits on alpha")));
  EXPECT_THAT(
      errors(R"({"clusters": {"alpha": {"nodes": 1, "cores": 4}}, "campaigns": [{"tasks": 1, "duration": 1, "scheduler": "predicton"}]})"),
      ElementsAre(
          HasSubstr("'predicton' is not a campaign scheduler; write workqueue, prediction or finalize (did you mean 'prediction'?)")));
  EXPECT_THAT(errors("[]"), ElementsAre(HasSubstr("a scenario is an object")));
}

TEST(GridsimScenario, ACampaignFile_GivesItsTasksAndRequests) {
  const auto scenario = read_scenario(
      R"({"clusters": {"alpha": {"nodes": 4, "cores": 8}, "beta": {"nodes": 4, "cores": 8}}, "campaigns": [{"jdl": "primes.jdl", "duration": "10s"}]})",
      "examples");
  ASSERT_TRUE(scenario) << jdl::render(scenario.error(), "s");
  EXPECT_EQ(scenario->campaigns.at(0).tasks, 200);
}

TEST(GridsimScenario, AnExpression_OfTheRequest_BecomesTheShapeOnTheNodes) {
  const auto scenario = read_scenario(
      R"({"clusters": {"a": {"nodes": 4, "cores": 8}}, "campaigns": [{"tasks": 1, "duration": 1, "resources": "/nodes=2/core=3"}, {"tasks": 1, "duration": 1, "resources": "/nodes=2"},
         {"tasks": 1, "duration": 1, "resources": "/nodes=1", "takes": 5}]})",
      ".");
  ASSERT_TRUE(scenario);
  EXPECT_EQ(scenario->campaigns[0].clusters[0].width, 6);
  EXPECT_EQ(scenario->campaigns[1].clusters[0].width, 16);
  EXPECT_EQ(scenario->campaigns[1].clusters[0].facts.resources_per_job, 16) << "nodes of one size";
  EXPECT_EQ(scenario->campaigns[1].clusters[0].facts.nodes_per_job, 2);
  EXPECT_EQ(scenario->campaigns[2].clusters[0].width, 5);
  EXPECT_EQ(scenario->campaigns[2].clusters[0].facts.resources_per_job, std::nullopt);
}

// Standard Workload Format: parallelworkloads.org, "The Standard Workload Format".
constexpr std::string_view kTrace =
    "; Version: 2.2\n; MaxProcs: 8\n\n"
    "1 100 20 60 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n"
    "2 200 -1 30 -1 -1 -1 2 -1 -1 1 1 1 1 1 1 -1 -1\n"
    "3 300 0 -1 4 -1 -1 4 -1 -1 0 1 1 1 1 1 -1 -1\n";

TEST(GridsimSwf, AJob_ArrivesWhenItStartedInTheTrace_WithTheProcessorsThatItGot) {
  std::istringstream input{std::string{kTrace}};
  const auto jobs = read_swf(input, "t.swf", {.resources = 8});
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 2u);
  EXPECT_EQ(jobs->at(0).at, 120);
  EXPECT_EQ(jobs->at(0).duration, 60);
  EXPECT_EQ(jobs->at(0).resources, 4);
  EXPECT_EQ(jobs->at(1).resources, 2);
}

TEST(GridsimSwf, Scale_MakesJobsSmaller_AndFrom_LeavesOutTheBeginning) {
  std::istringstream input{std::string{kTrace}};
  const auto jobs = read_swf(input, "t.swf", {.resources = 8, .scale = 0.3, .from = 150});
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->size(), 1u);
  EXPECT_EQ(jobs->at(0).at, 50);
  EXPECT_EQ(jobs->at(0).resources, 1);
}

TEST(GridsimSwf, ATraceWhoseLinesEndInCarriageReturns_IsNotOneComment) {
  std::istringstream input{"; a comment\r1 100 20 60 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\r"};
  EXPECT_THAT(read_swf(input, "t.swf", {.resources = 8}).error(), ElementsAre(HasSubstr("t.swf:1: a carriage return is alone here")));
}

TEST(GridsimSwf, EveryWrongLine_IsReportedByItsNumber) {
  std::istringstream input{
      "; a comment\n1 2 3\n1 100 20 x 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n1 100 20 60 99 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n"};
  const auto jobs = read_swf(input, "t.swf", {.resources = 8});
  ASSERT_FALSE(jobs);
  EXPECT_THAT(jobs.error(), ElementsAre("t.swf:2: there are 3 fields, and a job has 18 (-1 where nothing is known)",
                                        "t.swf:3: field 4, 'x', is not a number",
                                        HasSubstr("t.swf:4: the job takes 99 resources, and the cluster has 8")));
}

}  // namespace
}  // namespace gleaner::gridsim
