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
#include <string>
#include <thread>
#include <vector>

#include "lib/grid/evidence.hpp"
#include "lib/text/words.hpp"
#include "runner/command/command.hpp"

/// The wrapper of a pool's jobs, run here by the same shell.
namespace gleaner::runner {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

struct Ended {
  int status;  ///< as a shell reports it
  std::string output;
};

Ended run_shell(const std::string& command) {
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
  };
  static TaskFacts facts_of(int task, std::vector<std::string> arguments) {
    return {grid::TaskNumber{task}, 0, grid::JobId{100 + task}, grid::LaunchId{7}, std::move(arguments)};
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
    LaunchFacts facts{"grid", grid::CampaignId{12}, kind.exec_file, "alpha", "griduser1", "/home/griduser1", "/core=1", "1:30:00"};
    facts.pool = PoolFacts{grid::LaunchId{7}, kind.duration, kind.task_walltime, grid::JobId{100}, kind.carriers};
    facts.pool->side_by_side = kind.side_by_side;
    if (kind.measured) facts.pool.reset();
    facts.measured = kind.measured;
    facts.output_directory = kind.output_directory;
    facts.output_files = kind.output_files;
    auto text = JobCommand::create(facts).value().text();
    for (auto at = text.find("\\$"); at != std::string::npos; at = text.find("\\$", at)) text.erase(at, 1);
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
  /// How often each task wrote its number to `ran`.
  [[nodiscard]] std::map<std::string, int> runs() const {
    std::map<std::string, int> times;
    std::ifstream stream{home_ + "/ran"};
    for (std::string word; stream >> word;) ++times[word];
    return times;
  }
  std::string home_;
};

const std::string kNote{"f() { echo $1 >> $HOME/ran; }; f"};

TEST_F(Pool, ACarrierTakesAllPooledTasks_OneAfterTheOther) {
  list(1, 20);
  EXPECT_EQ(run_carrier({.exec_file = kNote}).status, 0);
  const auto ran = runs();
  EXPECT_EQ(ran.size(), 21u);
  for (const auto& [task, times] : ran) EXPECT_EQ(times, 1) << task;
  for (int task = 0; task < 21; ++task) {
    EXPECT_EQ(evidence(task).witness, grid::Witness::ended) << task;
    EXPECT_TRUE(evidence(task).duration) << task;
  }
}

TEST_F(Pool, CarriersAtTheSameMoment_RunEachTaskOnce) {
  constexpr int kCarriers = 6;
  list(kCarriers, 60);
  std::vector<std::thread> carriers;
  for (int i = 0; i < kCarriers; ++i) carriers.emplace_back([&, i] { (void)run_carrier({.exec_file = kNote, .carriers = kCarriers}, i); });
  for (auto& carrier : carriers) carrier.join();
  const auto ran = runs();
  EXPECT_EQ(ran.size(), 66u);
  for (const auto& [task, times] : ran) EXPECT_EQ(times, 1) << task;
}

TEST_F(Pool, EachTaskHasItsEnvironment_ItsStreams_AndItsStatus) {
  list(1, 2);
  const auto ended = run_carrier({.exec_file = "f() { echo out $CIGRI_JOB_ID $CIGRI_JOB_NAME; echo err $1 >&2; return $1; }; f"});
  EXPECT_EQ(ended.status, 0) << "the status of a carrier is that of its own task";
  EXPECT_THAT(ended.output, AllOf(HasSubstr("out 100 0"), Not(HasSubstr("101"))));
  EXPECT_EQ(content("OAR.cigri.12.900.1.stdout"), "out 101 1\n");
  EXPECT_EQ(content("OAR.cigri.12.900.2.stderr"), "err 2\n");
  EXPECT_EQ(evidence(1).status, 1);
  EXPECT_EQ(evidence(2).status, 2);
}

TEST_F(Pool, InAnOutputDirectory_EachTaskHasItsStreamsAndItsFiles_AndOarsFolderNone) {
  list(1, 2);
  const auto ended = run_carrier({.exec_file = "f() { echo out $1; echo err $1 >&2; echo result $1 > $1.dat; }; f",
                                  .output_directory = "$HOME/results/12",
                                  .output_files = "{TASK}.dat"});
  EXPECT_EQ(ended.status, 0);
  for (const auto* task : {"0", "1", "2"}) {
    EXPECT_EQ(content(fmt::format("results/12/{}.out", task)), fmt::format("out {}\n", task));
    EXPECT_EQ(content(fmt::format("results/12/{}.err", task)), fmt::format("err {}\n", task));
    EXPECT_EQ(content(fmt::format("results/12/{0}.file.{0}.dat", task)), fmt::format("result {}\n", task));
  }
  EXPECT_FALSE(fs::exists(home_ + "/OAR.cigri.12.900.1.stdout"));
  EXPECT_TRUE(evidence(2).duration);
}

TEST_F(Pool, WhatGathersFiles_LeavesTheCountOfFailuresAlone) {
  list(1, 8);
  (void)run_carrier({.exec_file = "f() { echo $1 >> $HOME/ran; echo x > $1.dat; return 3; }; f",
                     .output_directory = "$HOME/results/12",
                     .output_files = "{TASK}.dat"});
  EXPECT_EQ(runs().size(), 3u);
}

/// Each task ends when as many run as there are workers; alone, it gives up after a while.
const std::string kMeet{
    R"(f() { echo >> $HOME/begun.$1; for ((i = 0; i < 500; i++)); do begun=("$HOME"/begun.*); ((${#begun[@]} >= MOST)) && { echo $1 >> $HOME/ran; return 0; }; read -t 0.02 <> <(:); done; return 9; }; MOST=3 f)"};

TEST_F(Pool, SideBySide_ACarrierCarriesOutATaskOnEachCoreOfItsFirstNode) {
  list(1, 8);
  std::ofstream{home_ + "/nodes"} << "n1\nn1\nn1\nn2\nn2\n";
  EXPECT_EQ(run_carrier({.exec_file = kMeet, .node_file = home_ + "/nodes", .side_by_side = true}).status, 0);
  EXPECT_EQ(runs().size(), 9u);
  for (const auto& [task, times] : runs()) EXPECT_EQ(times, 1) << task;
  for (int task = 0; task < 9; ++task) EXPECT_EQ(evidence(task).witness, grid::Witness::ended) << task;
}

TEST_F(Pool, WithoutThat_ACarrierCarriesOutOneTaskAtATime) {
  list(1, 1);
  std::ofstream{home_ + "/nodes"} << "n1\nn1\nn1\n";
  (void)run_carrier({.exec_file = R"(f() { mkdir $HOME/alone && sleep 0.1 && rmdir $HOME/alone; }; f)", .node_file = home_ + "/nodes"});
  EXPECT_EQ(evidence(0).status, 0);
  EXPECT_EQ(evidence(1).status, 0);
}

TEST_F(Pool, SideBySide_WithoutAListOfNodes_ACarrierHasOneWorker) {
  list(1, 3);
  EXPECT_EQ(run_carrier({.exec_file = kNote, .node_file = home_ + "/none", .side_by_side = true}).status, 0);
  EXPECT_EQ(runs().size(), 4u);
}

TEST_F(Pool, SideBySide_CarriersAtTheSameMoment_RunEachTaskOnce) {
  constexpr int kCarriers = 3;
  list(kCarriers, 90);
  std::ofstream{home_ + "/nodes"} << "n1\nn1\nn1\nn1\n";
  std::vector<std::thread> carriers;
  for (int i = 0; i < kCarriers; ++i) {
    carriers.emplace_back(
        [&, i] { (void)run_carrier({.exec_file = kNote, .carriers = kCarriers, .node_file = home_ + "/nodes", .side_by_side = true}, i); });
  }
  for (auto& carrier : carriers) carrier.join();
  EXPECT_EQ(runs().size(), 93u);
  for (const auto& [task, times] : runs()) EXPECT_EQ(times, 1) << task;
}

/// Plain words need no process to be read; what the shell would split or expand must still arrive as it is.
TEST_F(Pool, TheArgumentsOfPooledTasks_ArriveByteForByte) {
  const std::vector<std::vector<std::string>> all{{},
                                                  {"7"},
                                                  {"a", "b-c_d./:,+@%=", "9"},
                                                  {"=", "="},
                                                  {"-n", "--", "-"},
                                                  {"a b"},
                                                  {"*", "?", "[a-z]*"},
                                                  {"", "x", ""},
                                                  {"$HOME", "`id`"},
                                                  {"~", "~root"},
                                                  {"'", "\""},
                                                  {"a\nb\n"},
                                                  {"\xE9t\xE9"},
                                                  {"a\\b", "\\"},
                                                  {"{1,2}"},
                                                  {"!x", "#", ";"},
                                                  {"."},
                                                  {"x\t"}};
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < all.size(); ++i) lines.push_back(pool_line(facts_of(1 + static_cast<int>(i), all[i])).value());
  fs::create_directories(folder());
  std::ofstream{folder() + "/pool"} << pool_list(lines);
  std::ofstream{home_ + "/*"} << "a file whose name matches";
  EXPECT_EQ(run_carrier({.exec_file = R"(printf '<%s>')"}).status, 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto expected = all[i].empty() ? "<>" : fmt::format("<{}>", fmt::join(all[i], "><"));
    EXPECT_EQ(content(fmt::format("OAR.cigri.12.900.{}.stdout", i + 1)), expected);
  }
}

