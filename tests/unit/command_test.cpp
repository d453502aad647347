#include "runner/command/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/text/words.hpp"
#include "runner/command/base64.hpp"

/// The wrapper of a job, run here by the same shell.
namespace gleaner::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
namespace fs = std::filesystem;

struct Ran {
  int status;  ///< as a shell says it
  std::string output;
};

Ran run(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  Ran ran{0, {}};
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    ran.output.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

/// The home of a user on a cluster, where jobs run one after the other.
class JobWrapper : public ::testing::Test {
 protected:
  JobWrapper() {
    auto pattern = (fs::temp_directory_path() / "gleaner-wrapper-XXXXXX").string();
    home_ = mkdtemp(pattern.data());
  }
  ~JobWrapper() override {
    std::error_code ignored;
    fs::permissions(home_, fs::perms::owner_all, ignored);
    fs::remove_all(home_, ignored);
  }

  static LaunchFacts facts(const std::string& exec_file) {
    return {"grid", grid::CampaignId{12}, exec_file, "alpha", "griduser1", "$HOME", "/nodes=1/core=4", "1:30:00"};
  }
  static TaskFacts task(std::vector<std::string> arguments = {}, int number = 3, int attempt = 1, int job = 345) {
    return {grid::TaskNumber{number}, attempt, grid::JobId{job}, "7", std::move(arguments)};
  }
  /// The command as the job's shell gets it: a shell at submission has taken the backslashes off.
  static std::string job_text(const LaunchFacts& facts, const TaskFacts& task) {
    auto text = JobCommand::create(facts).value().text();
    for (auto at = text.find("\\$"); at != std::string::npos; at = text.find("\\$", at)) {
      text.erase(at, 1);
    }
    return text + " " + parameter_line(task).value();
  }
  /// A run of OAR's job `remote`; `shell` is what the shell does before it, or to it.
  [[nodiscard]] Ran run_job(const LaunchFacts& facts, const TaskFacts& task, int remote = 99, const std::string& shell = "") const {
    return run(fmt::format(
        "cd {0} && {3} env -i HOME={0} USER=griduser1 LOGNAME=login1 PATH={0}/bin:\"$PATH\" OAR_JOB_ID={2} OAR_NODEFILE=/dev/null bash -c {1} 2>&1",
        home_, text::quote(job_text(facts, task)), remote, shell));
  }
  [[nodiscard]] std::string folder() const { return home_ + "/.gleaner/grid/12/7"; }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator{folder(), none}) names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }
  [[nodiscard]] std::string content(const std::string& file) const {
    std::ifstream stream{folder() + "/" + file};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }
  /// A program that jobs find before the system's.
  void a_program(const std::string& name, const std::string& text) const {
    fs::create_directories(home_ + "/bin");
    std::ofstream{home_ + "/bin/" + name} << "#!/bin/bash\n" << text << '\n';
    fs::permissions(home_ + "/bin/" + name, fs::perms::owner_all);
  }
  std::string home_;
};

TEST_F(JobWrapper, TheCommandIsRunWithItsArguments_AndItsStatusIsTheJobs) {
  const auto ran = run_job(facts("printf '<%s>'"), task({"a b", "", "$HOME", "it's"}));
  EXPECT_EQ(ran.output, "<a b><><$HOME><it's>");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(run_job(facts("exit 7; :"), task({}, 4)).status, 7);
  EXPECT_EQ(run_job(facts("kill -9 $$; :"), task({}, 5)).status, 137);
  EXPECT_EQ(run_job(facts("/no/such/command"), task({}, 6)).status, 127);
}

TEST_F(JobWrapper, TheExecFileIsTheShells) {
  std::ofstream{home_ + "/run.sh"} << "#!/bin/sh\necho ran \"$@\"\n";
  fs::permissions(home_ + "/run.sh", fs::perms::owner_all);
  EXPECT_EQ(run_job(facts("$HOME/run.sh -x"), task({"1 2"})).output, "ran -x 1 2\n");
  EXPECT_EQ(run_job(facts("echo 'caf\xC3\xA9' \"\\\"q\\\"\""), task({}, 4)).output, "caf\xC3\xA9 \"q\"\n");
}

