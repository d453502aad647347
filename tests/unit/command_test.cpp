#include "runner/command/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/words.hpp"
#include "runner/command/base64.hpp"
#include "runner/command/journal.hpp"

/// The wrapper of a job, run here by the same shell.
namespace gleaner::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
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
    return {"grid", grid::CampaignId{12}, "launch-7", exec_file, "alpha", "griduser1", "/home/griduser1", "/nodes=1/core=4", "1:30:00"};
  }
  static TaskFacts task(std::vector<std::string> arguments = {}, int number = 3, int attempt = 1) {
    return {grid::TaskNumber{number}, attempt, grid::JobId{345}, std::move(arguments)};
  }
  /// The command as the job's shell gets it: a shell at submission has taken the backslashes off.
  static std::string job_text(const LaunchFacts& facts, const TaskFacts& task) {
    auto text = JobCommand::create(facts).value().text();
    for (auto at = text.find("\\$"); at != std::string::npos; at = text.find("\\$", at)) {
      text.erase(at, 1);
    }
    return text + " " + parameter_line(task).value();
  }
  [[nodiscard]] Ran run_job(const LaunchFacts& facts, const TaskFacts& task) const {
    return run(fmt::format("cd {0} && env -i HOME={0} PATH=\"$PATH\" OAR_JOB_ID=99 OAR_NODEFILE=/dev/null bash -c {1} 2>&1", home_,
                           grid::quote(job_text(facts, task))));
  }
  [[nodiscard]] std::vector<JournalEntry> journal() const {
    std::ifstream file{home_ + "/.gleaner/grid/12/journal.launch-7"};
    std::stringstream text;
    text << file.rdbuf();
    return parse_journal(text.str());
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
  EXPECT_EQ(run_job(facts("echo \"$g$i$t$x$d$c$o$e$a$s\"; type n m 2>/dev/null; :"), task()).output, "\n");
}

TEST_F(JobWrapper, AnAttemptIsRunOnce_AndItsTwinSaysSo) {
  EXPECT_EQ(run_job(facts("echo ran"), task()).output, "ran\n");
  const auto twin = run_job(facts("echo ran"), task());
  EXPECT_EQ(twin.status, grid::kRanNothing);
  EXPECT_EQ(twin.output, "gleaner: task 3, attempt 1: claimed by another job, nothing to run\n");
  EXPECT_EQ(run_job(facts("echo ran"), task({}, 3, 2)).output, "ran\n");
  EXPECT_TRUE(fs::is_directory(home_ + "/.gleaner/grid/12/claims/3.1"));
}

TEST_F(JobWrapper, TwinsAtTheSameMoment_RunItOnce) {
  std::vector<std::thread> jobs;
  for (int twin = 0; twin < 8; ++twin) {
    jobs.emplace_back([this] { (void)run_job(facts("echo ran >> $HOME/ran"), task()); });
  }
  for (auto& job : jobs) {
    job.join();
  }
  EXPECT_EQ(fs::file_size(home_ + "/ran"), 4U);
  std::map<JournalWord, int> words;
  for (const auto& entry : journal()) {
    ++words[entry.word];
  }
  EXPECT_EQ(words, (std::map<JournalWord, int>{{JournalWord::start, 1}, {JournalWord::end, 1}, {JournalWord::duplicate, 7}}));
}

/// A file stands where the folder should be: like a full disk, it concerns one who is root too.
TEST_F(JobWrapper, AClaimThatCannotBeMade_RunsNothing_AndSaysWhy) {
  fs::create_directories(home_ + "/.gleaner/grid/12");
  std::ofstream{home_ + "/.gleaner/grid/12/claims"} << "in the way";
  const auto ran = run_job(facts("echo ran"), task());
  EXPECT_EQ(ran.status, grid::kRanNothing);
  EXPECT_THAT(ran.output, HasSubstr("cannot be claimed, nothing was run"));
  EXPECT_THAT(ran.output, ::testing::Not(HasSubstr("ran\n")));
  ASSERT_THAT(journal(), SizeIs(1));
  EXPECT_EQ(journal().front().word, JournalWord::unclaimed);
}

TEST_F(JobWrapper, TheJournalHasTheStartAndTheEnd) {
  EXPECT_EQ(run_job(facts("exit 66; :"), task()).status, 66);
  const auto entries = journal();
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[0].word, JournalWord::start);
  EXPECT_EQ(entries[1].word, JournalWord::end);
  EXPECT_EQ(entries[1].status, 66);
  EXPECT_EQ(entries[1].task.value(), 3);
  EXPECT_EQ(entries[1].attempt, 1);
  EXPECT_EQ(entries[1].job.value(), 345);
  EXPECT_EQ(entries[1].remote.value(), 99);
}

