#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>

#include "tests/system/grid_under_test.hpp"

/// Outputs of one campaign as input files of the next (input_from).
namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string content_of(const fs::path& file) {
  std::ifstream stream{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

/// The file of a task says which attempt wrote it, in as many bytes for each.
std::string result_of(std::int64_t task, const std::string& attempt) { return fmt::format("result {} of attempt {}\n", task, attempt); }

class InputFrom : public ::testing::Test {
 protected:
  InputFrom() {
    grid = std::make_unique<GridUnderTest>();
    grid->start_api();
    fs::create_directories(place());
  }
  [[nodiscard]] fs::path place() const { return grid->folder() / "campaign"; }
  [[nodiscard]] fs::path outputs(grid::CampaignId of) const { return place() / fmt::format("outputs-{}", of.value()); }

  /// Tasks that leave a file each; `before` is shell text, with the task as $1.
  grid::CampaignId producing(int tasks, const std::string& before = ":", const std::string& more = R"("min_duration": "0")") {
    return grid->gridsub(fmt::format(
        R"j({{"name": "first", "nb_jobs": {}, "output_directory": "results", "output_files": ["result-{{TASK}}.dat"], {},
          "exec_file": "sh -c 'echo result $1 of attempt $CIGRI_ATTEMPT > result-$1.dat; echo out $1; {}' sh", "clusters": {{"alpha": {{}}, "beta": {{}}}}}})j",
        tasks, more, before));
  }
  /// Runs gridsub on a campaign whose tasks read the file of the task that their first word names, and compare it with their second one.
  process::Captured next(grid::CampaignId from, const std::string& params, const std::string& more = "",
                         std::vector<std::string> options = {}) {
    return next_with(from, fmt::format("outputs-{}/{{1}}/result-{{1}}.dat", from.value()), params, more, std::move(options));
  }
  process::Captured next_with(grid::CampaignId from, const std::string& pattern, const std::string& params, const std::string& more = "",
                              std::vector<std::string> options = {}) {
    std::ofstream{place() / "next.json"} << fmt::format(
        R"j({{"name": "next", "params": [{}], "input_from": {}, "input_files": ["{}"], "min_duration": "0"{},
          "exec_file": "sh -c '[ \"$(cat $CIGRI_INPUTS/outputs-{}/$1/result-$1.dat)\" = \"$2\" ]' sh", "clusters": {{"alpha": {{}}, "beta": {{}}}}}})j",
        params, from.value(), pattern, more, from.value());
    options.insert(options.end(), {"-f", (place() / "next.json").string()});
    return grid->run("gridsub", options);
  }
  /// Each with the attempt that did it, as the database has it.
  std::string params_of(grid::CampaignId from, const std::set<std::int64_t>& tasks) {
    std::string params;
    for (const auto task : tasks) {
      auto result = result_of(task, attempt_of(from, task));
      result.pop_back();
      params += fmt::format(R"({}["{}", "{}"])", params.empty() ? "" : ", ", task, result);
    }
    return params;
  }
  std::string attempt_of(grid::CampaignId from, std::int64_t task) {
    return grid->value(
        fmt::format("SELECT attempt FROM jobs WHERE campaign_id = {} AND task = {} AND ending = 'done'", from.value(), task));
  }
  [[nodiscard]] ::testing::AssertionResult is_refused(const process::Captured& ran, const std::vector<std::string>& words) {
    if (ran.end.succeeded()) return ::testing::AssertionFailure() << "it was submitted: " << ran.output;
    for (const auto& word : words) {
      if (ran.output.find(word) == std::string::npos) return ::testing::AssertionFailure() << "'" << word << "' is not in: " << ran.output;
    }
    if (ran.output.find("nothing was submitted") == std::string::npos) return ::testing::AssertionFailure() << ran.output;
    return ::testing::AssertionSuccess();
  }
  std::unique_ptr<GridUnderTest> grid;
};

