#pragma once
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "lib/grid/evidence.hpp"
#include "lib/text/words.hpp"
#include "runner/command/command.hpp"

/// A pool's jobs, whose wrapper is run here by the same shell.
namespace gleaner::runner::test {

namespace fs = std::filesystem;

struct Ended {
  int status;  ///< as a shell reports it
  std::string output;
};

inline Ended run_shell(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  Ended ended{0, {}};
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) ended.output.append(buffer.data(), got);
  const int status = pclose(pipe);
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

/// A home on a cluster, and one launch: `carriers` jobs with the tasks 0, 1, …, and pooled tasks after these. Job 100 + i has task i; the
/// carriers are the jobs 900, 901, … of OAR.
class Pool : public ::testing::Test {
 protected:
  Pool() {
    auto pattern = (fs::temp_directory_path() / "gleaner-pool-XXXXXX").string();
    home_ = mkdtemp(pattern.data());
  }
  ~Pool() override {
    std::error_code ignored;
    fs::remove_all(home_, ignored);
  }

  struct Kind {
    std::string exec_file = "echo >> $HOME/ran";
    int carriers = 1;
    grid::Seconds duration{60};
    grid::Seconds task_walltime{60};
    std::string output_directory = {};
    std::string output_files = {};
    std::string node_file = "/dev/null";
    bool side_by_side = false;
    bool measured = false;  ///< no pool: a job with one task, which shows what a start costs
    bool placeholders = false;
    bool params_shell = false;
    std::string workdir = "$HOME";
    bool streams_in_workdir = false;
    std::string input_files = {};
    std::string checkpoint_signal = {};
    std::string before_wrapper = {};  ///< in its shell
  };
  static TaskFacts facts_of(int task, std::vector<std::string> arguments) {
    return {grid::TaskNumber{task}, 0, grid::JobId{100 + task}, "7", std::move(arguments)};
  }
  static TaskFacts facts_of(int task) { return facts_of(task, {std::to_string(task)}); }
  static std::string line(int task) { return parameter_line(facts_of(task)).value(); }
  /// Writes the list of the pool.
  void list(int carriers, int pooled) const {
    std::vector<std::string> lines;
    for (int task = carriers; task < carriers + pooled; ++task) lines.push_back(pool_line(facts_of(task)).value());
    fs::create_directories(folder());
    std::ofstream{folder() + "/pool"} << pool_list(lines);
  }
  [[nodiscard]] Ended run_carrier(const Kind& kind, int carrier = 0, const std::string& shell = "") const {
    LaunchFacts facts{"grid", grid::CampaignId{12}, kind.exec_file, "alpha", "griduser1", kind.workdir, "/core=1", "1:30:00"};
    facts.pool = PoolFacts{"7", kind.duration, kind.task_walltime, grid::JobId{100}, kind.carriers};
    facts.pool->side_by_side = kind.side_by_side;
    if (kind.measured) facts.pool.reset();
    facts.measured = kind.measured;
    facts.output_directory = kind.output_directory;
    facts.output_files = kind.output_files;
    facts.placeholders = kind.placeholders;
    facts.params_shell = kind.params_shell;
    facts.streams_in_workdir = kind.streams_in_workdir;
    facts.input_files = kind.input_files;
    facts.checkpoint_signal = kind.checkpoint_signal;
    auto text = JobCommand::create(facts).value().text();
    for (auto at = text.find("\\$"); at != std::string::npos; at = text.find("\\$", at)) text.erase(at, 1);
    text.insert(text.find("$("), kind.before_wrapper);
    return run_shell(
        fmt::format("cd {0} && {3} env -i HOME={0} USER=griduser1 PATH=\"$PATH\" OAR_JOB_ID={2} OAR_NODEFILE={4} bash -c {1} 2>&1", home_,
                    text::quote(text + " " + line(carrier)), 900 + carrier, shell, kind.node_file));
  }
  [[nodiscard]] std::string folder() const { return home_ + "/.gleaner/grid/12/7"; }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator{folder()}) names.push_back(entry.path().filename().string());
    return names;
  }
  /// The evidence of task i's job.
  [[nodiscard]] grid::Evidence evidence(int task) const {
    const auto names = files();
    const grid::EvidenceIndex index{names};
    const grid::JobId job{100 + task};
    return index.of({grid::TaskNumber{task}, 0, job, index.run_of(job).value_or(grid::RemoteJobId{0})});
  }
  [[nodiscard]] std::string content(const std::string& file) const {
    std::ifstream stream{home_ + "/" + file};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream{text};
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  /// How often each task wrote its number to `ran`.
  [[nodiscard]] std::map<std::string, int> runs() const {
    std::map<std::string, int> times;
    std::ifstream stream{home_ + "/ran"};
    for (std::string word; stream >> word;) ++times[word];
    return times;
  }
  std::string home_;
};

inline const std::string kNote{"f() { echo $1 >> $HOME/ran; }; f"};

}  // namespace gleaner::runner::test
