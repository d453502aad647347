#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lib/jdl/parameter_reader.hpp"
#include "lib/jdl/parse.hpp"
#include "lib/jdl/placement.hpp"

namespace gleaner::jdl {
namespace {

std::filesystem::path examples() {
  const auto* source = std::getenv("GLEANER_SOURCE_DIR");
  return std::filesystem::path{source == nullptr ? "." : source} / "examples";
}

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream{path, std::ios::binary}.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> campaign_files() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator{examples()})
    if (entry.path().extension() == ".jdl") paths.push_back(entry.path());
  return paths;
}

/// The tasks that a campaign file would make, its parameter file read beside it.
std::size_t tasks_of(const CampaignFile& campaign) {
  if (const auto* count = std::get_if<Count>(&campaign.parameters)) return static_cast<std::size_t>(count->tasks);
  if (const auto* params = std::get_if<Params>(&campaign.parameters)) return params->values.size();
  const auto* file = std::get_if<ParamFile>(&campaign.parameters);
  if (file == nullptr) return 0;
  std::ifstream input{examples() / file->path, std::ios::binary};
  ParameterReader reader{input};
  std::size_t tasks = 0;
  for (auto next = reader.next(); next && *next; next = reader.next()) ++tasks;
  return tasks;
}

TEST(JdlExamples, EachIsAcceptedAsItIs_AndHasTasks) {
  const KnownClusters demo{.enabled = {"alpha", "beta"}, .disabled = {}};
  const auto paths = campaign_files();
  EXPECT_GE(paths.size(), 4u);
  for (const auto& path : paths) {
    const auto campaign = parse(content(path), {}, &demo);
    ASSERT_TRUE(campaign) << render(campaign.error(), path.string());
    EXPECT_GT(tasks_of(*campaign), 0u) << path;
  }
}

TEST(JdlExamples, PiInTheClassicForm_IsTheSameCampaign) {
  const auto json = parse(content(examples() / "pi.jdl"));
  auto classic = parse(content(examples() / "classic.jdl"));
  ASSERT_TRUE(json && classic);
  EXPECT_EQ(classic->clusters.at(0).priority, 2);
  classic->clusters.at(0).priority = 1;
  classic->clusters.at(0).exec_directory = "$HOME";
  EXPECT_EQ(classic->clusters, json->clusters);
  EXPECT_EQ(classic->parameters, json->parameters);
}

TEST(JdlExamples, TheCounts_ShowWhereWordsStand_AndWhoExpandsThem) {
  const auto campaign = parse(content(examples() / "counts.jdl")).value();
  const auto& params = std::get<Params>(campaign.parameters).values;
  PlacementCheck check{campaign};
  for (std::size_t task = 0; task < params.size(); ++task) EXPECT_FALSE(check.wrong(static_cast<std::int64_t>(task), params[task]));
  EXPECT_EQ(command_of_task(campaign, campaign.clusters.at(0), params.at(0)), "wc -w /etc/*.conf > \"$HOME/counts-conf.txt\"");
}

TEST(JdlExamples, TheGreetings_ShowHowLinesAreSplit) {
  std::ifstream input{examples() / "greetings.txt", std::ios::binary};
  ParameterReader reader{input};
  std::vector<Arguments> tasks;
  for (auto next = reader.next(); next && *next; next = reader.next())
    tasks.push_back(arguments_of(Parameter{std::string{**next}}).value());
  EXPECT_THAT(tasks, testing::ElementsAre(Arguments{"ada", "good morning", "1"}, Arguments{"grace", "it costs $5; really", "2"},
                                          Arguments{"alan", "*.txt", "#3"}, Arguments{"Émilie du Châtelet", "bonjour !"}));
}

}  // namespace
}  // namespace gleaner::jdl
