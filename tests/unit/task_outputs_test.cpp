#include "lib/grid/task_outputs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

/// The names of what tasks leave.
namespace gleaner::grid {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

TEST(TaskOutputs, HaveTheNumberOfTheirTask_AndOfAnAttemptThatIsNotTheFirst) {
  EXPECT_EQ(output_name({.task = 7, .kind = OutputKind::standard_output}), "7.out");
  EXPECT_EQ(output_name({.task = 7, .attempt = 2, .kind = OutputKind::standard_error}), "7.2.err");
  EXPECT_EQ(output_name({.task = 7, .kind = OutputKind::file, .name = "a b/\xE9.dat"}), "7.file.a%20b%2F%E9.dat");
}

TEST(TaskOutputs, AreInAFolderOfTheirThousand) {
  EXPECT_EQ(output_folder("results", 0), "results");
  EXPECT_EQ(output_folder("results", 999), "results");
  EXPECT_EQ(output_folder("results", 1000), "results/1000");
  EXPECT_EQ(output_folder("results", 5999), "results/5000");
}

RC_GTEST_PROP(TaskOutputs, AnyNameOfAFile_IsReadBack_AndHasOnlyCharactersThatOarReads, ()) {
  const auto is_of_file = [](const std::string& path) { return !path.ends_with('/'); };
  const TaskOutput output{
      .task = *rc::gen::inRange<std::int64_t>(0, 100'000'000),
      .attempt = *rc::gen::inRange(0, 1000),
      .kind = OutputKind::file,
      .name = *rc::gen::suchThat(rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::arbitrary<char>())), is_of_file)};
  const auto name = output_name(output);
  RC_ASSERT(name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._,=+@-%") == std::string::npos);
  RC_ASSERT(read_output_name(name) == output);
}

TEST(TaskOutputs, OfAnotherSpelling_AreNotRead) {
  for (const auto* name : {"",
                           "7",
                           "7.",
                           ".out",
                           "07.out",
                           "+7.out",
                           "-7.out",
                           "7.0.out",
                           "7.01.out",
                           "7.out.gz",
                           "7.1.2.out",
                           "7.file.",
                           "7.file.a/b",
                           "7.file.%2f",
                           "7.file.%2F",
                           "7.file.%2F%2F",
                           "7.file.a%2F",
                           "7.file.%4",
                           "7.file.%41",
                           "7.file.a b",
                           "7.long.",
                           "7.long.0",
                           "7.long.03",
                           "7.long.1001",
                           "7.long.3.x",
                           "7.path.3.0.1.a",
                           "99999999999999999999.out",
                           "7.99999999999.out",
                           "../7.out",
                           "notes.txt"})
    EXPECT_EQ(read_output_name(name), std::nullopt) << name;
}

std::vector<std::string> names_of_path(std::string_view stem, std::string_view path) {
  const auto encoded = encoded_path(path);
  const auto parts = (encoded.size() + kPartOfPath - 1) / kPartOfPath;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parts; ++i)
    names.push_back(fmt::format("{}.{}.{}.{}", stem, i, parts, encoded.substr(i * kPartOfPath, kPartOfPath)));
  return names;
}
TaskOutput long_output(int number, int attempt = 0) {
  return {.task = 7, .attempt = attempt, .kind = OutputKind::file, .name = {}, .number = number};
}

RC_GTEST_PROP(LongPaths, OfAnyBytes_AreReadBackFromTheNames_InAnyOrder, ()) {
  const auto path =
      *rc::gen::suchThat(rc::gen::resize(4096, rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::arbitrary<char>()))),
                         [](const std::string& text) { return !text.ends_with('/') && text.size() <= kLongestOutputPath; });
  auto names = names_of_path("7.2.path.3", path);
  std::ranges::reverse(names);
  LongPaths paths;
  for (const auto& name : names) {
    RC_ASSERT(name.size() <= kLongestFileName);
    RC_ASSERT(paths.add(name));
    RC_ASSERT(!read_output_name(name));
  }
  RC_ASSERT(paths.of(long_output(3, 2)) == path);
  RC_ASSERT(paths.of(long_output(3)) == std::nullopt);
}

