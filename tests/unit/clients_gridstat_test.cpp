// gridstat and gridsub on campaigns of which some tasks failed, against an API that answers as the test wants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>

#include <unistd.h>

#include <fmt/format.h>

#include "clients/gridsub/rerun.hpp"
#include "clients/gridsub/waiting.hpp"
#include "clients/task_lines.hpp"
#include "lib/process/child.hpp"
#include "tests/unit/api_under_test.hpp"

namespace gleaner {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A campaign of six tasks, of which the last two failed, and were given by a line and by a list of arguments.
constexpr auto kFailing =
    R"({{"id": {}, "name": "licence", "user": "ada", "submission_time": "2027-01-15T08:00:00Z", "state": "{}", "has_events": true, "type": "default",)"
    R"( "total_tasks": 6, "tasks": {{"waiting": 0, "running": 0, "done": 4, "failed": 2, "cancelled": 0}}, "clusters": {{}}}})";
constexpr auto kFailedTasks = R"({"id": 4, "state": "failed", "parameters": "# mesh \"big one\""})"
                              "\n"
                              R"({"id": 5, "state": "failed", "parameters": "'a b' c", "arguments": ["a b", "c"]})"
                              "\n";

class FailedTasks : public testing::Test {
 protected:
  FailedTasks() { std::filesystem::create_directories(folder_); }
  ~FailedTasks() override { std::filesystem::remove_all(folder_); }

  /// The output of a script of bash, both streams; the programs are in its path.
  std::string run(const std::string& script) {
    const char* folder = std::getenv("GLEANER_BIN_DIR");
    process::Command command{
        .arguments = {"/bin/bash", "-c",
                      fmt::format("cd {}; PATH={}:$PATH; {}", folder_.string(), folder != nullptr ? folder : "build/bin", script)},
        .environment = {{"GLEANER_API", api_.address()}}};
    auto captured = process::capture(std::move(command), std::chrono::minutes{10});
    if (!captured) throw std::runtime_error{captured.error()};
    return captured->output;
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream{folder_ / name} << text; }
  std::string submitted() {
    const std::lock_guard lock{mutex_};
    return submitted_;
  }
  void set_state(const std::string& state) {
    const std::lock_guard lock{mutex_};
    state_ = state;
  }