TEST_F(Pool, PlainWordsStandInTheListAsTheyAre) {
  EXPECT_EQ(pool_line(facts_of(3, {"data/x.bin", "0.5"})).value(), "3 0 103 7 = data/x.bin 0.5");
  EXPECT_EQ(pool_line(facts_of(3, {"a b"})).value(), parameter_line(facts_of(3, {"a b"})).value());
  EXPECT_EQ(pool_line(facts_of(3, {})).value(), "3 0 103 7 -");
}

/// OAR cannot list a folder in which a file changes its name meanwhile.
TEST_F(Pool, NoFileChangesItsName) {
  list(1, 3);
  (void)run_carrier({.exec_file = kNote});
  for (int task = 0; task < 4; ++task) {
    const auto stem = fmt::format("{}.0.{}.900", task, 100 + task);
    EXPECT_THAT(files(), Contains(stem + ".s"));
    EXPECT_THAT(files(), Contains(::testing::StartsWith(stem + ".e0.")));
  }
}

TEST_F(Pool, TheStatusOfACarrierIsThatOfItsOwnTask) {
  list(1, 1);
  EXPECT_EQ(run_carrier({.exec_file = "f() { [ $1 = 0 ] && return 5; return 0; }; f"}).status, 5);
  EXPECT_EQ(evidence(0).status, 5);
  EXPECT_EQ(evidence(1).status, 0);
}

