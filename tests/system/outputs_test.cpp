#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>

#include "tests/system/grid_under_test.hpp"

/// Outputs of tasks, from the clusters to the user.
namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string text_of(grid::CampaignId campaign) { return std::to_string(campaign.value()); }

std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator{folder}) {
    if (!entry.is_regular_file() || entry.path().string().find("/.gridget/") != std::string::npos) continue;
    std::ifstream stream{entry.path(), std::ios::binary};
    files[fs::relative(entry.path(), folder).string()] = {std::istreambuf_iterator<char>{stream}, {}};
  }
  return files;
}

/// The outputs that a command of jdl() leaves for task N.
std::map<std::string, std::string> expected_of(int tasks) {
  std::map<std::string, std::string> files;
  for (int task = 0; task < tasks; ++task) {
    files[fmt::format("{}.out", task)] = fmt::format("out {}\n", task);
    files[fmt::format("{}.err", task)] = task % 2 == 0 ? std::string{} : fmt::format("err {}\n", task);
    files[fmt::format("{0}/left {0}/data", task)] = std::string(20'000, 'x') + fmt::format(" {}\n", task);
  }
  return files;
}

std::string jdl_of(const std::string& folder, int tasks) {
  return fmt::format(R"j({{"name": "outputs", "nb_jobs": {}, "output_directory": "{}", "output_files": ["left {{1}}/*"],
    "exec_file": "sh -c 'echo out $1; [ $(($1 % 2)) = 0 ] || echo err $1 >&2; mkdir -p \"left $1\"; (head -c 20000 /dev/zero | tr \"\\0\" x; echo \" $1\") > \"left $1/data\"' sh",
    "clusters": {{"alpha": {{}}, "beta": {{}}}}}})j",
                     tasks, folder);
}

class OutputsOfACampaign : public ::testing::TestWithParam<GridUnderTest::Backend> {
 protected:
  void SetUp() override {
    const bool real = GetParam() == GridUnderTest::Backend::real_oar;
    if (real && real_clusters().empty()) GTEST_SKIP() << "GLEANER_TEST_OAR names no testbed: nothing is tested on real OAR here";
    GridUnderTest::Wish wish;
    wish.backend = GetParam();
    if (real) wish.clusters.clear();
    grid = std::make_unique<GridUnderTest>(wish);
    grid->start_api();
    grid->almighty().start();
  }
  process::Captured gridget(grid::CampaignId campaign, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{text_of(campaign), "--to", to().string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return grid->run("gridget", arguments);
  }
  [[nodiscard]] fs::path to() const { return grid->folder() / "fetched"; }
  /// A folder of the test's own: homes on real clusters outlive it, and each test's campaign is the first of its grid.
  [[nodiscard]] std::string results() const { return "results/" + grid->folder().filename().string(); }
  std::unique_ptr<GridUnderTest> grid;
};

TEST_P(OutputsOfACampaign, AreFetchedFromAllClusters_OnceAndWhole_ByAGridgetThatIsKilledThreeTimes) {
  // A real OAR on a busy machine starts a job in two seconds.
  const int tasks = GetParam() == GridUnderTest::Backend::real_oar ? 18 : 60;
  const auto campaign = grid->gridsub(jdl_of(results(), tasks));
  ASSERT_TRUE(grid->terminates(campaign));
  ASSERT_EQ(grid->number(fmt::format("SELECT done FROM campaigns WHERE id = {}", campaign.value())), tasks);
  for (int kill = 1; kill <= 3; ++kill) {
    auto running = grid->background("gridget", {text_of(campaign), "--to", to().string()});
    running.start();
    const auto enough = static_cast<std::size_t>(kill * tasks / 3);
    ASSERT_TRUE(await([&] { return !running.is_running() || (fs::exists(to()) && files_of(to()).size() >= enough); }));
    running.kill();
  }
  const auto last = gridget(campaign);
  EXPECT_TRUE(last.end.succeeded()) << last.output;
  EXPECT_EQ(files_of(to()), expected_of(tasks));
  const auto again = gridget(campaign, {"--json"});
  EXPECT_TRUE(again.end.succeeded()) << again.output;
  EXPECT_THAT(again.output, HasSubstr(fmt::format(R"("fetched":0,"present":{},"missing":0,"failed":0)", 3 * tasks)));
}

TEST_P(OutputsOfACampaign, AreListed_AlsoOfSomeTasks) {
  const auto campaign = grid->gridsub(jdl_of("~/" + results() + "/{CAMPAIGN_ID}", 6));
  ASSERT_TRUE(grid->terminates(campaign));
  const auto listed = grid->run("gridget", {text_of(campaign), "--task", "1,3-4", "--list", "--quiet"});
  EXPECT_TRUE(listed.end.succeeded()) << listed.output;
  EXPECT_EQ(listed.output, "1.out\n1.err\n1/left 1/data\n3.out\n3.err\n3/left 3/data\n4.out\n4.err\n4/left 4/data\n");
  EXPECT_EQ(grid->run("gridget", {text_of(campaign), "--task", "6"}).end.exit_status, 3);
  EXPECT_EQ(grid->run("gridget", {text_of(campaign), "--task", "x"}).end.exit_status, 2);
}

TEST_P(OutputsOfACampaign, WithoutAnOutputDirectory_AreOarsFiles) {
  const auto campaign = grid->gridsub(R"({"name": "plain", "nb_jobs": 3, "exec_file": "echo of", "clusters": {"alpha": {}}})");
  ASSERT_TRUE(grid->terminates(campaign));
  const auto fetched = gridget(campaign);
  EXPECT_TRUE(fetched.end.succeeded()) << fetched.output;
  const std::map<std::string, std::string> expected{{"0.out", "of 0\n"}, {"1.out", "of 1\n"}, {"2.out", "of 2\n"},
                                                    {"0.err", ""},       {"1.err", ""},       {"2.err", ""}};
  EXPECT_EQ(files_of(to()), expected);
}

TEST_P(OutputsOfACampaign, OfATaskThatFailed_AreItsLastAttempts_AndTheEventHasTheLinesOfItsStderr) {
  const auto campaign = grid->gridsub(fmt::format(
      R"({{"name": "fails", "nb_jobs": 1, "output_directory": "{}", "exec_file": "echo attempt $CIGRI_ATTEMPT >&2; exit 5; :", "clusters": {{"alpha": {{}}}}}})",
      results()));
  ASSERT_TRUE(grid->terminates(campaign));
  const auto last = grid->value(fmt::format("SELECT attempt FROM tasks WHERE campaign_id = {}", campaign.value()));
  const auto name = last == "0" ? std::string{"0.err"} : fmt::format("0.{}.err", last);
  EXPECT_THAT(grid->value(fmt::format("SELECT string_agg(output, ' ') FROM events WHERE campaign_id = {}", campaign.value())),
              HasSubstr("attempt "));
  EXPECT_TRUE(gridget(campaign).end.succeeded());
  EXPECT_EQ(files_of(to())[name], fmt::format("attempt {}\n", last));
}

TEST_P(OutputsOfACampaign, WithDeepFolders_AndLongNames_AreFetchedUnderTheirNames_FromJobsAndFromPools) {
  std::string deep;
  for (int i = 0; i < 9; ++i) deep += fmt::format("folder_{}_of_30_bytes_----------/", i);
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "\xC3\xA9";
  // Pools of a campaign whose tasks may end at once: otherwise few tasks try each cluster first, a job each.
  for (const auto* more : {"", R"("temporal_grouping": true, "min_duration": "0", )"}) {
    const int tasks = *more == '\0' ? 8 : 40;  // more than there are cores
    const auto campaign = grid->gridsub(fmt::format(
        R"j({{"name": "deep", "nb_jobs": {}, {}"output_directory": "{}", "output_files": ["left-{{1}}/**/*"],
    "exec_file": "sh -c 'mkdir -p left-$1/{}; echo deep $1 > left-$1/{}a.dat; echo accents $1 > left-$1/{}' sh", "clusters": {{"alpha": {{}}, "beta": {{}}}}}})j",
        tasks, more, results(), deep, deep, accents));
    ASSERT_TRUE(grid->terminates(campaign));
    ASSERT_EQ(grid->number(fmt::format("SELECT done FROM campaigns WHERE id = {}", campaign.value())), tasks);
    std::map<std::string, std::string> expected;
    for (int task = 0; task < tasks; ++task) {
      for (const auto* stream : {"out", "err"}) expected[fmt::format("{}.{}", task, stream)] = "";
      expected[fmt::format("{0}/left-{0}/{1}a.dat", task, deep)] = fmt::format("deep {}\n", task);
      expected[fmt::format("{0}/left-{0}/{1}", task, accents)] = fmt::format("accents {}\n", task);
    }
    const auto place = to() / text_of(campaign);
    const auto fetched = grid->run("gridget", {text_of(campaign), "--to", place.string()});
    EXPECT_TRUE(fetched.end.succeeded()) << fetched.output;
    EXPECT_EQ(files_of(place), expected);
  }
  EXPECT_GT(grid->number("SELECT count(*) FROM jobs WHERE pooled"), 0);
}

