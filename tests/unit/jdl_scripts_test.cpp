#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/parse.hpp"
#include "tests/unit/public_shapes.hpp"

/// The keys of prologues and epilogues.
namespace gleaner::jdl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

std::string prologue_of(const std::string& command) {
  ClusterSection section;
  section.prologue = {command};
  return expand(section, grid::CampaignId{12}).prologue;
}

TEST(JdlScripts, AClusterHasTheScriptsOfTheTopLevel_OrItsOwn_AndBothAreStored) {
  const auto campaign = read(a_file(R"("prologue": ["a", "b c"], "epilogue": ["d"], "prologue_walltime": "0:10:0")",
                                    R"("prologue": [], "epilogue": ["e", "f"], "epilogue_walltime": "1:0:0")"));
  EXPECT_THAT(campaign.clusters[0].prologue, IsEmpty());
  EXPECT_THAT(campaign.clusters[0].epilogue, ElementsAre("e", "f"));
  EXPECT_EQ(campaign.clusters[0].epilogue_walltime, grid::Seconds{3600});
  EXPECT_THAT(campaign.clusters[1].prologue, ElementsAre("a", "b c"));
  EXPECT_EQ(campaign.clusters[1].prologue_walltime, grid::Seconds{600});
  EXPECT_FALSE(campaign.clusters[1].epilogue_walltime);
  auto stored = from_json(to_json(campaign));
  ASSERT_TRUE(stored) << stored.error();
  stored->parameters = campaign.parameters;
  EXPECT_EQ(*stored, campaign);
  EXPECT_EQ(read(to_jdl(campaign)).clusters, campaign.clusters);
}

TEST(JdlScripts, MacrosBecomeVariables_AndTheCommandsOneText) {
  EXPECT_EQ(prologue_of("mkdir -p {HOME}/a{CAMPAIGN_ID}b && cd ~"), "mkdir -p $HOME/a${CIGRI_CAMPAIGN_ID}b && cd $HOME");
  EXPECT_EQ(prologue_of("rm OAR.{OAR_JOB_ID}.x \"~/y\" z=~/z a:~/b"), "rm OAR.$OAR_JOB_ID.x \"$HOME/y\" z=$HOME/z a:$HOME/b");
  EXPECT_EQ(prologue_of("rm -f *~ x~ ~alice/y\n~/run;(~/run)"), "rm -f *~ x~ ~alice/y\n$HOME/run;($HOME/run)");
  ClusterSection section;
  section.epilogue = {"set -e", "cd {HOME}", "echo {TASK} $1"};
  EXPECT_EQ(expand(section, grid::CampaignId{12}).epilogue, "set -e\ncd $HOME\necho {TASK} $1");
  EXPECT_EQ(expand(section, grid::CampaignId{12}).prologue, "");
}

TEST(JdlScripts, WhatIsNoListOfCommands_IsRefused) {
  EXPECT_THAT(errors(a_file(R"("prologue": "mkdir x")")),
              ElementsAre("prologue: 'mkdir x' is a string; write a list of commands, e.g. [\"mkdir -p ~/data\"]"));
  EXPECT_THAT(errors(a_file(R"("epilogue": ["a", 5])")),
              ElementsAre("epilogue: '5' is a number, not a command; write a string, e.g. \"mkdir -p ~/data\""));
  EXPECT_THAT(errors(a_file(R"("epilogue": ["a\u0001"])")), ElementsAre(HasSubstr("control character")));
  EXPECT_THAT(errors(a_file(R"("prologue": ["a"], "prologue_walltime": "soon")")),
              ElementsAre("prologue_walltime: 'soon' is not a walltime; write h:m:s, e.g. 4:00:00"));
  EXPECT_THAT(errors(a_file(R"("epilogue": ["a"], "epilogue_walltime": -600)")),
              ElementsAre("epilogue_walltime: '-600' is too small; write a whole number from 1 to 316224000"));
  EXPECT_THAT(errors(a_file(fmt::format(R"("prologue": ["{}", "{}"])", std::string(40'000, 'x'), std::string(40'000, 'y')))),
              ElementsAre(HasSubstr("longer than 64 kB together")));
  EXPECT_THAT(errors(a_file(R"("prolog": ["a"])")), ElementsAre(HasSubstr("did you mean 'prologue'")));
}

TEST(JdlScripts, TheShapesThatArePublic_AreAccepted) {
  for (const auto& shape : tests::kPublicShapes) {
    const auto campaign = parse(std::string{shape.jdl});
    ASSERT_TRUE(campaign) << shape.name << ": " << render(campaign.error(), "c");
    int prologues = 0;
    int epilogues = 0;
    for (const auto& cluster : campaign->clusters) {
      prologues += cluster.prologue.empty() ? 0 : 1;
      epilogues += cluster.epilogue.empty() ? 0 : 1;
    }
    EXPECT_EQ(prologues, shape.prologues) << shape.name;
    EXPECT_EQ(epilogues, shape.epilogues) << shape.name;
  }
}

}  // namespace
}  // namespace gleaner::jdl
