#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "tests/system/grid_under_test.hpp"

/// Files beside the campaign file, from there to the tasks.
namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class InputFiles : public ::testing::TestWithParam<GridUnderTest::Backend> {
 protected:
  void SetUp() override {
    const bool real = GetParam() == GridUnderTest::Backend::real_oar;
    if (real && real_clusters().empty()) GTEST_SKIP() << "GLEANER_TEST_OAR names no testbed: nothing is tested on real OAR here";
    GridUnderTest::Wish wish;
    wish.backend = GetParam();
    if (real) wish.clusters.clear();
    grid = std::make_unique<GridUnderTest>(wish);
    grid->start_api();
    fs::create_directories(place());
  }
  [[nodiscard]] fs::path place() const { return grid->folder() / "campaign"; }
  void write(const std::string& path, const std::string& content) const {
    fs::create_directories((place() / path).parent_path());
    std::ofstream{place() / path, std::ios::binary} << content;
  }
  /// A file of 100 kB that checking_jdl names, with a content of its own.
  void write_for_task(int task, int file) const {
    auto content = fmt::format("file {}-{}\n", task, file);
    content.resize(100'000, static_cast<char>('a' + task));
    write(fmt::format("data/{}-{}.bin", task, file), content);
  }
  /// Writes the campaign file, and submits it.
  process::Captured submit(const std::string& jdl, std::vector<std::string> more = {}) {
    write("campaign.json", jdl);
    std::vector<std::string> arguments{"-f", (place() / "campaign.json").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return grid->run("gridsub", arguments);
  }
  grid::CampaignId submitted(const std::string& jdl) {
    const auto ran = submit(jdl);
    EXPECT_TRUE(ran.end.succeeded()) << ran.output;
    return grid::CampaignId{grid->number("SELECT max(id) FROM campaigns")};
  }
  std::unique_ptr<GridUnderTest> grid;
};

constexpr int kTasks = 16;

/// Each task has files of its own, one for each word of its parameter, and fails unless they have its content.
std::string checking_jdl(int files_of_task) {
  std::string patterns = R"("common")";
  for (int file = 1; file <= files_of_task; ++file) patterns += fmt::format(R"(,"data/{{{}}}.bin")", file);
  std::string params;
  for (int task = 0; task < kTasks; ++task) {
    params += params.empty() ? "[" : ",[";
    for (int file = 0; file < files_of_task; ++file) params += fmt::format(R"({}"{}-{}")", file == 0 ? "" : ",", task, file);
    params += "]";
  }
  return fmt::format(R"j({{"name": "inputs", "params": [{}], "input_files": [{}],
    "exec_file": "sh -c 'cd $CIGRI_INPUTS && [ \"$(cat common)\" = \"for all\" ] || exit 1; for w; do [ \"$(head -n 1 data/$w.bin)\" = \"file $w\" ] && [ $(wc -c < data/$w.bin) = 100000 ] || exit 2; done' sh",
    "clusters": {{"alpha": {{}}, "beta": {{}}}}}})j",
                     params, patterns);
}

TEST_P(InputFiles, ReachTheTasksOfEachCluster_OnceAndWhole_WhateverIsKilledMeanwhile) {
  const int files_of_task = long_runs() ? 63 : 8;  // of 100 kB: 1 008 files, or 128
  write("common", "for all");
  for (int task = 0; task < kTasks; ++task) {
    for (int file = 0; file < files_of_task; ++file) write_for_task(task, file);
  }
  // gridapi dies while it receives the files, and comes back.
  write("campaign.json", checking_jdl(files_of_task));
  auto submission = grid->background("gridsub", {"-f", (place() / "campaign.json").string()});
  submission.start();
  EXPECT_TRUE(grid->becomes("SELECT count(*) > 3 FROM inputs", "t"));
  grid->api().kill();
  grid->start_api();
  EXPECT_TRUE(await([&] { return !submission.is_running(); }));
  if (grid->number("SELECT count(*) FROM campaigns") == 0) static_cast<void>(submitted(checking_jdl(files_of_task)));
  const auto campaign = grid::CampaignId{grid->number("SELECT max(id) FROM campaigns")};
  EXPECT_EQ(grid->number("SELECT count(*) FROM inputs"), kTasks * files_of_task + 2) << "the files, and their list";
  // The conductor and its modules die again and again while pieces are on their way.
  for (int kill = 0; kill < 4; ++kill) {
    const auto before = grid->number("SELECT coalesce(sum(inputs_sent), 0) FROM campaign_clusters");
    grid->almighty().start();
    EXPECT_TRUE(await([&] {
      return grid->number("SELECT coalesce(sum(inputs_sent), 0) FROM campaign_clusters") > before ||
             grid->number("SELECT count(*) FROM campaign_clusters WHERE inputs_at IS NULL AND cleaned_at IS NULL") == 0;
    }));
    grid->almighty().kill();
  }
  grid->almighty().start();
  ASSERT_TRUE(grid->terminates(campaign));
  EXPECT_EQ(grid->number(fmt::format("SELECT done FROM campaigns WHERE id = {}", campaign.value())), kTasks);
  EXPECT_EQ(grid->number("SELECT count(*) FROM jobs WHERE ending = 'cannot_start'"), 0);
  EXPECT_EQ(grid->number("SELECT count(*) FROM clusters WHERE measured_mb_s > 0"), 2);
  EXPECT_TRUE(grid->is_consistent());
  // They go with the campaign's other files.
  ASSERT_TRUE(grid->becomes("SELECT count(*) FROM campaign_clusters WHERE inputs_login IS NOT NULL OR cleaned_at IS NULL", "0"));
}

