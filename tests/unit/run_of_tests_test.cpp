// The end of a run of tools/test: its counts, and the list of what failed. Real runs of ctest, over programs that pretend to be tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "lib/process/child.hpp"

namespace gleaner {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

/// The output and the report of each program. $2 is `--gtest_output=json:FILE`.
constexpr std::string_view kProgram = R"sh(#!/bin/bash
report() { echo "{\"testsuites\":[{\"name\":\"A\",\"testsuite\":[$1]}]}" > "${2#--gtest_output=json:}"; }
case $1 in
mixed)
    echo "what it printed"
    report '{"name":"Good","result":"COMPLETED"}, {"name":"Left","result":"SKIPPED"},
            {"name":"Bad/0","result":"COMPLETED","failures":[{"failure":"a.cpp:3\nExpected: \\1"}]}' "$2"
    [ -n "${GTEST_FILTER-}" ] && echo "filter $GTEST_FILTER" >> "$FOLDER/filters"
    exit 1 ;;
crash) printf '[ RUN      ] C.One\n[       OK ] C.One (1 ms)\n[ RUN      ] C.Two\n'; kill -SEGV $$ ;;
leak) report '{"name":"Good","result":"COMPLETED"}' "$2"; echo "ERROR: LeakSanitizer"; exit 23 ;;
late) echo "[ TOO LATE ] until ${GLEANER_TEST_BEGIN_UNTIL}" ;;
good) report '{"name":"Good","result":"COMPLETED"}' "$2" ;;
esac
)sh";

class RunOfTests : public ::testing::Test {
 protected:
  RunOfTests() {
    std::string pattern = "/tmp/gleaner-run-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"no folder can be made: " + pattern};
    folder = pattern;
    fs::create_directories(folder / "tree/results");
    std::ofstream{folder / "program"} << kProgram;
    fs::permissions(folder / "program", fs::perms::owner_all);
    std::ofstream{folder / "tree/CTestTestfile.cmake"};
  }
  ~RunOfTests() override { fs::remove_all(folder); }

