#include "tests/bench/measure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>

#include "lib/text/numbers.hpp"

namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;

/// The fields of /proc/PID/stat behind the command's name.
std::vector<std::string> stat_fields(pid_t pid) {
  std::ifstream file{fmt::format("/proc/{}/stat", pid)};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  const auto name_end = text.rfind(')');
  std::vector<std::string> fields;
  if (name_end == std::string::npos) return fields;
  std::istringstream rest{text.substr(name_end + 1)};
  for (std::string field; rest >> field;) fields.push_back(field);
  return fields;
}

constexpr std::size_t kParent = 1, kUserTime = 11, kChildrenSystemTime = 14;

}  // namespace

GridUnderTest::Wish default_configuration(GridUnderTest::Backend backend) {
  GridUnderTest::Wish wish;
  wish.backend = backend;
  wish.configuration = {{"cycle_period", "5s"},    {"idle_period", "30s"},     {"lease_duration", "15s"}, {"module_patience", "3s"},
                        {"flood", "0.5"},          {"waiting_grace", "10m"},   {"void_delay", "15s"},     {"void_looks", "2"},
                        {"connect_timeout", "3s"}, {"request_timeout", "10s"}, {"submit_timeout", "30s"}, {"cleanup_delay", "60s"}};
  return wish;
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median_seconds(int runs, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) times.push_back(seconds_of(work));
  std::ranges::sort(times);
  return times[times.size() / 2];
}

double least_seconds(int runs, const std::function<void()>& work) {
  double least = seconds_of(work);
  for (int i = 1; i < runs; ++i) least = std::min(least, seconds_of(work));
  return least;
}

double least_seconds_within(double limit, int runs, const std::function<void()>& work) {
  constexpr int kRounds = 3;
  double least = least_seconds(runs, work);
  for (int round = 1; round < kRounds && least > limit; ++round) least = std::min(least, least_seconds(runs, work));
  return least;
}

void psql(const GridUnderTest& grid, const std::string& command) {
  constexpr process::Duration kLimit{300'000};
  const auto ran = process::capture({.arguments = {"psql", grid.conninfo(), "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", command}}, kLimit);
  ASSERT_TRUE(ran && ran->end.succeeded()) << (ran ? ran->output : ran.error());
}

double peak_megabytes(pid_t pid) {
  std::ifstream file{fmt::format("/proc/{}/status", pid)};
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

double processor_seconds(pid_t pid) {
  const auto fields = stat_fields(pid);
  double ticks = 0;
  for (auto i = kUserTime; i < fields.size() && i <= kChildrenSystemTime; ++i) ticks += std::stod(fields[i]);
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double processor_seconds_of_children(pid_t pid) {
  double seconds = 0;
  for (const auto& entry : fs::directory_iterator{"/proc"}) {
    const auto name = entry.path().filename().string();
    const auto child = text::whole_number<pid_t>(name);
    if (!child) continue;
    const auto fields = stat_fields(*child);
    if (fields.size() > kParent && fields[kParent] == std::to_string(pid)) seconds += processor_seconds(*child);
  }
  return seconds;
}

pid_t parent_of(pid_t pid) { return static_cast<pid_t>(std::stol(stat_fields(pid).at(kParent))); }

void report(const std::string& what, const std::string& figures) {
  std::cout << fmt::format("MEASURED {}: {}", what, figures) << std::endl;
  ::testing::Test::RecordProperty(fmt::format("measured_{}", std::hash<std::string>{}(what)), figures);
}

}  // namespace gleaner::tests
