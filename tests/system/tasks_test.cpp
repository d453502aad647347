#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "clients/json.hpp"
#include "tests/system/grid_under_test.hpp"

/// Actions of users on single tasks, by the commands, over the API.
namespace gleaner::tests {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Tasks : public ::testing::Test {
 protected:
  void SetUp() override {
    grid.start_api();
    grid.almighty().start();
  }
  static std::string text_of(grid::CampaignId campaign) { return std::to_string(campaign.value()); }
  std::string of(grid::CampaignId campaign, const std::string& column) {
    return fmt::format("SELECT {} FROM campaigns WHERE id = {}", column, campaign.value());
  }
  /// A campaign on alpha whose tasks run this script, in which $1 is the task's number.
  grid::CampaignId running(const std::string& script, std::int64_t tasks, const std::string& more = {}) {
    const auto file = grid.folder() / "task.sh";
    std::ofstream{file} << script << "\n";
    return grid.gridsub(fmt::format(
        R"({{"name": "t", "exec_file": "sh {}", "walltime": "0:10:0", "resources": "/core=1", "nb_jobs": {}{}, "clusters": {{"alpha": {{}}}}}})",
        file.string(), tasks, more));
  }
  process::Captured gridstat(std::vector<std::string> arguments) { return grid.run("gridstat", std::move(arguments)); }
  GridUnderTest grid;
};

TEST_F(Tasks, ThatWaitAndThatRun_AreCancelled_AndTheOthersAreDone) {
  const auto campaign = grid.gridsub(grid.jdl_of({.tasks = 30, .exec_file = grid.oracle().gated_task(), .max_jobs = 4}));
  ASSERT_TRUE(grid.becomes(of(campaign, "running >= 4"), "t"));
  const auto runs = grid.value("SELECT number FROM tasks WHERE state = 'running' ORDER BY number LIMIT 1");
  const auto cancelled = grid.run("griddel", {text_of(campaign), "--task", runs + ",20-24"});
  EXPECT_TRUE(cancelled.end.succeeded()) << cancelled.output;
  EXPECT_EQ(cancelled.output, fmt::format("Campaign {}: 5 tasks cancelled, 1 task cancelled when its job is killed\n", campaign.value()));
  ASSERT_TRUE(grid.becomes(of(campaign, "cancelled"), "6")) << "it is killed while it waits at the gate";
  grid.oracle().open_gate();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.value(of(campaign, "concat_ws(' ', done, failed, cancelled)")), "24 0 6");
  EXPECT_EQ(grid.value("SELECT string_agg(number::text, ',' ORDER BY number) FROM tasks WHERE state = 'cancelled'"),
            runs + ",20,21,22,23,24");
  EXPECT_EQ(grid.value("SELECT count(*) FROM jobs WHERE task BETWEEN 20 AND 24"), "0");
  EXPECT_EQ(grid.oracle().executions(campaign).size(), 24U);
  EXPECT_TRUE(grid.is_consistent());
  const auto again = grid.run("griddel", {text_of(campaign), "--task", "20"});
  EXPECT_EQ(again.end.text(), "exit status 4") << again.output;
}

TEST_F(Tasks, ThatFailed_AreRetriedOneByOne_AndTheirHistoryShowsBothAttempts) {
  const auto campaign = running("exit 3", 3, R"(, "max_attempts": 1)");
  ASSERT_TRUE(grid.becomes(of(campaign, "failed"), "3"));
  const auto retried = grid.run("gridsub", {"--retry", text_of(campaign), "--task", "1"});
  EXPECT_EQ(retried.output, fmt::format("1 failed task of campaign {} will run again\n", campaign.value()));
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM jobs WHERE task = 1 AND ending = 'task_error'", "2"));
  ASSERT_TRUE(grid.becomes(of(campaign, "failed"), "3"));
  EXPECT_EQ(grid.value("SELECT count(*) FROM jobs WHERE task <> 1"), "2");
  const auto history = gridstat({text_of(campaign), "--task", "1"});
  EXPECT_THAT(history.output, HasSubstr(fmt::format("Task 1 of campaign {}: failed\n", campaign.value())));
  EXPECT_THAT(history.output, HasSubstr("exit status 3\n"));
  const auto csv = gridstat({text_of(campaign), "--task", "1", "--csv"});
  EXPECT_EQ(std::count(csv.output.begin(), csv.output.end(), '\n'), 3) << csv.output;
  EXPECT_THAT(csv.output, HasSubstr("task_error,3,alpha")) << "with the host";
  const auto all = gridstat({text_of(campaign), "--csv"});
  EXPECT_THAT(all.output, AllOf(HasSubstr("\n0,failed,alpha,"), HasSubstr("\n2,failed,alpha,"), HasSubstr(",3,task_error,1,1,")));
  EXPECT_EQ(gridstat({text_of(campaign), "--csv", "-H", "--state", "failed"}).output, all.output.substr(all.output.find('\n') + 1));
  const auto document = clients::Json::parse(gridstat({text_of(campaign), "--json", "--full"}).output);
  ASSERT_TRUE(document);
  EXPECT_EQ((*document)["task_list"]["count"].integer(), 3);
  EXPECT_EQ((*document)["task_list"]["items"].items()[2]["exit_code"].integer(), 3);
  EXPECT_FALSE((*document)["stats"].is_null());
}

