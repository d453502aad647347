#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include <unistd.h>

#include "lib/grid/id.hpp"
#include "lib/grid/unavailable.hpp"
#include "lib/process/child.hpp"
#include "lib/process/failpoint.hpp"
#include "lib/process/log.hpp"
#include "lib/process/run.hpp"
#include "lib/process/secret.hpp"
#include "lib/process/stop.hpp"
#include "lib/process/whole_file.hpp"

namespace gleaner::process {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Duration kLong = std::chrono::minutes{1};

const Program kProgram{.name = "tester", .purpose = "Tests.", .keys = {"database"}, .positional = "WORD..."};

int run_with(std::vector<std::string> words, const Body& body) {
  words.insert(words.begin(), "tester");
  std::vector<char*> raw;
  for (auto& word : words) raw.push_back(word.data());
  return run(kProgram, static_cast<int>(raw.size()), raw.data(), body);
}

int code_when(const std::function<void()>& fault) {
  return run_with({}, [&](const Context&) {
    fault();
    return Outcome{"done"};
  });
}

class Scratch : public testing::Test {
 protected:
  Scratch() { std::filesystem::create_directories(directory_); }
  ~Scratch() override { std::filesystem::remove_all(directory_); }
  std::filesystem::path directory_ = std::filesystem::temp_directory_path() / ("process_run_" + std::to_string(::getpid()));
};

TEST(Run, BodyThatEnds_GivesItsCode) {
  EXPECT_EQ(run_with({}, [](const Context&) { return Outcome{"all well"}; }), 0);
  EXPECT_EQ(run_with({}, [](const Context&) { return Outcome{ExitCode::not_found, "no campaign 3"}; }), 3);
}

TEST(Run, ErrorOfTheBody_BecomesTheCodeThatIsDocumented) {
  EXPECT_EQ(code_when([] { throw Error{ExitCode::refused, "not yours"}; }), 4);
  EXPECT_EQ(code_when([] { throw grid::Unavailable{"no database"}; }), 5);
  EXPECT_EQ(code_when([] { throw Error{ExitCode::try_again, "the lease is lost"}; }), 75);
  EXPECT_EQ(code_when([] { throw std::logic_error{"a bug"}; }), 1);
}

TEST(Run, WrongCommandLine_NeverReachesTheBody) {
  EXPECT_EQ(run_with({"--nonsense"}, [](const Context&) -> Outcome { throw std::logic_error{"reached"}; }), 2);
  EXPECT_EQ(run_with({"--config=/nowhere/at.all"}, [](const Context&) -> Outcome { throw std::logic_error{"reached"}; }), 2);
}

TEST_F(Scratch, ErrorsOfTheEnvironment_TheFile_AndTheValues_AreSaidTogether) {
  const auto file = (directory_ / "gleaner.conf").string();
  std::ofstream{file} << "cycle_perid = 5s\nflood = much\nno line\n";
  const auto run_it = [&] {
    setenv("GLEANER_FLOD", "1", 1);
    std::exit(run_with({"--config=" + file}, [](const Context&) { return Outcome{""}; }));
  };
  EXPECT_EXIT(run_it(), testing::ExitedWithCode(2),
              AllOf(HasSubstr("GLEANER_FLOD: unknown option"), HasSubstr("gleaner.conf:1: unknown option 'cycle_perid'"),
                    HasSubstr("gleaner.conf:3: 'no line'"), HasSubstr("gleaner.conf:2: flood = 'much' is wrong")));
}

TEST_F(Scratch, APathOfTheCommandLine_IsRelativeToTheWorkingDirectory) {
  const auto run_it = [&] {
    std::filesystem::current_path(directory_);
    std::exit(run_with({"--log-file", "here.log"}, [](const Context&) { return Outcome{"all well"}; }));
  };
  EXPECT_EXIT(run_it(), testing::ExitedWithCode(0), "");
  EXPECT_TRUE(std::filesystem::exists(directory_ / "here.log"));
}

TEST(Run, PasswordOnTheCommandLine_IsRefused) {
  EXPECT_EQ(run_with({"--database=host=x password=y"}, [](const Context&) { return Outcome{""}; }), 2);
  EXPECT_EQ(run_with({"--database=postgresql://me:y@x/z"}, [](const Context&) { return Outcome{""}; }), 2);
}

TEST(Run, ProgramStartedByTheBody_FindsTheSameConfiguration) {
  const auto asks = [](const Context&) -> Outcome {
    const auto said = capture({.arguments = {"sh", "-c", "echo $GLEANER_DATABASE"}}, kLong);
    return said && said->output == "dbname=other\n" ? ExitCode::ok : ExitCode::failure;
  };
  EXPECT_EXIT(std::exit(run_with({"--database=dbname=other"}, asks)), testing::ExitedWithCode(0), "");
}

TEST(Run, SigtermDuringTheBody_IsSeenAsARequestToStop) {
  EXPECT_EXIT(std::exit(run_with({},
                                 [](const Context&) {
                                   std::raise(SIGTERM);
                                   return Outcome{wait_for_stop(kLong) && stop_requested() ? ExitCode::ok : ExitCode::failure};
                                 })),
              testing::ExitedWithCode(0), "");
}

TEST(LogLine, QuotesWhatIsNotPlain) {
  EXPECT_EQ(log::format_line(log::Level::warning, "runner", "launch refused",
                             {{"campaign", grid::CampaignId{3}}, {"text", "a \"b\"\nc"}, {"empty", ""}}),
            R"(level=warning program=runner event="launch refused" campaign=3 text="a \"b\"\nc" empty="")");
}

TEST_F(Scratch, Log_GoesToItsFile_FromItsLevelUp) {
  const auto file = directory_ / "log";
  log::set_up("tester", "warning", file.string());
  log::info("not this");
  log::error("this", {{"n", 1}});
  log::set_up("tester", "info", "/dev/stderr");
  std::stringstream content;
  content << std::ifstream{file}.rdbuf();
  EXPECT_THAT(content.str(), HasSubstr("Z level=error program=tester event=this n=1\n"));
  EXPECT_THAT(content.str(), testing::Not(HasSubstr("not this")));
}

TEST_F(Scratch, Secret_IsReadWithoutItsLineEnd) {
  const auto file = directory_ / "secret";
  std::ofstream{file} << "top\n";
  ::chmod(file.c_str(), 0600);
  EXPECT_EQ(read_secret_file(file), "top");
}

TEST_F(Scratch, Secret_ThatOthersCanRead_IsRefused) {
  const auto file = directory_ / "secret";
  std::ofstream{file} << "top\n";
  for (const mode_t mode : {0640U, 0604U, 0660U}) {
    ::chmod(file.c_str(), mode);
    ASSERT_FALSE(read_secret_file(file));
    EXPECT_THAT(read_secret_file(file).error(), HasSubstr("chmod 600"));
  }
}

TEST_F(Scratch, Secret_ThatIsMissingOrEmptyOrNoFile_IsRefused) {
  EXPECT_THAT(read_secret_file(directory_ / "none").error(), HasSubstr("No such file"));
  EXPECT_THAT(read_secret_file(directory_).error(), HasSubstr("is not a file"));
  const auto file = directory_ / "empty";
  std::ofstream{file} << "\n";
  ::chmod(file.c_str(), 0600);
  EXPECT_THAT(read_secret_file(file).error(), HasSubstr("is empty"));
}

TEST_F(Scratch, WholeFile_ReplacesTheOneThatIsThere_WithItsMode_AndFollowsNoLink) {
  const auto file = directory_ / "file";
  std::ofstream{file} << "before\n";
  std::filesystem::create_symlink(directory_ / "elsewhere", directory_ / "file.new");
  write_whole_file(file, "after\n", 0600, our_files());
  std::stringstream content;
  content << std::ifstream{file}.rdbuf();
  EXPECT_EQ(content.str(), "after\n");
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms{0600});
  EXPECT_FALSE(std::filesystem::exists(directory_ / "elsewhere"));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(directory_ / "file.new")));
}

