#include "lib/grid/task_outputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

RC_GTEST_PROP(TaskOutputs, AnyName_IsReadBack_AndHasOnlyCharactersThatOarReads, ()) {
  const TaskOutput output{.task = *rc::gen::inRange<std::int64_t>(0, 100'000'000),
                          .attempt = *rc::gen::inRange(0, 1000),
                          .kind = OutputKind::file,
                          .name = *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::arbitrary<char>()))};
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
                           "99999999999999999999.out",
                           "7.99999999999.out",
                           "../7.out",
                           "notes.txt"})
    EXPECT_EQ(read_output_name(name), std::nullopt) << name;
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
