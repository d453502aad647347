#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lib/inputs/spool.hpp"

/// The folder of input files.
namespace gleaner::inputs {
namespace {

namespace fs = std::filesystem;

class InputSpool : public ::testing::Test {
 protected:
  InputSpool() {
    auto pattern = (fs::temp_directory_path() / "gleaner-spool-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~InputSpool() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string add(std::string_view content) const {
    auto arrival = Arrival::begin(spool()).value();
    EXPECT_TRUE(arrival.add(content));
    const auto sum = arrival.finish().value();
    EXPECT_TRUE(arrival.place(spool(), sum));
    return sum;
  }
  [[nodiscard]] Spool spool() const { return Spool{folder_ / "spool"}; }
  [[nodiscard]] std::ptrdiff_t files() const { return std::distance(fs::directory_iterator{folder_ / "spool"}, fs::directory_iterator{}); }
  fs::path folder_;
};

TEST_F(InputSpool, KeepsAContentUnderItsSha256) {
  const auto sum = add("abc");
  EXPECT_EQ(sum, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of(spool().path_of(sum)).value(), sum);
  EXPECT_EQ(sha256_of_text("abc"), sum);
  EXPECT_EQ(spool().read(sum, 3).value(), "abc");
  EXPECT_FALSE(spool().read(sum, 2));
  EXPECT_EQ(add("abc"), sum);
  EXPECT_EQ(files(), 1);
}

TEST_F(InputSpool, AnUploadThatBreaksOff_LeavesNoContent) {
  {
    auto arrival = Arrival::begin(spool()).value();
    EXPECT_TRUE(arrival.add("half"));
    EXPECT_EQ(files(), 1);
  }
  EXPECT_EQ(files(), 0);
  // An upload whose process was killed:
  std::ofstream{folder_ / "spool/arriving-abcdef"} << "half";
  const auto kept = add("kept");
  const auto gone = add("gone");
  EXPECT_TRUE(Walk{spool()}.next(100).empty()) << "all are young";
  Walk walk{spool(), std::chrono::seconds{-1}};
  std::vector<std::string> found = walk.next(2);
  EXPECT_EQ(found.size(), 2U);
  for (auto& name : walk.next(2)) found.push_back(std::move(name));
  EXPECT_THAT(found, ::testing::UnorderedElementsAre(kept, gone, "arriving-abcdef"));
  EXPECT_TRUE(walk.next(2).empty()) << "it begins anew after an hour";
  spool().remove("arriving-abcdef");
  EXPECT_EQ(files(), 2);
}

TEST_F(InputSpool, AFolderThatCannotBeWritten_IsReported) {
  std::ofstream{folder_ / "spool"} << "a file";
  const auto arrival = Arrival::begin(spool());
  ASSERT_FALSE(arrival);
  EXPECT_THAT(arrival.error(), ::testing::HasSubstr("Not a directory"));
}

TEST_F(InputSpool, IsReadFromAnyByteToAnother_AcrossFiles) {
  std::vector<grid::InputFile> files{{.path = "a", .sha256 = add("abc"), .bytes = 3},
                                     {.path = "b", .sha256 = add(""), .bytes = 0},
                                     {.path = "c", .sha256 = add("defgh"), .bytes = 5}};
  const auto bytes = grid::place_inputs(files);
  const std::string all{"abcdefgh"};
  for (std::int64_t begin = 0; begin <= bytes; ++begin) {
    for (auto end = begin; end <= bytes; ++end)
      EXPECT_EQ(spool().read(files, begin, end).value(),
                all.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
  }
  fs::remove(spool().path_of(files[2].sha256));
  EXPECT_THAT(spool().read(files, 0, bytes).error(), ::testing::HasSubstr("c ("));
  EXPECT_TRUE(spool().read(files, 0, 3));
}

}  // namespace
}  // namespace gleaner::inputs
