#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "tests/system/grid_under_test.hpp"

/// Two clusters whose users have the same homes, and two of which that is only declared.
namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Jobs of both have the same numbers.
GridUnderTest::Wish on_one_home() {
  return {.clusters = {{.name = "alpha"}, {.name = "beta", .home_of = "alpha"}}, .configuration = {{"cycle_period", "200ms"}}};
}

void share(GridUnderTest& grid) {
  const auto said = grid.run("gridctl", {"cluster", "edit", "beta", "--shares", "alpha"});
  EXPECT_TRUE(said.end.succeeded()) << said.output;
  EXPECT_THAT(said.output, HasSubstr("its users' homes are those of alpha (shared home 'alpha')"));
}

std::string check(GridUnderTest& grid) {
  return std::regex_replace(grid.run("gridctl", {"check", "--as", "alice"}).output, std::regex{R"(\n {8,})"}, " ");
}

/// The only job on the cluster is preempted, and the cluster gets nothing more.
void preempt_for_good(GridUnderTest& grid, const std::string& cluster) {
  EXPECT_TRUE(grid.run("gridctl", {"cluster", "disable", cluster}).end.succeeded());
  EXPECT_EQ(grid.cluster(cluster).preempt(1), 1);
}

/// Adds the numbers from 1 on, to more than a hundred, and ends when it was continued; it fails if its sum is wrong.
constexpr const char* kAdds = R"(bash -c 'read -r n s r 2>/dev/null <$CIGRI_CHECKPOINT/state || { n=0; s=0; r=-1; }; r=$((r+1)); )"
                              R"(trap "echo \$n \$s \$r >$CIGRI_CHECKPOINT/new; mv $CIGRI_CHECKPOINT/new $CIGRI_CHECKPOINT/state" USR1; )"
                              R"(until [ $CIGRI_ATTEMPT -gt 0 ] && [ $n -gt 100 ]; do sleep 0.05; s=$((s+n+1)) n=$((n+1)); done; )"
                              R"(echo $n $s continued $r times; [ $s = $((n*(n+1)/2)) ] || exit 3' task)";
constexpr const char* kCheckpoint = R"("checkpoint":{"signal":"USR1","period":"0:00:02","cost":"0:00:01"})";

TEST(Homes, Document003_ACheckpointedTask_ContinuesOnAClusterThatSharesTheHome) {
  GridUnderTest grid{on_one_home()};
  share(grid);
  EXPECT_THAT(check(grid), HasSubstr("beta: the home of alice is that of alpha: a file written there is seen"));
  const auto campaign = grid.gridsub({.tasks = 1, .exec_file = kAdds, .more_keys = kCheckpoint});
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM jobs WHERE state = 'running' AND checkpointed_at > started_at + interval '4 s'", "1"));
  const auto first = grid.value("SELECT k.name FROM jobs j JOIN clusters k ON k.id = j.cluster_id WHERE j.state = 'running'");
  preempt_for_good(grid, first);
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.value("SELECT string_agg(ending, ' ' ORDER BY id) FROM jobs"), "preempted done");
  EXPECT_EQ(grid.value("SELECT count(DISTINCT cluster_id) FROM jobs"), "2");
  EXPECT_EQ(grid.value("SELECT state || ' ' || attempt || ' ' || charged FROM tasks"), "done 1 0");
  const auto printed = grid.run("gridstat", {std::to_string(campaign.value()), "--task", "0", "-O"});
  EXPECT_THAT(printed.output, HasSubstr("continued 1 times"));
  EXPECT_TRUE(grid.is_consistent());
}