TEST_P(InputFiles, AreThereForEachTaskOfAPool) {
  write("common", "for all");
  for (int task = 0; task < kTasks; ++task) write_for_task(task, 0);
  auto jdl = checking_jdl(1);
  jdl.replace(0, 1, R"({"temporal_grouping": true, "min_duration": "0", "max_jobs": 2, )");
  const auto campaign = submitted(jdl);
  grid->almighty().start();
  ASSERT_TRUE(grid->terminates(campaign));
  EXPECT_EQ(grid->number(fmt::format("SELECT done FROM campaigns WHERE id = {}", campaign.value())), kTasks);
  EXPECT_GT(grid->number("SELECT count(*) FROM jobs WHERE pooled AND ending = 'done'"), 0);
  EXPECT_EQ(grid->number("SELECT count(*) FROM jobs WHERE ending = 'cannot_start'"), 0);
  EXPECT_TRUE(grid->is_consistent());
}

TEST_P(InputFiles, GoOnlyToClustersOnWhichTasksRun) {
  write("common", "for all");
  const auto campaign = submitted(
      R"({"name": "few", "nb_jobs": 1, "input_files": ["common"], "exec_file": "sh -c 'cat $CIGRI_INPUTS/common' task", "clusters": {"alpha": {}, "beta": {}}})");
  grid->almighty().start();
  ASSERT_TRUE(grid->terminates(campaign));
  EXPECT_EQ(grid->number("SELECT done FROM campaigns"), 1);
  EXPECT_EQ(grid->number("SELECT count(*) FROM campaign_clusters WHERE inputs_served_at IS NOT NULL"), 1);
}

/// Document 003: "only needed data is transferred".
TEST_P(InputFiles, Document003_GoToACluster_ForTheTasksThatComeNext_AndATaskStartsWhenItsOwnAreThere) {
  for (int task = 0; task < kTasks; ++task) {
    auto content = fmt::format("file {}\n", task);
    content.resize(std::size_t{4} << 20, 'x');  // a piece
    write(fmt::format("data/{}.bin", task), content);
  }
  const auto campaign = submitted(fmt::format(
      R"j({{"name": "needed", "nb_jobs": {}, "input_files": ["data/{{1}}.bin"], "max_jobs": 1, "min_duration": "0",
        "exec_file": "sh -c 'head -n 1 $CIGRI_INPUTS/data/$1.bin | grep -qx \"file $1\" && {}' sh", "clusters": {{"alpha": {{}}, "beta": {{}}}}}})j",
      kTasks, grid->oracle().waits_at_gate()));
  grid->almighty().start();
  ASSERT_TRUE(grid->becomes("SELECT count(*) FROM jobs WHERE state = 'running'", "2"));
  ASSERT_TRUE(grid->becomes("SELECT count(*) FROM campaign_clusters WHERE inputs_wanted", "0"));
  EXPECT_GE(grid->number("SELECT min(inputs_sent) FROM campaign_clusters"), 1);
  EXPECT_LT(grid->number("SELECT max(inputs_sent) FROM campaign_clusters"), kTasks);
  EXPECT_EQ(grid->number("SELECT count(*) FROM campaign_clusters WHERE inputs_at IS NOT NULL"), 0);
  grid->oracle().open_gate();
  ASSERT_TRUE(grid->terminates(campaign));
  EXPECT_EQ(grid->number("SELECT done FROM campaigns"), kTasks);
  EXPECT_EQ(grid->number("SELECT count(*) FROM jobs WHERE ending = 'cannot_start'"), 0);
  EXPECT_TRUE(grid->is_consistent());
}

TEST_P(InputFiles, AreAlreadyThere_WhenAnotherCampaignHasTheSameContents) {
  write("common", "for all");
  write("data/0.bin", "x");
  const auto jdl =
      R"({"name": "again", "nb_jobs": 1, "input_files": ["common", "data/{1}.bin"], "exec_file": "true", "clusters": {"alpha": {}}})";
  EXPECT_THAT(submit(jdl).output, HasSubstr("sending 2 of 2 input files"));
  const auto again = submit(jdl);
  EXPECT_TRUE(again.end.succeeded());
  EXPECT_EQ(again.output.find("sending"), std::string::npos) << again.output;
}