TEST_P(OutputsOfACampaign, WhoseFolderCannotBeMade_RunNothing_AndTheEventStatesTheCause) {
  const auto campaign = grid->gridsub(
      R"({"name": "nowhere", "nb_jobs": 2, "output_directory": "/proc/nowhere", "exec_file": "touch ran-nowhere; :", "clusters": {"alpha": {}}})");
  const auto message = fmt::format(
      "SELECT count(*) > 0 FROM events WHERE campaign_id = {} AND code = 'CANNOT_START' AND output LIKE "
      "'%output directory cannot be used, nothing was run: mkdir:%'",
      campaign.value());
  EXPECT_TRUE(grid->becomes(message, "t"));
  EXPECT_EQ(grid->number(fmt::format("SELECT done FROM campaigns WHERE id = {}", campaign.value())), 0);
  grid->cancel(campaign);
}

std::string name_of(const ::testing::TestParamInfo<GridUnderTest::Backend>& info) {
  return info.param == GridUnderTest::Backend::minioar ? "Minioar" : "RealOar";
}

INSTANTIATE_TEST_SUITE_P(OnEachBackend, OutputsOfACampaign,
                         ::testing::Values(GridUnderTest::Backend::minioar, GridUnderTest::Backend::real_oar), name_of);

}  // namespace
}  // namespace gleaner::tests