TEST_F(Scratch, WholeFile_ThatCannotBeWritten_ReportsTheCause_AndLeavesWhatWasThere) {
  EXPECT_EQ(code_when([&] { write_whole_file(directory_ / "none" / "file", "text", 0600, our_files()); }), 1);
  std::filesystem::create_directory(directory_ / "folder");
  EXPECT_THROW(write_whole_file(directory_ / "folder", "text", 0600, our_files()), Error);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "folder.new"));
}

TEST(Child, EndsWithItsStatus) {
  auto child = Child::start({.arguments = {"sh", "-c", "exit 7"}});
  ASSERT_TRUE(child);
  EXPECT_EQ(child->wait(kLong)->exit_status, 7);
}

TEST(Child, ThatCannotBeStarted_ReportsTheCause) {
  const auto child = Child::start({.arguments = {"/nowhere/program"}});
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error(), "/nowhere/program: cannot be started: No such file or directory");
}

TEST(Child, StillRunning_HasNoEndYet_AndIsStopped) {
  auto child = Child::start({.arguments = {"sleep", "1000"}});
  ASSERT_TRUE(child);
  EXPECT_EQ(child->wait(Duration{0}), std::nullopt);
  EXPECT_EQ(child->stop(kLong).signal, SIGTERM);
}

