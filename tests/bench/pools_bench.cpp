#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "lib/process/child.hpp"
#include "tests/bench/measure.hpp"

// The rate of the shortest tasks, in pools, from the bag to the database: wrapper, minioar and PostgreSQL included.
namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;

/// 1 000 000 with GLEANER_TEST_LONG; GLEANER_BENCH_TASKS sets another number.
std::int64_t tasks() {
  if (const char* given = std::getenv("GLEANER_BENCH_TASKS")) return std::stoll(given);
  return 1'000'000;
}

/// The cost of the smallest task without a grid: the processes that the wrapper starts for it, on both cores.
double floor_rate() {
  constexpr int kTasks = 4000;
  const double took = seconds_of([&] {
    const auto ran = process::capture(
        {.arguments = {"bash", "-c",
                       fmt::format("seq {} | xargs -P $(nproc) -n 100 bash -c 'for i; do timeout 600 bash -c true; done' .", kTasks)}},
        process::Duration{120'000});
    EXPECT_TRUE(ran && ran->end.succeeded());
  });
  return kTasks / took;
}

/// Files of the grid on its clusters, without the tasks' own outputs.
std::int64_t files_below(const fs::path& folder) {
  std::int64_t count = 0;
  std::error_code error;
  for (auto each = fs::recursive_directory_iterator{folder, error}; !error && each != fs::recursive_directory_iterator{};
       each.increment(error)) {
    if (each->path().filename() == "results") each.disable_recursion_pending();
    else if (each->path().string().find("/.gleaner/") != std::string::npos) ++count;
  }
  return count;
}

/// Resident memory of all processes of a name, in MB.
std::map<std::string, double> resident() {
  std::map<std::string, double> all;
  for (const auto& entry : fs::directory_iterator{"/proc"}) {
    std::ifstream status{entry.path() / "status"};
    std::string name, line;
    double megabytes = 0;
    while (std::getline(status, line)) {
      if (line.starts_with("Name:\t")) name = line.substr(6);
      if (line.starts_with("VmRSS:")) megabytes = std::stod(line.substr(6)) / 1024;
    }
    for (const auto* ours : {"almighty", "updator", "metascheduler", "predictor", "runner", "nikita", "gridapi", "minioar"})
      if (name == ours) all[name] = std::max(all[name], megabytes);
  }
  return all;
}

class Pools : public ::testing::Test {
 protected:
  static GridUnderTest::Wish wish() {
    auto wish = default_configuration(GridUnderTest::Backend::minioar);
    wish.clusters = {{.name = "alpha", .nodes = 2, .cores = 4}, {.name = "beta", .nodes = 2, .cores = 4}};
    wish.configuration["cleanup_delay"] = "10s";
    return wish;
  }
};

TEST_F(Pools, AMillionTasksOfTrue_AreDoneAtOneRate_InConstantMemory_AndBoundedFiles) {
  if (!long_runs()) GTEST_SKIP() << "takes an hour: with GLEANER_TEST_LONG";
  const double floor = floor_rate();
  GridUnderTest grid{wish()};
  grid.start_api();
  grid.almighty().start();
  const auto campaign = grid.gridsub(fmt::format(
      R"({{"name":"true","exec_file":"true","walltime":"0:10:0","nb_jobs":{},"temporal_grouping":true,"output_directory":"results","clusters":{{"alpha":{{}},"beta":{{}}}}}})",
      tasks()));
  const auto part = tasks() / 10;
  std::vector<double> rates, memory;
  for (int tenth = 1; tenth <= 10; ++tenth) {
    const double took = seconds_of([&] {
      ASSERT_TRUE(grid.becomes(fmt::format("SELECT done >= {} FROM campaigns", tenth * part), "t", process::Duration{3'600'000}));
    });
    rates.push_back(static_cast<double>(part) / took);
    double all = 0;
    std::string each;
    for (const auto& [name, megabytes] : resident()) {
      all += megabytes;
      each += fmt::format(" {} {:.0f}", name, megabytes);
    }
    memory.push_back(all);
    report(fmt::format("tenth {} of {} tasks of true in pools", tenth, tasks()),
           fmt::format("{:.0f} tasks a second; MB:{}; {} files on the clusters", rates.back(), each, files_below(grid.folder())));
  }
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.number("SELECT done FROM campaigns"), tasks());
  EXPECT_EQ(grid.number("SELECT count(*) FROM (SELECT FROM jobs WHERE ending = 'done' GROUP BY task HAVING count(*) > 1) twice"), 0);
  report("rate of tasks of true in pools against the processes of their wrapper alone",
         fmt::format("{:.0f} a second at least, {:.0f}: ratio {:.2f}", *std::ranges::min_element(rates), floor,
                     *std::ranges::min_element(rates) / floor));
  EXPECT_GE(rates.back(), 0.8 * rates[1]) << "the last tenth, against the second";
  EXPECT_LE(memory.back(), 1.3 * memory[1]);
}

}  // namespace
}  // namespace gleaner::tests
