#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "lib/text/json_writer.hpp"
#include "tests/system/grid_under_test.hpp"

/// The folder in which the tasks of a campaign run, exec_directory.
namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
namespace fs = std::filesystem;

class Folders : public ::testing::TestWithParam<GridUnderTest::Backend> {
 protected:
  void SetUp() override {
    const bool real = GetParam() == GridUnderTest::Backend::real_oar;
    if (real && real_clusters().empty()) GTEST_SKIP() << "GLEANER_TEST_OAR names no testbed: nothing is tested on real OAR here";
    GridUnderTest::Wish wish{.backend = GetParam()};
    if (real) wish.clusters.clear();
    grid = std::make_unique<GridUnderTest>(wish);
    grid->start_api();
    grid->almighty().start();
  }
  /// Made here, where every user of the clusters may write; the name is one that a shell must not read.
  fs::path made(const std::string& name) const {
    const auto folder = path_of(name);
    fs::create_directories(folder);
    ::chmod(folder.c_str(), 0777);
    return folder;
  }
  [[nodiscard]] fs::path path_of(const std::string& name) const {
    return grid->oracle().folder() / (name + "; touch " + name + " & (x) | <y> *");
  }
  /// A campaign of four tasks on alpha.
  grid::CampaignId submitted(const fs::path& folder, const std::string& exec_file, const std::string& more_keys = {}) const {
    return grid->gridsub(
        fmt::format(R"({{"name":"folder","nb_jobs":4,"exec_file":{},"exec_directory":{}{}{},"clusters":{{"alpha":{{}}}}}})",
                    text::json_string(exec_file), text::json_string(folder.string()), more_keys.empty() ? "" : ",", more_keys));
  }
  [[nodiscard]] std::int64_t done(grid::CampaignId campaign) const {
    return grid->number(fmt::format("SELECT done FROM campaigns WHERE id = {}", campaign.value()));
  }
  [[nodiscard]] std::string ends(grid::CampaignId campaign) const {
    return grid->value(fmt::format("SELECT string_agg(DISTINCT ending, ' ') FROM jobs WHERE campaign_id = {}", campaign.value()));
  }
  /// Its jobs that did not end as done, a line each.
  [[nodiscard]] std::string notes(grid::CampaignId campaign) const {
    return grid->value(fmt::format(
        "SELECT string_agg(format('job %s of task %s.%s: %s, status %s, began %s, over %s, ended %s: %s', remote_id, task, attempt, ending, "
        "exit_status, started_at, over_since, ended_at, message), E'\\n') FROM jobs WHERE campaign_id = {} AND ending <> 'done'",
        campaign.value()));
  }
  /// The contents of its files that end so.
  static std::vector<std::string> contents(const fs::path& folder, const std::string& suffix) {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator{folder}) {
      if (!entry.path().filename().string().ends_with(suffix)) continue;
      std::ifstream stream{entry.path()};
      all.emplace_back(std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{});
    }
    return all;
  }
  std::unique_ptr<GridUnderTest> grid;
};

/// OAR 2.6 has a shell of its front end read the folder of a job.
TEST_P(Folders, OfAnyCharacters_AreEntered_AndCarriedOutByNobody) {
  const auto plain = made("plain");
  const auto pooled = made("pooled");
  const auto gathered = made("gathered");
  const auto checkpointed = made("checkpointed");
  const auto prepared = path_of("prepared");
  const std::string prints = R"(bash -c 'pwd; echo of task $1 >&2' task)";
  const auto first = submitted(plain, prints);
  const auto second = submitted(pooled, prints, R"("temporal_grouping":true)");
  const auto third =
      submitted(gathered, R"(bash -c 'pwd > result-$1' task)",
                fmt::format(R"("output_directory":"results/{}","output_files":["result-{{1}}"])", grid->folder().filename().string()));
  const auto fourth = submitted(checkpointed, R"(bash -c 'pwd; echo > $CIGRI_CHECKPOINT/state' task)",
                                R"("checkpoint":{"signal":"USR1","cost":"0:00:01"})");
  const auto fifth = submitted(prepared, prints, fmt::format(R"("prologue":[{}])", text::json_string("mkdir '" + prepared.string() + "'")));
  for (const auto campaign : {first, second, third, fourth, fifth}) {
    ASSERT_TRUE(grid->terminates(campaign));
    EXPECT_EQ(done(campaign), 4) << campaign.value();
    EXPECT_EQ(ends(campaign), "done") << campaign.value() << '\n' << notes(campaign);
  }
  for (const auto& folder : {plain, pooled, checkpointed, prepared}) {
    EXPECT_THAT(contents(folder, ".stdout"), ::testing::AllOf(SizeIs(4), ::testing::Each(folder.string() + "\n")));
    EXPECT_THAT(contents(folder, ".stderr"), SizeIs(4));
  }
  EXPECT_THAT(contents(gathered, ""), ::testing::AllOf(SizeIs(4), ::testing::Each(gathered.string() + "\n")))
      << "its result, and no file of OAR's";
  const auto to = grid->folder() / "fetched";
  const auto fetched = grid->run("gridget", {std::to_string(third.value()), "--to", to.string()});
  EXPECT_TRUE(fetched.end.succeeded()) << fetched.output;
  EXPECT_THAT(fetched.output, HasSubstr("12 files fetched"));
  for (const auto* name : {"plain", "pooled", "gathered", "checkpointed", "prepared"})
    EXPECT_FALSE(fs::exists(grid->oracle().folder() / name));
  EXPECT_TRUE(grid->is_consistent());
}

