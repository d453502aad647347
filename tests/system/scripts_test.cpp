#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>

#include "tests/system/grid_under_test.hpp"
#include "tests/system/trace.hpp"
#include "tests/unit/public_shapes.hpp"

/// The prologue and the epilogue of a campaign on each of its clusters.
namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string with_trace(std::string text, const Trace& trace) {
  constexpr std::string_view kMark{"@TRACE@"};
  for (auto at = text.find(kMark); at != std::string::npos; at = text.find(kMark)) text.replace(at, kMark.size(), trace.path());
  return text;
}

class Scripts : public ::testing::TestWithParam<GridUnderTest::Backend> {
 protected:
  void SetUp() override {
    const bool real = GetParam() == GridUnderTest::Backend::real_oar;
    if (real && real_clusters().empty()) GTEST_SKIP() << "GLEANER_TEST_OAR names no testbed: nothing is tested on real OAR here";
    GridUnderTest::Wish wish;
    wish.backend = GetParam();
    if (real) wish.clusters.clear();
    grid = std::make_unique<GridUnderTest>(wish);
    trace = std::make_unique<Trace>(grid->oracle().folder());
    grid->start_api();
    grid->almighty().start();
  }
  /// Tasks that wait for the gate and then note themselves.
  [[nodiscard]] std::string gated_task() const {
    return fmt::format("bash -c '{}; {}'", grid->oracle().waits_at_gate(), trace->note("task"));
  }
  std::string jdl(int tasks, const std::string& exec_file, const std::string& prologue) const {
    return fmt::format(R"j({{"name": "scripts", "nb_jobs": {}, "exec_file": "{}", "prologue": ["{}", "{}"], "epilogue": ["{}"],
      "prologue_walltime": "0:5:0", "clusters": {{"alpha": {{}}, "beta": {{}}}}}})j",
                       tasks, exec_file, prologue, trace->note("prologue"), trace->note("epilogue"));
  }
  std::unique_ptr<GridUnderTest> grid;
  std::unique_ptr<Trace> trace;
};

TEST_P(Scripts, RunOnceOnEachCluster_BeforeTheFirstTask_AndAfterTheLast) {
  constexpr int kTasks = 24;
  const auto campaign = grid->gridsub(jdl(kTasks, fmt::format("bash -c 'sleep 0.2; {}'", trace->note("task")), "sleep 1"));
  ASSERT_TRUE(grid->terminates(campaign));
  EXPECT_THAT(trace->lines("task"), SizeIs(kTasks));
  for (const auto* const cluster : {"alpha", "beta"}) EXPECT_EQ(trace->around_tasks_of(cluster), "");
  EXPECT_EQ(grid->number(fmt::format("SELECT done FROM campaigns WHERE id = {}", campaign.value())), kTasks);
  const auto shown = grid->run("gridstat", {std::to_string(campaign.value()), "--json"});
  EXPECT_THAT(shown.output, HasSubstr(R"("prologue":"done","epilogue":"done")"));
  EXPECT_TRUE(grid->is_consistent());
}