  void entry(const std::string& name, const std::string& kind, const std::string& properties = {}) const {
    std::ofstream{folder / "tree/CTestTestfile.cmake", std::ios::app} << fmt::format(
        "add_test({0} \"{1}/program\" \"{2}\" \"--gtest_output=json:{1}/tree/results/{0}.json\")\n"
        "set_tests_properties({0} PROPERTIES LABELS unit ENVIRONMENT \"FOLDER={1};B=c d\" {3})\n",
        name, folder.string(), kind, properties);
  }
  /// Runs a bash script that has the functions of tools/test.
  [[nodiscard]] std::string run(const std::string& script) const {
    const char* source = std::getenv("GLEANER_SOURCE_DIR");
    const fs::path root = source != nullptr ? source : ".";
    const auto text = fmt::format(
        ". {0}/tools/settings.sh; . $ROOT/tools/results.sh; . $ROOT/tools/entries.sh; again= changed= selected= before=; export GLEANER_TEST_SEED=12; "
        "RECORD={1}/failed.txt; {2}",
        root.string(), folder.string(), script);
    auto captured = process::capture({.arguments = {"/bin/bash", "-c", text}}, std::chrono::minutes{10});
    if (!captured) throw std::runtime_error{captured.error()};
    return captured->output;
  }
  [[nodiscard]] std::string run_unit() const { return run(fmt::format("run_tiers {}/tree unit || true; print_results", folder.string())); }
  [[nodiscard]] std::string text_of(const std::string& name) const {
    std::ifstream file{folder / name};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  fs::path folder;
};

/// tools/test itself, in a checkout whose other tools do nothing.
class WholeRun : public RunOfTests {
 protected:
  WholeRun() {
    const char* source = std::getenv("GLEANER_SOURCE_DIR");
    fs::create_directories(folder / "tools");
    for (const auto* name : {"test", "settings.sh", "results.sh", "entries.sh", "testbed.sh"})
      fs::copy_file(fs::path{source != nullptr ? source : "."} / "tools" / name, folder / "tools" / name);
    for (const auto* name : {"setup", "build", "format", "unreached", "failpoints", "tidy"}) tool(name, "exit 0");
    for (const auto* tree : {"build", "build-sanitize"}) {
      fs::create_directories(folder / tree / "results");
      std::ofstream{folder / tree / "CTestTestfile.cmake"};
    }
  }
  void tool(const std::string& name, const std::string& text) const {
    std::ofstream{folder / "tools" / name} << "#!/bin/bash\n" << text << "\n";
    fs::permissions(folder / "tools" / name, fs::perms::owner_all);
  }
  void entry(const std::string& name, const std::string& kind) const {
    const auto tier = name.substr(0, name.find('.'));
    const std::string tree = tier == "bench" ? "build" : "build-sanitize";
    std::ofstream{folder / tree / "CTestTestfile.cmake", std::ios::app} << fmt::format(
        "add_test({0} \"{1}/program\" \"{2}\" \"--gtest_output=json:{1}/{3}/results/{0}.json\")\n"
        "set_tests_properties({0} PROPERTIES LABELS {4} ENVIRONMENT \"FOLDER={1}\")\n",
        name, folder.string(), kind, tree, tier);
  }
  void a_red_unit_and_a_green_rest() const {
    entry("unit.mixed", "mixed");
    for (const auto* name : {"db.one", "contract.one", "system.one", "chaos.one", "bench.one"}) entry(name, "good");
  }
  [[nodiscard]] std::string test(const std::string& options) const {
    auto captured = process::capture({.arguments = {"/bin/bash", "-c", (folder / "tools/test").string() + " --no-oar " + options}},
                                     std::chrono::minutes{10});
    if (!captured) throw std::runtime_error{captured.error()};
    return captured->output;
  }
  [[nodiscard]] int processes_of_it() const {
    int count = 0;
    for (const auto& process : fs::directory_iterator{"/proc"}) {
      std::ifstream file{process.path() / "cmdline"};
      std::string words;
      std::getline(file, words);  // an iterator would throw where the process ends meanwhile
      if (words.find((folder / "tools/test").string()) != std::string::npos) ++count;
    }
    return count;
  }
};

TEST_F(RunOfTests, EndsWithTheCounts_WhenNothingFailed) {
  entry("unit.one", "good");
  entry("unit.two", "good");
  EXPECT_THAT(run_unit(), AllOf(EndsWith("\n2 passed, 0 failed\n"), HasSubstr("seed 12\n"), Not(HasSubstr("again:"))));
  EXPECT_EQ(text_of("failed.txt"), "");
}

TEST_F(RunOfTests, NamesEachFailedTest_ItsFailure_ItsOutput_AndTheCommandThatRunsItAlone) {
  entry("unit.mixed", "mixed");
  const auto printed = run_unit();
  EXPECT_THAT(printed, AllOf(EndsWith("\n1 passed, 1 failed\n"), HasSubstr("unit.mixed A.Bad/0\n      a.cpp:3\n      Expected: \\1\n")));
  EXPECT_THAT(printed, HasSubstr(fmt::format("output: {}/tree/results/unit.mixed.log\n", folder.string())));
  EXPECT_THAT(printed, HasSubstr(fmt::format("env 'GLEANER_TEST_SEED=12' 'FOLDER={0}' 'B=c d' '{0}/program' '--gtest_filter=A.Bad/0'\n",
                                             folder.string())));
  EXPECT_THAT(printed, HasSubstr("left out:\n  unit.mixed A.Left\n"));
  EXPECT_EQ(text_of("tree/results/unit.mixed.log"), "what it printed\n");
}

TEST_F(RunOfTests, ATestOnTheRealClusters_HasThemBroughtUpByItsCommand) {
  entry("unit.mixed", "mixed", "RESOURCE_LOCK oar");
  EXPECT_THAT(run_unit(), HasSubstr("tests/oar-testbed/up && GLEANER_TEST_OAR="));
}

TEST_F(RunOfTests, OfTheEntriesOnTheRealClusters_TheSeedChoosesAThird_AndTheOthersAreNamed) {
  for (const auto* name :
       {"system.a", "system.a_real_oar", "system.b_real_oar", "chaos.real_oar_b", "system.c_real_oar", "chaos.real_oar_c"})
    entry(name, "good");
  const auto with = [&](int seed, const std::string& more) {
    return run(fmt::format("seed={}; {} run_tiers {}/tree 'unit|system' || true; print_results", seed, more, folder.string()));
  };
  const auto left = [](const std::string& names) { return HasSubstr("what other seeds choose (--long takes all): " + names + "\n"); };
  EXPECT_THAT(with(12, "oar=yes long=;"),
              AllOf(EndsWith("\n2 passed, 0 failed\n"), left("system.a_real_oar system.b_real_oar system.c_real_oar chaos.real_oar_c")));
  EXPECT_THAT(with(13, "oar=yes long=;"),
              AllOf(EndsWith("\n3 passed, 0 failed\n"), left("system.b_real_oar chaos.real_oar_b chaos.real_oar_c")));
  EXPECT_THAT(with(12, "oar=yes long=yes;"), EndsWith("\n6 passed, 0 failed\n"));
}

TEST_F(RunOfTests, ACrash_CountsTheTestsBeforeIt_AndNamesTheOneThatRan) {
  entry("unit.crash", "crash");
  const auto printed = run_unit();
  EXPECT_THAT(printed, AllOf(EndsWith("\n1 passed, 1 failed\n"), HasSubstr("exceeded its time limit in C.Two")));
  EXPECT_THAT(printed, HasSubstr(R"(-R '^unit\.crash$')"));
}

TEST_F(RunOfTests, ALeak_IsAFailure_ThoughEachTestPassed) {
  entry("unit.leak", "leak");
  EXPECT_THAT(run_unit(), AllOf(EndsWith("\n1 passed, 1 failed\n"), HasSubstr("      ERROR: LeakSanitizer\n")));
}

TEST_F(RunOfTests, AnEntryWhoseProgramWasNotCompiled_IsAFailure) {
  std::ofstream{folder / "tree/CTestTestfile.cmake"} << "add_test(unit.none_real_oar \"/nonexistent/program\")\n"
                                                        "set_tests_properties(unit.none_real_oar PROPERTIES LABELS unit)\n";
  EXPECT_THAT(run_unit(), AllOf(EndsWith("\n0 passed, 1 failed\n"), HasSubstr("tools/build --sanitize test_unit_none\n")));
}

TEST_F(RunOfTests, ARunThatFindsNoTest_IsAFailure) { EXPECT_THAT(run_unit(), EndsWith("\n0 passed, 1 failed\n")); }

TEST_F(RunOfTests, AStepThatFails_IsInTheListWithItsCommand) {
  EXPECT_THAT(
      run("check step_of_test false || true; print_results"),
      AllOf(EndsWith("\n0 passed, 1 failed\n"), HasSubstr("output: build-sanitize/results/step_of_test.log\n"), HasSubstr("&& false\n")));
  EXPECT_EQ(text_of("failed.txt"), "step_of_test\t-\n");
  EXPECT_THAT(run("check step_of_test true; print_results"), EndsWith("\n1 passed, 0 failed\n"));
  EXPECT_EQ(text_of("failed.txt"), "");
}

TEST_F(RunOfTests, ItsLastLines_HaveTheBeginningOfEachFailure) {
  const auto output =
      run("note_failure first T.a - - 'first.cpp:7'$'\\n''  Expected: one'; note_failure second T.b - - \"$(printf '%2000s' | tr ' ' x)\"; "
          "print_results");
  EXPECT_THAT(output,
              HasSubstr(fmt::format("in short:\n  first T.a: first.cpp:7 Expected: one \n  second T.b: {}\n", std::string(400, 'x'))));
  EXPECT_THAT(output, EndsWith("bash: seed 12\n0 passed, 2 failed\n"));
}

TEST_F(RunOfTests, OfWhatFailed_RunsThoseTestsAlone_AndForgetsWhatPasses) {
  entry("unit.mixed", "mixed");
  entry("unit.crash", "crash");
  entry("unit.good", "good");
  std::ofstream{folder / "failed.txt"} << "unit.mixed\tA.Bad/0\nunit.mixed\tA.Other\nunit.good\t*\nunit.gone\t*\nlayout\t-\n";
  const auto printed = run(fmt::format(
      "again=yes; before=$(recorded); selected=$(cut -f 1 <<< \"$before\" | grep unit | sort -u); run_tiers {}/tree unit || true; print_results",
      folder.string()));
  EXPECT_THAT(printed, AllOf(Not(HasSubstr("unit.crash")), HasSubstr("unit.gone, which is no entry any more")));
  EXPECT_EQ(text_of("filters"), "filter A.Bad/0:A.Other\n");
  EXPECT_EQ(text_of("failed.txt"), "layout\t-\nunit.mixed\tA.Bad/0\n");
}

TEST_F(WholeRun, ContinuesAfterARedTier_AndShowsAllThatIsRed) {
  a_red_unit_and_a_green_rest();
  tool("unreached", "echo x::y; exit 1");
  entry("chaos.two", "crash");
  const auto printed = test("");
  // Passed: unit 1, db to bench 5, those before the crash 1, and the steps build, optimised_build, failpoints.
  EXPECT_THAT(printed, EndsWith("\n10 passed, 3 failed\n"));
  EXPECT_THAT(printed, AllOf(HasSubstr("unit.mixed A.Bad/0\n"), HasSubstr("\n  chaos.two\n"), HasSubstr("\n  unreached\n      x::y\n")));
}

TEST_F(WholeRun, ABrokenBuild_IsRed_AndWhatWasBuiltIsTested) {
  entry("unit.good", "good");
  tool("build", "echo error: no such type; exit 1");
  EXPECT_THAT(test("--tier unit"), AllOf(EndsWith("\n1 passed, 1 failed\n"), HasSubstr("\n  build\n      error: no such type\n")));
}

TEST_F(WholeRun, ThatIsToStopEarly_EndsAfterTheFirstStepThatFails) {
  a_red_unit_and_a_green_rest();
  const auto printed = test("--stop-early");
  EXPECT_THAT(printed, AllOf(EndsWith(" passed, 1 failed\n"), Not(HasSubstr("db.one")), HasSubstr("(--stop-early)")));
}

TEST_F(WholeRun, ThatIsLate_LeavesBenchOut_AndNamesIt) {
  a_red_unit_and_a_green_rest();
  EXPECT_THAT(test("--bench-within 0"),
              AllOf(HasSubstr("the tier bench: 0 min had passed (--bench-within 0)"), Not(HasSubstr("bench.one")), HasSubstr("chaos.one")));
  EXPECT_THAT(test("--bench-within 60"), AllOf(HasSubstr("bench.one"), Not(HasSubstr("had passed"))));
  tool("build", fmt::format("case $* in *--strict*) sleep 20; touch {}/compiled ;; esac", folder.string()));
  EXPECT_THAT(test("--bench-within 0"), HasSubstr("the tier bench: 0 min had passed"));
  EXPECT_FALSE(fs::exists(folder / "compiled")) << "nothing waits for what is not run";
  EXPECT_THAT(test("--bench-within=0"), HasSubstr("the tier bench: 0 min had passed"));
  EXPECT_THAT(test("--bench-within soon"), HasSubstr("--bench-within needs minutes, from 0 to 9999, not 'soon'"));
}

TEST_F(WholeRun, LeavesOutWhatCouldBeginTooLateOnly_AndNamesIt) {
  entry("unit.one", "good");
  entry("db.one", "late");
  EXPECT_THAT(test("--tier unit --tier db --begin-within=0"),
              AllOf(EndsWith("\n3 passed, 0 failed\n"), HasSubstr("\n  db.one, which could begin too late only (--begin-within)\n")));
  EXPECT_THAT(test("--begin-within"), HasSubstr("--begin-within needs minutes, from 0 to 9999, not ''"));
  // The programs of the tests, of which this is one.
  const auto program = fs::read_symlink("/proc/self/exe").string();
  const auto begun = [&](const std::string& until) {
    return process::capture(
               {.arguments = {program, "--gtest_filter=RunOfTests.ALeak*"}, .environment = {{"GLEANER_TEST_BEGIN_UNTIL", until}}},
               std::chrono::minutes{10})
        .value();
  };
  EXPECT_THAT(begun("1").output, AllOf(HasSubstr("[ TOO LATE ]"), Not(HasSubstr("[ RUN"))));
  EXPECT_TRUE(begun("1").end.succeeded());
  EXPECT_THAT(begun("99999999999").output, HasSubstr("[ RUN"));
}

TEST_F(WholeRun, OfWhatFailedLastTime_RunsNothingElse_AndReportsThat) {
  a_red_unit_and_a_green_rest();
  tool("unreached", "exit 1");
  static_cast<void>(test(""));
  EXPECT_EQ(text_of("build-sanitize/failed.txt"), "unreached\t-\nunit.mixed\tA.Bad/0\n");
  tool("unreached", "exit 0");
  const auto again = test("--failed");
  EXPECT_THAT(again, AllOf(HasSubstr("all but the 2 tests and steps that failed last time (--failed)"), Not(HasSubstr("db.one"))));
  EXPECT_EQ(text_of("filters"), "filter A.Bad/0\n");
  EXPECT_EQ(text_of("build-sanitize/failed.txt"), "unit.mixed\tA.Bad/0\n");
  fs::remove(folder / "build-sanitize/failed.txt");
  EXPECT_THAT(test("--failed"), EndsWith("nothing failed in the runs before\n0 passed, 0 failed\n"));
}

TEST_F(WholeRun, ChecksTheWordsOfWhatChanged) {
  entry("unit.good", "good");
  tool("words", "exit 0");
  const auto git = fmt::format(
      "cd '{}' && git init -q -b main && git add tools && for n in 1 2; do git -c user.name=a -c user.email=a@b commit -q --allow-empty -m $n; done",
      folder.string());
  ASSERT_TRUE(process::capture({.arguments = {"/bin/bash", "-c", git}}, std::chrono::minutes{1}).has_value());
  EXPECT_THAT(test("--tier unit"), EndsWith(" 0 failed\n"));
  tool("words", "echo old.cpp:3; exit 1");
  EXPECT_THAT(test("--tier unit"), AllOf(HasSubstr("old.cpp:3"), HasSubstr("&& tools/words main"), EndsWith(" 1 failed\n")));
}

/// To programs, a variable GLEANER_X is an option x.
TEST_F(WholeRun, GivesItsTestsNoVariableThatNamesNoOption) {
  const auto shown = fmt::format(
      "export GLEANER_OAR3_UP=up GLEANER_TEST_OAR3=named GLEANER_API=other; . {}/tools/settings.sh; echo \"$GLEANER_OAR3_UP\"; env | grep "
      "^GLEANER_",
      folder.string());
  const auto captured = process::capture({.arguments = {"/bin/bash", "-c", shown}}, std::chrono::minutes{1});
  ASSERT_TRUE(captured) << captured.error();
  EXPECT_EQ(captured->output, "up\nGLEANER_TEST_OAR3=named\n");
}

TEST_F(WholeRun, ThatIsBusy_EndsItsBurners) {
  entry("unit.good", "good");
  EXPECT_THAT(test("--busy --tier unit"), AllOf(HasSubstr("that burn the cores (--busy)"), EndsWith("\n2 passed, 0 failed\n")));
  EXPECT_EQ(processes_of_it(), 0);
}

TEST_F(WholeRun, ReportsItsSeed_WhichMayBeGiven) {
  entry("unit.good", "good");
  EXPECT_THAT(test("--tier unit --seed 7"), AllOf(::testing::StartsWith("test: seed 7\n"), HasSubstr("test: seed 7\n2 passed")));
  EXPECT_THAT(test("--tier unit --seed x"), HasSubstr("--seed needs a number from 1 to 999999999, not 'x'"));
}

}  // namespace
}  // namespace gleaner