TEST_P(Folders, ThatAreMissing_AreReported_AndPaidFor_AndNothingIsRun) {
  const auto missing = path_of("missing");
  const auto trace = grid->oracle().folder() / "ran";
  const auto runs = fmt::format("bash -c 'echo >> {}' task", trace.string());
  const auto single = submitted(missing, runs);
  const auto pooled = submitted(missing, runs, R"("temporal_grouping":true)");
  const auto gathered = submitted(missing, runs, R"("output_directory":"results")");
  for (const auto campaign : {single, pooled, gathered}) {
    ASSERT_TRUE(grid->terminates(campaign));
    EXPECT_EQ(grid->number(fmt::format("SELECT failed FROM campaigns WHERE id = {}", campaign.value())), 4);
    EXPECT_EQ(grid->number(fmt::format("SELECT min(charged) FROM tasks WHERE campaign_id = {}", campaign.value())), 1);
    const auto of_event = [&](const std::string& column) {
      return grid->value(fmt::format("SELECT {} FROM events WHERE code = 'BAD_REQUEST' AND campaign_id = {} ORDER BY id LIMIT 1", column,
                                     campaign.value()));
    };
    EXPECT_THAT(of_event("message"), HasSubstr(fmt::format("its exec_directory {} cannot be used, and nothing was run", missing.string())));
    EXPECT_THAT(of_event("output"), HasSubstr("nothing was run: No such file or directory"));
  }
  EXPECT_FALSE(fs::exists(trace));
  EXPECT_TRUE(grid->is_consistent());
}

/// A prologue, or a person, may make it while the campaign runs.
TEST(AFolder, ThatIsMadeLater_IsUsedFromThenOn) {
  GridUnderTest grid{{.configuration = {{"max_charged_attempts", "100"}, {"max_attempts", "100"}}}};
  grid.start_api();
  grid.almighty().start();
  const auto folder = grid.oracle().folder() / "la ter";
  const auto campaign =
      grid.gridsub(fmt::format(R"({{"name":"later","nb_jobs":4,"exec_file":"pwd; true","exec_directory":{},"clusters":{{"alpha":{{}}}}}})",
                               text::json_string(folder.string())));
  ASSERT_TRUE(grid.becomes("SELECT count(*) > 0 FROM events WHERE code = 'BAD_REQUEST'", "t"));
  fs::create_directories(folder);
  ::chmod(folder.c_str(), 0777);
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.value(fmt::format("SELECT done FROM campaigns WHERE id = {}", campaign.value())), "4");
  EXPECT_TRUE(grid.is_consistent());
}

/// OAR's API reads the files of a folder whose name is plain.
TEST(AFolder, OtherThanTheHome_HasTheStreamsThatGridstatAndEventsShow) {
  GridUnderTest grid;
  grid.start_api();
  grid.almighty().start();
  const auto folder = grid.oracle().folder() / "plain";
  fs::create_directories(folder);
  ::chmod(folder.c_str(), 0777);
  const auto campaign = grid.gridsub(fmt::format(
      R"({{"name":"shown","nb_jobs":1,"exec_file":"echo said; echo no such molecule >&2; exit 3; :","exec_directory":{},"clusters":{{"alpha":{{}}}}}})",
      text::json_string(folder.string())));
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_THAT(grid.value("SELECT output FROM events WHERE code = 'TASK_ERROR'"), HasSubstr("no such molecule"));
  const auto number = std::to_string(campaign.value());
  EXPECT_THAT(grid.run("gridstat", {number, "--task", "0", "-O"}).output, HasSubstr("said"));
  EXPECT_THAT(grid.run("gridget", {number, "--to", (grid.folder() / "fetched").string()}).output, HasSubstr("2 files fetched"));
}

std::string name_of_backend(const ::testing::TestParamInfo<GridUnderTest::Backend>& info) {
  return info.param == GridUnderTest::Backend::minioar ? "Minioar" : "RealOar";
}
INSTANTIATE_TEST_SUITE_P(OnEachBackend, Folders, ::testing::Values(GridUnderTest::Backend::minioar, GridUnderTest::Backend::real_oar),
                         name_of_backend);

}  // namespace
}  // namespace gleaner::tests