TEST_P(Scripts, AFailedPrologue_StopsItsClusterAlone_AndRunsAgainAfterTheFix) {
  const auto mended = (grid->oracle().folder() / "mended").string();
  const auto prologue = fmt::format("[ $CIGRI_CLUSTER != beta ] || [ -e {} ] || {{ echo no such module >&2; exit 4; }}", mended);
  // More than alpha takes while the gate is closed; a real OAR starts few jobs a second.
  const int tasks = GetParam() == GridUnderTest::Backend::real_oar ? 60 : 200;
  const auto campaign = grid->gridsub(jdl(tasks, gated_task(), prologue));
  const auto id = campaign.value();
  ASSERT_TRUE(grid->becomes(
      fmt::format("SELECT count(*) FROM events WHERE campaign_id = {} AND code = 'PROLOGUE_FAILED' AND state = 'open'", id), "1"));
  EXPECT_THAT(grid->value("SELECT output FROM events WHERE code = 'PROLOGUE_FAILED'"), HasSubstr("no such module"));
  ASSERT_TRUE(
      grid->becomes(fmt::format("SELECT count(*) > 0 FROM jobs WHERE campaign_id = {} AND task >= 0 AND state = 'running'", id), "t"));
  ASSERT_TRUE(grid->becomes(
      "SELECT count(*) FROM decisions WHERE reason = 'script_first' AND figures ->> 'preparation' = 'prologue_failed' AND cluster_id = (SELECT id FROM clusters WHERE name = 'beta')",
      "1"));
  EXPECT_EQ(grid->value("SELECT count(*) FROM jobs j JOIN clusters k ON k.id = j.cluster_id WHERE k.name = 'beta' AND j.task >= 0"), "0");
  EXPECT_THAT(grid->run("gridstat", {std::to_string(id), "--json"}).output, HasSubstr(R"("prologue":"failed","epilogue":"not_run")"));
  std::ofstream{mended}.flush();
  const auto fixed = grid->run("gridsub", {"--fix", std::to_string(id)});
  EXPECT_TRUE(fixed.end.succeeded()) << fixed.output;
  ASSERT_TRUE(grid->becomes(
      "SELECT count(*) > 0 FROM jobs j JOIN clusters k ON k.id = j.cluster_id WHERE k.name = 'beta' AND j.task >= 0 AND j.state = 'running'",
      "t"));
  grid->oracle().open_gate();
  ASSERT_TRUE(grid->terminates(campaign));
  for (const auto* const cluster : {"alpha", "beta"}) EXPECT_EQ(trace->around_tasks_of(cluster), "");
  EXPECT_THAT(trace->lines("task"), SizeIs(tasks));
}

TEST_P(Scripts, ACancelledCampaign_RunsItsEpilogueWhereItsPrologueRan) {
  const auto campaign = grid->gridsub(jdl(8, gated_task(), "true"));
  ASSERT_TRUE(grid->becomes(
      fmt::format("SELECT count(*) > 0 FROM jobs WHERE campaign_id = {} AND task >= 0 AND state = 'running'", campaign.value()), "t"));
  grid->cancel(campaign);
  EXPECT_TRUE(await([&] { return trace->lines("epilogue").size() == trace->lines("prologue").size(); }));
  EXPECT_THAT(trace->lines("task"), SizeIs(0));
}

TEST_P(Scripts, OfThePublicShapes_AllRun) {
  if (GetParam() == GridUnderTest::Backend::real_oar && !long_runs()) GTEST_SKIP() << "the public shapes on real OAR (--long)";
  for (const auto& shape : kPublicShapes) {
    const Trace own{grid->oracle().folder()};  // emptied
    const auto campaign = grid->gridsub(with_trace(std::string{shape.jdl}, own));
    ASSERT_TRUE(grid->terminates(campaign)) << shape.name;
    const auto total = grid->number(fmt::format("SELECT total FROM campaigns WHERE id = {}", campaign.value()));
    EXPECT_THAT(own.lines("task"), SizeIs(total)) << shape.name;
    EXPECT_THAT(own.lines("prologue"), SizeIs(shape.prologues)) << shape.name;
    EXPECT_THAT(own.lines("epilogue"), SizeIs(shape.epilogues)) << shape.name;
  }
}

std::string name_of(const ::testing::TestParamInfo<GridUnderTest::Backend>& info) {
  return info.param == GridUnderTest::Backend::minioar ? "Minioar" : "RealOar";
}

INSTANTIATE_TEST_SUITE_P(OnEachBackend, Scripts, ::testing::Values(GridUnderTest::Backend::minioar, GridUnderTest::Backend::real_oar),
                         name_of);

}  // namespace
}  // namespace gleaner::tests
