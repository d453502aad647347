#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "tests/db/await.hpp"
#include "tests/system/grid_under_test.hpp"

/// Campaigns that come after each other, from one file.
namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;

/// The keys that name a campaign and say what it comes after; the name in jdl_of is the same for all.
std::string named(const std::string& name, const std::string& after, TestCampaign campaign) {
  campaign.more_keys = after;
  auto jdl = GridUnderTest::jdl_of(campaign);
  const std::string everybodys = R"("name":"test")";
  jdl.replace(jdl.find(everybodys), everybodys.size(), fmt::format(R"("name":"{}")", name));
  return jdl;
}

class Chain : public ::testing::TestWithParam<GridUnderTest::Backend> {
 protected:
  static bool is_real() { return GetParam() == GridUnderTest::Backend::real_oar; }
};

TEST_P(Chain, OfThreeCampaigns_TaskByTask_FlowsThrough_AndEachTaskIsDoneOnce) {
  if (is_real() && !long_runs()) GTEST_SKIP() << "a chain of three campaigns on real OAR (--long)";
  const std::int64_t tasks = long_runs() ? 1000 : 40;
  GridUnderTest grid{{.backend = GetParam(), .configuration = {{"cycle_period", is_real() ? "2s" : "200ms"}}}};
  grid.start_api();
  grid.almighty().start();
  const TestCampaign campaign{.tasks = tasks, .exec_file = grid.oracle().task("sleep 0.2"), .grouping = long_runs()};
  // The last one stands first: gridsub sorts them.
  const auto file = grid.folder() / "chain.jdl";
  std::ofstream{file} << fmt::format("[{},\n{},\n{}]\n", named("plot", R"("after_each":"solve")", campaign),
                                     named("mesh", R"("min_duration":"0:0:1")", campaign),
                                     named("solve", R"("after_each":["mesh"])", campaign));
  const auto submitted = grid.run("gridsub", {"-f", file.string()});
  ASSERT_TRUE(submitted.end.succeeded()) << submitted.output;
  ASSERT_THAT(submitted.output, HasSubstr("CAMPAIGN_ID=3"));
  EXPECT_EQ(grid.value("SELECT string_agg(name, ' ' ORDER BY id) FROM campaigns"), "mesh solve plot");
  ASSERT_TRUE(grid.terminates(grid::CampaignId{3}, long_runs() ? 6 * kHangGuard : kHangGuard));
  for (const auto id : {1, 2, 3}) EXPECT_TRUE(grid.is_exactly_done(grid::CampaignId{id}, tasks)) << id;
  // No task began before its own was over, by the grid's clock; and the second campaign did not wait for the end of the first.
  EXPECT_EQ(
      grid.number("SELECT count(*) FROM jobs j JOIN jobs f ON f.campaign_id = j.campaign_id - 1 AND f.task = j.task AND f.ending = 'done' "
                  "JOIN launches l ON l.id = j.launch_id JOIN launches e ON e.id = f.launch_id "
                  "WHERE j.ending = 'done' AND l.planned_at < e.planned_at"),
      0);
  EXPECT_EQ(grid.value("SELECT (SELECT min(planned_at) FROM launches WHERE campaign_id = 2) < ended_at FROM campaigns WHERE id = 1"), "t");
  EXPECT_EQ(grid.number("SELECT count(*) FROM dependencies WHERE met_at IS NULL"), 0);
  EXPECT_TRUE(grid.is_consistent());
}

TEST_P(Chain, Document000_TasksOfTheExampleAskForWhatTheirPredecessorsGave) {
  if (is_real() && !long_runs()) GTEST_SKIP() << "two campaigns on real OAR (--long)";
  GridUnderTest grid{{.backend = GetParam(), .configuration = {{"cycle_period", is_real() ? "2s" : "200ms"}}}};
  grid.start_api();
  grid.almighty().start();
  const auto examples = std::string{std::getenv("GLEANER_SOURCE_DIR")} + "/examples/";
  const auto submitted = grid.run("gridsub", {"-f", examples + "measure.jdl", "-f", examples + "refine.jdl"});
  ASSERT_TRUE(submitted.end.succeeded()) << submitted.output;
  ASSERT_TRUE(grid.terminates(grid::CampaignId{2}));
  EXPECT_EQ(grid.value("SELECT string_agg(number || ' ' || given, ', ' ORDER BY number) FROM task_gives"),
            "0 cells=0,cores=1, 1 cells=1000,cores=2, 2 cells=2000,cores=1, 3 cells=3000,cores=2");
  EXPECT_EQ(grid.value("SELECT string_agg(t.number || ' ' || q.resources || ' ' || q.walltime_s, ', ' ORDER BY t.number) FROM tasks t "
                       "JOIN campaign_requests q ON q.campaign_id = t.campaign_id AND q.request = t.request WHERE t.campaign_id = 2"),
            "0 /core=1 60, 1 /core=2 120, 2 /core=1 180, 3 /core=2 240");
  EXPECT_EQ(grid.value("SELECT string_agg(DISTINCT l.request, ' ') FROM launches l JOIN jobs j ON j.launch_id = l.id "
                       "WHERE l.campaign_id = 2 AND j.task IN (1, 3)"),
            "/core=2");
  EXPECT_TRUE(grid.is_consistent());
}