/// Alone and in a pool, with OAR's own files of stderr, the wrapper's, and those of an output_directory.
TEST_F(Tasks, ThatFailedAlike_AreOneGroup_WhichIsRetriedAlone) {
  const std::string script =
      "[ $1 -lt 3 ] || { echo; echo \"no such mesh: mesh_$1 / \xc3\xa9\" >&2; exit 3; }\n"
      "printf 'Traceback (most recent call last):\\n  File \"a.py\", line 3\\nValueError: %s\\n' $1 >&2; exit 1";
  for (const std::string more : {R"(, "retries": 0)", R"(, "retries": 0, "temporal_grouping": true)",
                                 R"(, "retries": 0, "output_directory": "$HOME/out", "temporal_grouping": true)"}) {
    const auto campaign = running(script, 5, more);
    ASSERT_TRUE(grid.becomes(of(campaign, "failed"), "5")) << more;
    const auto failures = clients::Json::parse(gridstat({text_of(campaign), "--failures", "--json"}).output);
    ASSERT_TRUE(failures) << more;
    const auto& groups = (*failures)["items"].items();
    ASSERT_EQ(groups.size(), 2U) << more << gridstat({text_of(campaign), "--failures"}).output;
    EXPECT_EQ(groups[0]["stderr_pattern"].text(), "ValueError: #") << more;
    EXPECT_EQ(groups[1]["stderr_pattern"].text(), "no such mesh: mesh_# / \xc3\xa9") << more;
    EXPECT_EQ(groups[1]["first_tasks"].items()[0].integer(), 3) << more;
    EXPECT_EQ(groups[1]["exit_code"].integer(), 3) << more;
    const auto group = std::to_string(groups[1]["id"].integer());
    EXPECT_THAT(grid.run("gridsub", {"--retry", text_of(campaign), "--failure", group}).output,
                StartsWith("2 failed tasks of group " + group));
    ASSERT_TRUE(grid.becomes(of(campaign, "failed"), "5")) << more << ": they fail again";
    EXPECT_EQ(grid.value(fmt::format("SELECT count(*) FROM jobs WHERE campaign_id = {} AND ending = 'task_error'", campaign.value())), "7");
    EXPECT_THAT(gridstat({text_of(campaign), "--failures"}).output, AllOf(HasSubstr("3,4"), HasSubstr("ValueError"))) << more;
  }
  EXPECT_THAT(grid.run("gridsub", {"--failure", "1"}).output, HasSubstr("--failure goes with --retry"));
  EXPECT_THAT(grid.run("gridsub", {"--retry", "1", "--failure", "1", "--task", "1"}).output, HasSubstr("exclude each other"));
  EXPECT_TRUE(grid.is_consistent());
}

TEST_F(Tasks, Document003_MemoryProfile_IsInTheHistoryOfATask_AndTheMostInItsCampaign) {
  const auto campaign = running("head -c 90000000 /dev/zero | tail -c 80000000 | wc -c", 12);
  ASSERT_TRUE(grid.terminates(campaign));
  // No end waits for these figures, so some may be missing.
  const auto measured = grid.number("SELECT memory_jobs FROM campaign_clusters");
  ASSERT_GE(measured, 5);
  const auto most = grid.number("SELECT peak_memory_mb FROM campaign_clusters");
  EXPECT_GE(most, 80'000'000 / 1024 / 1024);
  EXPECT_LT(most, 250);
  EXPECT_GT(std::stod(grid.value("SELECT cpu_s FROM campaign_clusters")), 0);
  EXPECT_THAT(gridstat({text_of(campaign)}).output,
              HasSubstr(fmt::format("alpha: {} measured tasks took {} MB of memory at most\n", measured, most)));
  const auto task = grid.value(fmt::format("SELECT task FROM jobs WHERE peak_memory_mb = {} LIMIT 1", most));
  EXPECT_THAT(gridstat({text_of(campaign), "--task", task, "--csv"}).output, HasSubstr(fmt::format(",{},", most)));
}

TEST_F(Tasks, Document003_WhatTasksReadAndWrite_IsMeasured_AndTheFileServerBoundsTheirJobs) {
  std::ifstream counters{"/proc/self/io"};
  if (!counters) GTEST_SKIP() << "the kernel counts no bytes";
  ASSERT_TRUE(grid.run("gridctl", {"cluster", "edit", "alpha", "--file-server", "0.5"}).end.succeeded());
  const auto campaign = running("dd if=/dev/zero of=$HOME/written.$1 bs=1M count=4 conv=fsync 2> /dev/null; sleep 1; :", 6);
  ASSERT_TRUE(grid.becomes("SELECT bool_or(io_jobs > 0) FROM campaign_clusters", "t"));
  if (std::stod(grid.value("SELECT sum(io_mb) FROM campaign_clusters")) < 1) GTEST_SKIP() << "this file system counts no bytes";
  EXPECT_TRUE(grid.becomes("SELECT bool_or(reason = 'file_server_full' AND figures::text LIKE '%0.5%') FROM decisions", "t"))
      << "4 MB/s and less for each of its jobs";
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_THAT(gridstat({text_of(campaign)}).output, HasSubstr("MB/s a task on average"));
}

