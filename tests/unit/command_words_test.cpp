#include <rapidcheck/gtest.h>

#include "runner/command/command_words.hpp"
#include "runner/wrapper/wrapper.hpp"
#include "tests/unit/pool_fixture.hpp"

/// How the words of a parameter reach the command of a task.
namespace gleaner::runner::test {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

enum class Words { as_they_are, shell_text };

/// The output of a command, carried out by the pieces of the wrapper.
std::string output_of(const std::string& exec_file, const std::vector<std::string>& words, Words kind = Words::as_they_are,
                      bool placeholders = true) {
  LaunchFacts facts{"grid", grid::CampaignId{1}, exec_file, "alpha", "alice", "$HOME", "/core=1", "1:0:0"};
  facts.placeholders = placeholders;
  facts.params_shell = kind == Words::shell_text;
  const auto command = command_words(facts);
  auto script = fmt::format("{}={}\nrun(){{ {};}}\nrun", kShortNames.exec_file, text::quote(command.text), command.run);
  for (const auto& word : words) script += " " + text::quote(word);
  return run_shell(fmt::format("env -i HOME=/h PATH=\"$PATH\" bash -c {} 2>&1", text::quote(script))).output;
}

TEST(CommandWords, WithoutPlaceholders_StandAtTheEnd) {
  EXPECT_EQ(output_of("printf '<%s>'", {"a b", "$HOME", "*"}), "<a b><$HOME><*>");
  EXPECT_EQ(output_of("printf '<%s>' {} {1}", {"a"}, Words::as_they_are, false), "<{}><{1}><a>") << "a campaign from before placeholders";
}

TEST(CommandWords, InPlaceholders_StandThereAsOneWord_AndNowhereElse) {
  EXPECT_EQ(output_of("printf '<%s>' {2} x{1}y \"{2} $HOME\" '{1}' \\{1} \"\\{1}\" {}", {"a  b", "$c*"}),
            "<$c*><xa  by><$c* /h><{1}><{1}><{1}><a  b $c*>");
  EXPECT_EQ(output_of("printf '<%s>' \"$(printf %s {1} \"{1}\")\"", {"a  b"}), "<a  ba  b>");
  EXPECT_EQ(output_of("find /dev/null -exec printf '<%s>' \\{} {1} \\;", {"x"}), "</dev/null><x>");
}

TEST(CommandWords, ThatAreNotThere_EndTheCommand_BeforeItDoesSomethingElse) {
  EXPECT_THAT(output_of("echo rm -rf /scratch/{2}", {"a"}), testing::Not(testing::HasSubstr("rm -rf")));
  EXPECT_EQ(output_of("printf '<%s>' {1}", {""}), "<>") << "an empty word is there";
}

TEST(CommandWords, OfShellText_AreTheShells) {
  EXPECT_EQ(output_of("printf '<%s>'", {"$HOME/x", "~/y", "'a b'", "$((1+1))"}, Words::shell_text), "</h/x></h/y><a b><2>");
  EXPECT_EQ(output_of("cd /proc/self; printf '<%s>'", {"stat[u]*"}, Words::shell_text), "<status>");
  EXPECT_EQ(output_of("printf '<%s>'", {"a", "&&", "echo", "b"}, Words::shell_text), "<a>b\n");
  EXPECT_EQ(output_of("printf '<%s>' {2}-{1} \"{2}\" '{2}'", {"a", "$HOME"}, Words::shell_text), "</h-a></h><{2}>");
  EXPECT_EQ(output_of("printf '<%s>' {} end", {"'a b'", "c"}, Words::shell_text), "<a b><c><end>");
}

/// Words of any bytes, in a command of any places.
RC_GTEST_PROP(CommandWordsProperty, AsTheyAre_ReachTheCommandByteForByte, ()) {
  const auto word = rc::gen::container<std::string>(rc::gen::elementOf(std::string{"a1 \t\n'\"\\$*~`;&|<>(){}#!é"}));
  const auto words = std::vector<std::string>{*word, *word, *word};
  std::string exec_file{"printf '<%s>'"};
  std::string expected;
  const auto places = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 4));
  for (const auto place : places) {
    const auto text = place == 0 ? fmt::format("{} {} {}", words[0], words[1], words[2]) : words[static_cast<std::size_t>(place) - 1];
    const auto brace = place == 0 ? std::string{"{}"} : fmt::format("{{{}}}", place);
    exec_file += fmt::format(" {0} \"a {0}\" '{0}'", brace);
    expected += fmt::format("<{0}><a {0}><{1}>", text, brace);
  }
  if (places.empty()) expected = fmt::format("<{}><{}><{}>", words[0], words[1], words[2]);
  RC_ASSERT(output_of(exec_file, words) == expected);
}

TEST_F(Pool, PlaceholdersAndShellText_AreReadInItToo) {
  fs::create_directories(folder());
  std::ofstream{folder() + "/pool"} << pool_list(std::vector{pool_line(facts_of(1, {"$HOME", "b"})).value(),
                                                             pool_line(facts_of(2, {"~/c", "'d e'"})).value(),
                                                             pool_line(facts_of(3, {"plain", "words"})).value()});
  EXPECT_EQ(run_carrier({.exec_file = "printf '%s\\n' {2}:{1} >> $HOME/ran", .placeholders = true, .params_shell = true}).status, 0);
  EXPECT_THAT(lines_of(content("ran")), UnorderedElementsAre(":0", "b:" + home_, "d e:~/c", "words:plain"));
}

TEST_F(Pool, OfOneTask_WhoseStartIsMeasured_HasPlaceholdersToo) {
  EXPECT_EQ(run_carrier({.exec_file = "echo {1}{1} >> $HOME/ran", .measured = true, .placeholders = true}).status, 0);
  EXPECT_THAT(lines_of(content("ran")), ElementsAre("00"));
}

}  // namespace
}  // namespace gleaner::runner::test
