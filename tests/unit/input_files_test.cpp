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

/// A file of so many pieces, which begins with one if all of them are whole.
InputFile of_pieces(std::string path, std::int64_t pieces, Readers readers) {
  return {.path = std::move(path), .sha256 = kSum, .bytes = pieces * kInputPiece, .readers = readers};
}

TEST(InputsOfTasks, StandInTheOrderOfTheTasksThatReadThem) {
  std::vector<InputFile> files{of_pieces("a", 1, {2, 2}), of_pieces("common", 1, {0, 2}), of_pieces("b", 1, {}), of_pieces("0", 1, {0, 0})};
  place_inputs(files);
  std::vector<std::string> paths;
  for (const auto& file : files) paths.push_back(file.path);
  EXPECT_THAT(paths, ::testing::ElementsAre("0", "common", "a", "b")) << "what no task reads comes last";
}

TEST(InputsOfTasks, AreMissingForTheTasksThatGoThereNext_AndNotForOthers) {
  std::vector<InputFile> files{of_pieces("common", 1, {0, 9}), of_pieces("0", 2, {0, 0}), of_pieces("1", 2, {1, 1}),
                               of_pieces("9", 2, {9, 9})};
  place_inputs(files);
  InputsThere there{files, 10, {}};
  const auto missing_for = [&](std::vector<Range> tasks) { return there.missing_for(tasks); };
  EXPECT_THAT(missing_for({{0, 1}}), ::testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(missing_for({{9, 10}}), ::testing::ElementsAre(2, 5, 6));
  EXPECT_THAT(missing_for({{1, 2}, {9, 10}}), ::testing::ElementsAre(2, 3, 4, 5, 6));
  EXPECT_THAT(missing_for({{2, 9}}), ::testing::ElementsAre(2)) << "tasks without files of their own";
  EXPECT_THAT(missing_for({}), ::testing::IsEmpty());
  EXPECT_THAT(missing_for({{10, 11}}), ::testing::SizeIs(7)) << "an appended task";
  EXPECT_THAT(there.lacking(), ::testing::ElementsAre(Range{0, kNoTask}));
  for (const auto piece : missing_for({{1, 2}})) there.add(piece);
  EXPECT_THAT(there.lacking(), ::testing::ElementsAre(Range{0, 1}, Range{9, kNoTask}));
  EXPECT_FALSE(there.is_complete());
  for (const auto piece : there.missing()) there.add(piece);
  EXPECT_TRUE(there.is_complete());
  EXPECT_THAT(there.lacking(), ::testing::IsEmpty());
}

RC_GTEST_PROP(InputsOfTasks, ThatLackNone_HaveEachPieceOfEachFileThatTheyRead, ()) {
  constexpr int kTasks = 12;
  std::vector<InputFile> files;
  for (int i = *rc::gen::inRange(0, 12); i > 0; --i) {
    const auto first = *rc::gen::inRange(0, kTasks);
    const Readers readers = *rc::gen::inRange(0, 5) == 0 ? Readers{} : Readers{first, *rc::gen::inRange(first, kTasks)};
    files.push_back(
        {.path = std::to_string(i), .sha256 = kSum, .bytes = *rc::gen::inRange<std::int64_t>(0, 3 * kInputPiece), .readers = readers});
  }
  const auto bytes = place_inputs(files);
  InputsThere there{files, kTasks,
                    *rc::gen::container<std::vector<Range>>(rc::gen::apply(
                        [](int first, int count) {
                          return Range{first, std::int64_t{first} + count};
                        },
                        rc::gen::inRange(0, 10), rc::gen::inRange(0, 4)))};
  const auto lacks = [&](std::int64_t task) {
    return std::ranges::any_of(there.lacking(), [&](const Range& range) { return range.first <= task && task < range.past; });
  };
  const auto has_all_of = [&](std::int64_t task) {
    return std::ranges::all_of(files, [&](const InputFile& file) {
      if (task < kTasks && (task < file.readers.first || task > file.readers.last)) return true;
      for (auto at = file.begin; at < file.begin + file.bytes; ++at) {
        if (!there.has(at / kInputPiece)) return false;
        at = (at / kInputPiece + 1) * kInputPiece - 1;
      }
      return true;
    });
  };
  for (std::int64_t task = 0; task <= kTasks; ++task) RC_ASSERT(lacks(task) != has_all_of(task));
  const auto first = *rc::gen::inRange(0, kTasks + 1);
  const std::vector<Range> next{{first, first + *rc::gen::inRange(1, 3)}};
  const auto missing = there.missing_for(next);
  RC_ASSERT(std::ranges::is_sorted(missing, std::less_equal<>{}) && there.bytes_of(missing) <= bytes);
  for (const auto piece : missing) {
    RC_ASSERT(!there.has(piece));
    there.add(piece);
  }
  for (auto task = next[0].first; task < next[0].past; ++task) RC_ASSERT(!lacks(task));
}

TEST(Ranges, OfNumbers_JoinNeighbours) {
  EXPECT_THAT(ranges_of(std::vector<std::int64_t>{1, 2, 3, 5, 9, 10}), ::testing::ElementsAre(Range{1, 4}, Range{5, 6}, Range{9, 11}));
}

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