/// At worst, a task begins anew, as one does whose cluster has its checkpoint and never has room again. It pays nothing.
TEST(Homes, ThatAreDeclaredAndNotShared_AreSeenByTheCheck_AndACheckpointedTaskBeginsAnew) {
  GridUnderTest grid{{.configuration = {{"cycle_period", "200ms"}}}};
  share(grid);
  EXPECT_THAT(check(grid), AllOf(HasSubstr("beta: the home of alice is not that of alpha, though both have the shared home 'alpha'"),
                                 HasSubstr("gridctl cluster edit beta --shares none")));
  const auto campaign = grid.gridsub({.tasks = 1, .exec_file = kAdds, .more_keys = kCheckpoint});
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM jobs WHERE state = 'running' AND checkpointed_at > started_at + interval '4 s'", "1"));
  const auto first = grid.value("SELECT k.name FROM jobs j JOIN clusters k ON k.id = j.cluster_id WHERE j.state = 'running'");
  preempt_for_good(grid, first);
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.value("SELECT state || ' ' || attempt || ' ' || charged FROM tasks"), "done 1 0");
  const auto printed = grid.run("gridstat", {std::to_string(campaign.value()), "--task", "0", "-O"});
  EXPECT_THAT(printed.output, HasSubstr("continued 0 times"));
  EXPECT_TRUE(grid.is_consistent());
  const auto undone = grid.run("gridctl", {"cluster", "edit", "beta", "--shares", "none"});
  EXPECT_THAT(undone.output, HasSubstr("it has homes of its own"));
  EXPECT_THAT(check(grid), Not(HasSubstr("is not that of alpha")));
}

TEST(Homes, AreDeclaredOfAClusterInUse_AndWhatIsWrongIsSaid) {
  GridUnderTest grid{on_one_home()};
  const auto edit = [&](std::vector<std::string> options) {
    std::vector<std::string> arguments{"cluster", "edit", "beta"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto said = grid.run("gridctl", arguments);
    EXPECT_FALSE(said.end.succeeded()) << said.output;
    return said.output;
  };
  EXPECT_THAT(edit({"--shares", "gamma"}), HasSubstr("gamma"));
  EXPECT_THAT(edit({"--shares", "beta"}), HasSubstr("--shares=beta: must be another cluster, whose users have the same homes, or 'none'"));
  EXPECT_THAT(edit({"--shares", "alpha", "--shared-home", "site"}), HasSubstr("--shares and --shared-home exclude each other"));
  grid.execute("UPDATE clusters SET retired_at = now() WHERE name = 'alpha'");
  EXPECT_THAT(edit({"--shares", "alpha"}), HasSubstr("--shares=alpha: alpha is retired"));
  EXPECT_EQ(grid.value("SELECT count(shared_home) FROM clusters"), "0");
  grid.execute("UPDATE clusters SET retired_at = NULL WHERE name = 'alpha'");
  // The name may be that of another home.
  EXPECT_TRUE(grid.run("gridctl", {"cluster", "edit", "beta", "--shared-home", "alpha"}).end.succeeded());
  const auto added = grid.run("gridctl", {"cluster", "add", "gamma", "http://127.0.0.1:1/oarapi", "--shares", "alpha"});
  EXPECT_THAT(added.output, HasSubstr("its users' homes are those of alpha (shared home 'alpha_2')"));
  EXPECT_TRUE(grid.run("gridctl", {"cluster", "edit", "beta", "--shares", "gamma"}).end.succeeded());
  EXPECT_EQ(grid.value("SELECT count(DISTINCT shared_home) || ' ' || count(shared_home) FROM clusters"), "1 3");
  EXPECT_THAT(grid.run("gridctl", {"cluster", "list"}).output, HasSubstr("Home"));
}

/// Each task has a file of its own.
std::string reading_jdl(int tasks) {
  std::string params;
  for (int task = 0; task < tasks; ++task) params += fmt::format("{}\"{}\"", task == 0 ? "" : ",", task);
  return fmt::format(R"j({{"name": "inputs", "params": [{}], "input_files": "data/{{1}}",
    "exec_file": "sh -c '[ \"$(head -n 1 $CIGRI_INPUTS/data/$0)\" = \"file $0\" ] && echo task $0 && sleep 1'",
    "clusters": {{"alpha": {{}}, "beta": {{}}}}}})j",
                     params);
}