TEST_P(Chain, Document000_PooledTasksGiveToo_AndWhatIsWrong_IsForgivenByItsUser) {
  if (is_real()) GTEST_SKIP() << "what the wrapper notes is the same there";
  GridUnderTest grid{{.backend = GetParam(), .configuration = {{"cycle_period", "200ms"}}}};
  grid.start_api();
  grid.almighty().start();
  const auto first =
      GridUnderTest::jdl_of({.tasks = 40,
                             .exec_file = "sh -c '[ $1 = 3 ] && echo n=what > $CIGRI_GIVES || echo n=$(($1 % 6)) > $CIGRI_GIVES' t",
                             .grouping = true,
                             .more_keys = R"("gives":["n"])"});
  auto second = GridUnderTest::jdl_of({.tasks = 40, .exec_file = "true", .more_keys = R"("after_each":1,"given":{"n":7})"});
  const auto walltime = second.find(R"("walltime")");
  const auto next = second.find(',', walltime);
  second.replace(walltime, next - walltime, R"k("walltime":"60 * (n + 1)")k");
  ASSERT_EQ(grid.gridsub(first), grid::CampaignId{1});
  ASSERT_EQ(grid.gridsub(second), grid::CampaignId{2});
  ASSERT_TRUE(grid.becomes("SELECT done FROM campaigns WHERE id = 2", "39"));
  EXPECT_GT(grid.number("SELECT count(*) FROM jobs WHERE campaign_id = 1 AND pooled"), 0);
  const auto why = grid.run("gridstat", {"2", "--why"});
  EXPECT_THAT(why.output, HasSubstr("it gives n='what'"));
  EXPECT_THAT(grid.run("gridstat", {"2", "--task", "3"}).output, HasSubstr("What it asks for cannot be computed"));
  EXPECT_THAT(grid.run("gridevents", {"2"}).output, HasSubstr("GIVEN_WRONG"));
  ASSERT_TRUE(grid.run("gridsub", {"--fix", "2"}).end.succeeded());
  ASSERT_TRUE(grid.terminates(grid::CampaignId{2}));
  EXPECT_EQ(grid.value("SELECT string_agg(q.walltime_s::text, ' ' ORDER BY t.number) FROM tasks t "
                       "JOIN campaign_requests q ON q.campaign_id = t.campaign_id AND q.request = t.request "
                       "JOIN clusters k ON k.id = q.cluster_id AND k.name = 'alpha' WHERE t.campaign_id = 2 AND t.number < 6"),
            "60 120 180 480 300 360");
  EXPECT_TRUE(grid.is_consistent());
}

std::string name_of_backend(const ::testing::TestParamInfo<GridUnderTest::Backend>& info) {
  return info.param == GridUnderTest::Backend::minioar ? "Minioar" : "RealOar";
}
INSTANTIATE_TEST_SUITE_P(OnEachBackend, Chain, ::testing::Values(GridUnderTest::Backend::minioar, GridUnderTest::Backend::real_oar),
                         name_of_backend);

/// Cycles that begin by themselves are half an hour apart: only calls begin one here, after the submission's own.
TEST(Calls, Document002_TheEndOfAJob_BeginsACycle_ThatSendsTheNextOne_AndAsksNoOtherCluster) {
  GridUnderTest grid{{.configuration = {{"cycle_period", "30m"}, {"status_max_age", "2h"}, {"flood", "0"}}}};
  grid.start_api();
  grid.almighty().start();
  constexpr std::size_t kTasks = 3;
  const auto campaign =
      grid.gridsub(TestCampaign{.tasks = kTasks, .exec_file = grid.oracle().task(), .clusters = {"alpha"}, .max_jobs = 1});
  const auto polls_of_beta = [&] {
    return grid.number("SELECT count(*) FROM gridstatus s JOIN clusters k ON k.id = s.cluster_id WHERE k.name = 'beta'");
  };
  const auto begun = [&] { return grid.oracle().executions(campaign).size(); };
  ASSERT_TRUE(await([&] { return begun() > 0; }));
  ASSERT_EQ(begun(), 1U) << "max_jobs";
  const auto before = polls_of_beta();
  const auto call = [&] {
    const auto called =
        process::capture({.arguments = {"curl", "--silent", "--show-error", "--fail", "--request", "POST", "--unix-socket",
                                        (grid.folder() / "api.socket").string(), "http://localhost/v1/clusters/alpha/calls"}},
                         kHangGuard);
    ASSERT_TRUE(called && called->end.succeeded());
  };
  const auto is_over = [&] { return grid.value("SELECT state FROM campaigns") == "terminated"; };
  ASSERT_TRUE(await([&] {
    call();
    return is_over();
  }));
  EXPECT_TRUE(grid.is_exactly_done(campaign, kTasks));
  EXPECT_EQ(polls_of_beta(), before);
}