TEST(LongPaths, TheFileOfOne_HasItsNumber) {
  EXPECT_EQ(output_name(long_output(3)), "7.long.3");
  EXPECT_EQ(read_output_name("7.2.long.1000"), long_output(1000, 2));
}

/// Whoever writes into the folder may put anything there.
TEST(LongPaths, ThatAreIncomplete_OrContradictory_OrNoPaths_AreNone_AndHideNoOther) {
  LongPaths paths;
  for (const auto* name : {"7.path.1.0.2.a", "7.path.2.0.2.a", "7.path.2.0.3.a", "7.path.2.1.2.b", "7.path.3.0.1.a%2F", "7.path.4.0.1.%4",
                           "7.path.5.0.1.a", "7.path.5.0.1.b", "7.path.8.0.1.%41", "7.path.6.0.1.right"})
    EXPECT_TRUE(paths.add(name)) << name;
  for (const auto* name : {"7.path.6.0.63.a", "7.path.6.1.1.a", "7.path.6.0.1.", "7.path.06.0.1.a", "7.path.1001.0.1.a", "07.path.6.0.1.a",
                           "7.0.path.6.0.1.a", "7.path.6.0.1", "7.path.6.-1.1.a", "7.path.6.99999999999.1.a", "7.long.6", "x"})
    EXPECT_FALSE(paths.add(name)) << name;
  EXPECT_FALSE(paths.add("7.path.6.0.1." + std::string(kPartOfPath + 1, 'a')));
  for (const int number : {1, 2, 3, 4, 5, 7, 8}) EXPECT_EQ(paths.of(long_output(number)), std::nullopt) << number;
  EXPECT_THAT(paths.of(long_output(6)), Optional(std::string{"right"}));
}

TEST(TaskOutputs, FolderForOarsApi_HasTheLoginsNames) {
  EXPECT_EQ(media_folder("$HOME/results/12", "ada"), "~/results/12");
  EXPECT_EQ(media_folder("${HOME}", "ada"), "~");
  EXPECT_EQ(media_folder("/scratch/$USER/x${LOGNAME}", "ada"), "/scratch/ada/xada");
  EXPECT_EQ(media_folder("/data", "ada"), "/data");
}

TEST(OutputDirectory, ThatOarsApiCouldNotRead_IsRefused_WithTheCharacter) {
  for (const auto* right : {"results", "~/results", "~", "/scratch/$USER/pi", "{HOME}/a.b/{CAMPAIGN_ID}", "${HOME}/r_1", "a/b-c:d,e=f@g+h"})
    EXPECT_EQ(wrong_output_directory(right), std::nullopt) << right;
  EXPECT_THAT(wrong_output_directory("a%b"), Optional(HasSubstr("has '%' in it")));
  EXPECT_THAT(wrong_output_directory("a~"), Optional(HasSubstr("has '~' in it")));
  EXPECT_THAT(wrong_output_directory("my results"), Optional(HasSubstr("has ' ' in it; write letters, digits")));
  EXPECT_THAT(wrong_output_directory("r\xC3\xA9sultats"), Optional(HasSubstr("has '\xC3\xA9' in it")));
  EXPECT_THAT(wrong_output_directory("a*"), Optional(HasSubstr("has '*' in it")));
  EXPECT_THAT(wrong_output_directory("{TASK}"), Optional(HasSubstr("has '{' in it")));
  EXPECT_THAT(wrong_output_directory("a/~"), Optional(HasSubstr("has '~' in it")));
  EXPECT_THAT(wrong_output_directory("../a"), Optional(HasSubstr("'..' cannot be a part of it")));
  EXPECT_THAT(wrong_output_directory("$PATH/a"), Optional(HasSubstr("begins none of $HOME")));
  EXPECT_THAT(wrong_output_directory("a;id"), Optional(HasSubstr("has ';' in it")));
}

}  // namespace
}  // namespace gleaner::grid
