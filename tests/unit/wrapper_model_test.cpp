#include "tests/unit/wrapper_fixture.hpp"

#include "lib/inputs/sha256.hpp"

/// The model of the wrapper against the wrapper itself, in bash: for the same command lines and events they leave the same files.
namespace gleaner::wrapper::test {
namespace {

TEST_F(WrapperModel, ATaskThatEndsWell_KilledAtAnyMoment) { expect_alike_killed_anywhere({}); }

TEST_F(WrapperModel, ATaskThatFails_AndItsSecondAttempt) {
  Scenario scenario{.jobs = {{.arguments = {"a b", ""}}, {.attempt = 1, .job = 101, .remote = 901}}};
  scenario.tasks[100] = {"echo said;echo wrong >&2;exit 3", {.status = 3, .output = "said\n", .errors = "wrong\n"}};
  expect_alike(scenario);
}

TEST_F(WrapperModel, Twin_LosesTheClaim_KilledAtAnyMoment) { expect_alike_killed_anywhere({.jobs = {{}, {.job = 101, .remote = 901}}}); }

TEST_F(WrapperModel, JobThatOarRunsAgain_FindsItsOwnFile) { expect_alike({.jobs = {{.kill = false}, {}}, .tasks = {}}); }

TEST_F(WrapperModel, Successor_ClaimsInTheFolderOfTheVoidLaunch) {
  expect_alike({.jobs = {{.fence = "5-other"}, {.job = 101, .remote = 901, .fence = "5-other"}}});
}

TEST_F(WrapperModel, Prologue_IsATaskWithANegativeNumber) { expect_alike({.jobs = {{.task = -5}}}); }

TEST_F(WrapperModel, Measured_KilledAtAnyMoment) {
  Scenario scenario;
  scenario.launch = [](runner::LaunchFacts& facts) { facts.measured = true; };
  expect_alike_killed_anywhere(scenario);
}

TEST_F(WrapperModel, Measured_WithCheckpoints) {
  Scenario scenario;
  scenario.launch = [](runner::LaunchFacts& facts) {
    facts.measured = true;
    facts.checkpoint_signal = "USR1";
  };
  expect_alike(scenario);
}

TEST_F(WrapperModel, PoolOfFive_TwoCarriers_AndAFailure) {
  Scenario scenario{.jobs = {{}, {.task = 1, .job = 101, .remote = 901}}};
  scenario.launch = [](runner::LaunchFacts& facts) { make_pool(facts, 2); };
  scenario.prepare = with_pool_list(2, 6);
  scenario.tasks[103] = {"echo said;exit 4", {.status = 4, .output = "said\n"}};
  expect_alike(scenario);
}

TEST_F(WrapperModel, Pool_KilledAtAnyMoment) {
  Scenario scenario;
  scenario.launch = [](runner::LaunchFacts& facts) { make_pool(facts, 1); };
  scenario.prepare = with_pool_list(1, 2);
  expect_alike_killed_anywhere(scenario);
}

TEST_F(WrapperModel, Pool_ThreeFailuresInARow_EndTheCarrier) {
  Scenario scenario;
  scenario.launch = [](runner::LaunchFacts& facts) { make_pool(facts, 1); };
  scenario.prepare = with_pool_list(1, 5);
  for (int task = 0; task < 6; ++task) scenario.tasks[100 + task] = {"exit 1", {.status = 1}};
  expect_alike(scenario);
}

TEST_F(WrapperModel, Pool_TaskOverItsWalltime_IsEnded_AndTheCarrierGoesOn) {
  Scenario scenario;
  scenario.launch = [](runner::LaunchFacts& facts) {
    make_pool(facts, 1);
    facts.pool->task_walltime = grid::Seconds{1};
  };
  scenario.prepare = with_pool_list(1, 2);
  scenario.tasks[101] = {"sleep 60", {.duration = 60s}};
  expect_alike(scenario);
}

TEST_F(WrapperModel, Pool_SideBySide_CarriesAllOut) {
  Scenario scenario{.nodes = "node\nnode\nother\n"};
  scenario.launch = [](runner::LaunchFacts& facts) {
    make_pool(facts, 1);
    facts.pool->side_by_side = true;
  };
  scenario.prepare = with_pool_list(1, 5);
  expect_alike(scenario);
}

TEST_F(WrapperModel, JobThatOarKills_NotesTheStatusOfItsCommand) {
  Scenario scenario{.jobs = {{.kill = true}}};
  scenario.tasks[100] = {"echo -$PPID >$HOME/ready;exec sleep 60", {.duration = 60s}};
  expect_alike(scenario);
}

TEST_F(WrapperModel, PoolThatOarKills_TakesNoOtherTask) {
  Scenario scenario{.jobs = {{.signal = SIGTERM}}};
  scenario.launch = [](runner::LaunchFacts& facts) { make_pool(facts, 1); };
  scenario.prepare = with_pool_list(1, 2);
  // timeout(1) stands between: its parent is the wrapper.
  scenario.tasks[100] = {"ps -o ppid= -p $PPID >$HOME/ready;sleep 0.3", {.duration = 300ms}};
  expect_alike(scenario);
}

TEST_F(WrapperModel, Checkpoint_EndsTheTask_AndItsNextAttemptClearsTheFolder) {
  Scenario scenario{.jobs = {{.signal = SIGUSR1}, {.attempt = 1, .job = 101, .remote = 901}}};
  scenario.launch = [](runner::LaunchFacts& facts) { facts.checkpoint_signal = "USR1"; };
  scenario.tasks[100] = {
      "trap 'printf half >$CIGRI_CHECKPOINT/state;exit 66' USR1;for((i=0;i<600;i++));do ps -o ppid= -p $PPID "
      ">$HOME/ready;sleep 0.1;done",
      {.duration = 60s, .at_checkpoint = {.state = "half", .status = 66}}};
  expect_alike({.jobs = {scenario.jobs[0]}, .tasks = scenario.tasks, .launch = scenario.launch});
  // Its next attempt, as another task of bash: it ends well.
  scenario.jobs.erase(scenario.jobs.begin());
  scenario.tasks.clear();
  scenario.prepare = [](const fs::path& home) {
    fs::create_directories(home / ".gleaner/grid/12/checkpoints/0");
    std::ofstream{home / ".gleaner/grid/12/checkpoints/0/state"} << "half";
  };
  expect_alike_killed_anywhere(scenario);
}

TEST_F(WrapperModel, Document000_WhatATaskGives_IsInTheNameOfItsEnd) {
  Scenario scenario{.jobs = {{}, {.task = 1, .job = 101, .remote = 901}}};
  scenario.launch = [](runner::LaunchFacts& facts) { facts.gives = true; };
  scenario.tasks[100] = {"echo size=3 >$CIGRI_GIVES", {.gives = "size=3"}};
  expect_alike(scenario);
  scenario.jobs.pop_back();
  expect_alike_killed_anywhere(scenario);
}

/// The ends of the names of files that have a line of stderr.
std::set<std::string> lines_in(const State& state) {
  std::set<std::string> lines;
  for (const auto& [name, content] : state) {
    if (const auto mark = name.find(".x"); mark != std::string::npos) lines.insert(name.substr(mark));
  }
  return lines;
}

TEST_F(WrapperModel, ALineOfStderrOfAFailedTask_IsInTheNameOfItsEnd) {
  const auto name_by = [&](const std::string& shell, const std::string& errors, int status = 3) {
    Scenario scenario;
    scenario.tasks[100] = {shell + " >&2; exit " + std::to_string(status), {.status = status, .errors = errors}};
    expect_alike(scenario);
    const auto found = lines_in(real(scenario));
    return found.empty() ? std::string{} : *found.begin();
  };
  const auto name_of = [&](const std::string& errors, int status = 3) {
    return name_by("printf %b " + text::quote(errors), errors, status);
  };
  EXPECT_EQ(name_of("No such file: mesh_88\nmore\n"), ".xNo,such,file%3A,mesh_88");
  EXPECT_EQ(name_of("\n \t\n  second, with a blank  \n"), ".xsecond%2C,with,a,blank");
  EXPECT_EQ(name_of("Traceback (most recent call last):\n  File \"a.py\"\nValueError: 3/4\n"), ".xValueError%3A,3%2F4");
  EXPECT_EQ(name_of("a line without its end"), ".xa,line,without,its,end");
  EXPECT_EQ(name_of(std::string(5000, 'a')), ".x" + std::string(98, 'a'));
  EXPECT_EQ(name_by("printf 'Traceback (most recent call last):\\n%2500s\\nKeyError: 1\\n' ''",
                    "Traceback (most recent call last):\n" + std::string(2500, ' ') + "\nKeyError: 1\n"),
            ".xKeyError%3A,1");
  EXPECT_EQ(name_by("{ yes '' | head -n 2000; echo too late; }", std::string(2000, '\n') + "too late\n"), "");
  EXPECT_EQ(name_of(""), "");
  EXPECT_EQ(name_of("a warning\n", 0), "") << "it did not fail";
}

/// Read to a line's end, a hole of a terabyte would take longer than any walltime, and the end would not be noted.
TEST_F(WrapperModel, AStderrThatIsAHole_KeepsNoEndFromBeingNoted) {
  for (const std::string begin : {"", "printf 'Traceback (most\\n' >&2;"}) {
    Scenario scenario;
    scenario.tasks[100] = {begin + "truncate -s 1T OAR.900.stderr; rm OAR.900.stderr; exit 3", {}};
    const auto state = real(scenario);
    EXPECT_EQ(state.count(".gleaner/grid/12/7/0.0.100.900.e3"), 1U) << begin;
  }
}

TEST_F(WrapperModel, ALineOfStderr_OfAPooledTask_IsItsOwn) {
  Scenario scenario;
  scenario.launch = [](runner::LaunchFacts& facts) { make_pool(facts, 1); };
  scenario.prepare = with_pool_list(1, 3);
  scenario.tasks[100] = {"echo first >&2; exit 1", {.status = 1, .errors = "first\n"}};
  scenario.tasks[101] = {"echo second >&2; exit 1", {.status = 1, .errors = "second\n"}};
  expect_alike(scenario);
  EXPECT_EQ(lines_in(real(scenario)), (std::set<std::string>{".xfirst", ".xsecond"}));
}

TEST_F(WrapperModel, ATaskThatFailsWithALine_KilledAtAnyMoment) {
  Scenario scenario;
  scenario.prepare = [](const fs::path& home) { std::ofstream{home / "OAR.900.stderr"} << "wrong\n"; };
  scenario.tasks[100] = {"exit 3", {.status = 3}};
  expect_alike_killed_anywhere(scenario);
  EXPECT_EQ(lines_in(real(scenario)), (std::set<std::string>{".xwrong"}));
}

TEST_F(WrapperModel, OutputDirectory_KeepsStreamsAndFiles) {
  Scenario scenario{.jobs = {{}, {.task = 1234, .attempt = 2, .job = 1334, .remote = 901}}};
  scenario.launch = [](runner::LaunchFacts& facts) {
    facts.output_directory = "$HOME/out put";
    facts.output_files = "results/**/*.dat\nmissing\n{TASK}.txt";
  };
  const auto deep = std::string(200, 'd');
  scenario.tasks[100] = {
      fmt::format("echo said;mkdir -p results/x/{0};echo 1 >results/a\\ é.dat;echo 2 >results/x/{0}/{0}.dat;echo 3 >0.txt", deep),
      {.output = "said\n", .files = {{"results/a é.dat", "1\n"}, {fmt::format("results/x/{0}/{0}.dat", deep), "2\n"}, {"0.txt", "3\n"}}}};
  scenario.prepare = [deep](const fs::path& home) { fs::create_directories(home / "results/x" / deep); };
  expect_alike(scenario);
}

TEST_F(WrapperModel, ExecDirectory_HasTheStreams_OrCannotBeUsed) {
  Scenario scenario;
  scenario.launch = [](runner::LaunchFacts& facts) {
    facts.workdir = "$HOME/wo rk";
    facts.streams_in_workdir = true;
  };
  scenario.tasks[100] = {"echo said >x;echo out", {.output = "out\n", .files = {{"x", "said\n"}}}};
  expect_alike_killed_anywhere(scenario);
  scenario.prepare = [](const fs::path& home) { fs::create_directories(home / "wo rk"); };
  expect_alike(scenario);
}

TEST_F(WrapperModel, InputFiles_AreBrought_OrEndTheJob) {
  Scenario scenario{.jobs = {{.arguments = {"b"}}}};
  scenario.launch = [](runner::LaunchFacts& facts) { facts.input_files = "a.txt\nin/{1}.bin"; };
  const auto bring = [](const std::string& content) {
    return [content](const fs::path& home) {
      const auto folder = home / ".gleaner/grid/12/inputs";
      fs::create_directories(folder);
      std::ofstream{folder / "0"} << content;
      std::ofstream{folder / "index"} << inputs::sha256_of_text("first") << " 0 5 a.txt\n"
                                      << inputs::sha256_of_text("second") << " 5 6:555 in/b.bin\n";
    };
  };
  scenario.prepare = bring("firstsecond");
  expect_alike(scenario);
  scenario.prepare = bring("firstsecomd");
  expect_alike(scenario);
  scenario.jobs[0].arguments = {"c"};
  expect_alike(scenario);
}

}  // namespace
}  // namespace gleaner::wrapper::test
