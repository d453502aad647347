#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/oar/request_text.hpp"
#include "runner/command/base64.hpp"
#include "runner/submission.hpp"

namespace gleaner::runner {
namespace {

using ::testing::HasSubstr;

constexpr grid::Seconds kNotice{120};

store::LaunchToMake a_launch() {
  store::LaunchToMake launch;
  launch.id = grid::LaunchId{7};
  launch.campaign = grid::CampaignId{3};
  launch.user = launch.login = "alice";
  launch.exec_file = "./run.sh \"$x\" `y`";
  launch.exec_directory = "$HOME/results";
  launch.request = "{mem > 8}/nodes=1/core=2";
  launch.walltime = grid::Seconds{600};
  launch.properties = "host LIKE 'node-1%'";
  launch.project = "demo";
  launch.job_types = "devel\ninner=12";
  return launch;
}

std::string refusal(const store::LaunchToMake& launch) {
  const auto request = submission_of(
      launch,
      {{.job = grid::JobId{1}, .task = grid::TaskNumber{0}, .attempt = 1, .fence = grid::LaunchId{7}, .form = 'l', .parameter = "a"}},
      "alpha", "grid", kNotice);
  return request ? "accepted" : request.error();
}

/// Whoever wrote it into the database.
TEST(RunnerSubmission, ATextThatAShellWouldRead_IsNotSent) {
  EXPECT_EQ(refusal(a_launch()), "accepted");
  auto launch = a_launch();
  launch.project = "x\\";
  EXPECT_THAT(refusal(launch), HasSubstr("its project 'x\\' cannot be given to OAR: \\ at character 2"));
  launch = a_launch();
  launch.properties = "$(id) = 1";
  EXPECT_THAT(refusal(launch), HasSubstr("its properties '$(id) = 1' cannot be given to OAR"));
  launch = a_launch();
  launch.exec_directory = "/tmp/`id`";
  EXPECT_THAT(refusal(launch), HasSubstr("its exec_directory '/tmp/`id`' cannot be used: ` at character 6"));
  launch.exec_directory = "results";
  EXPECT_THAT(refusal(launch), HasSubstr("its exec_directory 'results' cannot be used: it is relative"));
  launch = a_launch();
  launch.job_types = "devel\n\"--type=normal";
  EXPECT_THAT(refusal(launch), HasSubstr("its cluster_job_type '\"--type=normal'"));
  launch = a_launch();
  launch.request = "{$(id)=1}/core=1";
  EXPECT_THAT(refusal(launch), HasSubstr("its resources"));
  launch = a_launch();
  launch.memory_mb = 1024;
  launch.memory_property = "mem; drop table jobs";
  EXPECT_THAT(refusal(launch), HasSubstr("; cannot be in it"));
}

TEST(RunnerSubmission, ATypeWithAComma_IsOneTypeForOar) {
  auto launch = a_launch();
  launch.job_types = "devel\ntimesharing=user,*";
  launch.best_effort = true;
  const auto request = submission_of(
      launch,
      {{.job = grid::JobId{1}, .task = grid::TaskNumber{0}, .attempt = 1, .fence = grid::LaunchId{7}, .form = 'l', .parameter = "a"}},
      "alpha", "grid", kNotice);
  ASSERT_TRUE(request) << request.error();
  EXPECT_THAT(request->request.types, ::testing::ElementsAre("devel", "timesharing=user,*", "besteffort"));
}

TEST(RunnerSubmission, OarSignalsTasksWithCheckpoints_AsLongBeforeTheirEndAsIsAllowed) {
  const auto before_end = [](grid::Seconds cost, grid::Seconds notice) {
    auto launch = a_launch();
    launch.walltime = grid::Seconds{36'000};
    launch.checkpoint_signal = "USR1";
    launch.checkpoint_cost = cost;
    const auto request = submission_of(launch, {}, "alpha", "grid", notice).value().request;
    return request.checkpoint ? request.checkpoint->before_end : grid::Seconds{0};
  };
  EXPECT_EQ(before_end(grid::Seconds{20}, kNotice), grid::Seconds{50});
  EXPECT_EQ(before_end(grid::Seconds{3600}, kNotice), kNotice);
  EXPECT_EQ(before_end(grid::Seconds{20}, grid::Seconds{0}), grid::Seconds{0});
}

TEST(RunnerSubmission, OnlyWhereStartsAreToBeMeasured_TheScriptNotesTimes) {
  const auto command_of = [](const store::LaunchToMake& launch) {
    const std::vector<store::LaunchLine> lines{
        {.job = grid::JobId{1}, .task = grid::TaskNumber{0}, .attempt = 1, .fence = grid::LaunchId{7}, .form = 'l', .parameter = "a"}};
    return submission_of(launch, lines, "alpha", "grid", kNotice).value().request.command;
  };
  auto measured = a_launch();
  measured.to_measure = true;
  EXPECT_GT(command_of(measured).size(), command_of(a_launch()).size());
}

TEST(RunnerSubmission, OfShellText_TheWordsAreSentAsTheyAreWritten_AndAPoolsToo) {
  auto launch = a_launch();
  launch.pool = grid::Seconds{120};
  const auto sent = [&] {
    std::vector<store::LaunchLine> lines;
    for (int task = 0; task < 3; ++task)
      lines.push_back({.job = grid::JobId{task + 1},
                       .task = grid::TaskNumber{task},
                       .attempt = 0,
                       .fence = grid::LaunchId{7},
                       .pooled = task > 0,
                       .form = task == 2 ? 'a' : 'l',
                       .parameter = task == 2 ? R"(["$HOME","b"])" : "$HOME 'b'"});
    return submission_of(launch, lines, "alpha", "grid", kNotice).value();
  };
  const auto line = [](int task, const std::string& words) {
    return fmt::format("{} 0 {} 7 {}", task, task + 1, base64(words + std::string(1, '\0')));
  };
  const std::string nul(1, '\0');
  EXPECT_THAT(sent().request.lines, testing::ElementsAre(line(0, "$HOME" + nul + "b")));
  EXPECT_EQ(sent().pool, line(1, "$HOME" + nul + "b") + "\n" + line(2, "$HOME" + nul + "b") + "\n.\n");
  launch.params_shell = true;
  EXPECT_THAT(sent().request.lines, testing::ElementsAre(line(0, "$HOME" + nul + "'b'")));
  EXPECT_EQ(sent().pool, line(1, "$HOME" + nul + "'b'") + "\n" + line(2, "'$HOME'" + nul + "b") + "\n.\n");
}

TEST(RunnerSubmission, OnlyWithPlaceholders_BracesAreNoText) {
  auto launch = a_launch();
  launch.exec_file = "run {1}";
  const auto plain = submission_of(launch, {}, "alpha", "grid", kNotice).value().request.command;
  launch.placeholders = true;
  EXPECT_NE(submission_of(launch, {}, "alpha", "grid", kNotice).value().request.command, plain);
}

/// Best-effort jobs stay so whatever the other options are.
TEST(RunnerSubmission, AConditionKeepsItsBrackets_WhenMemoryIsAddedToIt) {
  auto launch = a_launch();
  launch.memory_mb = 1024;
  launch.memory_property = "mem";
  launch.properties = "1 = 1) OR (1 = 1";
  EXPECT_THAT(refusal(launch), HasSubstr("its properties"));
}

/// Whatever reads the folder on a front end may carry out what stands in it.
TEST(RunnerSubmission, TheFolderOfItsTasks_IsTheWrappersAlone_AndOarsFilesAreInTheHome) {
  auto launch = a_launch();
  launch.exec_directory = "$HOME/(x) & y; touch z";
  auto submission = submission_of(launch, {}, "alpha", "grid", kNotice).value();
  EXPECT_EQ(submission.request.stdout_file, "OAR.cigri.3.log");
  EXPECT_EQ(submission.request.stderr_file, "OAR.cigri.3.log");
  EXPECT_THAT(oar::submission_body(submission.request), ::testing::Not(HasSubstr("touch")));
  launch.exec_directory = "$HOME";
  submission = submission_of(launch, {}, "alpha", "grid", kNotice).value();
  EXPECT_EQ(submission.request.stdout_file, "OAR.cigri.3.%jobid%.stdout");
  EXPECT_EQ(submission.request.stderr_file, "OAR.cigri.3.%jobid%.stderr");
  launch.shares_home = true;
  submission = submission_of(launch, {}, "al.pha", "grid", kNotice).value();
  EXPECT_EQ(submission.request.stdout_file, "OAR.cigri.3.al_pha.%jobid%.stdout") << "jobs of two OARs may have one number";
}

TEST(RunnerSubmission, OfACampaignWithAnOutputDirectory_HasOneFileOfOar_ForTheWholeCampaign) {
  auto launch = a_launch();
  launch.output_directory = "$HOME/results/3";
  const auto submission = submission_of(launch, {}, "alpha", "grid", kNotice);
  ASSERT_TRUE(submission) << submission.error();
  EXPECT_EQ(submission->request.stdout_file, "OAR.cigri.3.log");
  EXPECT_EQ(submission->request.stderr_file, "OAR.cigri.3.log");
  launch.output_directory = "/tmp/`id`";
  EXPECT_THAT(refusal(launch), HasSubstr("its output_directory '/tmp/`id`' cannot be used"));
}

TEST(RunnerSubmission, TheConditionWithoutSomeNodes_IsOneForOar_AndTakesNoNameThatIsNone) {
  EXPECT_EQ(condition_without(std::vector<std::string>{"node-1.example.org"}), "network_address <> 'node-1.example.org'");
  EXPECT_EQ(condition_without(std::vector<std::string>{"a", "b"}), "network_address <> 'a' AND network_address <> 'b'");
  EXPECT_EQ(condition_without(std::vector<std::string>{}), "");
  for (const auto* const name : {"", "a' OR 'b", "a b", "$(id)"}) EXPECT_FALSE(condition_without(std::vector<std::string>{name})) << name;
  auto launch = a_launch();
  launch.properties = "(host LIKE 'node-1%') AND " + *condition_without(std::vector<std::string>{"node-12"});
  EXPECT_EQ(refusal(launch), "accepted");
}

/// It keeps the campaign's project and properties, which say where its tasks run.
TEST(RunnerSubmission, OfAScript_IsABashOfItsOwn_InTheHome_AndNotBestEffort) {
  auto launch = a_launch();
  launch.script = grid::Script::epilogue;
  launch.exec_file = "cd $HOME\necho 'a b' # c";
  launch.exec_directory = "$HOME";
  launch.request = "/resource_id=1";
  launch.best_effort = false;
  const store::LaunchLine line{.job = grid::JobId{1},
                               .task = grid::task_of(grid::Script::epilogue, grid::ClusterId{1}),
                               .attempt = 0,
                               .fence = grid::LaunchId{7},
                               .form = 'l',
                               .parameter = ""};
  const auto submission = submission_of(launch, {line}, "alpha", "grid", kNotice);
  ASSERT_TRUE(submission) << submission.error();
  EXPECT_THAT(submission->request.lines, testing::ElementsAre("-2 0 1 7 -"));
  EXPECT_THAT(submission->request.types, testing::ElementsAre("devel", "inner=12"));
  EXPECT_EQ(submission->request.properties, "host LIKE 'node-1%'");
  EXPECT_EQ(submission->request.resources, "/resource_id=1");
  EXPECT_EQ(submission->request.stderr_file, "OAR.cigri.3.%jobid%.stderr");
}

}  // namespace
}  // namespace gleaner::runner
