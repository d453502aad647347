#include <array>
#include <cstdio>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/jdl/edit.hpp"
#include "lib/jdl/parse.hpp"
#include "lib/jdl/placement.hpp"

/// Where the words of a parameter stand in a command, and who reads them.
namespace gleaner::jdl {
namespace {

using ::testing::HasSubstr;

CampaignFile file_of(std::string_view exec_file, std::string_view more = {}, const Defaults& defaults = {}) {
  auto file = parse(fmt::format(R"j({{"name": "n", "exec_file": "{}"{}{}, "clusters": {{"alpha": {{}}, "beta": {{}}}}}})j", exec_file,
                                more.empty() ? "" : ", ", more),
                    defaults);
  EXPECT_TRUE(file) << (file ? "" : render(file.error(), "c"));
  return file.value_or(CampaignFile{});
}

std::string command_with(std::string_view exec_file, const Parameter& parameter, std::string_view more = {}) {
  const auto file = file_of(exec_file, more);
  return command_of_task(file, file.clusters.at(0), parameter);
}

TEST(JdlPlacement, TheCommandOfATask_IsShownAsItsShellReadsIt) {
  EXPECT_EQ(command_with("~/run.sh -n {CAMPAIGN_ID}", "1 'a b' $HOME"), "$HOME/run.sh -n $CIGRI_CAMPAIGN_ID 1 'a b' '$HOME'");
  EXPECT_EQ(command_with("run {2} \\\"x{1}\\\" '{1}' {}", "a 'b c'"), "run 'b c' \"xa\" '{1}' 'a b c'");
  EXPECT_EQ(command_with("run \\\"{1}\\\"", Arguments{"a\"$b"}), R"(run "a\"\$b")");
  EXPECT_EQ(command_with("run", "~/x '*' *.c", R"("params_shell": true)"), "run ~/x '*' *.c");
  EXPECT_EQ(command_with("run {2} < {1}", "~/x '*'", R"("params_shell": "true")"), "run '*' < ~/x");
  EXPECT_EQ(command_with("run", Arguments{"$HOME", "b"}, R"("params_shell": true)"), "run '$HOME' b") << "arguments are what they are";
  EXPECT_EQ(command_with("run {mesh}.dat", "1 wing", R"("parameter_names": ["n", "mesh"])"), "run wing.dat");
  EXPECT_EQ(command_with("find . -exec rm {} \\\\;", "x", R"("placeholders": false)"), "find . -exec rm {} \\; x");
}

/// As CiGri's README has it, and as CiGri stores its macros.
TEST(JdlPlacement, ADollarAfterABackslash_IsADollarOfTheJobsShell_AsInCigri_AndSaid) {
  EXPECT_EQ(command_with(R"(mkdir -p \\$HOME/\\$CIGRI_CAMPAIGN_ID)", "1"), "mkdir -p $HOME/$CIGRI_CAMPAIGN_ID 1");
  EXPECT_EQ(command_with(R"(run '\\$1' \\\\\\$5)", "1"), R"(run '$1' \$5 1)");
  EXPECT_EQ(command_with("run", R"(\$HOME/x '\$5')", R"("params_shell": true)"), "run $HOME/x '$5'");
  const auto file = file_of("run", R"j("exec_directory": "\\$HOME/{CAMPAIGN_ID}", "prologue": ["cd \\$HOME", "ls \\$OAR_JOB_ID"])j");
  const auto expanded = expand(file.clusters.at(0), grid::CampaignId{7});
  EXPECT_EQ(expanded.exec_directory, "$HOME/7");
  EXPECT_EQ(expanded.prologue, "cd $HOME\nls $OAR_JOB_ID");
  EXPECT_THAT(escaped_dollar(file).value_or(""), testing::StartsWith(R"(exec_directory: \$HOME is read as $HOME, as in CiGri)"));
  EXPECT_FALSE(escaped_dollar(file_of("cd $HOME")));
  EXPECT_EQ(parse(to_jdl(file)).value().clusters, file.clusters) << "it is stored as it is written";
}

TEST(JdlPlacement, ADollarAfterABackslash_InAParameter_IsSaidOnce) {
  const auto shell = file_of("run", R"("params_shell": true)");
  PlacementCheck check{shell};
  EXPECT_FALSE(check.wrong(0, "$HOME"));
  EXPECT_FALSE(check.note());
  EXPECT_FALSE(check.wrong(1, R"(\$HOME/x)"));
  EXPECT_THAT(check.note().value_or(""), testing::StartsWith(R"(the parameter of task 1: \$HOME is read as $HOME)"));
  const auto words = file_of("run");
  PlacementCheck of_words{words};
  EXPECT_FALSE(of_words.wrong(0, R"(\$HOME/x)"));
  EXPECT_THAT(of_words.note().value_or(""), HasSubstr("a shell, as in CiGri, would replace $HOME by the value of that variable"));
}

TEST(JdlPlacement, PlaceholdersAreStated_OnlyWhereACommandHasBraces) {
  EXPECT_FALSE(file_of("run").placeholders);
  EXPECT_FALSE(file_of("run {HOME} '{1}' ${1}").placeholders);
  EXPECT_TRUE(file_of("run {1}").placeholders);
  EXPECT_TRUE(file_of("run \\\\{1}").placeholders) << "the backslash goes";
  EXPECT_EQ(last_place(file_of("run {1} {3}")).text, "{3}");
  EXPECT_EQ(last_place(file_of("run {1} {3}", R"("placeholders": false)")).word, 0U);
}

/// Campaigns from before placeholders have none, whatever their commands look like.
TEST(JdlPlacement, AStoredCampaignWithoutTheKey_KeepsItsBraces_AndStillHasThemWhenItIsSubmittedAgain) {
  auto json = to_json(file_of("find . -exec rm {} \\\\;"));
  const std::string key = R"("placeholders":true,)";
  json.erase(json.find(key), key.size());
  const auto stored = from_json(json);
  ASSERT_TRUE(stored) << stored.error();
  EXPECT_FALSE(stored->placeholders);
  EXPECT_FALSE(parse(to_jdl(*stored)).value().placeholders);
  EXPECT_FALSE(parse(to_campaign_text(*stored)).value().placeholders);
}

TEST(JdlPlacement, ParamsShell_IsTheGrids_WhereTheFileDoesNotStateIt) {
  const Defaults site{.params_shell = true};
  EXPECT_TRUE(file_of("run", "", site).params_shell);
  const auto literal = file_of("run", R"("params_shell": false)", site);
  EXPECT_FALSE(literal.params_shell);
  EXPECT_FALSE(parse(to_campaign_text(literal), site).value().params_shell) << "shown, and submitted again";
  Findings none;
  const std::string change = R"({"walltime": "2:0:0"})";
  EXPECT_FALSE(edit(literal, read_json(change, none), change, site, {}).value().file.params_shell) << "edited in another key";
}

TEST(JdlPlacement, AParameterWithoutAWordOfAPlaceholder_IsNamed) {
  const auto file = file_of("run {3} {1}");
  PlacementCheck check{file};
  EXPECT_EQ(check.wrong(0, "a b c"), std::nullopt);
  EXPECT_EQ(check.wrong(7, "a 'b c'"), "task 7, parameter 'a 'b c'': exec_file has the placeholder {3}, and the parameter has 2 words");
  EXPECT_EQ(check.wrong(8, Arguments{"a"}), R"(task 8, parameter ["a"]: exec_file has the placeholder {3}, and the parameter has 1 word)");
  const auto named = file_of("run {mesh}", R"("parameter_names": ["n", "mesh"])");
  EXPECT_THAT(PlacementCheck{named}.wrong(0, "1").value(), HasSubstr("has the placeholder {mesh}, and the parameter has 1 word"));
}

TEST(JdlPlacement, TheFirstParameterThatAShellWouldReadOtherwise_IsNoted_UnlessItIsReadByOne) {
  const auto file = file_of("run");
  PlacementCheck check{file};
  const std::array<Parameter, 4> parameters{"1 '$x'", Arguments{"$HOME"}, "2 ~/data", "3 *.c"};
  for (std::int64_t task = 0; task < 4; ++task) EXPECT_EQ(check.wrong(task, parameters[static_cast<std::size_t>(task)]), std::nullopt);
  EXPECT_EQ(
      check.note(),
      "the command of task 2 gets its parameter '2 ~/data' as it is written; a shell, as in CiGri, would replace the ~ of ~/data by a "
      "home: for that, write \"params_shell\": true");
  const auto shell = file_of("run", R"("params_shell": true)");
  PlacementCheck none{shell};
  EXPECT_EQ(none.wrong(0, "~/data"), std::nullopt);
  EXPECT_EQ(none.note(), std::nullopt);
}

TEST(JdlPlacement, BracesThatMayBeMeantForAnotherProgram_AreNoted) {
  EXPECT_EQ(doubtful_place(file_of("find . -exec rm {} +")),
            "exec_file: '{}' after -exec stands for the task's parameter; write '\\{}' to leave it to -exec");
  EXPECT_TRUE(doubtful_place(file_of("ls | xargs -I{} cp {} /tmp")));
  EXPECT_FALSE(doubtful_place(file_of("find . -exec rm \\\\{} +")));
  EXPECT_FALSE(doubtful_place(file_of("find . -exec rm '{}' +")));
  EXPECT_FALSE(doubtful_place(file_of("run {}")));
  EXPECT_FALSE(doubtful_place(file_of("find . -exec rm {} +", R"("placeholders": false)")));
}

TEST(JdlPlacement, AWordThatWouldNotStandThereAsItIs_IsNoted) {
  const auto outputs = R"("params_shell": true, "output_directory": "results", "output_files": ["{1}.{TASK}.dat"])";
  EXPECT_THAT(doubtful_place(file_of("run", outputs)).value_or(""), testing::StartsWith("output_files: '{1}.{TASK}.dat' has a word"));
}

TEST(JdlPlacement, TheKeys_AreTrueOrFalse) {
  const auto wrong = parse(R"({"name": "n", "exec_file": "a", "params_shell": 1, "placeholders": "maybe", "clusters": {"alpha": {}}})");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(render(wrong.error(), "c"),
            "c:1:49: params_shell: '1' is neither true nor false\nc:1:68: placeholders: 'maybe' is neither true nor false\n");
}

}  // namespace
}  // namespace gleaner::jdl
