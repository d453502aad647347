#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lib/grid/input_files.hpp"

/// The paths of input files, their list, and where they stand on a cluster.
namespace gleaner::grid {
namespace {

using ::testing::HasSubstr;

const std::string kSum(64, 'a');

TEST(InputPath, IsRelative_AndALineOfText) {
  for (const std::string path : {"a", "data/1.bin", "a b/{1}.x", "caf\xC3\xA9/.hidden", "a..b/c", "-n", "$HOME/*"})
    EXPECT_EQ(wrong_input_path(path), std::nullopt) << path;
  for (const std::string path :
       {"", "/etc/passwd", "~/x", "../x", "a/../b", "a/..", "./a", "a//b", "a/", " a", "a ", "a\nb", "a\tb", "a\\b"})
    EXPECT_NE(wrong_input_path(path), std::nullopt) << path;
  EXPECT_NE(wrong_input_path(std::string(kLongestInputPath + 1, 'x')), std::nullopt);
  EXPECT_NE(wrong_input_path(std::string{"a\0b", 3}), std::nullopt);
}

TEST(InputPath, TakesTheWordsOfTheParameter) {
  const std::vector<std::string> words{"wing", "7"};
  EXPECT_EQ(input_path("data/{1}-{2}.bin", words), "data/wing-7.bin");
  EXPECT_EQ(input_path("{2}", words), "7");
  EXPECT_EQ(input_path("{0}{x}{{1}}{3}{", words), "{0}{x}{wing}{");
  EXPECT_EQ(last_input_word("a/{2}/{1}"), 2U);
  EXPECT_EQ(last_input_word("a/{b}"), 0U);
}

TEST(Manifest, IsReadAsSha256sumPrintsIt_InTheOrderOfThePaths) {
  const auto files = read_manifest(fmt::format("{0}  b c\n{0} *a\n", kSum));
  ASSERT_TRUE(files) << files.error();
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[0].path, "a");
  EXPECT_EQ((*files)[1].path, "b c");
  EXPECT_EQ(read_manifest(manifest_of(*files)), files);
  EXPECT_TRUE(read_manifest("").value().empty());
}

TEST(Manifest, HasTheModeOfEachFile_WithoutItsBitsToWrite) {
  const auto files = read_manifest(fmt::format("{0} 755 run.sh\n{0} 640 b\n{0} 020 a\n{0}  c\n", kSum)).value();
  const auto text = manifest_of(files);
  EXPECT_EQ(text, fmt::format("{0} 400 a\n{0} 440 b\n{0} 444 c\n{0} 555 run.sh\n", kSum));
  EXPECT_EQ(read_manifest(text).value(), files);
}

TEST(InputIndex, NamesAModeOnlyOfFilesThatAreNotPlain) {
  std::vector<InputFile> files{{.path = "a", .sha256 = kSum, .bytes = 3}, {.path = "run 1", .sha256 = kSum, .bytes = 4, .mode = 0555}};
  place_inputs(files);
  EXPECT_EQ(input_index(files), fmt::format("{0} 0 3 a\n{0} 3 4:555 run 1\n", kSum));
}

TEST(Manifest, ThatIsWrong_IsRefusedWithItsLine) {
  const auto error_of = [](const std::string& text) { return read_manifest(text).error(); };
  EXPECT_THAT(error_of(kSum + "  a\nx\n"), HasSubstr("line 2 is not a SHA-256"));
  for (const auto* line : {" a\n", " 755\n", " 755 \n", " 855 a\n", " 75 a\n", " 0755 a\n", "  \n", ""})
    EXPECT_THAT(error_of(kSum + line), HasSubstr("line 1")) << line;
  EXPECT_THAT(error_of(std::string(64, 'A') + "  a\n"), HasSubstr("line 1"));
  EXPECT_THAT(error_of(kSum + "  ../a\n"), HasSubstr("line 1: '../a' cannot be an input file"));
  EXPECT_THAT(error_of(fmt::format("{0}  a\n{0}  a\n", kSum)), HasSubstr("'a' is there twice"));
  std::string many;
  for (std::size_t i = 0; i <= kMostInputFiles; ++i) many += fmt::format("{}  {}\n", kSum, i);
  EXPECT_THAT(error_of(many), HasSubstr("at most"));
}

RC_GTEST_PROP(Manifest, OfAnyBytes_IsReadOrRefused, (const std::string& text)) { static_cast<void>(read_manifest(text)); }

RC_GTEST_PROP(Pieces, HoldEachByteOfEachFileOnce, (const std::vector<std::uint16_t>& sizes)) {
  std::vector<InputFile> files;
  for (const auto size : sizes) files.push_back({.path = std::to_string(files.size()), .sha256 = kSum, .bytes = size * std::int64_t{1000}});
  const auto bytes = place_inputs(files);
  std::int64_t end = 0;
  for (const auto& file : files) {
    RC_ASSERT(file.begin == end);
    end += file.bytes;
  }
  RC_ASSERT(end == bytes);
  RC_ASSERT(input_pieces(bytes) * kInputPiece >= bytes);
  RC_ASSERT(bytes == 0 || (input_pieces(bytes) - 1) * kInputPiece < bytes);
}

}  // namespace
}  // namespace gleaner::grid