 private:
  http::Response take(const http::Request& request) {
    const auto body = request.method == "POST" ? request.body->read_all(1 << 20).value() : std::string{};
    const std::lock_guard lock{mutex_};
    const auto state = request.parameter("state").value_or("");
    if (request.method == "POST") {
      if (body.find(R"("dry_run":true)") == std::string::npos) submitted_ = body;
      return tests::answer(201, R"({"id": 12, "total_tasks": 6})");
    }
    if (request.path == "/v1/campaigns") {
      std::string items;
      for (const int id : {12, 13}) {
        if (request.target.find(std::to_string(id)) != std::string::npos)
          items += (items.empty() ? "" : ",") + fmt::format(kFailing, id, state_);
      }
      return tests::answer(200, fmt::format(R"({{"items": [{}], "total": 2}})", items));
    }
    if (request.path == "/v1/campaigns/12" || request.path == "/v1/campaigns/13")
      return tests::answer(200, fmt::format(kFailing, request.path.substr(request.path.rfind('/') + 1), state_));
    if (request.path.ends_with("/stats")) return tests::answer(200, "{}");
    if (request.path == "/v1/campaigns/12/tasks.ndjson") return tests::answer(200, state == "failed" ? kFailedTasks : "");
    if (request.path.ends_with("/tasks.ndjson")) return tests::answer(200, "");
    if (request.path.ends_with("/tasks") && state == "failed")
      return tests::answer(200, R"({"items": [{"id": 4, "state": "failed"}, {"id": 5, "state": "failed"}]})");
    if (request.path.ends_with("/tasks"))
      return tests::answer(200, R"({"items": [{"id": 0, "state": "done"}, {"id": 1, "state": "done"}]})");
    return tests::answer(404, R"({"code": "no_such_campaign", "message": "there is no such thing"})");
  }

  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / fmt::format("gleaner-failed-{}", ::getpid());
  std::mutex mutex_;
  std::string state_ = "terminated";
  std::string submitted_;
  tests::ApiUnderTest api_{[this](const http::Request& request) { return take(request); }};
};

TEST_F(FailedTasks, SeveralCampaigns_AreATable_AndTheirPagesWithFull) {
  const auto table = run("gridstat 12 13");
  EXPECT_THAT(table,
              AllOf(HasSubstr("Status"), HasSubstr("12  licence  ada"), HasSubstr("13  licence  ada"), Not(HasSubstr("Campaign 12"))));
  EXPECT_EQ(run("gridstat 12,13 -q"), "12\n13\n");
  EXPECT_THAT(run("gridstat 12 13 --csv"), HasSubstr("\n13,licence,ada,"));
  EXPECT_THAT(run("gridstat -f 12 13"), AllOf(HasSubstr("Campaign 12\n"), HasSubstr("Campaign 13\n"), HasSubstr("Tasks:\n")));
  EXPECT_THAT(run("gridstat 12"),
              AllOf(HasSubstr("Campaign 12\n"), HasSubstr("        State:                  terminated: 2 of 6 tasks failed\n")));
}

TEST_F(FailedTasks, AreTheFirstOnesOfAPage) {
  const auto page = run("gridstat 12 -f");
  EXPECT_LT(page.find("\n   5  failed"), page.find("\n   0  done")) << page;
  EXPECT_THAT(page, Not(HasSubstr("there are more tasks")));
  EXPECT_THAT(run("gridstat 12 -f --limit 2"),
              AllOf(HasSubstr("\n   5  failed"), Not(HasSubstr("done\n")), HasSubstr("--offset=2 shows the next")));
  const auto rest = run("gridstat 12 -f --offset 2");
  EXPECT_THAT(rest, AllOf(HasSubstr("\n   0  done"), Not(HasSubstr("   4  failed"))));
}

TEST_F(FailedTasks, CanBePrintedByTheirNumbers_AndByTheirParameters) {
  EXPECT_EQ(run("gridstat 12 --state failed -q"), "4\n5\n");
  EXPECT_EQ(run("gridstat 12 --state failed --params"), "\\# mesh \"big one\"\n'a b' c\n");
  EXPECT_EQ(run("gridstat 12 --state failed --params --json"), "[\n\"# mesh \\\"big one\\\"\",\n[\"a b\",\"c\"]\n]\n");
  EXPECT_THAT(run("gridstat 12 13 --params; echo status $?"), HasSubstr("status 2"));
  EXPECT_THAT(run("gridstat --params; echo status $?"), HasSubstr("status 2"));
}

TEST_F(FailedTasks, PastReasons_GoWithWhyAlone_AndTheRefusalNamesBothOptions) {
  EXPECT_THAT(run("gridstat 12 --since 24h; echo status $?"),
              AllOf(HasSubstr("--since goes with --why: gridstat 12"), HasSubstr("status 2")));
  EXPECT_THAT(run("gridstat 12 --history --since 24h; echo status $?"),
              AllOf(HasSubstr("--since goes with --why, and not with --history"), HasSubstr("status 2")));
  EXPECT_THAT(run("gridstat 12 --why --ratio --since 24h; echo status $?"),
              AllOf(HasSubstr("--since and --ratio exclude each other"), HasSubstr("status 2")));
  EXPECT_THAT(run("gridstat --web --since 24h; echo status $?"),
              AllOf(HasSubstr("--web and --since exclude each other"), HasSubstr("status 2")));
  EXPECT_THAT(run("gridstat 12 --task 4 --since 24h; echo status $?"), AllOf(HasSubstr("--since goes with --why"), HasSubstr("status 2")));
}

TEST_F(FailedTasks, BecomeANewCampaign_WithTheFileOfTheNewOne) {
  write("new.jdl", R"({"name": "again", "params": ["1", "2"], "walltime": "9:0:0", "clusters": {"alpha": {"exec_file": "e"}}})");
  EXPECT_THAT(run("gridsub --rerun-failed 12 -f new.jdl"), HasSubstr("CAMPAIGN_ID=12\n"));
  EXPECT_THAT(submitted(), AllOf(HasSubstr("again"), HasSubstr("9:0:0"), Not(HasSubstr("arams")), Not(HasSubstr("nb_jobs")),
                                 HasSubstr("\n\"\\\\# mesh \\\"big one\\\"\"\n\"'a b' c\"\n")));
  EXPECT_THAT(run("gridsub --rerun-failed 13 -f new.jdl; echo status $?"),
              AllOf(HasSubstr("no task of campaign 13 has failed"), HasSubstr("status 4")));
  for (const auto* wrong : {"gridsub --rerun-failed 12", "gridsub --rerun-failed 12,13 -f new.jdl",
                            "gridsub --rerun-failed 12 -f new.jdl -n 3", "gridsub --rerun-failed 12 -f new.jdl -f new.jdl"})
    EXPECT_THAT(run(fmt::format("{}; echo status $?", wrong)), HasSubstr("status 2")) << wrong;
}

TEST_F(FailedTasks, AreCountedAtTheEndOfAWait_WithTheCommandThatShowsThem) {
  write("new.jdl", R"({"name": "n", "nb_jobs": 6, "clusters": {"alpha": {"exec_file": "e"}}})");
  EXPECT_EQ(run("gridsub -w -f new.jdl; echo status $?"),
            "Campaign successfully submitted: 6 tasks\nCAMPAIGN_ID=12\n"
            "Campaign 12: 4 of 6 tasks done, 2 failed: gridstat 12 --state failed\nstatus 1\n");
}

TEST_F(FailedTasks, WaitThatIsInterrupted_ReportsThatTheCampaignGoesOn) {
  set_state("in_treatment");
  write("new.jdl", R"({"name": "n", "nb_jobs": 6, "clusters": {"alpha": {"exec_file": "e"}}})");
  // A shell's job in the background ignores ^C until the program takes it, and a second one changes nothing.
  const auto said =
      run("gridsub -w -f new.jdl >said 2>&1 & until grep -q CAMPAIGN_ID said; do sleep 0.05; done; "
          "while kill -INT $! 2>/dev/null; do sleep 0.05; done; wait $!; echo status $?; cat said");
  EXPECT_THAT(
      said, AllOf(HasSubstr("status 130\n"), HasSubstr("gridsub: campaign 12 goes on: 'gridwait 12' waits again, 'griddel 12' cancels\n")));
}

TEST(ProgressOfAWait, AddsTheCampaignsUp_WithinTheTerminal) {
  const auto one = clients::Json::parse(R"({"id": 3, "total_tasks": 100, "tasks": {"running": 4, "done": 30, "failed": 1}})").value();
  EXPECT_EQ(gridsub::progress_line({one, one}, 60), "[######" + std::string(15, ' ') + "] 60 of 200 done, 8 running, 2 failed");
  EXPECT_EQ(gridsub::progress_line({one}, 24), "30 of 100 done, 4 runn…");
  EXPECT_EQ(gridsub::end_line(one), "Campaign 3: 30 of 100 tasks done, 1 failed: gridstat 3 --state failed");
}

TEST(CampaignFileWithoutParameters, KeepsAllElse) {
  EXPECT_EQ(gridsub::without_parameters(R"({"name": "x", "PARAM_FILE": "f"})"), "{\n  \"name\": \"x\"\n}");
  EXPECT_EQ(gridsub::without_parameters(R"({"name": "x"})"), R"({"name": "x"})");
  EXPECT_EQ(gridsub::without_parameters("name = x; params = 3;"), "name = x; params = 3;");
}

TEST(ParameterLine, IsReadBackAsTheSameArguments) {
  const auto line = [](const std::string& task) { return clients::parameter_line(clients::Json::parse(task).value()); };
  EXPECT_EQ(line(R"({"parameters": "7 x"})"), "7 x");
  EXPECT_EQ(line(R"({"parameters": "  #7"})"), "  \\#7");
  EXPECT_EQ(line(R"({"parameters": ""})"), "''");
  EXPECT_THROW(static_cast<void>(line(R"({"id": 3, "parameters": "'a\nb'"})")), process::Error);
}

}  // namespace
}  // namespace gleaner
