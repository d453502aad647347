#include <thread>

#include "tests/unit/pool_fixture.hpp"

/// The wrapper of a pool's jobs, run here by the same shell.
namespace gleaner::runner::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST_F(Pool, InAnOutputDirectory_FilesWithLongPaths_AreKeptWithTheirPaths) {
  list(1, 2);
  const std::string name(250, 'x');
  const auto ended = run_carrier({.exec_file = "f() { mkdir -p $1; echo result $1 > $1/" + name + "; }; f",
                                  .output_directory = "$HOME/results/12",
                                  .output_files = "{TASK}/*"});
  EXPECT_EQ(ended.status, 0);
  for (const auto* task : {"0", "1", "2"}) {
    EXPECT_EQ(content(fmt::format("results/12/{}.long.1", task)), fmt::format("result {}\n", task));
    EXPECT_TRUE(fs::exists(home_ + fmt::format("/results/12/{0}.path.1.0.2.{0}%2F{1}", task, name.substr(0, 196))));
    EXPECT_TRUE(fs::exists(home_ + fmt::format("/results/12/{0}.path.1.1.2.{1}", task, name.substr(196))));
  }
}

TEST_F(Pool, WhatGathersFiles_LeavesTheCountOfFailuresAlone) {
  list(1, 8);
  (void)run_carrier({.exec_file = "f() { echo $1 >> $HOME/ran; echo x > $1.dat; return 3; }; f",
                     .output_directory = "$HOME/results/12",
                     .output_files = "{TASK}.dat"});
  EXPECT_EQ(runs().size(), 3u);
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

TEST_F(Pool, TheOwnTaskAfterItsWalltime_IsReportedByItsFile_NotByTheStatus) {
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

TEST_F(Pool, ATaskWhoseStreamsCannotBeOpened_IsNotRun_AndReportsThat) {
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

/// The clock of a node may be set back, or forward, while a task runs: a time below 0 was none, and one of hours would be believed.
TEST_F(Pool, TimesOfTasks_AreNotThoseOfTheClockOfTheDay) {
  constexpr auto* kStopped = "unset EPOCHREALTIME EPOCHSECONDS;EPOCHREALTIME=7.000000;";
  EXPECT_EQ(run_carrier({.exec_file = "sleep 0.05; :", .measured = true, .before_wrapper = kStopped}).status, 0);
  EXPECT_GE(evidence(0).duration, std::chrono::milliseconds{50});
  list(2, 1);
  EXPECT_EQ(run_carrier({.exec_file = "sleep 0.05; :", .carriers = 2, .before_wrapper = kStopped}, 1).status, 0);
  EXPECT_GE(evidence(2).duration, std::chrono::milliseconds{50});
}

/// Document 003: the memory profile of a prediction.
TEST_F(Pool, AMeasuredJobWithoutOne_NotesWhatItsCommandHadOfProcessorsAndMemory) {
  EXPECT_EQ(run_carrier({.exec_file = "head -c 200000000 /dev/zero | tail -c 100000000 | wc -c; exit 4; :", .measured = true}).status, 4);
  const auto evidence = this->evidence(0);
  ASSERT_TRUE(evidence.cpu && evidence.peak_kib) << "the package time is there";
  EXPECT_GT(*evidence.cpu, std::chrono::milliseconds{0});
  EXPECT_GE(*evidence.peak_kib, 100'000'000 / 1024);
  EXPECT_LT(*evidence.peak_kib, 3 * 100'000'000 / 1024);
}

/// Bytes that a file system takes: some of a sandbox count none.
constexpr auto* kWrites = "dd if=/dev/zero of=$HOME/written bs=1M count=8 conv=fsync 2> /dev/null; :";

bool counts_writes() {
  std::ifstream counters{"/proc/self/io"};
  const std::string text{std::istreambuf_iterator<char>{counters}, {}};
  return text.find("write_bytes: ") != std::string::npos;
}

TEST_F(Pool, Document003_AMeasuredJob_NotesWhatItsCommandReadAndWrote) {
  if (!counts_writes()) GTEST_SKIP() << "the kernel counts no bytes";
  EXPECT_EQ(run_carrier({.exec_file = kWrites, .measured = true}).status, 0);
  ASSERT_TRUE(evidence(0).moved_kib);
  EXPECT_LT(*evidence(0).moved_kib, 64 * 1024);
  EXPECT_TRUE(*evidence(0).moved_kib >= 8 * 1024 || *evidence(0).moved_kib < 1024) << "all of it, or the file system counts none";
}

TEST_F(Pool, Document003_PooledTasks_NoteEachWhatTheyReadAndWrote) {
  if (!counts_writes()) GTEST_SKIP() << "the kernel counts no bytes";
  list(1, 2);
  EXPECT_EQ(run_carrier({.exec_file = "[ $CIGRI_JOB_ID = 1 ] || dd if=/dev/zero of=$HOME/written bs=1M count=8 2> /dev/null; :"}).status,
            0);
  for (const int task : {0, 1, 2}) {
    ASSERT_TRUE(evidence(task).moved_kib) << task;
    EXPECT_LT(*evidence(task).moved_kib, 32 * 1024) << task << ": its own, not those before it";
  }
}

TEST_F(Pool, AMeasuredJob_WhereTheNodeCannotReportTheMemory_RunsAsEver) {
  const auto broken = fs::path{home_} / "time";
  std::ofstream{broken} << "#!/bin/sh\nexit 127\n";
  fs::permissions(broken, fs::perms::all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (home_ + ":" + path).c_str(), 1);
  const auto ended = run_carrier({.exec_file = "f() { echo $1 >> $HOME/ran; exit 5; }; f", .measured = true});
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(ended.status, 5);
  EXPECT_EQ(ended.output, "");
  EXPECT_EQ(runs().size(), 1u);
  EXPECT_TRUE(evidence(0).cpu);
  EXPECT_FALSE(evidence(0).peak_kib);
}

TEST_F(Pool, AMeasuredJob_PassesSignalsOnToItsCommand_AsOthersDo) {
  // OAR sends a signal to all processes of the job.
  const auto* const waits = "trap 'exit 9' USR1; kill -USR1 $(ps -o pid= --ppid $PPID) $PPID; while :; do sleep 0.01; done; :";
  EXPECT_EQ(run_carrier({.exec_file = waits, .measured = true}).status, 9);
  EXPECT_EQ(evidence(0).status, 9);
}

TEST_F(Pool, PooledTasks_NoteWhatTheyHadOfProcessors) {
  list(1, 2);
  EXPECT_EQ(run_carrier({.exec_file = "for ((i = 0; i < 100000; ++i)); do :; done; :"}).status, 0);
  for (const int task : {0, 1, 2}) {
    ASSERT_TRUE(evidence(task).cpu) << task;
    EXPECT_GT(*evidence(task).cpu, std::chrono::milliseconds{0}) << task;
  }
}

}  // namespace
}  // namespace gleaner::runner::test
