#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tests/system/grid_under_test.hpp"

/// Files that campaigns leave behind on a cluster.
namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;

/// Files come and go meanwhile.
std::int64_t files_below(const fs::path& folder) {
  std::error_code gone;
  std::int64_t files = 0;
  for (fs::recursive_directory_iterator entry{folder, gone}, end; !gone && entry != end; entry.increment(gone))
    files += entry->is_directory(gone) ? 0 : 1;
  return files;
}

TEST(FilesOnACluster, OfACampaignOfThousands_AreNeverMoreThanTenForEachLiveJobAndAThousand_AndTheProgramAloneInTheEnd) {
  constexpr std::int64_t kTasks = 1500;  // each leaves three, as long as nobody removes them
  GridUnderTest grid{{.clusters = {{.name = "alpha", .nodes = 4, .cores = 8}}, .configuration = {{"cycle_period", "200ms"}}}};
  const auto campaign = grid.submit({.tasks = kTasks, .exec_file = grid.oracle().task(), .clusters = {"alpha"}});
  const auto ours = grid.cluster("alpha").home("alice") / ".gleaner";
  grid.almighty().start();
  const auto column = [&](const std::string& what) {
    return grid.value(fmt::format("SELECT {} FROM campaigns WHERE id = {}", what, campaign.value()));
  };
  std::int64_t most_files = 0;
  std::int64_t most_live = 0;
  ASSERT_TRUE(await([&] {
    most_files = std::max(most_files, files_below(ours));
    most_live = std::max<std::int64_t>(most_live, std::stoll(column("launching + submitted + running")));
    return column("state") == "terminated";
  }));
  EXPECT_TRUE(grid.is_exactly_done(campaign, kTasks));
  EXPECT_GT(most_files, 0);
  EXPECT_LE(most_files, 10 * most_live + 1000);
  const auto programs = ours / "programs";
  EXPECT_TRUE(await([&] { return files_below(ours) == files_below(programs); }));
  EXPECT_LE(files_below(programs), 2) << "one for each kind of launch: with and without measures";
}

}  // namespace
}  // namespace gleaner::tests
