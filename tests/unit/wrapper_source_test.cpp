#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/grid/job_identity.hpp"
#include "lib/grid/program_file.hpp"
#include "lib/inputs/sha256.hpp"
#include "lib/text/words.hpp"
#include "runner/command/command.hpp"
#include "runner/wrapper/wrapper.hpp"

/// The program of the jobs as it is written (runner/wrapper/), and how the build makes its short form.
namespace gleaner::runner {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct Ran {
  int status;
  std::string output;
};

Ran run(const std::string& command) {
  FILE* const pipe = popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  Ran ran{0, {}};
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) ran.output.append(buffer.data(), got);
  const int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

class WrapperSource : public ::testing::Test {
 protected:
  WrapperSource() {
    auto pattern = (fs::temp_directory_path() / "gleaner-wrapper-source-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    const char* root = std::getenv("GLEANER_SOURCE_DIR");
    source_ = fs::path{root != nullptr ? root : "."} / "runner/wrapper";
  }
  ~WrapperSource() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  static std::string content(const fs::path& file) {
    std::ifstream stream{file};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }
  /// The build's step, after `from` has become `to` in a file of the source.
  [[nodiscard]] Ran embed(const std::string& file, const std::string& from, const std::string& to) const {
    const auto copy = folder_ / "source";
    fs::remove_all(copy);
    fs::copy(source_, copy);
    auto text = content(copy / file);
    const auto at = text.find(from);
    if (at == std::string::npos) return {-1, from + " is not in " + file};
    std::ofstream{copy / file} << text.replace(at, from.size(), to);
    return run(fmt::format("{0}/embed {1}/made && cat {1}/made/wrapper.cpp", copy.string(), folder_.string()));
  }
  fs::path folder_;
  fs::path source_;
};

TEST_F(WrapperSource, PassesShellcheck_WithoutExceptions) {
  const auto checked = run(fmt::format("cd {} && shellcheck --norc -x -a wrapper.bash embed", source_.string()));
  EXPECT_EQ(checked.status, 0) << checked.output << "(tools/setup --test installs shellcheck)";
  for (const auto& entry : fs::directory_iterator{source_}) {
    const auto text = content(entry.path());
    EXPECT_EQ(text.find("shellcheck disable"), std::string::npos) << entry.path();
  }
}

/// A cluster may be old: bash 4.4 is of 2016. shellcheck does not know of versions.
TEST_F(WrapperSource, HasNothingThatOldBashesLack) {
  const std::vector<std::pair<std::string, std::regex>> younger{
      {"variables of bash 5.0 and 5.1", std::regex{"EPOCHSECONDS|EPOCHREALTIME|BASH_ARGV0|SRANDOM"}},
      {"wait -f and wait -p, of 5.0 and 5.1", std::regex{R"(\bwait -[a-z]*[fp])"}},
      {"${x@U} and others, of 5.1", std::regex{R"(\$\{\w+(\[[@*]\])?@[UuLKk]\})"}},
      {"${ command; }, of 5.3", std::regex{R"(\$\{[ |])"}},
      {"options of 5.0 to 5.2", std::regex{"localvar_inherit|assoc_expand_once|globskipdots|patsub_replacement|varredir_close"}},
      {"set -u, under which bash 4.3 takes an empty array for an unset one", std::regex{R"(\bset -[a-zA-Z]*u|nounset)"}}};
  for (const auto& entry : fs::directory_iterator{source_}) {
    if (entry.path().extension() != ".bash") continue;
    for (const auto& [what, how] : younger) EXPECT_FALSE(std::regex_search(content(entry.path()), how)) << entry.path() << ": " << what;
  }
}

TEST_F(WrapperSource, ItsOrder_NamesEachFile) {
  const auto order = content(source_ / "wrapper.bash");
  for (const auto& entry : fs::directory_iterator{source_}) {
    const auto name = entry.path().filename().string();
    if (name == "wrapper.bash" || !name.ends_with(".bash")) continue;
    EXPECT_THAT(order, HasSubstr("\n. ./" + name + "\n"));
  }
}

TEST_F(WrapperSource, ItsShortForm_HasNoComments_AndOnlyShortNames) {
  const auto made = embed("claim.bash", "write_own_file() {", "# A comment.\nwrite_own_file() {");
  EXPECT_EQ(made.status, 0) << made.output;
  EXPECT_EQ(made.output.find("A comment"), std::string::npos);
  const auto text = made.output.substr(0, made.output.find("long_wrapper_program"));
  for (const auto* name : {"own_file", "claim_attempt", "task_status"}) EXPECT_EQ(text.find(name), std::string::npos) << name;
  EXPECT_THAT(text, HasSubstr("its exec_directory $CIGRI_WORKDIR cannot be used")) << "a message";
  EXPECT_THAT(text, HasSubstr("/memory.max_usage_in_bytes\"")) << "a path";
}

TEST_F(WrapperSource, WhoseNamesWouldBeMixedUp_IsNotEmbedded) {
  const auto misspelt = embed("claim.bash", "ln \"$own_file.s\"", "ln \"$own_fiel.s\"");
  EXPECT_NE(misspelt.status, 0);
  EXPECT_THAT(misspelt.output, HasSubstr("nothing defines own_fiel"));
  const auto twice = embed("claim.bash", "own_file_made=\n", "own_file_made=\n  claim_attempt=1\n");
  EXPECT_NE(twice.status, 0);
  EXPECT_THAT(twice.output, HasSubstr("claim_attempt is a function and a variable"));
  const auto letter = embed("claim.bash", "own_file_made=\n", "own_file_made=\n  b=1\n");
  EXPECT_NE(letter.status, 0);
  EXPECT_THAT(letter.output, HasSubstr("a name of one letter: b="));
  const auto word = embed("claim.bash", "own_file_made=\n", "own_file_made=\n  exec_directory=1\n");
  EXPECT_NE(word.status, 0);
  EXPECT_THAT(word.output, HasSubstr("a name is a word of a text: exec_directory"));
  const auto text = embed("claim.bash", "cannot be claimed, nothing", "cannot be claimed (claim_file), nothing");
  EXPECT_NE(text.status, 0);
  EXPECT_THAT(text.output, HasSubstr("a name is a word of a text: claim_file"));
}

TEST_F(WrapperSource, WhosePartsDoNotEnd_IsNotEmbedded) {
  EXPECT_THAT(embed("task.bash", "#@ end", "").output, HasSubstr("#@ if without #@ end"));
  EXPECT_THAT(embed("claim.bash", "#@ if pool", "").output, HasSubstr("#@ end without #@ if"));
  EXPECT_THAT(embed("claim.bash", "#@ if pool", "#@ when pool").output, HasSubstr("unknown line"));
  EXPECT_NE(embed("claim.bash", "set +C\n}", "set +C\n").status, 0) << "a function without its end";
}

/// Launches of each kind.
std::vector<std::pair<std::string, LaunchFacts>> launches() {
  const LaunchFacts plain{"grid", grid::CampaignId{12}, "echo ran", "alpha", "griduser1", "$HOME", "/core=1", "1:30:00"};
  std::vector<std::pair<std::string, LaunchFacts>> all;
  const auto add = [&](const std::string& name, const std::function<void(LaunchFacts&)>& change) {
    auto facts = plain;
    change(facts);
    all.emplace_back(name, facts);
  };
  const auto a_pool = [](LaunchFacts& facts) { facts.pool = PoolFacts{"7", grid::Seconds{60}, grid::Seconds{60}, grid::JobId{345}, 1}; };
  const auto a_folder = [](LaunchFacts& facts) { facts.workdir = "$HOME/work"; };
  const auto outputs = [](LaunchFacts& facts) {
    facts.output_directory = "$HOME/out";
    facts.output_files = "*.csv\nresult.{TASK}.{1}";
  };
  add("plain", [](LaunchFacts&) {});
  add("measured", [](LaunchFacts& facts) { facts.measured = true; });
  add("words of shell text", [](LaunchFacts& facts) { facts.params_shell = true; });
  add("checkpoints", [](LaunchFacts& facts) { facts.checkpoint_signal = "USR2"; });
  add("measured checkpoints", [](LaunchFacts& facts) { facts.measured = true, facts.checkpoint_signal = "USR2"; });
  add("gives", [](LaunchFacts& facts) { facts.gives = true; });
  add("inputs", [](LaunchFacts& facts) { facts.input_files = "a\n{1}"; });
  add("an output directory", [](LaunchFacts& facts) { facts.output_directory = "$HOME/out"; });
  add("output files", outputs);
  add("a folder", a_folder);
  add("streams in it", [&](LaunchFacts& facts) { a_folder(facts), facts.streams_in_workdir = true; });
  add("a pool", a_pool);
  add("a pool that gives", [&](LaunchFacts& facts) { a_pool(facts), facts.gives = true; });
  add("a pool with streams", [&](LaunchFacts& facts) { a_pool(facts), a_folder(facts), facts.streams_in_workdir = true; });
  add("a pool with outputs", [&](LaunchFacts& facts) { a_pool(facts), a_folder(facts), outputs(facts), facts.input_files = "a"; });
  return all;
}

TEST(WrapperProgram, OfEachLaunch_HasTheFunctionsThatItCalls_AndNoOthers) {
  const std::regex definition{R"((^|\n)([A-Za-z])\(\)\{)"};
  const std::regex call{R"((\n|[;&|{(!] ?|then |else |do )([A-Za-z])(?=[ ;&|)\n]))"};
  const auto found = [](const std::string& script, const std::regex& what) {
    std::set<std::string> names;
    for (std::sregex_iterator at{script.begin(), script.end(), what}, end; at != end; ++at) names.insert((*at)[2]);
    return names;
  };
  for (const auto& [name, facts] : launches()) {
    const auto script = JobCommand::create(facts).value().script();
    auto called = found(std::regex_replace(script, std::regex{R"(\(\([^\n]*?\)\))"}, "0"), call);  // without arithmetic
    const auto defined = found(script, definition);
    if (facts.measured && facts.checkpoint_signal.empty()) called.insert(std::string{kShortNames.run_by_time});  // a word of an array
    EXPECT_EQ(called, defined) << name << '\n' << script;
  }
}

TEST_F(WrapperSource, ItsLongForm_IsTheSameLines_WithoutComments) {
  for (const auto& [name, facts] : launches()) {
    const auto program = JobCommand::create(facts).value().program();
    ASSERT_TRUE(program) << name;
    EXPECT_EQ(program->sha256, inputs::sha256_of_text(program->content)) << name;
    EXPECT_THAT(program->content, HasSubstr("\nclaim_own_task() {\n  name_files \"$@\"\n")) << name;
    EXPECT_EQ(program->content.find("#@"), std::string::npos) << name;
    EXPECT_EQ(program->content.find(" # "), std::string::npos) << name;
    std::ofstream{folder_ / "program"} << program->content;
    EXPECT_EQ(run(fmt::format("bash -n {}/program", folder_.string())).status, 0) << name;
  }
}

/// The API's host passes the command to a shell, and so does the node.
TEST(WrapperProgram, ACall_IsPlainWords_ThatNameTheJob_AndShorterThanTheProgram) {
  for (const auto& [name, facts] : launches()) {
    const auto command = JobCommand::create(facts).value();
    const auto& call = command.call();
    EXPECT_TRUE(std::regex_match(call, std::regex{"bash ~/.gleaner/programs/[0-9a-f]{64} [-a-zA-Z0-9_./:,=+]+ gleaner[.]12-grid"})) << call;
    EXPECT_LT(call.size(), command.text().size() / 2) << name;
    const auto line = parameter_line({grid::TaskNumber{3}, 1, grid::JobId{345}, "7", {"a b", "c"}}).value();
    EXPECT_EQ(grid::read_command(call + " " + line), (grid::JobIdentity{grid::CampaignId{12}, grid::TaskNumber{3}, 1, grid::JobId{345}}));
    EXPECT_EQ(grid::read_fence(call + " " + line), "7");
    EXPECT_EQ(grid::called_program(call + " " + line), command.program()->sha256);
    EXPECT_FALSE(grid::called_program(command.text()));
  }
  auto long_one = launches().front().second;
  long_one.exec_file = std::string(20'000, ' ');
  EXPECT_FALSE(JobCommand::create(long_one).value().program()) << "old shells would take long for it";
}

/// Each byte of its text, whatever it is.
TEST_F(WrapperSource, AnyByteOfACommand_ReachesTheTaskByACall) {
  auto facts = launches().front().second;
  facts.exec_file = "printf %s '";
  for (int byte = 1; byte < 256; ++byte) {
    if (byte != '\'') facts.exec_file += static_cast<char>(byte);
  }
  facts.exec_file += "' > all; :";
  const auto command = JobCommand::create(facts).value();
  fs::create_directories(folder_ / ".gleaner/programs");
  std::ofstream{folder_ / ".gleaner/programs" / command.program()->sha256} << command.program()->content;
  const auto ran = run(fmt::format("cd {0} && env -i HOME={0} PATH=\"$PATH\" OAR_JOB_ID=99 sh -c {1}", folder_.string(),
                                   text::quote(command.call() + " 3 1 345 7 -")));
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_EQ(content(folder_ / "all") + "' > all; :", facts.exec_file.substr(facts.exec_file.find('\'') + 1));
}

/// A home that is full cuts it, and so does whoever writes it while a job reads it. Its own check is left out here.
TEST_F(WrapperSource, AFileThatWasCut_CarriesOutNothing) {
  const auto facts = launches().front().second;
  const auto command = JobCommand::create(facts).value();
  auto text = command.program().value().content;
  const std::string check = R"x([ "$(sha256sum < "$0")" = "${0##*/}  -" ])x";
  ASSERT_THAT(text, HasSubstr(check));
  text.replace(text.find(check), check.size(), "true");
  std::ofstream{folder_ / "whole"} << text;
  const auto call = command.call();
  const auto words = call.substr(call.find(' ', grid::kProgramCall.size()));
  // Every byte near the end and around the ends of lines, and one in 23 elsewhere.
  const auto ran = run(
      "bash -c " +
      text::quote(fmt::format(
          "cd {0} && mkdir -p work && export HOME={0} OAR_JOB_ID=99 LC_ALL=C && mapfile -d '' -t whole < whole && whole=${{whole[0]}} && "
          "for ((n = 0; n < ${{#whole}} - 1; n++)); do "
          "((n % 23 == 0 || n > ${{#whole}} - 60)) || [[ ${{whole:n-1:2}} == *[$'\n'}}]* ]] || continue; "
          "printf %s \"${{whole:0:n}}\" > cut; bash cut {1} 3 1 345 7 - > /dev/null 2>&1; "
          "[ ! -e .gleaner ] || {{ echo \"began with $n bytes\"; break; }}; done; bash whole {1} 3 1 345 7 -; ls -d .gleaner",
          folder_.string(), words)));
  EXPECT_THAT(ran.output, testing::EndsWith(".gleaner\n")) << "the whole file begins";
  EXPECT_EQ(ran.output.find("began with"), std::string::npos) << ran.output;
}

/// OAR hands the command to /bin/sh, whichever that is.
TEST_F(WrapperSource, RunsFromAnyShell) {
  const auto line = parameter_line({grid::TaskNumber{3}, 1, grid::JobId{345}, "7", {"a b", "c"}}).value();
  int called = 0;  // each other one is a call; no shell gets the same ones as the shell before
  for (const auto* shell : {"dash", "bash", "bash --posix", "sh"}) {
    ++called;
    for (const auto& [name, facts] : launches()) {
      if (!facts.input_files.empty()) continue;  // the grid puts them there
      const auto command = JobCommand::create(facts).value();
      const bool is_call = called++ % 2 == 0;
      auto text = is_call ? command.call() : command.text();
      for (auto at = text.find("\\$"); at != std::string::npos; at = text.find("\\$", at)) text.erase(at, 1);
      const auto home = folder_ / "home";
      fs::remove_all(home);
      fs::create_directories(home / "work");
      fs::create_directories(home / ".gleaner/programs");
      if (is_call) std::ofstream{home / ".gleaner/programs" / command.program()->sha256} << command.program()->content;
      const auto ran =
          run(fmt::format("cd {0} && env -i HOME={0} USER=ada LOGNAME=ada PATH=\"$PATH\" OAR_JOB_ID=99 OAR_NODEFILE=/dev/null {1} -c {2}",
                          home.string(), shell, text::quote(text + " " + line)));
      EXPECT_EQ(ran.status, 0) << shell << ", " << name << ": " << ran.output;
      std::vector<std::string> ends;
      for (const auto& entry : fs::directory_iterator{home / ".gleaner/grid/12/7"}) {
        if (entry.path().filename().string().starts_with("3.1.345.99.e0")) ends.push_back(entry.path().filename().string());
      }
      EXPECT_EQ(ends.size(), 1U) << shell << ", " << name;
    }
  }
}

}  // namespace
}  // namespace gleaner::runner