TEST_F(InputFrom, BringsTheOutputsOfTheAttemptsThatAreDone_AndEachTaskReadsTheRightOne) {
  grid->almighty().start();
  // Task 2 leaves a file, and fails; its next attempt leaves another one of the same size.
  const auto first = producing(6, "[ $1 != 2 ] || [ $CIGRI_ATTEMPT != 0 ]", R"("min_duration": "0", "retries": 3)");
  ASSERT_TRUE(grid->terminates(first));
  ASSERT_NE(attempt_of(first, 2), "0");
  // The stale file, as an earlier gridget could have left it.
  fs::create_directories(outputs(first) / "2");
  std::ofstream{outputs(first) / "2/result-2.dat"} << result_of(2, "0");
  const auto params = params_of(first, {0, 1, 2, 4});

  const auto dry = next(first, params, "", {"--dry-run"});
  EXPECT_TRUE(dry.end.succeeded()) << dry.output;
  EXPECT_THAT(dry.output, AllOf(HasSubstr("4 files would be fetched from campaign 1 into "), HasSubstr("; 0 are there")));
  EXPECT_FALSE(fs::exists(outputs(first) / "0"));
  const auto foreseen = next(first, params, "", {"--what-if"});
  EXPECT_TRUE(foreseen.end.succeeded()) << foreseen.output;
  EXPECT_FALSE(fs::exists(outputs(first) / "0"));

  const auto ran = next(first, params);
  ASSERT_TRUE(ran.end.succeeded()) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("fetching 4 files of campaign 1 (88 B)"), HasSubstr("sending 4 of 4 input files")));
  EXPECT_EQ(content_of(outputs(first) / "0/result-0.dat"), result_of(0, attempt_of(first, 0)));
  EXPECT_FALSE(fs::exists(outputs(first) / "3")) << "no task reads it";
  const auto second = grid::CampaignId{grid->number("SELECT max(id) FROM campaigns")};
  ASSERT_TRUE(grid->terminates(second));
  EXPECT_EQ(grid->number(fmt::format("SELECT done FROM campaigns WHERE id = {}", second.value())), 4);
  EXPECT_THAT(grid->run("gridstat", {std::to_string(second.value()), "--jdl"}).output, HasSubstr("\"input_from\""));
  EXPECT_TRUE(grid->is_consistent());

  // All is here: nothing is fetched, and nothing is sent.
  const auto again = next(first, params);
  ASSERT_TRUE(again.end.succeeded()) << again.output;
  EXPECT_THAT(again.output, AllOf(Not(HasSubstr("fetching")), Not(HasSubstr("sending"))));
  const auto got = grid->run("gridget", {"1", "--to", outputs(first).string()});
  EXPECT_TRUE(got.end.succeeded()) << got.output;
  EXPECT_THAT(got.output, HasSubstr("4 were there"));
}

TEST_F(InputFrom, OfOneTask_IsFetchedForALocalRun_WhateverTheOthersNeed) {
  grid->almighty().start();
  const auto first = producing(3, "[ $1 != 2 ]", R"("min_duration": "0", "retries": 0)");
  ASSERT_TRUE(grid->terminates(first));
  const auto local = next(first, params_of(first, {0, 1}) + R"(, ["2", "never"])", "", {"--local", "1"});
  EXPECT_TRUE(local.end.succeeded()) << local.output;
  EXPECT_TRUE(fs::exists(outputs(first) / "1/result-1.dat"));
  EXPECT_FALSE(fs::exists(outputs(first) / "0"));
  EXPECT_FALSE(next(first, R"(["0", "something else"])", "", {"--local", "0"}).end.succeeded());
}

TEST_F(InputFrom, OfTasksFromAThousandOn_AreNamedWithTheirFolderOrWithoutIt) {
  grid->almighty().start();
  const auto first = producing(1003, ":", R"("min_duration": "0", "temporal_grouping": true)");
  ASSERT_TRUE(grid->terminates(first));
  const auto ran = next(first, params_of(first, {999, 1000, 1002}));
  ASSERT_TRUE(ran.end.succeeded()) << ran.output;
  EXPECT_TRUE(fs::exists(outputs(first) / "1000" / (attempt_of(first, 1002) == "0" ? "1002" : "1002." + attempt_of(first, 1002))));
  const auto second = grid::CampaignId{grid->number("SELECT max(id) FROM campaigns")};
  ASSERT_TRUE(grid->terminates(second));
  EXPECT_EQ(grid->number(fmt::format("SELECT done FROM campaigns WHERE id = {}", second.value())), 3);
  const auto in_full = next_with(first, "outputs-1/1000/{1}.out", R"(["1001", "?"])", "", {"--dry-run"});
  EXPECT_TRUE(in_full.end.succeeded()) << in_full.output;
  EXPECT_THAT(in_full.output, HasSubstr("1 file would be fetched from campaign 1"));
}