/// Each cluster has homes of its own. Campaigns of jobs and of pools, submitted before and after the first one is over.
TEST(Dependencies, TaskByTask_EachTaskFindsTheFileOfItsPredecessor_WhereThatRan) {
  GridUnderTest grid{{.configuration = {{"cycle_period", "200ms"}}}};
  grid.start_api();
  grid.almighty().start();
  const auto jdl = [](std::string_view name, std::string_view keys, std::string_view command) {
    return fmt::format(R"j({{"name": "{}", "nb_jobs": 30, "retries": 0, {}"exec_file": "sh -c '{}' sh", "min_duration": "0",
      "clusters": {{"alpha": {{}}, "beta": {{}}}}}})j",
                       name, keys, command);
  };
  const auto mesh = grid.gridsub(jdl("mesh", "", "sleep 0.3; echo $1 > mesh-$1"));
  std::vector<grid::CampaignId> all{grid.gridsub(jdl("solve", R"("after_each": "mesh", )", "sleep 0.2; [ $(cat mesh-$1) = $1 ]"))};
  ASSERT_TRUE(grid.terminates(mesh));
  for (const auto* more : {"", R"("temporal_grouping": true, )"})
    all.push_back(grid.gridsub(jdl("late", fmt::format(R"("after_each": {}, {})", mesh.value(), more), "[ $(cat mesh-$1) = $1 ]")));
  ASSERT_GT(grid.number("SELECT count(DISTINCT cluster_id) FROM jobs WHERE campaign_id = 1 AND ending = 'done'"), 1);
  for (const auto campaign : all) {
    ASSERT_TRUE(grid.terminates(campaign));
    EXPECT_EQ(grid.value(fmt::format("SELECT done || ' ' || failed FROM campaigns WHERE id = {}", campaign.value())), "30 0");
  }
  EXPECT_TRUE(grid.is_consistent());
}

TEST(Dependencies, TaskByTask_ATaskWaitsForItsPredecessorsCluster_WhyNamesIt_AndSharedHomesFreeIt) {
  GridUnderTest grid{{.configuration = {{"cycle_period", "200ms"}}}};
  grid.start_api();
  grid.almighty().start();
  const auto jdl = [](std::string_view name, std::string_view keys) {
    return fmt::format(
        R"({{"name": "{}", "nb_jobs": 4, {}"exec_file": "true", "min_duration": "0", "clusters": {{"alpha": {{}}, "beta": {{}}}}}})", name,
        keys);
  };
  ASSERT_TRUE(grid.run("gridctl", {"cluster", "disable", "beta"}).end.succeeded());
  const auto mesh = grid.gridsub(jdl("mesh", ""));
  ASSERT_TRUE(grid.terminates(mesh));
  ASSERT_TRUE(grid.run("gridctl", {"cluster", "disable", "alpha"}).end.succeeded());
  ASSERT_TRUE(grid.run("gridctl", {"cluster", "enable", "beta"}).end.succeeded());
  const auto solve = grid.gridsub(jdl("solve", R"("after_each": "mesh", )"));
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM decisions WHERE campaign_id = 2 AND reason = 'tasks_follow'", "1"));
  const auto why = grid.run("gridstat", {std::to_string(solve.value()), "--why"});
  EXPECT_THAT(why.output, HasSubstr("beta gets nothing: 4 tasks wait for"));
  const auto task = grid.run("gridstat", {std::to_string(solve.value()), "--task", "2"});
  EXPECT_THAT(task.output, HasSubstr("It waits for alpha, where the task that it comes after left its files."));
  EXPECT_EQ(grid.number("SELECT count(*) FROM jobs WHERE campaign_id = 2"), 0);
  for (const auto* name : {"alpha", "beta"}) {
    const auto edited = grid.run("gridctl", {"cluster", "edit", name, "--shared-home", "site"});
    ASSERT_TRUE(edited.end.succeeded()) << edited.output;
  }
  EXPECT_THAT(grid.run("gridctl", {"cluster", "show", "beta"}).output, HasSubstr("site"));
  EXPECT_EQ(grid.run("gridctl", {"cluster", "edit", "beta", "--shared-home", "a b"}).end.exit_status, 2);
  ASSERT_TRUE(grid.terminates(solve));
  EXPECT_EQ(grid.number("SELECT done FROM campaigns WHERE id = 2"), 4);
}