TEST_F(JobWrapper, TheEnvironmentOfTheGridIsThere) {
  const auto ran = run_job(facts("env; :"), task({"first word", "2"}, 3, 2));
  for (const std::string line :
       {"CIGRI_NODE_FILE=/dev/null", "CIGRI_NODEFILE=/dev/null", "CIGRI_JOB_ID=345", "CIGRI_JOBID=345", "CIGRI_CAMPAIGNID=12",
        "CIGRI_CAMPAIGN_ID=12", "CIGRI_JOB_NAME=first word", "CIGRI_JOBNAME=first word", "CIGRI_USER=griduser1",
        "CIGRI_WORKDIR=/home/griduser1", "CIGRI_WORKING_DIRECTORY=/home/griduser1", "CIGRI_RESOURCES=/nodes=1/core=4",
        "CIGRI_WALLTIME=1:30:00", "CIGRI_WALLTIME_SECONDS=5400", "CIGRI_CLUSTER=alpha", "CIGRI_ATTEMPT=2"}) {
    EXPECT_THAT("\n" + ran.output, HasSubstr("\n" + line + "\n"));
  }
}

/// OAR sends SIGUSR2 to all processes of a job for a checkpoint: it is the command's to end or not.
TEST_F(JobWrapper, ASignalOfACheckpointIsTheCommands) {
  const auto ran = run_job(facts("trap 'echo saved; exit 4' USR2; kill -USR2 $PPID $$; sleep 5; :"), task());
  EXPECT_EQ(ran.output, "saved\n");
  EXPECT_EQ(ran.status, 4);
  EXPECT_EQ(journal().back().status, 4);
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
      JobCommand::create({"g", grid::CampaignId{1}, "t", "echo '\xC3\xA9\"`$\\", "c", "u", "/w", "/core=1", "1:0:0"}).value().text();
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char letter) { return letter >= ' ' && letter < '\x7F'; }));
  EXPECT_EQ(text.find('\''), std::string::npos);
  EXPECT_EQ(text.find('`'), std::string::npos);
  EXPECT_TRUE(text.ends_with(" gleaner.1"));
}

TEST(JobCommandText, FactsThatAShellWouldReadAreRefused) {
  const auto with = [](auto change) {
    LaunchFacts facts{"g", grid::CampaignId{1}, "t", "true", "c", "u", "/w", "/core=1", "1:0:0"};
    change(facts);
    return JobCommand::create(facts).has_value();
  };
  EXPECT_TRUE(with([](auto& /*facts*/) {}));
  EXPECT_FALSE(with([](auto& facts) { facts.grid = "../x"; }));
  EXPECT_FALSE(with([](auto& facts) { facts.grid = ""; }));
  EXPECT_FALSE(with([](auto& facts) { facts.tag = "a b"; }));
  EXPECT_FALSE(with([](auto& facts) { facts.exec_file = ""; }));
  EXPECT_FALSE(with([](auto& facts) { facts.exec_file = std::string("a\0b", 3); }));
}

TEST(JobCommandText, AnArgumentWithANulOrATooLongLineIsRefused) {
  EXPECT_FALSE(parameter_line({grid::TaskNumber{1}, 1, grid::JobId{1}, {std::string("a\0b", 3)}}));
  EXPECT_FALSE(parameter_line({grid::TaskNumber{1}, 1, grid::JobId{1}, {std::string(kLongestLine, 'x')}}));
  EXPECT_EQ(parameter_line({grid::TaskNumber{1}, 2, grid::JobId{3}, {}}).value(), "1 2 3 -");
  EXPECT_EQ(parameter_line({grid::TaskNumber{1}, 2, grid::JobId{3}, {""}}).value(), "1 2 3 AA==");
}

TEST(JobCommandText, TheTaskIsReadBackFromACommand) {
  const auto text = JobCommand::create({"g", grid::CampaignId{12}, "t", "true", "c", "u", "/w", "/core=1", "1:0:0"}).value().text();
  const auto line = parameter_line({grid::TaskNumber{5}, 2, grid::JobId{345}, {"x"}}).value();
  EXPECT_EQ(read_command(text + " " + line), (CommandIdentity{grid::CampaignId{12}, grid::TaskNumber{5}, 2, grid::JobId{345}}));
  for (const std::string other :
       {"", "sleep 10", "gleaner.12 1 2", "gleaner.x 1 2 3 -", "gleaner.12 1 x 3 -", "echo 12 1 2 3 -", "gleaner.12 -1 2 3 -"}) {
    EXPECT_FALSE(read_command(other)) << other;
  }
}

TEST(JobCommandText, Base64IsTheStandards) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("\xFF\xFE\xFD\xFC"), "//79/A==");
}

TEST(Journal, LinesThatAreCutOrMixedAreLeftOut) {
  const auto entries = parse_journal(
      "1795231871 start 0 1 100 39 \n1795231871 end 0 1 100 39 0\n1795231871 end 0 1 100 39\n\nnonsense\n"
      "1795231871 start 0 1 1001795231871 start 1 1 101 40 \n-5 start 0 1 100 39 \n1795231872 duplicate 2 1 102 41 \n1795231873 start 3 1 "
      "1");
  ASSERT_THAT(entries, SizeIs(3));
  EXPECT_EQ(entries[0].word, JournalWord::start);
  EXPECT_EQ(entries[1].status, 0);
  EXPECT_EQ(entries[2].word, JournalWord::duplicate);
  EXPECT_EQ(grid::to_unix(entries[2].date), 1795231872);
  EXPECT_THAT(parse_journal(""), IsEmpty());
}

RC_GTEST_PROP(Journal, AnyBytesAreRead, (const std::string& text)) { (void)parse_journal(text + "\n"); }

}  // namespace
}  // namespace gleaner::runner
