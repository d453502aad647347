#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/jdl/described_keys.hpp"
#include "lib/jdl/input_from.hpp"
#include "lib/jdl/parse.hpp"

/// The key input_from.
namespace gleaner::jdl {
namespace {

using grid::CampaignId;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

tl::expected<CampaignFile, std::vector<Problem>> read_sources(const std::string& value, const std::string& inputs) {
  return parse(fmt::format(R"({{"name": "n", "nb_jobs": 2, "exec_file": "run"{}, "input_from": {}, "clusters": {{"alpha": {{}}}}}})",
                           inputs.empty() ? "" : ", \"input_files\": " + inputs, value));
}

std::string error_of_sources(const std::string& value, const std::string& inputs = R"(["outputs-12/{1}.out"])") {
  const auto file = read_sources(value, inputs);
  std::string text;
  if (file) return text;
  for (const auto& problem : file.error()) text += problem.path + ": " + problem.message + "\n";
  return text;
}

TEST(JdlInputFrom, IsACampaign_OrSeveral_AndIsStored) {
  EXPECT_THAT(read_sources("12", R"(["outputs-12/{1}.out"])")->input_from, ElementsAre(CampaignId{12}));
  EXPECT_THAT(read_sources(R"("12")", R"("outputs-12/{1}.out")")->input_from, ElementsAre(CampaignId{12}));
  const auto file = *read_sources("[12, 7]", R"(["a", "outputs-7/x", "outputs-12/{1}/b"])");
  EXPECT_THAT(file.input_from, ElementsAre(CampaignId{12}, CampaignId{7}));
  const auto stored = from_json(to_json(file));
  ASSERT_TRUE(stored) << stored.error();
  EXPECT_EQ(stored->input_from, file.input_from);
  EXPECT_THAT(to_campaign_text(file), HasSubstr(R"("input_from":[12,7])"));
}

TEST(JdlInputFrom, ThatIsWrong_IsRefusedWithWhatIsRight) {
  EXPECT_THAT(error_of_sources("\"mesh\""), HasSubstr("input_from: 'mesh' is no campaign's number"));
  EXPECT_THAT(error_of_sources("0"),
              HasSubstr("'0' is no campaign's number; write that of a campaign that was submitted before, such as 12"));
  for (const auto* wrong : {"-1", "1.5", "true", "{}", "[[12]]"})
    EXPECT_THAT(error_of_sources(wrong), HasSubstr("is no campaign's number"));
  EXPECT_THAT(error_of_sources("[]"), HasSubstr("it is empty: write the campaigns whose outputs the tasks read"));
  EXPECT_THAT(error_of_sources("[12, 12]"), HasSubstr("the campaign 12 is named twice"));
  EXPECT_THAT(error_of_sources("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]"), HasSubstr("there may be 10 campaigns"));
}

TEST(JdlInputFrom, WithoutInputFilesOfThatCampaign_IsRefusedInWordsThatNameBothKeys) {
  EXPECT_THAT(error_of_sources("12", ""),
              HasSubstr("input_from: there are no input_files, and so none begins with outputs-12/: input_files "
                        "says which outputs of campaign 12 the tasks read"));
  EXPECT_THAT(error_of_sources("12", R"(["outputs-1/{1}.out", "results/x"])"),
              HasSubstr("no pattern of input_files begins with outputs-12/"));
  EXPECT_THAT(error_of_sources("[12, 7]"), HasSubstr("no pattern of input_files begins with outputs-7/"));
}

TEST(JdlInputFrom, PathsAreOutputs_BelowTheFoldersOfItsCampaignsAlone) {
  const auto file = *read_sources("[12, 1]", R"(["outputs-12/{1}.out", "outputs-1/a"])");
  EXPECT_EQ(output_path(file, "outputs-12/7/a.dat")->campaign, CampaignId{12});
  EXPECT_EQ(output_path(file, "outputs-12/7/a.dat")->within, "7/a.dat");
  EXPECT_EQ(output_path(file, "outputs-1/7/a.dat")->campaign, CampaignId{1});
  for (const auto* other : {"outputs-2/7", "outputs-123/7", "a/outputs-12/7", "outputs-12"})
    EXPECT_FALSE(output_path(file, other)) << other;
}

TEST(JdlInputFrom, StaysAsItWasSubmitted) {
  const auto keys = described_keys();
  const auto key = std::ranges::find(keys, "input_from", &DescribedKey::name);
  ASSERT_NE(key, keys.end());
  EXPECT_THAT(std::string{key->why_fixed}, HasSubstr("its input files stay as they were submitted"));
}

}  // namespace
}  // namespace gleaner::jdl