TEST(Dependencies, AFailedTask_HoldsWhatComesAfter_WhyNamesIt_AndARetryFreesIt) {
  GridUnderTest grid{{.clusters = {{.name = "alpha"}}, .configuration = {{"cycle_period", "200ms"}}}};
  grid.start_api();
  grid.almighty().start();
  const auto mark = grid.folder() / "mended";
  const auto first = grid.gridsub({.tasks = 4,
                                   .exec_file = grid.oracle().task(fmt::format("[ $1 != 2 ] || [ -e {} ] || exit 3", mark.string())),
                                   .clusters = {"alpha"}});
  const auto second =
      grid.gridsub({.tasks = 2, .exec_file = grid.oracle().task(), .clusters = {"alpha"}, .more_keys = R"("after":"test")"});
  ASSERT_TRUE(grid.terminates(first));
  ASSERT_TRUE(grid.becomes(fmt::format("SELECT coalesce(min(reason), '') FROM decisions WHERE campaign_id = {}", second.value()),
                           "awaits_campaign"));
  ASSERT_TRUE(grid.becomes(fmt::format("SELECT coalesce(min(method), '') FROM campaign_forecasts WHERE campaign_id = {}", second.value()),
                           "awaits"));
  const auto why = grid.run("gridstat", {std::to_string(second.value()), "--why"});
  EXPECT_THAT(why.output, HasSubstr("1 task failed, task 2 first"));
  EXPECT_THAT(why.output, HasSubstr("--retry 1' runs it again"));
  const auto tree = grid.run("gridstat", {"--tree", "-a"});
  EXPECT_THAT(tree.output, HasSubstr("└─ test"));
  std::ofstream{mark} << "yes";
  ASSERT_TRUE(grid.run("gridsub", {"--retry", "1"}).end.succeeded());
  ASSERT_TRUE(grid.terminates(second));
  EXPECT_TRUE(grid.is_exactly_done(second, 2));
}

TEST(Dependencies, APrologue_WaitsWithItsCampaign) {
  GridUnderTest grid{{.clusters = {{.name = "alpha"}}, .configuration = {{"cycle_period", "200ms"}}}};
  grid.start_api();
  grid.almighty().start();
  const auto first = grid.gridsub({.tasks = 1, .exec_file = grid.oracle().gated_task(), .clusters = {"alpha"}});
  const auto second =
      grid.gridsub({.tasks = 1, .exec_file = grid.oracle().task(), .clusters = {"alpha"}, .more_keys = R"("after":1,"prologue":["true"])"});
  ASSERT_TRUE(grid.becomes("SELECT running FROM campaigns WHERE id = 1", "1"));
  ASSERT_TRUE(grid.becomes(fmt::format("SELECT coalesce(min(reason), '') FROM decisions WHERE campaign_id = {}", second.value()),
                           "awaits_campaign"));
  EXPECT_EQ(grid.number("SELECT count(*) FROM jobs WHERE campaign_id = 2"), 0);
  grid.oracle().open_gate();
  ASSERT_TRUE(grid.terminates(first));
  ASSERT_TRUE(grid.terminates(second));
}

TEST(Dependencies, InACircle_AreRefused_AndNothingIsSubmitted) {
  GridUnderTest grid{{.clusters = {{.name = "alpha"}}}};
  grid.start_api();
  const TestCampaign campaign{.tasks = 1, .exec_file = "true", .clusters = {"alpha"}};
  const auto file = grid.folder() / "circle.jdl";
  std::ofstream{file} << fmt::format("[{},{}]", named("one", R"("after":"two")", campaign), named("two", R"("after":"one")", campaign));
  const auto said = grid.run("gridsub", {"-f", file.string()});
  EXPECT_EQ(said.end.exit_status, 2);
  EXPECT_THAT(said.output, HasSubstr("'one' comes after 'two' comes after 'one': none of them would ever start; nothing was submitted"));
  std::string many = "[{}";
  for (int i = 0; i < 1000; ++i) many += ",{}";
  std::ofstream{file} << many << "]";
  EXPECT_THAT(grid.run("gridsub", {"-f", file.string()}).output, HasSubstr("it has more than 1000 campaigns"));
  EXPECT_EQ(grid.number("SELECT count(*) FROM campaigns"), 0);
}

}  // namespace
}  // namespace gleaner::tests
