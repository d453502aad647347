// tools/words, in a repository of one commit and a working tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "lib/process/child.hpp"

namespace gleaner {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class WordsOfAChange : public ::testing::Test {
 protected:
  WordsOfAChange() {
    std::string pattern = "/tmp/gleaner-words-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"no folder can be made: " + pattern};
    folder = pattern;
    const char* source = std::getenv("GLEANER_SOURCE_DIR");
    fs::create_directories(folder / "tools");
    for (const auto* name : {"words", "settings.sh"})
      fs::copy_file(fs::path{source != nullptr ? source : "."} / "tools" / name, folder / "tools" / name);
    write("old.cpp", "/// What was there before.\nint before;\n");
    run("git init -q -b main && git add . && git commit -q -m first && git commit -q --allow-empty -m second && git checkout -q -b change");
  }
  ~WordsOfAChange() override { fs::remove_all(folder); }

  void write(const std::string& name, const std::string& text) const { std::ofstream{folder / name} << text; }
  /// Both streams, and `status N`.
  std::string run(const std::string& command) const {
    const auto script = fmt::format(
        "cd '{}' && export HOME=$PWD GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b\n"
        "exec 2>&1\n{}\necho \"status $?\"",
        folder.string(), command);
    auto captured = process::capture({.arguments = {"/bin/bash", "-c", script}}, std::chrono::minutes{1});
    if (!captured) throw std::runtime_error{captured.error()};
    return captured->output;
  }
  fs::path folder;
};

TEST_F(WordsOfAChange, AreChecked_InTheLinesThatItAdds) {
  EXPECT_EQ(run("tools/words"), "status 0\n");
  write("old.cpp", "/// What was there before.\nint before;\n/// Whose it is.\nint after;\n");
  write("query.sql", "-- Of one campaign.\nSELECT 1\n");
  write("page.md", "It runs. What it prints is kept.\n");
  EXPECT_THAT(
      run("git add old.cpp && git commit -q -m change && tools/words"),
      AllOf(HasSubstr("old.cpp:3:/// Whose it is.\n    instead: begin with the thing itself"), HasSubstr("query.sql:1:-- Of one"),
            HasSubstr("page.md:1:It runs."), Not(HasSubstr("before")), HasSubstr("words to replace: 3\n"), HasSubstr("status 1\n")));
  EXPECT_THAT(run("tools/words --all"), AllOf(HasSubstr("old.cpp:1:"), HasSubstr("old.cpp:3:"), HasSubstr("status 1\n")));
  EXPECT_THAT(run("tools/words nowhere"), AllOf(HasSubstr("no common ancestor with 'origin/nowhere'"), HasSubstr("status 1\n")));
}

TEST_F(WordsOfAChange, AreRefused_InCommentsAndNamesOfTests_NotInCodeAndQuotes) {
  write("a.cpp",
        "int told = 0;  // The server tells it.\n"
        "// Prints \"I told you\", and `tell`.\n"
        "const char* text = \"Tell me\";\n"
        "/// What-if needs a cluster.\n"
        "/// Who is it?\n"
        "TEST(Suite, ItTellsAll) {}\n"
        "TEST(Suite, ItIntellsAndSaysons) {}\n");
  EXPECT_THAT(run("tools/words"), AllOf(HasSubstr("a.cpp:1:"), HasSubstr("a.cpp:6:"), HasSubstr("words to replace: 2\n")));
}

}  // namespace
}  // namespace gleaner