TEST(Child, ThatIgnoresSigterm_IsKilledAfterThePatience) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const auto gate = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(ready[1]);
  auto child = Child::start({.arguments = {"sh", "-c", "trap '' TERM; echo >" + gate + "; while :; do sleep 1; done"}});
  ASSERT_TRUE(child);
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(child->stop(Duration{10}).signal, SIGKILL);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(Child, LeavesNothingOfItsGroupBehind) {
  auto said = capture({.arguments = {"sh", "-c", "sleep 1000 >/dev/null & echo $!"}}, kLong);
  ASSERT_TRUE(said);
  const auto pid = static_cast<pid_t>(std::stol(said->output));
  const auto sleeper = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  pollfd watched{sleeper, POLLIN, 0};
  EXPECT_TRUE(sleeper < 0 || ::poll(&watched, 1, static_cast<int>(kLong.count())) == 1);
  if (sleeper >= 0) ::close(sleeper);
}

TEST(Capture, KeepsWhatIsSaid_WithTheEnvironmentAsked) {
  const auto said = capture({.arguments = {"sh", "-c", "echo $WORD; echo err >&2; exit 3"}, .environment = {{"WORD", "héllo"}}}, kLong);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->output, "héllo\nerr\n");
  EXPECT_EQ(said->end.exit_status, 3);
}

TEST(Capture, Input_IsReadByTheProgram_AndErrorsStayApart) {
  const auto said =
      capture({.arguments = {"sh", "-c", "cat; echo err >&2"}}, kLong, {.input = "first\nsecond\n", .errors = Exchange::Errors::apart});
  ASSERT_TRUE(said) << said.error();
  EXPECT_EQ(said->output, "first\nsecond\n");
  EXPECT_EQ(said->errors, "err\n");
}

TEST(Capture, OfAProgramThatDoesNotEnd_IsAnError) {
  EXPECT_THAT(capture({.arguments = {"sleep", "1000"}}, Duration{10}).error(), HasSubstr("did not end within 10ms"));
}

TEST(Capture, AProgramThatWasLeftBehind_CanWriteNoMore) {
  auto pattern = (std::filesystem::temp_directory_path() / "gleaner-left-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  const auto script =
      "setsid sh -c 'i=0; while [ $i -lt 1000 ] && echo text; do i=$((i+1)); sleep 0.02; done 2> /dev/null; "
      "echo $i > \"$0/part\"; mv \"$0/part\" \"$0/lines\"' \"$0\" &\nsleep 0.1";
  const auto ended = capture({.arguments = {"sh", "-c", script, folder.string()}}, Duration{60'000});
  ASSERT_TRUE(ended) << ended.error();
  while (!std::filesystem::exists(folder / "lines")) std::this_thread::sleep_for(std::chrono::milliseconds{20});
  int lines = 0;
  std::ifstream{folder / "lines"} >> lines;
  EXPECT_LT(lines, 1000);
  std::filesystem::remove_all(folder);
}

#ifdef GLEANER_FAILPOINTS
TEST(Failpoint, Armed_KillsAtThePassageAsked) {
  const auto pass = [](int times) {
    for (int i = 0; i < times; ++i) failpoint("runner.after_post");
    std::exit(0);
  };
  ::setenv("GLEANER_FAILPOINT", "runner.after_post:3", 1);
  EXPECT_EXIT(pass(2), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(pass(3), testing::KilledBySignal(SIGKILL), "");
  ::setenv("GLEANER_FAILPOINT", "runner.before_post", 1);
  EXPECT_EXIT(pass(3), testing::ExitedWithCode(0), "");
  ::unsetenv("GLEANER_FAILPOINT");
}
#endif

}  // namespace
}  // namespace gleaner::process