TEST_F(InputFrom, ThatCannotBeHad_IsRefusedInWordsThatSayWhy) {
  grid->almighty().start();
  const auto first = producing(5, "[ $1 -lt 3 ]", R"("min_duration": "0", "retries": 0)");
  ASSERT_TRUE(grid->terminates(first));
  EXPECT_TRUE(is_refused(next(grid::CampaignId{99}, R"("0")"), {"next.json: input_from: ", "99"}));
  EXPECT_TRUE(
      is_refused(next(first, R"("1", "3", "4")"),
                 {"input_from: task 1 reads 'outputs-1/3/result-3.dat', and task 3 of campaign 1 is failed; nor can 1 more task be read",
                  "'gridsub --retry 1' runs its failed tasks again"}));
  EXPECT_TRUE(is_refused(next(first, R"("5")"), {"campaign 1 has no task 5: its tasks are 0 to 4"}));
  EXPECT_TRUE(is_refused(next_with(first, "outputs-1/{1}/resu1t-0.dat", R"("0")"),
                         {"task 0 of campaign 1 left no such file (did you mean 'outputs-1/0/result-0.dat'?)"}));
  EXPECT_TRUE(
      is_refused(next_with(first, "outputs-1/{1}", R"("0")"), {"'outputs-1/0', which names no output of a task", "outputs-1/7.out"}));
  EXPECT_TRUE(is_refused(next_with(first, "{1}.out", R"("0")"), {"input_from: no pattern of input_files begins with outputs-1/"}));
  for (const auto* cluster : {"alpha", "beta"}) fs::remove(grid->cluster(cluster).home("alice") / "results/1/0.out");
  EXPECT_TRUE(is_refused(next_with(first, "outputs-1/{1}.out", R"("0")"), {"that file of campaign 1 is not on ", " any more"}));
  fs::create_directories(outputs(first) / ".gridget");
  std::ofstream{outputs(first) / ".gridget/campaign"} << "1 of alice, on another grid\n";
  EXPECT_TRUE(is_refused(next(first, R"("0")"), {"outputs-1 holds other files than the outputs of campaign 1", "move it away"}));
  EXPECT_EQ(grid->number("SELECT count(*) FROM campaigns"), 1);
  EXPECT_EQ(grid->number("SELECT count(*) FROM inputs"), 0);
}

TEST_F(InputFrom, OfACampaignThatIsNotOver_IsRefused_AlsoBesideAfter) {
  const auto first = producing(2);
  const auto waiting = next(first, R"("0", "1")");
  EXPECT_TRUE(is_refused(waiting, {"task 0 of campaign 1 is waiting; nor can 1 more task be read: 'gridwait 1' waits for its end"}));
  for (const auto* after : {R"(, "after": 1)", R"(, "after": "first")", R"(, "after_each": 1)"}) {
    const std::string key = std::string{after}.find("each") == std::string::npos ? "after" : "after_each";
    EXPECT_TRUE(is_refused(next(first, R"("0", "1")", after),
                           {"input_from fetches at the submission, which " + key + " does not delay: 'gridwait 1' waits for its end",
                            "keep " + key + ", leave out input_from"}));
  }
}

TEST_F(InputFrom, StaysForAppendedTasks_WhichUseTheFilesThatAreThere) {
  grid->almighty().start();
  const auto first = producing(3);
  ASSERT_TRUE(grid->terminates(first));
  const auto params = params_of(first, {0, 1});
  ASSERT_TRUE(next(first, params).end.succeeded());
  const auto append = [&](const std::string& words) { return grid->run("gridsub", {"--campaign", "2", "-J", "[" + words + "]"}); };
  const auto lacking = append(params_of(first, {2}));
  EXPECT_FALSE(lacking.end.succeeded());
  EXPECT_THAT(lacking.output,
              HasSubstr("its input file 'outputs-1/2/result-2.dat' is not among those that the campaign was submitted with"));
  const auto appended = append(params_of(first, {1}));
  EXPECT_TRUE(appended.end.succeeded()) << appended.output;
  ASSERT_TRUE(grid->terminates(grid::CampaignId{2}));
  EXPECT_EQ(grid->number("SELECT done FROM campaigns WHERE id = 2"), 3);
  const auto edited = grid->run("gridsub", {"--edit", "2", "input_from=1"});
  EXPECT_FALSE(edited.end.succeeded());
}

}  // namespace
}  // namespace gleaner::tests
