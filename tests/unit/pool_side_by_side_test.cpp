#include <thread>

#include "tests/unit/pool_fixture.hpp"

/// Carriers that carry out several tasks at a time.
namespace gleaner::runner::test {
namespace {

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

/// A job that ended before its workers would leave tasks behind that nobody waits for.
TEST_F(Pool, SideBySide_AJobThatCannotBeginItsOwnTask_WaitsForItsWorkers) {
  list(1, 4);
  std::ofstream{home_ + "/nodes"} << "n1\nn1\nn1\n";
  fs::create_directories(home_ + "/results/0.out");
  const auto ended = run_carrier({.exec_file = "sleep 0.3; echo >> $HOME/ran; :",
                                  .output_directory = "$HOME/results",
                                  .node_file = home_ + "/nodes",
                                  .side_by_side = true});
  EXPECT_EQ(ended.status, 113);
  EXPECT_EQ(evidence(0).witness, grid::Witness::unclaimed);
  int begun = 0;
  for (int task = 1; task < 5; ++task) {
    EXPECT_NE(evidence(task).witness, grid::Witness::started) << task;
    begun += evidence(task).witness == grid::Witness::ended ? 1 : 0;
  }
  EXPECT_GT(begun, 0);
}

TEST_F(Pool, SideBySide_AfterASignal_NoWorkerTakesAnotherTask) {
  list(1, 40);
  std::ofstream{home_ + "/nodes"} << "n1\nn1\nn1\n";
  const std::string signals_the_wrapper{
      R"(f() { echo $1 >> $HOME/ran; sleep 0.2; [ $1 != 0 ] || kill -TERM $(cut -d" " -f4 /proc/$PPID/stat); }; f)"};
  EXPECT_EQ(run_carrier({.exec_file = signals_the_wrapper, .node_file = home_ + "/nodes", .side_by_side = true}).status, 0);
  EXPECT_LT(runs().size(), 20U);
  for (int task = 0; task < 41; ++task) EXPECT_NE(evidence(task).witness, grid::Witness::started) << task;
}

/// A worker ignores signals while it gathers what its task left. The program that gathers waits here until the job has had its signal.
TEST_F(Pool, SideBySide_ASignalWhileAWorkerNotesAnEnd_CountsForThatWorkerToo) {
  list(1, 100);
  std::ofstream{home_ + "/nodes"} << "n1\nn1\n";
  fs::create_directories(home_ + "/bin");
  std::ofstream{home_ + "/bin/ln"} << R"(#!/bin/sh
case "$*" in *results/0.file.*) ;; *.file.*) : > $HOME/gathers; until [ -e $HOME/had_signal ]; do sleep 0.05; done;; esac
PATH=/usr/bin:/bin; ln "$@")";
  fs::permissions(home_ + "/bin/ln", fs::perms::owner_all);
  const std::string signals_the_wrapper{R"(f() { echo $1 >> $HOME/ran; sleep 0.2; : > $1.res; [ $1 = 0 ] || return 0
until [ -e $HOME/gathers ]; do sleep 0.05; done
kill -TERM $(cut -d" " -f4 /proc/$PPID/stat); { sleep 1; : > $HOME/had_signal; } & }; f)"};
  const auto ended = run_carrier({.exec_file = signals_the_wrapper,
                                  .output_directory = "$HOME/results",
                                  .output_files = "{TASK}.res",
                                  .node_file = home_ + "/nodes",
                                  .side_by_side = true},
                                 0, "PATH=" + home_ + "/bin:$PATH;");
  EXPECT_EQ(ended.status, 0);
  EXPECT_LT(runs().size(), 50U);
  for (int task = 0; task < 101; ++task) EXPECT_NE(evidence(task).witness, grid::Witness::started) << task;
}

TEST_F(Pool, AMessageAboutAPooledTaskNamesThatTask) {
  list(1, 1);
  fs::create_directories(home_ + "/results/1.out");
  const auto ended = run_carrier({.exec_file = "true", .output_directory = "$HOME/results"});
  EXPECT_THAT(ended.output + content("results/0.err"), ::testing::HasSubstr("task 1, attempt 0: its output directory cannot be used"));
}

}  // namespace
}  // namespace gleaner::runner::test
