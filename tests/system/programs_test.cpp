#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/system/grid_under_test.hpp"

/// The programs of jobs, which the grid puts into the homes of their users.
namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class JobPrograms : public ::testing::Test {
 protected:
  JobPrograms() {
    grid.start_api();
    grid.almighty().start();
  }
  static GridUnderTest::Wish wish() {
    GridUnderTest::Wish wish;
    wish.clusters = {{.name = "alpha"}};
    return wish;
  }
  [[nodiscard]] fs::path home() { return grid.cluster("alpha").home(grid.clusters().front().user); }
  [[nodiscard]] fs::path folder() { return home() / ".gleaner/programs"; }
  [[nodiscard]] std::vector<fs::path> programs() {
    std::vector<fs::path> found;
    if (fs::is_directory(folder())) {
      for (const auto& entry : fs::directory_iterator{folder()}) found.push_back(entry.path());
    }
    return found;
  }
  grid::CampaignId submit(int tasks) {
    return grid.submit({.tasks = tasks, .exec_file = grid.oracle().task("sleep 0.2"), .clusters = {"alpha"}, .max_jobs = 4});
  }
  [[nodiscard]] testing::AssertionResult becomes_done(grid::CampaignId campaign, int tasks) {
    if (auto ended = grid.terminates(campaign); !ended) return ended;
    return grid.is_exactly_done(campaign, tasks);
  }
  void await_program() {
    ASSERT_TRUE(becomes_done(submit(4), 4));
    ASSERT_TRUE(grid.becomes("SELECT count(*) > 0 AND bool_and(put_at IS NOT NULL) FROM job_programs", "t"));
    ASSERT_FALSE(programs().empty());
  }
  GridUnderTest grid{wish()};
};

std::string content_of(const fs::path& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

TEST_F(JobPrograms, ThatAreRemovedOrDamagedInMidCampaign_StartNoTask_CostNoAttempt_AndArePutAgain) {
  const std::vector<std::pair<std::string, std::function<void()>>> faults{{"removed", [&] { fs::remove_all(folder()); }},
                                                                          {"cut",
                                                                           [&] {
                                                                             for (const auto& program : programs())
                                                                               fs::resize_file(program, fs::file_size(program) / 2);
                                                                           }},
                                                                          {"other bytes", [&] {
                                                                             for (const auto& program : programs())
                                                                               std::ofstream{program, std::ios::app} << "\n# changed\n";
                                                                           }}};
  await_program();
  for (const auto& [name, fault] : faults) {
    SCOPED_TRACE(name);
    grid.execute("UPDATE job_programs SET doubted_at = NULL");  // an hour has passed
    const auto before = grid.number("SELECT count(*) FROM jobs WHERE ending = 'never_began'");
    const auto campaign = submit(24);
    ASSERT_TRUE(grid.becomes(fmt::format("SELECT done > 3 FROM campaigns WHERE id = {}", campaign.value()), "t"));
    fault();
    ASSERT_TRUE(becomes_done(campaign, 24));
    EXPECT_GT(grid.number("SELECT count(*) FROM jobs WHERE ending = 'never_began'"), before) << "jobs called the program";
    EXPECT_EQ(grid.value(fmt::format("SELECT max(attempt) FROM tasks WHERE campaign_id = {}", campaign.value())), "0");
    for (const auto& program : programs()) EXPECT_THAT(content_of(program), ::testing::EndsWith("\n}\n"));
    EXPECT_EQ(grid.value("SELECT bool_or(put_at IS NOT NULL) FROM job_programs"), "t");
  }
  EXPECT_EQ(grid.number("SELECT count(*) FROM events WHERE code = 'PROGRAM_UNUSABLE'"), 0);
  EXPECT_TRUE(grid.is_consistent());
}

TEST_F(JobPrograms, ThatAreRemovedAgainAndAgain_AreNoLongerCalled_AndAnEventReportsIt) {
  await_program();
  const auto campaign = submit(60);
  ASSERT_TRUE(await([&] {
    fs::remove_all(folder());
    return grid.number("SELECT count(*) FROM events WHERE code = 'PROGRAM_UNUSABLE'") > 0;
  }));
  ASSERT_TRUE(becomes_done(campaign, 60));
  EXPECT_EQ(grid.value("SELECT max(attempt) FROM tasks"), "0");
  const auto shown = grid.run("gridctl", {"cluster", "show", "alpha"});
  EXPECT_THAT(shown.output, HasSubstr("not put again before"));
  EXPECT_TRUE(grid.is_consistent());
}

TEST_F(JobPrograms, WhereTheyCannotBePut_AreInTheCommands) {
  fs::create_directories(folder().parent_path());
  std::ofstream{folder()} << "a file";
  ASSERT_TRUE(becomes_done(submit(12), 12));
  EXPECT_EQ(grid.value("SELECT count(*) FROM jobs WHERE ending = 'never_began'"), "0");
  EXPECT_EQ(grid.value("SELECT count(*) > 0 AND bool_and(put_at IS NULL AND why <> '') FROM job_programs"), "t");
  EXPECT_THAT(grid.run("gridctl", {"cluster", "show", "alpha"}).output, HasSubstr("commands have it in them"));
}

}  // namespace
}  // namespace gleaner::tests
