#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>

#include "lib/process/child.hpp"
#include "tests/bench/measure.hpp"

// What must be shown, 5: a million parameters, and gridstat of them.
namespace gleaner::tests {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

/// The biggest peak among the children waited for so far, in MB.
double biggest_child_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

class Submission : public ::testing::Test {
 protected:
  Submission() : grid{default_configuration(GridUnderTest::Backend::minioar)} {
    grid.api().start();
    std::ofstream parameters{grid.folder() / "parameters.txt"};
    for (std::int64_t i = 0; i < kMillion; ++i) parameters << "input-" << i << " --seed " << i * 7 << '\n';
    std::ofstream{grid.folder() / "million.jdl"} << R"({"name":"million","exec_file":"true","clusters":{"alpha":{},"beta":{}}})";
    std::ofstream rows{grid.folder() / "rows.tsv"};
    for (std::int64_t i = 0; i < kMillion; ++i) rows << "0\t" << i << "\tl\tinput-" << i << " --seed " << i * 7 << '\n';
  }

  void gridsub() {
    const auto ran = grid.run("gridsub", {"--quiet", "-f", grid.folder() / "million.jdl", "--param-file", grid.folder() / "parameters.txt"},
                              process::Duration{600'000});
    ASSERT_TRUE(ran.end.succeeded()) << ran.output;
  }

  GridUnderTest grid;
};

TEST_F(Submission, AMillionParameters_TakeAtMostThreeTimesPsqlCopy_InConstantMemory_AndGridstatAtMostThreeTimesASelect) {
  psql(grid, "CREATE TABLE copied (LIKE tasks INCLUDING ALL)");
  const auto copy = fmt::format("\\copy copied (campaign_id, number, form, parameter) from '{}'", (grid.folder() / "rows.tsv").string());
  double floor = 1e9, ours = 1e9;
  for (int i = 0; i < 2; ++i) {
    psql(grid, "TRUNCATE copied");
    floor = std::min(floor, seconds_of([&] { psql(grid, copy); }));
    ours = std::min(ours, seconds_of([&] { gridsub(); }));
  }
  const double client = biggest_child_megabytes();
  const double server = peak_megabytes(grid.api().pid());
  report("gridsub of 1 000 000 parameters against psql \\copy",
         fmt::format("{:.2f} s, {:.2f} s, ratio {:.2f}; the biggest of gridsub and psql {:.0f} MB, gridapi {:.0f} MB", ours, floor,
                     ours / floor, client, server));
  EXPECT_LE(ours, 3 * floor);
  EXPECT_LT(client, 100);
  EXPECT_LT(server, 100);

  const auto id = grid.value("SELECT max(id) FROM campaigns");
  constexpr int kRuns = 15;
  const double select = median_seconds(kRuns, [&] { psql(grid, "select 1"); });
  const double gridstat = median_seconds(kRuns, [&] { ASSERT_TRUE(grid.run("gridstat", {"-c", id}).end.succeeded()); });
  report("gridstat of a campaign of 1 000 000 tasks against psql -c 'select 1'",
         fmt::format("{:.1f} ms, {:.1f} ms, ratio {:.2f}", gridstat * 1e3, select * 1e3, gridstat / select));
  EXPECT_LE(gridstat, 3 * select);
}

}  // namespace
}  // namespace gleaner::tests