TEST_F(Pool, AClaimedTaskIsLeftAlone) {
  list(1, 3);
  std::ofstream{folder() + "/2.0.claim"} << "1 host 55 66\n";
  EXPECT_EQ(run_carrier({.exec_file = kNote}).status, 0);
  EXPECT_FALSE(runs().contains("2"));
  EXPECT_EQ(runs().size(), 3u);
}

TEST_F(Pool, AListThatWasNotWrittenToItsEnd_IsNotUsed) {
  fs::create_directories(folder());
  std::ofstream{folder() + "/pool"} << line(1) << '\n' << line(2).substr(0, 9);
  EXPECT_EQ(run_carrier({.exec_file = kNote}).status, 0);
  EXPECT_EQ(runs().size(), 1u);
}

TEST_F(Pool, WithoutAList_TheOwnTaskIsRun) {
  const auto ended = run_carrier({.exec_file = kNote});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.output, "");
  EXPECT_EQ(runs().size(), 1u);
}

TEST_F(Pool, AfterItsTime_ACarrierTakesNoOtherTask) {
  list(1, 5);
  EXPECT_EQ(run_carrier({.exec_file = kNote + "; sleep 2 #", .duration = grid::Seconds{1}}).status, 0);
  EXPECT_EQ(evidence(0).witness, grid::Witness::ended);
  EXPECT_EQ(evidence(1).witness, grid::Witness::nothing);
}

TEST_F(Pool, ThreeFailuresInARow_StopACarrier_AndASuccessBetweenThemDoesNot) {
  list(1, 8);
  EXPECT_EQ(run_carrier({.exec_file = "f() { echo $1 >> $HOME/ran; return 3; }; f"}).status, 3);
  EXPECT_EQ(runs().size(), 3u);
  fs::remove_all(home_ + "/.gleaner");
  fs::remove(home_ + "/ran");
  list(1, 8);
  EXPECT_EQ(run_carrier({.exec_file = "f() { echo $1 >> $HOME/ran; return $(($1 % 3)); }; f"}).status, 0);
  EXPECT_EQ(runs().size(), 9u);
}