TEST_F(JobWrapper, TheCommandSeesNoNamesOfTheWrapper) {
  const auto ran =
      run_job(facts("for n in {a..m} {o..z} {A..Z}; do printf %s \"${!n}\"; done; echo; declare -F; set -o | grep noclobber; :"), task());
  EXPECT_THAT(ran.output, ::testing::MatchesRegex("\nnoclobber +\toff\n"));
}

TEST_F(JobWrapper, ItsFilesSayThatItStarted_ThenHowItEnded_AndTheClaimIsTheSameFile) {
  EXPECT_EQ(run_job(facts("ls $HOME/.gleaner/grid/12/7; exit 66; :"), task()).output, "3.1.345.99.s\n3.1.claim\n");
  EXPECT_THAT(files(), ElementsAre("3.1.345.99.e66", "3.1.claim"));
  EXPECT_EQ(fs::hard_link_count(folder() + "/3.1.claim"), 2U);
  EXPECT_TRUE(std::regex_match(content("3.1.claim"), std::regex{"[0-9]{9,} [^ ]+ 345 99\n"})) << content("3.1.claim");
}

TEST_F(JobWrapper, AnAttemptIsRunOnce_AndItsTwinNamesTheJobThatRanIt) {
  EXPECT_EQ(run_job(facts("echo ran"), task(), 98).output, "ran\n");
  const auto twin = run_job(facts("echo ran"), task({}, 3, 1, 346));
  EXPECT_EQ(twin.status, grid::kRanNothing);
  EXPECT_TRUE(std::regex_match(
      twin.output, std::regex{"gleaner: task 3, attempt 1: claimed by job 345 \\(OAR job 98 on host [^ ]+\\), nothing to run\n"}))
      << twin.output;
  EXPECT_EQ(run_job(facts("echo ran"), task({}, 3, 2, 347)).output, "ran\n");
  EXPECT_THAT(files(), ElementsAre("3.1.345.98.e0", "3.1.346.99.d.345", "3.1.claim", "3.2.347.99.e0", "3.2.claim"));
}

TEST_F(JobWrapper, TwinsAtTheSameMoment_RunItOnce) {
  constexpr int kTwins = 8;
  std::vector<std::thread> jobs;
  for (int twin = 0; twin < kTwins; ++twin) {
    jobs.emplace_back([this, twin] { (void)run_job(facts("echo ran >> $HOME/ran"), task({}, 3, 1, 400 + twin), 100 + twin); });
  }
  for (auto& job : jobs) {
    job.join();
  }
  EXPECT_EQ(fs::file_size(home_ + "/ran"), 4U);
  const auto names = files();
  const auto like = [&](const std::string& pattern) {
    return std::ranges::count_if(names, [&](const std::string& name) { return std::regex_match(name, std::regex{pattern}); });
  };
  EXPECT_EQ(names.size(), kTwins + 1U);
  ASSERT_EQ(like("3\\.1\\.40[0-7]\\.10[0-7]\\.e0"), 1);
  const auto winner = std::ranges::find_if(names, [](const std::string& name) { return name.ends_with(".e0"); })->substr(4, 3);
  EXPECT_EQ(like("3\\.1\\.40[0-7]\\.10[0-7]\\.d\\." + winner), kTwins - 1);
}

/// OAR may run a job again, under a new id or (its server was killed in the middle) under the same.
TEST_F(JobWrapper, OarsSecondRunOfAJob_FindsTheClaimOfTheFirst_AndItsFileStatesThatItIsItsOwn) {
  EXPECT_EQ(run_job(facts("exit 4; :"), task(), 98).status, 4);
  EXPECT_EQ(run_job(facts("echo ran"), task(), 99).status, grid::kRanNothing);
  EXPECT_EQ(run_job(facts("echo ran"), task(), 98).status, grid::kRanNothing);
  EXPECT_THAT(files(), ElementsAre("3.1.345.98.d.345", "3.1.345.98.e4", "3.1.345.99.d.345", "3.1.claim"));
}

