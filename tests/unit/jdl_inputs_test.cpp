#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/jdl/inputs.hpp"
#include "lib/jdl/parse.hpp"

/// The key input_files.
namespace gleaner::jdl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

tl::expected<CampaignFile, std::vector<Problem>> read_inputs(const std::string& value, const std::string& more = "") {
  return parse(
      fmt::format(R"({{"name": "n", "nb_jobs": 2, "exec_file": "run", "input_files": {}{}, "clusters": {{"alpha": {{}}}}}})", value, more));
}

std::string error_of_inputs(const std::string& value) {
  const auto file = read_inputs(value);
  return file ? "" : file.error().front().message;
}

TEST(JdlInputs, NamesOfWordsBecomeTheirPlaces_WhateverTheOrderOfTheKeys) {
  const auto file = read_inputs(R"(["solver.cfg", "meshes/{mesh}-{2}.msh"])", R"(, "parameter_names": ["mesh"])");
  ASSERT_TRUE(file);
  EXPECT_THAT(file->input_files, ElementsAre("solver.cfg", "meshes/{1}-{2}.msh"));
  EXPECT_THAT(read_inputs(R"("one")")->input_files, ElementsAre("one"));
}

TEST(JdlInputs, AreStoredWithTheirList_AndShownWithoutIt) {
  auto file = *read_inputs(R"(["a", "b/{1}"])");
  file.input_manifest = std::string(64, 'a');
  const auto stored = from_json(to_json(file));
  ASSERT_TRUE(stored) << stored.error();
  EXPECT_EQ(stored->input_files, file.input_files);
  EXPECT_EQ(stored->input_manifest, file.input_manifest);
  EXPECT_THAT(to_jdl(file), HasSubstr(R"("input_files":["a","b/{1}"])"));
  EXPECT_EQ(to_jdl(file).find("manifest"), std::string::npos);
}

TEST(JdlInputs, ThatAreWrong_AreRefusedWithWhatIsRight) {
  EXPECT_THAT(error_of_inputs("[]"), HasSubstr("write an array of paths"));
  EXPECT_THAT(error_of_inputs("{}"), HasSubstr("write an array of paths"));
  EXPECT_THAT(error_of_inputs("[7]"), HasSubstr("7"));
  EXPECT_THAT(error_of_inputs(R"(["/etc/passwd"])"), HasSubstr("it is not relative to the folder of the campaign file"));
  EXPECT_THAT(error_of_inputs(R"(["../x"])"), HasSubstr("cannot be an input file"));
  EXPECT_THAT(error_of_inputs(R"(["a-{mesh}"])"), HasSubstr("'{mesh}' is no word of the parameter"));
  EXPECT_THAT(error_of_inputs(R"(["a-{0}"])"), HasSubstr("'{0}' is no word"));
  EXPECT_THAT(error_of_inputs(R"(["a-{"])"), HasSubstr("is no word"));
}

TEST(JdlInputs, OfATask_AreNamedByItsParameter_OrTheTaskIsNamed) {
  const auto file = *read_inputs(R"(["a", "b/{2}"])");
  EXPECT_THAT(input_paths(file, 7, std::string{"x 'y z'"}).value(), ElementsAre("a", "b/y z"));
  EXPECT_THAT(input_paths(file, 7, Arguments{"x", "y"}).value(), ElementsAre("a", "b/y"));
  EXPECT_THAT(input_paths(file, 7, std::string{"x"}).error(),
              HasSubstr("task 7, parameter 'x': input_files has 'b/{2}', and the parameter has 1 word"));
  EXPECT_THAT(input_paths(file, 7, std::string{"x ../../y"}).error(), HasSubstr("task 7"));
  KnownInputs known{std::vector<grid::InputFile>{{.path = "a", .sha256 = {}}, {.path = "b/y", .sha256 = {}}}};
  for (const auto task : {7, 3, 5}) EXPECT_TRUE(known.read_by(file, task, std::string{"x y"}));
  EXPECT_EQ(known.readers_of("b/y"), (grid::Readers{3, 7}));
  EXPECT_EQ(known.readers_of("c"), grid::Readers{});
  EXPECT_THAT(known.read_by(file, 7, std::string{"x z"}).error(), HasSubstr("task 7, parameter 'x z': its input file 'b/z' is not among"));
}

}  // namespace
}  // namespace gleaner::jdl