TEST_F(Pool, ATaskIsEndedAfterItsWalltime_AndTheNextOnesRun) {
  list(1, 2);
  const auto ended =
      run_carrier({.exec_file = "f() { echo $1 >> $HOME/ran; [ $1 = 1 ] && sleep 30; return 0; }; f", .task_walltime = grid::Seconds{1}});
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(evidence(1).overran);
  EXPECT_EQ(grid::end_of({.record = grid::Record::forgotten, .started = true}, evidence(1), grid::Deletion::none), grid::JobEnd::walltime);
  EXPECT_EQ(evidence(2).status, 0);
}

TEST_F(Pool, TheOwnTaskAfterItsWalltime_IsToldByItsFile_NotByTheStatus) {
  list(1, 1);
  const auto ended = run_carrier({.exec_file = "f() { [ $1 = 0 ] && sleep 30; return 0; }; f", .task_walltime = grid::Seconds{1}});
  EXPECT_EQ(ended.status, 113);
  const grid::RemoteEnd record{.record = grid::Record::exited, .status = 113, .started = true};
  EXPECT_EQ(grid::end_of(record, evidence(0), grid::Deletion::none), grid::JobEnd::walltime);
}

TEST_F(Pool, ATasksOwnStatus124_IsItsEnd) {
  list(1, 1);
  EXPECT_EQ(run_carrier({.exec_file = "exit 124; :"}).status, 124);
  EXPECT_EQ(evidence(1).status, 124);
  EXPECT_FALSE(evidence(1).overran);
}

TEST_F(Pool, OarsSecondRunOfACarrier_TakesNoTask) {
  list(1, 0);
  EXPECT_EQ(run_carrier({.exec_file = kNote}).status, 0);
  list(1, 3);
  EXPECT_EQ(run_carrier({.exec_file = kNote}).status, 113);
  EXPECT_EQ(runs().size(), 1u);
}

TEST_F(Pool, AKilledCarrier_LeavesTheRestToTheOthers) {
  constexpr int kCarriers = 2;
  list(kCarriers, 6);
  // The first is killed in its own task.
  EXPECT_NE(run_carrier({.exec_file = "kill -9 $(cut -d\" \" -f4 /proc/$PPID/stat); :", .carriers = kCarriers}, 0).status, 0);
  EXPECT_EQ(evidence(0).witness, grid::Witness::started);
  EXPECT_EQ(run_carrier({.exec_file = kNote, .carriers = kCarriers}, 1).status, 0);
  EXPECT_EQ(runs().size(), 7u);
}

TEST_F(Pool, ATaskWhoseStreamsCannotBeOpened_IsNotRun_AndSaysSo) {
  list(1, 2);
  for (const int task : {1, 2}) fs::create_directories(fmt::format("{}/OAR.cigri.12.900.{}.stdout", home_, task));
  EXPECT_EQ(run_carrier({.exec_file = kNote}).status, 0);
  EXPECT_EQ(runs().size(), 1u);
  EXPECT_THAT((std::vector{evidence(1).witness, evidence(2).witness}), Contains(grid::Witness::unclaimed));
}

TEST_F(Pool, AHomeWithoutAFolder_RunsNothingOfThePool) {
  list(1, 2);
  const auto ended = run_carrier({.exec_file = "rm -rf $HOME/.gleaner; echo >> $HOME/ran; :"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(evidence(0).witness, grid::Witness::ended);
}

TEST_F(Pool, AMeasuredJobWithoutOne_NotesHowLongItsCommandTook) {
  EXPECT_EQ(run_carrier({.exec_file = "sleep 0.05; exit 4; :", .measured = true}).status, 4);
  const auto names = files();
  const grid::EvidenceIndex index{names};
  const auto evidence = index.of({.task = grid::TaskNumber{0}, .attempt = 0, .job = grid::JobId{100}, .remote = grid::RemoteJobId{900}});
  EXPECT_EQ(evidence.witness, grid::Witness::ended);
  EXPECT_EQ(evidence.status, 4);
  ASSERT_TRUE(evidence.duration);
  EXPECT_GE(*evidence.duration, std::chrono::milliseconds{50});
  EXPECT_EQ(names.size(), 2U) << "its own file, and the claim";
}

}  // namespace
}  // namespace gleaner::runner