struct Submitted {
  GridUnderTest grid;
  grid::CampaignId campaign{0};
  explicit Submitted(const GridUnderTest::Wish& wish, int tasks) : grid{wish} {
    grid.start_api();
    share(grid);
    const auto place = grid.folder() / "campaign";
    fs::create_directories(place / "data");
    for (int task = 0; task < tasks; ++task) {
      auto content = fmt::format("file {}\n", task);
      content.resize(500'000, 'x');
      std::ofstream{place / "data" / std::to_string(task)} << content;
    }
    std::ofstream{place / "campaign.json"} << reading_jdl(tasks);
    const auto ran = grid.run("gridsub", {"-f", (place / "campaign.json").string()});
    EXPECT_TRUE(ran.end.succeeded()) << ran.output;
    campaign = grid::CampaignId{grid.number("SELECT max(id) FROM campaigns")};
    grid.almighty().start();
  }
};

constexpr int kTasks = 48;

TEST(Homes, Document003_InputFiles_AreSentOnce_AndTasksOfBothClustersReadThem) {
  Submitted submitted{on_one_home(), kTasks};
  auto& grid = submitted.grid;
  ASSERT_TRUE(grid.terminates(submitted.campaign));
  EXPECT_EQ(grid.number("SELECT done FROM campaigns"), kTasks);
  EXPECT_EQ(grid.value("SELECT count(DISTINCT cluster_id) FROM jobs WHERE ending = 'done'"), "2");
  EXPECT_EQ(grid.number("SELECT count(*) FROM jobs WHERE ending <> 'done'"), 0) << "no file was replaced under a job that read it";
  EXPECT_EQ(grid.number("SELECT count(*) FROM clusters WHERE measured_mb_s > 0"), 1) << "one cluster got the pieces";
  EXPECT_EQ(grid.number("SELECT count(*) FROM events WHERE code = 'NOT_IN_SHARED_HOME'"), 0);
  EXPECT_TRUE(grid.is_consistent());
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM campaign_clusters WHERE inputs_login IS NOT NULL OR cleaned_at IS NULL", "0"));
  // Both OARs count their jobs from 1. A cluster that does not answer keeps no file from its user.
  const auto on_alpha = grid.value("SELECT min(task) FROM jobs j JOIN clusters k ON k.id = j.cluster_id WHERE k.name = 'alpha'");
  grid.cluster("alpha").stop();
  ASSERT_TRUE(grid.becomes("SELECT reachable FROM clusters WHERE name = 'alpha'", "f"));
  const auto id = std::to_string(submitted.campaign.value());
  const auto shown = grid.run("gridstat", {id, "--task", on_alpha, "-O"});
  EXPECT_THAT(shown.output, HasSubstr("task " + on_alpha)) << shown.output;
  const auto into = grid.folder() / "fetched";
  const auto fetched = grid.run("gridget", {id, "--to", into.string()});
  EXPECT_TRUE(fetched.end.succeeded()) << fetched.output;
  int files = 0;
  for (const auto& file : fs::recursive_directory_iterator{into}) {
    if (!file.path().filename().string().ends_with(".out")) continue;
    ++files;
    std::ifstream input{file.path()};
    const std::string text{std::istreambuf_iterator<char>{input}, {}};
    EXPECT_EQ(text, fmt::format("task {}\n", file.path().stem().string())) << "no file has the lines of two tasks";
  }
  EXPECT_EQ(files, kTasks);
}

TEST(Homes, ThatAreDeclaredAndNotShared_GetTheInputFilesEach_AndAnEventReportsIt) {
  Submitted submitted{{.configuration = {{"cycle_period", "200ms"}}}, kTasks};
  auto& grid = submitted.grid;
  ASSERT_TRUE(grid.terminates(submitted.campaign));
  EXPECT_EQ(grid.number("SELECT done FROM campaigns"), kTasks);
  EXPECT_EQ(grid.number("SELECT count(*) FROM jobs WHERE ending <> 'done'"), 0) << "no job began without its file";
  EXPECT_EQ(grid.number("SELECT count(*) FROM clusters WHERE measured_mb_s > 0"), 2);
  EXPECT_THAT(
      grid.value("SELECT message FROM events WHERE code = 'NOT_IN_SHARED_HOME'"),
      HasSubstr("its input files were brought to another cluster with the shared home 'alpha', and are not in the home of alice on"));
  EXPECT_TRUE(grid.is_consistent());
}

}  // namespace
}  // namespace gleaner::tests
