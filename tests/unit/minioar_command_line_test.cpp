#include <gtest/gtest.h>

#include "sim/minioar/command_line.hpp"
#include "sim/minioar/faults.hpp"
#include "sim/minioar/records.hpp"

namespace gleaner::minioar {
namespace {

/// The command that oarsub gets.
std::string read(const std::string& command) {
  PostedOptions posted;
  posted.options = {{"resource", "/core=1"}};
  posted.command = command;
  const auto line = read_by_shell(posted, "/tmp", {"HOME=/home/someone", "PATH=/usr/bin:/bin"}, FolderIs::option);
  return line ? line->arguments.back() : "refused: " + line.error().output;
}

TEST(CommandLine, Dollar_IsExpandedUnlessItIsProtected) {
  EXPECT_EQ(read("echo $HOME $NOSUCH."), "echo /home/someone .");
  EXPECT_EQ(read("echo \\$HOME"), "echo $HOME");
  EXPECT_EQ(read("echo $((1+1)) `echo hi`"), "echo 2 hi");
  EXPECT_EQ(read("kill -9 \\$\\$"), "kill -9 $$");
}

TEST(CommandLine, QuotesAndNewlines_ArriveAsTheyAre) {
  for (const std::string text :
       {"sh -c 'echo one; echo \"two  words\"'", "echo \"unclosed", "echo 'unclosed", "a\nb; c & d | e > f * ? !x #", "é →"}) {
    EXPECT_EQ(read(text), text);
  }
}

/// The folder in which oarsub starts, or what the shell said.
std::string started_in(const std::string& directory, const std::string& workdir = "") {
  PostedOptions posted;
  posted.command = "true";
  posted.workdir = workdir;
  if (!directory.empty()) posted.options = {{"directory", directory}};
  const auto line = read_by_shell(posted, "/usr", {"HOME=/usr", "PATH=/usr/bin:/bin"}, FolderIs::where_oarsub_starts);
  if (!line) return line.error().output;
  EXPECT_EQ(line->arguments, std::vector<std::string>{"true"}) << "the directory is no option";
  return line->folder;
}

TEST(CommandLine, TheDirectoryOf26_IsALineOfShell) {
  EXPECT_EQ(started_in(""), "/usr");
  EXPECT_EQ(started_in("/tmp"), "/tmp");
  EXPECT_EQ(started_in("~/share"), "/usr/share");
  EXPECT_EQ(started_in("/~/share"), "/usr/share");
  EXPECT_EQ(started_in("$HOME/share"), "/usr/share");
  EXPECT_EQ(started_in("'/usr/share'"), "/usr/share");
  EXPECT_EQ(started_in("/tmp", "/usr/share"), "/tmp") << "it wins over workdir";
  EXPECT_EQ(started_in("", "/usr/share"), "/usr/share");
  EXPECT_EQ(started_in("/no/such"), "bash: line 1: cd: /no/such: No such file or directory\n");
  EXPECT_EQ(started_in("/usr/b in"), "bash: line 1: cd: too many arguments\n");
  EXPECT_EQ(started_in("/usr/(x)"),
            "bash: -c: line 1: syntax error near unexpected token `('\nbash: -c: line 1: `cd /usr/(x) && oarsub  \"true\"'\n");
}

TEST(CommandLine, TheDirectoryOf25_IsAnOption_AsItIs) {
  PostedOptions posted;
  posted.command = "true";
  posted.options = {{"directory", "/usr/(x); ~"}};
  const auto line = read_by_shell(posted, "/usr", {"HOME=/usr", "PATH=/usr/bin:/bin"}, FolderIs::option);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->arguments, (std::vector<std::string>{"--directory=/usr/(x); ~", "true"}));
  EXPECT_EQ(line->folder, "/usr");
}

TEST(CommandLine, TextThatNeedsNoShell_ReadsAsTheShellsReadIt) {
  const std::vector<std::string> environment{"HOME=/usr", "PATH=/usr/bin:/bin"};
  const std::vector<std::string> texts{R"x(bash -c "\$(echo abc|base64 -d)" x.17)x", R"x(\$HOME/\$x)x", R"x(say "it" 'so' \$)x",
                                       "a;b&c|d(e) {f,g} * ~ x\ny"};
  for (const auto& text : texts) {
    PostedOptions posted;
    posted.command = text;
    posted.options = {{"name", text}};
    const auto quick = read_by_shell(posted, "/no/such/home", {}, FolderIs::option);  // no shell could start there
    posted.options.emplace_back("project", "`echo p`");
    const auto read = read_by_shell(posted, "/usr", environment, FolderIs::option);
    ASSERT_TRUE(quick && read) << text;
    EXPECT_EQ(quick->arguments[0], read->arguments[0]);
    EXPECT_EQ(quick->arguments[1], read->arguments[2]);
    EXPECT_EQ(quick->noise, "");
  }
}

TEST(CommandLine, Escaping_DoublesTheBackslashesThatPrecede) {
  EXPECT_EQ(escape_before("a\"b", "\""), "a\\\"b");
  EXPECT_EQ(escape_before("a\\\"b", "\""), "a\\\\\\\"b");
  EXPECT_EQ(escape_before("\\n", "\""), "\\n");
}

TEST(PostedJob, Options_AreKeptInTheirOrder_AndEmptyOnesDropped) {
  const auto posted =
      read_posted_job(R"({"resources":["/core=1","/core=2"],"name":"","hold":"1","scanscript":"0","command":"true","type":["a"]})");
  ASSERT_TRUE(posted);
  EXPECT_EQ(posted->options, (std::vector<std::pair<std::string, std::string>>{
                                 {"resource", "/core=1"}, {"resource", "/core=2"}, {"hold", ""}, {"type", "a"}}));
}

TEST(PostedJob, Mistakes_HaveTheCodesOfOar) {
  EXPECT_EQ(read_posted_job("{\"a\":").error().title, "JSON data not understood");
  EXPECT_EQ(read_posted_job("{}").error().title, "Missing Required Field");
  EXPECT_EQ(read_posted_job("[1]").error().code, 500U);
}

TEST(PostedJob, BracketsInBrackets_AreReadOrRefused_HoweverManyTheyAre) {
  const std::string open(200'000, '[');
  const std::string whole = open + std::string(200'000, ']');
  EXPECT_EQ(read_posted_job(open).error().code, 400U);
  EXPECT_TRUE(read_posted_job("{\"command\":\"true\",\"name\":" + whole + "}"));
  EXPECT_EQ(read_mode("{\"x\":" + whole + "}").error().code, 400U);
  EXPECT_FALSE(Faults{}.add("{\"mode\":" + whole + "}"));
  EXPECT_FALSE(read_record("{\"r\":" + whole + "}"));
}

TEST(PostedJob, ParametersOfLatin1Only_BecomeLatin1) {
  EXPECT_EQ(latin1_when_possible("caf\u00e9"), "caf\xe9");
  EXPECT_EQ(latin1_when_possible("caf\u00e9 \u20ac"), "caf\u00e9 \u20ac");
}

TEST(Faults, Fault_StrikesWhatItMatches_AsOftenAsItStates) {
  Faults faults;
  ASSERT_TRUE(faults.add(R"({"mode":"500","match":"POST /jobs","count":1,"after_commit":true,"latency_ms":5})"));
  EXPECT_FALSE(faults.take("GET /jobs"));
  const auto fault = faults.take("POST /jobs");
  ASSERT_TRUE(fault);
  EXPECT_TRUE(carries_out(*fault));
  EXPECT_EQ(spoil(*fault, {}).status, 500U);
  EXPECT_FALSE(faults.take("POST /jobs"));
}

TEST(Faults, UnknownModesAndFields_AreRefused) {
  Faults faults;
  EXPECT_FALSE(faults.add(R"({"mode":"explode"})"));
  EXPECT_FALSE(faults.add(R"({"mod":"500"})"));
  EXPECT_FALSE(faults.add("[]"));
}

}  // namespace
}  // namespace gleaner::minioar