TEST_P(InputFiles, ThatAreMissingBesideTheCampaignFile_NameTheTask_AndNothingIsSubmitted) {
  write("data/0.bin", "x");
  const auto jdl = R"({"name": "missing", "nb_jobs": 2, "input_files": ["data/{1}.bin"], "exec_file": "true", "clusters": {"alpha": {}}})";
  for (const auto& more : {std::vector<std::string>{}, std::vector<std::string>{"--dry-run"}}) {
    const auto ran = submit(jdl, more);
    EXPECT_FALSE(ran.end.succeeded());
    EXPECT_THAT(ran.output, HasSubstr("task 1, parameter '1': its input file"));
    EXPECT_THAT(ran.output, HasSubstr("there is no such file"));
  }
  EXPECT_EQ(grid->number("SELECT count(*) FROM inputs"), 0);
  EXPECT_EQ(grid->number("SELECT count(*) FROM campaigns"), 0);
}

/// A folder that stands for a full disk: OAR's answer is the same, success.
TEST_P(InputFiles, ThatCannotBeWrittenOnACluster_SayWhy_AndComeWhenThereIsRoom) {
  if (GetParam() == GridUnderTest::Backend::real_oar) GTEST_SKIP() << "the homes of real clusters are not the test's";
  const auto home = grid->cluster("alpha").home("alice");
  const auto token = grid->value("SELECT token FROM grid");
  const auto folder = home / ".gleaner" / token / "1" / "inputs";
  fs::create_directories(folder);
  fs::create_symlink("/dev/full", folder / "0");
  write("data/0.bin", std::string(200'000, 'x'));
  const auto campaign = submitted(
      R"({"name": "full", "nb_jobs": 1, "input_files": ["data/{1}.bin"], "exec_file": "sh -c '[ $(wc -c < $CIGRI_INPUTS/data/0.bin) = 200000 ]'", "clusters": {"alpha": {}}})");
  ASSERT_EQ(campaign.value(), 1);
  grid->almighty().start();
  ASSERT_TRUE(grid->becomes("SELECT count(*) FROM events WHERE code = 'INPUTS_NOT_SENT' AND state = 'open'", "1"));
  EXPECT_THAT(grid->value("SELECT message FROM events WHERE code = 'INPUTS_NOT_SENT'"), HasSubstr("is the home of alice on alpha full?"));
  ASSERT_TRUE(
      grid->becomes("SELECT count(*) FROM decisions WHERE figures ->> 'brake' LIKE '%its input files cannot be brought there%'", "1"));
  fs::remove(folder / "0");
  ASSERT_TRUE(grid->terminates(campaign));
  EXPECT_EQ(grid->number("SELECT done FROM campaigns WHERE id = 1"), 1);
  EXPECT_EQ(grid->number("SELECT count(*) FROM events WHERE code = 'INPUTS_NOT_SENT' AND state = 'open'"), 0);
}

TEST_P(InputFiles, ThatAreDamagedOnACluster_CostNoTask_AndAreBroughtAgain) {
  if (GetParam() == GridUnderTest::Backend::real_oar) GTEST_SKIP() << "the homes of real clusters are not the test's";
  write("gate", "closed");
  write("data/0.bin", "zero");
  write("data/1.bin", "one");
  const auto gate = grid->folder() / "gate";
  const auto campaign = submitted(fmt::format(
      R"j({{"name": "damaged", "nb_jobs": 2, "input_files": ["data/{{1}}.bin"], "max_jobs": 1,
        "exec_file": "sh -c 'until [ -e {} ]; do sleep 0.1; done; cat $CIGRI_INPUTS/data/$1.bin' sh", "clusters": {{"alpha": {{}}}}}})j",
      gate.string()));
  grid->almighty().start();
  ASSERT_TRUE(grid->becomes("SELECT count(*) FROM jobs WHERE state = 'running'", "1"));
  const auto inputs = grid->cluster("alpha").home("alice") / ".gleaner" / grid->value("SELECT token FROM grid") / "1" / "inputs";
  std::ofstream{inputs / "0"} << "damaged!\n";
  std::ofstream{gate}.flush();
  ASSERT_TRUE(grid->becomes("SELECT count(*) FROM events WHERE code = 'CANNOT_START'", "1"));
  EXPECT_THAT(grid->value("SELECT output FROM events WHERE code = 'CANNOT_START'"), HasSubstr("data/1.bin cannot be used"));
  ASSERT_TRUE(grid->terminates(campaign));
  EXPECT_EQ(grid->number("SELECT done FROM campaigns WHERE id = 1"), 2);
  EXPECT_EQ(grid->number("SELECT sum(charged) FROM tasks"), 0);
}

std::string name_of_backend(const ::testing::TestParamInfo<GridUnderTest::Backend>& info) {
  return info.param == GridUnderTest::Backend::minioar ? "Minioar" : "RealOar";
}
INSTANTIATE_TEST_SUITE_P(OnEachBackend, InputFiles, ::testing::Values(GridUnderTest::Backend::minioar, GridUnderTest::Backend::real_oar),
                         name_of_backend);

}  // namespace
}  // namespace gleaner::tests
