#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <thread>

#include "tests/chaos/chosen.hpp"
#include "tests/chaos/killer.hpp"

/// A campaign that is appended to, edited, cut and paused while it runs and while processes are killed.
namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;
constexpr auto kUnreachable = "the API cannot be reached";
constexpr int kNotPossibleNow = 4;  ///< exit status: the campaign has ended meanwhile

/// The requests of its user, which the grid must fulfil.
struct Asked {
  std::int64_t tasks = 0;
  std::set<std::int64_t> cut = {};  ///< cancelled, if they had not ended before
};

class ChangingCampaign {
 public:
  ChangingCampaign(GridUnderTest& grid, Dice& dice, std::int64_t tasks, bool grouping) : grid_{grid}, dice_{dice}, killer_{grid, dice} {
    asked_.tasks = tasks;
    id_ = grid_.gridsub(grid_.jdl_of({.tasks = tasks,
                                      .exec_file = grid_.oracle().task("echo out $1; sleep 0.$(($1 * 2 % 3))"),
                                      .grouping = grouping,
                                      .more_keys = R"("output_directory": "outputs")"}));
  }

  [[nodiscard]] grid::CampaignId id() const { return id_; }
  [[nodiscard]] const Asked& asked() const { return asked_; }

  void change() {
    switch (dice_.roll(0, 6)) {
      case 0:
      case 1: return append();
      case 2: return cut();
      case 3: return edit();
      case 4: return command("gridsub", {dice_.roll(0, 1) == 0 ? "--hold" : "--resume", text()});
      default: return killer_.strike();
    }
  }
  /// Nothing keeps it from its end any more.
  void let_go_on() {
    command("gridsub", {"--resume", text()});
    command("gridsub", {"--edit", text(), "clusters.beta=on", "clusters.alpha.max_jobs="});
  }

 private:
  [[nodiscard]] std::string text() const { return std::to_string(id_.value()); }
  /// Again while the API is not back; its end is success, or that the campaign had ended.
  void command(const std::string& program, const std::vector<std::string>& arguments) {
    process::Captured said;
    const bool reached = await([&] {
      said = grid_.run(program, arguments);
      return said.output.find(kUnreachable) == std::string::npos;
    });
    EXPECT_TRUE(reached && (said.end.succeeded() || said.end.exit_status == kNotPossibleNow))
        << program << ' ' << arguments[0] << ": " << said.output;
  }
  /// The API may be killed at any moment of it.
  void append() {
    const auto tasks = dice_.roll(1, 30);
    auto appending = grid_.background("gridsub", {"-c", text(), "-n", std::to_string(tasks)});
    appending.start();
    if (dice_.roll(0, 1) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds{dice_.roll(0, 200)});  // the random moment itself
      Killer::restart(grid_.api());
    }
    ASSERT_TRUE(await([&] { return !appending.is_running(); }));
    const auto end = appending.stop();
    const auto said = tail_of(appending.log(), 5);
    // Its user follows the message, and checks.
    const bool is_unknown = said.find("whether the tasks were appended is unknown") != std::string::npos;
    const bool was_not_sent = said.find(kUnreachable) != std::string::npos;
    ASSERT_TRUE(end.succeeded() || is_unknown || was_not_sent) << said;
    const bool appended = end.succeeded() || (is_unknown && grid_.number(total()) > asked_.tasks);
    if (appended) asked_.tasks += tasks;
    ASSERT_EQ(grid_.number(total()), asked_.tasks) << said;
  }
  [[nodiscard]] std::string total() const { return fmt::format("SELECT total FROM campaigns WHERE id = {}", id_.value()); }
  void cut() {
    const auto first = static_cast<std::int64_t>(dice_.roll(0, static_cast<int>(asked_.tasks) - 1));
    const auto last = std::min(asked_.tasks - 1, first + dice_.roll(0, 4));
    command("griddel", {text(), "--task", fmt::format("{}-{}", first, last)});
    for (auto task = first; task <= last; ++task) asked_.cut.insert(task);
  }
  void edit() {
    const std::array<std::vector<std::string>, 4> edits{{{"walltime=0:20:0"},
                                                         {"clusters.beta=off", fmt::format("name=renamed-{}", dice_.roll(0, 99))},
                                                         {"clusters.beta=on", "clusters.alpha.max_jobs="},
                                                         {"clusters.alpha.max_jobs=2", "max_fails=10%"}}};
    std::vector<std::string> arguments{"--edit", text()};
    const auto& chosen = dice_.pick(edits);
    arguments.insert(arguments.end(), chosen.begin(), chosen.end());
    command("gridsub", arguments);
  }

  GridUnderTest& grid_;
  Dice& dice_;
  Killer killer_;
  grid::CampaignId id_{0};
  Asked asked_;
};