TEST_F(JobWrapper, ASecondRunUnderTheSameId_WhileTheFirstRuns_LeavesItsFileAlone) {
  const auto again = text::quote(job_text(facts("echo ran twice"), task()));
  const auto ran = run_job(facts("bash -c " + again + "; echo $?; ls $HOME/.gleaner/grid/12/7; :"), task());
  EXPECT_THAT(ran.output, HasSubstr("claimed by job 345"));
  EXPECT_THAT(ran.output, ::testing::EndsWith("\n113\n3.1.345.99.s\n3.1.claim\n"));
  EXPECT_THAT(files(), ElementsAre("3.1.345.99.e0", "3.1.claim"));
}

/// Its first run died between its file and its claim, as far as the second one can know: or it is about to claim.
TEST_F(JobWrapper, ASecondRunUnderTheSameId_BeforeTheFirstHasClaimed_RunsNothing) {
  fs::create_directories(folder());
  std::ofstream{folder() + "/3.1.345.99.s"} << "1795231871 node1 345 99\n";
  EXPECT_EQ(run_job(facts("echo ran"), task()).status, grid::kRanNothing);
  EXPECT_THAT(files(), ElementsAre("3.1.345.99.s"));
}

/// NFS: the server made the link, its answer was lost, and the client's repetition finds it made.
TEST_F(JobWrapper, AClaimWhoseAnswerWasLost_IsItsOwn) {
  a_program("ln", R"(PATH=/usr/bin:/bin; ln "$@"; ln "$@")");
  const auto ran = run_job(facts("echo ran"), task());
  EXPECT_EQ(ran.output, "ran\n");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(run_job(facts("echo ran"), task({}, 3, 1, 346), 100).status, grid::kRanNothing);
  EXPECT_THAT(files(), ElementsAre("3.1.345.99.e0", "3.1.346.100.d.345", "3.1.claim"));
}

TEST_F(JobWrapper, AClaimThatFailsOnce_IsMadeAtTheSecondTime) {
  a_program("ln",
            R"([ -e $HOME/tried ]||{ touch $HOME/tried; echo "no answer from the server">&2; exit 1; }; PATH=/usr/bin:/bin; ln "$@")");
  EXPECT_EQ(run_job(facts("echo ran"), task()).output, "ran\n");
  EXPECT_THAT(files(), ElementsAre("3.1.345.99.e0", "3.1.claim"));
}

TEST_F(JobWrapper, AClaimThatCannotBeMade_RunsNothing_ReportsTheCause_AndLeavesItsWord) {
  a_program("ln", "echo 'ln: no hard links here'>&2; exit 1");
  const auto ran = run_job(facts("echo ran"), task());
  EXPECT_EQ(ran.status, grid::kRanNothing);
  EXPECT_EQ(ran.output, "gleaner: task 3, attempt 1: cannot be claimed, nothing was run: ln: no hard links here\n");
  EXPECT_THAT(files(), ElementsAre("3.1.345.99.u"));
}

/// As on a full disk: a file can be made, and nothing be written to it.
TEST_F(JobWrapper, AHomeWithoutRoom_NothingIsRun_AndTheFileStatesThatNothingWasClaimed) {
  const auto ran = run_job(facts("echo ran"), task(), 99, "trap '' XFSZ; ulimit -f 0;");
  EXPECT_EQ(ran.status, grid::kRanNothing);
  EXPECT_THAT(ran.output, StartsWith("gleaner: task 3, attempt 1: cannot be claimed, nothing was run: "));
  EXPECT_THAT(ran.output, HasSubstr("File too large"));
  EXPECT_THAT(files(), ElementsAre("3.1.345.99.u"));
}

/// A file stands where the folder should be: it concerns one who is root too.
TEST_F(JobWrapper, WithoutAFolder_NothingIsRun_AndItReportsTheCause) {
  fs::create_directories(home_ + "/.gleaner/grid");
  std::ofstream{home_ + "/.gleaner/grid/12"} << "in the way";
  const auto ran = run_job(facts("echo ran"), task());
  EXPECT_EQ(ran.status, grid::kRanNothing);
  EXPECT_THAT(ran.output, StartsWith("gleaner: task 3, attempt 1: cannot be claimed, nothing was run: mkdir: "));
  EXPECT_THAT(files(), IsEmpty());
}