TEST_F(Tasks, OfWhichMoreFailThanMaxFailsAllows_PauseTheirCampaign) {
  const auto campaign = running("exit $(( $1 % 2 ))", 40, R"(, "max_attempts": 1, "max_jobs": 2, "max_fails": "10%")");
  ASSERT_TRUE(grid.becomes(of(campaign, "state"), "paused"));
  const auto events = gridstat({text_of(campaign), "--events"});
  EXPECT_THAT(events.output, HasSubstr("MAX_FAILS"));
  EXPECT_THAT(events.output, HasSubstr("max_fails: 10%, which is 4 of"));
  ASSERT_TRUE(grid.becomes(of(campaign, "launching + submitted + running"), "0"));
  const auto failed = grid.number(of(campaign, "failed"));
  EXPECT_GT(failed, 4);
  EXPECT_TRUE(grid.run("gridsub", {"--resume", text_of(campaign)}).end.succeeded());
  ASSERT_TRUE(grid.becomes(of(campaign, fmt::format("state = 'paused' AND failed > {} + 4", failed)), "t")) << "it counts anew";
  EXPECT_TRUE(grid.is_consistent());
}

TEST_F(Tasks, Outputs_AreShownWhileATaskRunsAndAfterIt) {
  const auto gate = grid.folder() / "gate";
  const auto campaign = running(
      fmt::format("echo task $1; echo oops >&2; printf '\\377\\n'; while [ ! -e {} ]; do sleep 0.1; done; echo end", gate.string()), 1);
  ASSERT_TRUE(grid.becomes(of(campaign, "running"), "1"));
  const std::vector<std::string> task{text_of(campaign), "--task", "0"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), task.begin(), task.end());
    return gridstat(more);
  };
  ASSERT_TRUE(await([&] { return with({"-O"}).output.ends_with("\xEF\xBF\xBD\n"); }));
  const auto now = with({"-O"});
  EXPECT_THAT(now.output, EndsWith("\ntask 0\n\xEF\xBF\xBD\n")) << "a byte that is not UTF-8 does no harm";
  EXPECT_THAT(now.output, StartsWith("gridstat: task 0, attempt 0 on alpha (OAR job "));
  EXPECT_THAT(with({"-E"}).output, EndsWith("\noops\n"));
  EXPECT_THAT(gridstat({"-j", grid.value("SELECT id FROM jobs"), "-E"}).output, EndsWith("\noops\n"));
  auto follower = grid.background("gridstat", {text_of(campaign), "--task", "0", "-O", "--follow"});
  follower.start();
  ASSERT_TRUE(await([&] { return tail_of(follower.log(), 9).find("task 0\n") != std::string::npos; }));
  std::filesystem::create_directory(gate);
  EXPECT_TRUE(await([&] { return !follower.is_running(); }));
  EXPECT_THAT(tail_of(follower.log(), 9), EndsWith("\ntask 0\n\xEF\xBF\xBD\nend\n"));
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_THAT(with({"-O", "--lines", "1"}).output, AllOf(EndsWith("\nend\n"), Not(HasSubstr("task 0\n"))));
  EXPECT_THAT(with({"-O", "--json"}).output, HasSubstr("\"is_whole\":true"));
  const auto followed = with({"-O", "--follow"});
  EXPECT_TRUE(followed.end.succeeded());
  EXPECT_THAT(followed.output, EndsWith("\ntask 0\n\xEF\xBF\xBD\nend\n"));
}

TEST_F(Tasks, OutputOfATaskThatWroteNothing_OrWhoseFileIsGone_IsExplained) {
  const auto campaign = running("rm -f $HOME/OAR.cigri.$CIGRI_CAMPAIGN_ID.$OAR_JOB_ID.stderr", 1);
  ASSERT_TRUE(grid.terminates(campaign));
  const auto empty = gridstat({text_of(campaign), "--task", "0", "-O"});
  EXPECT_TRUE(empty.end.succeeded()) << empty.output;
  EXPECT_THAT(empty.output, HasSubstr("nothing is in /"));
  const auto gone = gridstat({text_of(campaign), "--task", "0", "-E"});
  EXPECT_EQ(gone.end.text(), "exit status 3") << gone.output;
  EXPECT_THAT(gone.output, AllOf(HasSubstr("there is no file"), HasSubstr("it was removed, or never made")));
  EXPECT_EQ(gridstat({text_of(campaign), "--task", "5", "-O"}).end.text(), "exit status 3");
  EXPECT_EQ(gridstat({text_of(campaign), "-O"}).end.text(), "exit status 2");
  EXPECT_EQ(gridstat({text_of(campaign), "--task", "0", "--follow"}).end.text(), "exit status 2");
}

}  // namespace
}  // namespace gleaner::tests