/// Empty: each task that was not cut is done, and each that is done was carried out once.
std::string what_differs(GridUnderTest& grid, const ChangingCampaign& campaign) {
  std::map<std::int64_t, int> times;
  for (const auto& [execution, count] : grid.oracle().executions(campaign.id())) times[execution.first] += count;
  std::string wrong;
  std::int64_t rows = 0;
  for (const auto& [task, state, charged] : grid.tasks_of(campaign.id())) {
    const bool may_be_cut = campaign.asked().cut.contains(task);
    const bool right = state == "done" ? times[task] == 1 : state == "cancelled" && may_be_cut && times[task] <= 1;
    if (!right || charged > 0) wrong += fmt::format("task {}: {}, charged {}, carried out {} times; ", task, state, charged, times[task]);
    ++rows;
  }
  if (rows != campaign.asked().tasks) wrong += fmt::format("{} tasks, not {}", rows, campaign.asked().tasks);
  return wrong;
}

/// The contents of the stdout files, by name: from task 1000 on they are in folders of a thousand each.
std::map<std::string, std::string> outputs_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator{folder}) {
    if (entry.path().extension() != ".out") continue;
    std::ifstream stream{entry.path()};
    files[entry.path().filename().string()] = {std::istreambuf_iterator<char>{stream}, {}};
  }
  return files;
}

class AChangingCampaign : public ::testing::TestWithParam<bool> {};

TEST_P(AChangingCampaign, WhileProcessesAreKilled_ComesToWhatWasAsked_AndItsOutputsAreFetchedOnceAndWhole) {
  if (!is_chosen(GetParam() ? 1 : 0, 2)) GTEST_SKIP() << kAnotherIsChosen;
  Dice dice{test_seed()};
  const int changes = long_runs() ? 400 : 30;
  GridUnderTest grid{{.configuration = {{"lease_duration", "2s"}, {"void_delay", "2s"}, {"cycle_period", "200ms"}}}};
  grid.start_api();
  grid.almighty().start();
  ChangingCampaign campaign{grid, dice, long_runs() ? 9000 : 150, GetParam()};
  for (int change = 0; change < changes && !::testing::Test::HasFailure(); ++change) {
    std::this_thread::sleep_for(std::chrono::milliseconds{dice.roll(0, 400)});  // the random moment itself
    campaign.change();
  }
  campaign.let_go_on();
  ASSERT_TRUE(grid.terminates(campaign.id(), process::Duration{long_runs() ? 3'600'000 : 120'000}));
  EXPECT_EQ(what_differs(grid, campaign), "");
  EXPECT_TRUE(grid.is_consistent());

  const auto folder = grid.folder() / "fetched";
  const std::vector<std::string> fetch{std::to_string(campaign.id().value()), "--to", folder.string()};
  for (int kill = 0; kill < 3; ++kill) {
    auto running = grid.background("gridget", fetch);
    running.start();
    std::this_thread::sleep_for(std::chrono::milliseconds{dice.roll(50, 400)});  // the random moment itself
    running.kill();
  }
  const auto fetched = grid.run("gridget", fetch);
  EXPECT_TRUE(fetched.end.succeeded()) << fetched.output;
  auto found = outputs_below(folder);
  for (const auto& [task, state, charged] : grid.tasks_of(campaign.id())) {
    if (state != "done") continue;
    const auto last =
        grid.number(fmt::format("SELECT attempt FROM tasks WHERE campaign_id = {} AND number = {}", campaign.id().value(), task));
    const auto name = last == 0 ? fmt::format("{}.out", task) : fmt::format("{}.{}.out", task, last);
    EXPECT_EQ(found[name], fmt::format("out {}\n", task)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(OfJobs, AChangingCampaign, ::testing::Values(false, true),
                         [](const auto& each) { return each.param ? std::string{"InPools"} : std::string{"OneForEachTask"}; });

}  // namespace
}  // namespace gleaner::tests