/// The room went away after the claim was made.
TEST_F(JobWrapper, AnEndIsNotedWithoutRoom) {
  EXPECT_EQ(run_job(facts("ulimit -f 0; exit 5; :"), task()).status, 5);
  a_program("mv", R"(trap '' XFSZ; ulimit -f 0; PATH=/usr/bin:/bin; mv "$@")");
  EXPECT_EQ(run_job(facts("exit 6; :"), task({}, 4), 100).status, 6);
  EXPECT_THAT(files(), ElementsAre("3.1.345.99.e5", "3.1.claim", "4.1.345.100.e6", "4.1.claim"));
}

TEST_F(JobWrapper, AUsersOwnStatus113_IsTheEndOfTheCommand) {
  const auto ran = run_job(facts("exit 113; :"), task());
  EXPECT_EQ(ran.status, grid::kRanNothing);
  EXPECT_EQ(ran.output, "");
  EXPECT_THAT(files(), ElementsAre("3.1.345.99.e113", "3.1.claim"));
}

TEST_F(JobWrapper, ATaskThatRemovesTheFolder_LeavesItsEndAndItsClaimAllTheSame) {
  const auto ran = run_job(facts("rm -rf ~/.gleaner; exit 3; :"), task());
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.output, "");
  EXPECT_THAT(files(), ElementsAre("3.1.345.99.e3", "3.1.claim"));
  EXPECT_EQ(run_job(facts("echo ran"), task({}, 3, 1, 346), 100).status, grid::kRanNothing);
}

TEST_F(JobWrapper, ArgumentsThatCannotBeDecoded_RunNothing) {
  const auto ran = run(fmt::format("cd {0} && env -i HOME={0} PATH=\"$PATH\" OAR_JOB_ID=99 bash -c {1} 2>&1", home_,
                                   text::quote(job_text(facts("echo ran"), task()) + "!")));
  EXPECT_EQ(ran.status, grid::kRanNothing);
  EXPECT_THAT(ran.output, HasSubstr("gleaner: task 3, attempt 1: cannot decode the arguments, nothing was run\n"));
  EXPECT_THAT(files(), ElementsAre("3.1.345.99.u", "3.1.claim"));
}

TEST_F(JobWrapper, TheEnvironmentOfTheGridIsThere) {
  const auto ran = run_job(facts("env; :"), task({"first word", "2"}, 3, 2));
  for (const std::string line : {"CIGRI_NODE_FILE=/dev/null", "CIGRI_NODEFILE=/dev/null", "CIGRI_JOB_ID=345", "CIGRI_JOBID=345",
                                 "CIGRI_CAMPAIGNID=12", "CIGRI_CAMPAIGN_ID=12", "CIGRI_JOB_NAME=first word", "CIGRI_JOBNAME=first word",
                                 "CIGRI_USER=griduser1", "CIGRI_RESOURCES=/nodes=1/core=4", "CIGRI_WALLTIME=1:30:00",
                                 "CIGRI_WALLTIME_SECONDS=5400", "CIGRI_CLUSTER=alpha", "CIGRI_ATTEMPT=2"}) {
    EXPECT_THAT("\n" + ran.output, HasSubstr("\n" + line + "\n"));
  }
  for (const std::string name : {"CIGRI_WORKDIR", "CIGRI_WORKING_DIRECTORY"})
    EXPECT_THAT("\n" + ran.output, HasSubstr(fmt::format("\n{}={}\n", name, home_)));
}

/// OAR sends SIGUSR2 to all processes of a job for a checkpoint: it is the command's to end or not.
TEST_F(JobWrapper, ASignalOfACheckpointIsTheCommands) {
  const auto ran = run_job(facts("trap 'echo saved; exit 4' USR2; kill -USR2 $PPID $$; sleep 5; :"), task());
  EXPECT_EQ(ran.output, "saved\n");
  EXPECT_EQ(ran.status, 4);
  EXPECT_THAT(files(), ElementsAre("3.1.345.99.e4", "3.1.claim"));
}

