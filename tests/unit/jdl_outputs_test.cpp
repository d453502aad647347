#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/parse.hpp"

/// The keys of what tasks leave.
namespace gleaner::jdl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string a_file(const std::string& keys, const std::string& of_alpha = "") {
  return fmt::format(R"({{"name": "n", "nb_jobs": 2, "exec_file": "run", {}, "clusters": {{"alpha": {{{}}}, "beta": {{}}}}}})", keys,
                     of_alpha);
}

CampaignFile read(const std::string& text) {
  auto read = parse(text);
  if (!read) throw std::runtime_error{render(read.error(), "c")};
  return std::move(*read);
}

std::vector<std::string> errors(const std::string& text) {
  std::vector<std::string> all;
  const auto campaign = parse(text);
  if (campaign) return all;
  for (const auto& problem : campaign.error()) all.push_back(problem.path + ": " + problem.message);
  return all;
}

TEST(JdlOutputs, AClusterHasTheKeysOfTheTopLevel_OrItsOwn_AndBothAreStored) {
  const auto campaign =
      read(a_file(R"("output_directory": "results", "output_files": ["a-{TASK}", "b-{1}*"])", R"("output_directory": "/data/$USER")"));
  EXPECT_EQ(campaign.clusters[0].output_directory, "/data/$USER");
  EXPECT_EQ(campaign.clusters[1].output_directory, "results");
  EXPECT_THAT(campaign.clusters[0].output_files, ElementsAre("a-{TASK}", "b-{1}*"));
  auto stored = from_json(to_json(campaign));
  ASSERT_TRUE(stored) << stored.error();
  stored->parameters = campaign.parameters;
  EXPECT_EQ(*stored, campaign);
  EXPECT_EQ(read(to_jdl(campaign)).clusters, campaign.clusters);
}

TEST(JdlOutputs, TheFolder_IsInTheHome_AndOfItsCampaignAlone) {
  const auto folder = [](const std::string& written) {
    return expand(read(a_file(fmt::format(R"("output_directory": "{}")", written))).clusters[0], grid::CampaignId{12}).output_directory;
  };
  EXPECT_EQ(folder("results"), "$HOME/results/12");
  EXPECT_EQ(folder("~/results/"), "$HOME/results/12");
  EXPECT_EQ(folder("{HOME}/c{CAMPAIGN_ID}/out"), "$HOME/c12/out");
  EXPECT_EQ(folder("/data/$USER{CAMPAIGN_ID}"), "/data/${USER}12");
  EXPECT_EQ(folder("~"), "$HOME/12");
  EXPECT_EQ(expand(read(a_file(R"("project": "p")")).clusters[0], grid::CampaignId{12}).output_directory, "");
}

TEST(JdlOutputs, NamesOfWords_AreStoredAsTheirPlaces) {
  const auto campaign = read(a_file(
      R"("output_directory": "r", "parameter_names": ["mesh", "cells"], "output_files": ["{cells}/{mesh}.dat", "{TASK}-{3}", "${HOME}/{1}"])"));
  EXPECT_EQ(stored_output_files(campaign.clusters[0], campaign.parameter_names), "{2}/{1}.dat\n{TASK}-{3}\n${HOME}/{1}");
}

TEST(JdlOutputs, APatternWithoutItsTask_IsRefused_AsItWouldMatchTheFilesOfAll) {
  EXPECT_THAT(
      errors(a_file(R"("output_directory": "r", "output_files": ["*.dat"])")),
      ElementsAre("output_files: '*.dat' matches the files of every task: write {TASK}, {OAR_JOB_ID} or a word of the parameter, such as "
                  "{1}, into it"));
  EXPECT_THAT(errors(a_file(R"("output_directory": "r", "output_files": ["{ATTEMPT}.dat"])")),
              ElementsAre(HasSubstr("matches the files of every")));
}

TEST(JdlOutputs, WhatIsWrong_IsSaidWithItsPlaceAndWhatWouldBeRight) {
  EXPECT_THAT(
      errors(a_file(R"("output_files": ["{TASK}"])")),
      ElementsAre("output_files: output_files need output_directory, the folder in which they are gathered, e.g. \"output_directory\": "
                  "\"results\""));
  EXPECT_THAT(errors(a_file(R"("project": "p")", R"("output_files": ["{TASK}"])")),
              ElementsAre(HasSubstr("clusters.alpha.output_files: output_files need output_directory")));
  EXPECT_THAT(errors(a_file(R"("output_directory": "my results")")),
              ElementsAre(HasSubstr("OAR's API can read no file whose path has ' ' in it")));
  EXPECT_THAT(errors(a_file(R"("output_directory": "r", "output_files": ["{TASKS}"])")),
              ElementsAre(HasSubstr("there is no macro '{TASKS}' (did you mean 'TASK'?)")));
  EXPECT_THAT(errors(a_file(R"("output_directory": "r", "output_files": ["{TASK"])")), ElementsAre(HasSubstr("there is no macro '{}'")));
  EXPECT_THAT(errors(a_file(R"("output_directory": "r", "output_files": ["../{TASK}"])")),
              ElementsAre(HasSubstr("'..' cannot be a part of it")));
  EXPECT_THAT(errors(a_file(R"("output_directory": "r", "output_files": ["{TASK}`id`"])")),
              ElementsAre(HasSubstr("` at character 7 cannot be in it")));
  EXPECT_THAT(errors(a_file(R"("output_directory": "r", "output_files": 7)")),
              ElementsAre(HasSubstr("'7' is a number; write an array of patterns")));
}

TEST(JdlOutputs, CigrisKeys_AreUnderstoodWhereTheyMeanTheSame) {
  const auto campaign =
      read(a_file(R"("output_gathering_method": "collector", "output_file": "result-{1}.dat", "output_destination": "~/results")"));
  EXPECT_EQ(campaign.clusters[0].output_directory, "~/results");
  EXPECT_THAT(campaign.clusters[1].output_files, ElementsAre("result-{1}.dat"));
  EXPECT_THAT(errors(a_file(R"("output_gathering_method": "None", "output_file": "", "output_destination": null)")), ElementsAre());
}

TEST(JdlOutputs, CigrisKeys_AreRefusedByName_WhereTheyMeanSomethingElse) {
  EXPECT_THAT(errors(a_file(R"("output_destination": "ada@host:/data", "output_file": "{1}")")),
              testing::Contains(HasSubstr("'ada@host:/data' is on another machine")));
  EXPECT_THAT(errors(a_file(R"("output_directory": "r", "output_file": "{1}", "output_files": ["{1}"])")),
              ElementsAre(HasSubstr("'output_files' means the same as 'output_file', which is stated too")));
}

}  // namespace
}  // namespace gleaner::jdl
