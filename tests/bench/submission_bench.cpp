#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>

#include "lib/process/child.hpp"
#include "tests/bench/measure.hpp"

// The submission of a million parameters, and gridstat of them.
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

/// The same rows: each task with its last job.
std::string copy_of_tasks(const std::string& campaign) {
  return fmt::format(
      "\\copy (SELECT t.number, t.state, k.name, j.id, j.remote_id, t.attempt, j.exit_status, j.ending, t.parameter, t.parameter AS name, "
      "j.submitted_at, j.started_at, j.ended_at FROM tasks t LEFT JOIN LATERAL (SELECT * FROM jobs j WHERE j.campaign_id = t.campaign_id "
      "AND j.task = t.number ORDER BY j.ending IS NOT DISTINCT FROM 'done' DESC, j.id DESC LIMIT 1) j ON true LEFT JOIN clusters k ON "
      "k.id = j.cluster_id WHERE t.campaign_id = {} ORDER BY t.number) TO '/dev/null' CSV HEADER",
      campaign);
}

TEST_F(Submission, AMillionTasks_AreListedInAtMostThreeTimesPsqlCopy_InConstantMemory) {
  gridsub();
  const auto id = grid.value("SELECT max(id) FROM campaigns");
  psql(grid, "ANALYZE tasks");
  const double floor = std::min(seconds_of([&] { psql(grid, copy_of_tasks(id)); }), seconds_of([&] { psql(grid, copy_of_tasks(id)); }));
  std::string lines;
  const auto list = [&](const std::string& options) {
    process::Command command{.arguments = {"/bin/bash", "-c", fmt::format("{} {} {} | wc -l", program("gridstat").string(), id, options)}};
    command.environment = {{"GLEANER_CONFIG", (grid.folder() / "gleaner.conf").string()}};
    const auto ran = process::capture(std::move(command), process::Duration{600'000});
    ASSERT_TRUE(ran && ran->end.succeeded());
    lines = ran->output;
  };
  const double csv = std::min(seconds_of([&] { list("--csv"); }), seconds_of([&] { list("--csv"); }));
  EXPECT_EQ(lines, "1000001\n");
  const double json = seconds_of([&] { list("--full --json"); });
  EXPECT_EQ(lines, "1000001\n");
  const double client = biggest_child_megabytes();
  const double server = peak_megabytes(grid.api().pid());
  report("gridstat --csv of 1 000 000 tasks against psql \\copy",
         fmt::format("{:.2f} s, {:.2f} s, ratio {:.2f}; --full --json {:.2f} s; the biggest client {:.0f} MB, gridapi {:.0f} MB", csv,
                     floor, csv / floor, json, client, server));
  EXPECT_LE(csv, 3 * floor);
  EXPECT_LT(client, 100);
  EXPECT_LT(server, 100);
}

}  // namespace
}  // namespace gleaner::tests