RC_GTEST_FIXTURE_PROP(JobWrapper, EveryArgumentReachesTheCommandByteForByte, ()) {
  const auto byte = rc::gen::map(rc::gen::inRange(1, 256), [](int value) { return static_cast<char>(value); });
  const auto nasty = rc::gen::element<char>('\'', '"', '\\', '$', '`', '\n', ' ', '*', ';', '#', '\t', '!', '\xC3', '\xE9');
  const auto argument = rc::gen::container<std::string>(rc::gen::oneOf(byte, nasty));
  const auto arguments = *rc::gen::container<std::vector<std::string>>(argument);
  std::string expected;
  for (const auto& one : arguments) {
    expected += one + '\0';
  }
  const auto ran = run_job(facts("p() { for a; do printf '%s\\0' \"$a\"; done; }; p"), task(arguments));
  RC_ASSERT(ran.status == 0);
  RC_ASSERT(ran.output == expected);
}

TEST(JobCommandText, IsAscii_AndNothingInItChangesInDoubleQuotes) {
  const auto text =
      JobCommand::create({"g", grid::CampaignId{1}, "echo '\xC3\xA9\"`$\\", "c", "u", "/w", "/core=1", "1:0:0"}).value().text();
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char letter) { return letter >= ' ' && letter < '\x7F'; }));
  EXPECT_EQ(text.find('\''), std::string::npos);
  EXPECT_EQ(text.find('`'), std::string::npos);
  EXPECT_TRUE(text.ends_with(" gleaner.1-g"));
}

TEST(JobCommandText, FactsThatAShellWouldReadAreRefused) {
  const auto with = [](auto change) {
    LaunchFacts facts{"g", grid::CampaignId{1}, "true", "c", "u", "/w", "/core=1", "1:0:0"};
    change(facts);
    return JobCommand::create(facts).has_value();
  };
  EXPECT_TRUE(with([](auto& /*facts*/) {}));
  EXPECT_FALSE(with([](auto& facts) { facts.grid = "../x"; }));
  EXPECT_FALSE(with([](auto& facts) { facts.grid = ""; }));
  EXPECT_FALSE(with([](auto& facts) { facts.exec_file = ""; }));
  EXPECT_FALSE(with([](auto& facts) { facts.exec_file = std::string("a\0b", 3); }));
}

TEST(JobCommandText, AnArgumentWithANulOrATooLongLineIsRefused) {
  const auto line = [](int attempt, std::vector<std::string> arguments) {
    return parameter_line({grid::TaskNumber{1}, attempt, grid::JobId{3}, "4", std::move(arguments)});
  };
  EXPECT_FALSE(line(1, {std::string("a\0b", 3)}));
  EXPECT_FALSE(line(1, {std::string(kLongestLine, 'x')}));
  EXPECT_EQ(line(2, {}).value(), "1 2 3 4 -");
  EXPECT_EQ(line(2, {""}).value(), "1 2 3 4 AA==");
}

TEST(JobCommandText, TheTaskIsReadBackFromACommand) {
  const auto text = JobCommand::create({"g", grid::CampaignId{12}, "true", "c", "u", "/w", "/core=1", "1:0:0"}).value().text();
  const auto line = parameter_line({grid::TaskNumber{5}, 2, grid::JobId{345}, "7", {"x"}}).value();
  const grid::JobIdentity identity{grid::CampaignId{12}, grid::TaskNumber{5}, 2, grid::JobId{345}};
  EXPECT_EQ(grid::read_command(text + " " + line), identity);
  EXPECT_EQ(grid::read_command(text + " 5 2 345 eA=="), identity) << "of a version without fences";
  EXPECT_EQ(grid::read_command("bash -c x gleaner.12 " + line), identity) << "of a version without tokens";
  for (const std::string other :
       {"", "sleep 10", "gleaner.12 1 2", "gleaner.x 1 2 3 4 -", "gleaner.-grid 1 2 3 4 -", "gleaner.12 1 x 3 4 -", "echo 12 1 2 3 4 -",
        "gleaner.12 1 -2 3 4 -", "gleaner.12 1 2 3 4 5 6", "notgleaner.12 1 2 3 4 -"}) {
    EXPECT_FALSE(grid::read_command(other)) << other;
  }
}

TEST(JobCommandText, AJobIsOurs_WhenItsOwnerItsNameAndItsCommandAreThoseThatItGot) {
  const grid::JobIdentity identity{grid::CampaignId{12}, grid::TaskNumber{5}, 2, grid::JobId{345}};
  const auto tag = grid::launch_tag("grid", grid::CampaignId{12}, grid::LaunchId{7});
  const grid::SubmittedAs launch{tag, "ada"};
  const std::string command{"bash -c x gleaner.12-grid 5 2 345 7 -"};
  EXPECT_TRUE(grid::is_same_job({tag, command, "ada"}, launch, identity));
  EXPECT_TRUE(grid::is_same_job({tag, command, ""}, launch, identity)) << "OAR does not say whose it is";
  EXPECT_FALSE(grid::is_same_job({tag, command, "mal"}, launch, identity)) << "everybody can copy a name and a command";
  EXPECT_FALSE(grid::is_same_job({tag, "bash -c x gleaner.12-grid 5 2 346 7 -", "ada"}, launch, identity));
  EXPECT_FALSE(grid::is_same_job({tag, "sleep 10", "ada"}, launch, identity));
  for (const auto& other : {grid::launch_tag("grid", grid::CampaignId{12}, grid::LaunchId{8}),
                            grid::launch_tag("other", grid::CampaignId{12}, grid::LaunchId{7})}) {
    EXPECT_FALSE(grid::is_same_job({other, command, "ada"}, launch, identity)) << other;
  }
  EXPECT_TRUE(grid::is_same_job({tag, "bash -c x gleaner.12 5 2 345 7 -", "ada"}, launch, identity)) << "of an older version";
}

TEST(JobCommandText, AJobThatWasRenamed_IsKnownByItsCommandAndItsOwner) {
  const grid::JobIdentity identity{grid::CampaignId{12}, grid::TaskNumber{5}, 2, grid::JobId{345}};
  const auto tag = grid::launch_tag("grid", grid::CampaignId{12}, grid::LaunchId{7});
  const grid::SubmittedAs launch{tag, "ada"};
  const std::string command{"bash -c x gleaner.12-grid 5 2 345 7 -"};
  for (const auto* name : {"renamed", "", "cigri"}) {
    EXPECT_TRUE(grid::is_renamed(name, tag)) << name;
    EXPECT_TRUE(grid::is_same_job({name, command, "ada"}, launch, identity)) << name;
    EXPECT_FALSE(grid::is_same_job({name, command, "mal"}, launch, identity)) << name;
    EXPECT_FALSE(grid::is_same_job({name, "./somebody else's", "ada"}, launch, identity)) << name;
  }
  EXPECT_FALSE(grid::is_renamed(tag, tag));
}

/// Two grids may have one login on a cluster, and they give the same numbers.
TEST(JobCommandText, AJobOfAnotherGridThatARuleRenamed_IsNotOurs) {
  const grid::JobIdentity identity{grid::CampaignId{12}, grid::TaskNumber{5}, 2, grid::JobId{345}};
  const auto tag = grid::launch_tag("grid", grid::CampaignId{12}, grid::LaunchId{7});
  const grid::SubmittedAs launch{tag, "grid"};
  EXPECT_TRUE(grid::is_same_job({"renamed", "bash -c x gleaner.12-grid 5 2 345 7 -", "grid"}, launch, identity));
  EXPECT_FALSE(grid::is_same_job({"renamed", "bash -c x gleaner.12-other 5 2 345 7 -", "grid"}, launch, identity));
  EXPECT_FALSE(grid::is_same_job({tag, "bash -c x gleaner.12-other 5 2 345 7 -", "grid"}, launch, identity));
  EXPECT_FALSE(grid::is_same_job({"renamed", "bash -c x gleaner.12 5 2 345 7 -", "grid"}, launch, identity))
      << "of an older version: nobody knows of which grid";
}

TEST(JobCommandText, Base64IsTheStandards) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("\xFF\xFE\xFD\xFC"), "//79/A==");
}

}  // namespace
}  // namespace gleaner::runner
