#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "lib/process/failpoint.hpp"
#include "tests/chaos/chosen.hpp"
#include "tests/seed.hpp"
#include "tests/system/grid_under_test.hpp"

namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;

/// Those of gridapi, or those of the modules that almighty runs; the herald dies at its own in tests/db/herald_test.cpp.
std::vector<std::string_view> failpoints(bool of_gridapi) {
  std::vector<std::string_view> found;
  std::ranges::copy_if(process::kFailpoints, std::back_inserter(found),
                       [&](std::string_view name) { return name.starts_with("gridapi.") == of_gridapi && !name.starts_with("herald."); });
  return found;
}

std::string name_of(const ::testing::TestParamInfo<std::string_view>& each) {
  std::string text{each.param};
  std::ranges::replace(text, '.', '_');
  return text;
}

class Failpoint : public ::testing::TestWithParam<std::string_view> {};

std::string deaths_of(std::string_view module) {
  return fmt::format("SELECT count(*) FROM cycles, jsonb_array_elements(modules) m WHERE m->>'module' = '{}' AND m->>'result' = 'failed'",
                     module);
}

bool is_of_inputs(std::string_view name) {
  return name == "runner.before_inputs" || name == "runner.after_pieces" || name == "runner.after_index";
}
bool is_of_signals(std::string_view name) { return name.starts_with("nikita.") && name.ends_with("_signal"); }

/// One place of each module that a world has too, and all places that no world has, those of the input files.
bool is_wanted(std::string_view name) {
  if (is_of_inputs(name)) return true;
  const auto module = name.substr(0, name.find('.') + 1);
  std::vector<std::string_view> places;
  std::ranges::copy_if(process::kFailpoints, std::back_inserter(places),
                       [&](std::string_view one) { return one.starts_with(module) && !is_of_inputs(one); });
  return is_chosen(static_cast<std::size_t>(std::ranges::find(places, name) - places.begin()), places.size());
}

/// At which of its passages a process is to die: some at the first, some at the second one. All deletions are sent in one passage, and not
/// again before their time: there is no second one of nikita's. Once the files of one cluster are there, there is one passage a process.
int passage_of(std::string_view name) {
  const auto place = std::ranges::find(process::kFailpoints, name) - process::kFailpoints.begin();
  Dice dice{test_seed() + static_cast<std::uint64_t>(place)};
  const int rolled = dice.roll(1, 2);
  return name.starts_with("nikita.") || is_of_inputs(name) ? 1 : rolled;
}

/// Deaths that there must be, so that "again and again" is true. Files that nikita deletes are gone after the first of them.
std::int64_t deaths_wanted(std::string_view name) { return name == "nikita.after_delete" ? 1 : 2; }

/// A campaign whose jobs run until they are killed, so that Nikita has something to do.
grid::CampaignId begin_endless(GridUnderTest& grid) {
  const auto endless = grid.submit({.tasks = 6, .exec_file = grid.oracle().gated_task()});
  EXPECT_TRUE(grid.becomes(fmt::format("SELECT count(*) FROM jobs WHERE campaign_id = {} AND state = 'running'", endless.value()), "6"));
  return endless;
}

constexpr const char* kFirstLine = "of every task";

/// A file that the tasks of the campaigns below need, beside their campaign file.
fs::path place_of_files(const GridUnderTest& grid) {
  const auto place = grid.folder() / "campaign";
  fs::create_directories(place);
  std::string content = std::string{kFirstLine} + "\n";
  content.resize(300'000, 'x');
  std::ofstream{place / "common", std::ios::binary} << content;
  return place;
}

std::string checking_files() {
  return fmt::format(R"check([ "$(head -n 1 $CIGRI_INPUTS/common)" = "{}" ] && [ $(wc -c < $CIGRI_INPUTS/common) = 300000 ])check",
                     kFirstLine);
}

/// Submits by gridsub's -f, and gives what it said.
process::Captured gridsub_file(GridUnderTest& grid, const TestCampaign& campaign) {
  const auto file = place_of_files(grid) / "campaign.json";
  std::ofstream{file} << GridUnderTest::jdl_of(campaign);
  return grid.run("gridsub", {"--quiet", "-f", file.string()});
}

/// A campaign for this failpoint: with input files, with checkpoints, or with neither.
TestCampaign campaign_for(std::string_view name, const GridUnderTest& grid) {
  if (is_of_inputs(name))
    return {.tasks = 20, .exec_file = grid.oracle().task(checking_files()), .more_keys = R"("input_files":["common"])"};
  // Each task is signalled three times: long after its trap is set, and before its end.
  if (is_of_signals(name))
    return {.tasks = 16,
            .exec_file = grid.oracle().task("trap : USR1; sleep 14"),
            .more_keys = R"("checkpoint":{"signal":"USR1","period":"0:00:04","cost":"0:00:01"})"};
  return {.tasks = 100, .exec_file = grid.oracle().task("sleep 0.3")};
}

TEST_P(Failpoint, ModuleThatDiesThereAgainAndAgain_LosesNothing_AndRunsNothingTwice) {
  const std::string name{GetParam()};
  if (!is_wanted(name)) GTEST_SKIP() << kAnotherIsChosen;
  const auto module = name.substr(0, name.find('.'));
  const int passage = passage_of(name);
  GridUnderTest grid{{.configuration = {{"lease_duration", "3s"}, {"void_delay", "2s"}}}};
  grid.almighty().start();
  const auto endless = begin_endless(grid);

  grid.almighty().kill();
  grid.cancel(endless);
  const auto asked = campaign_for(name, grid);
  if (!asked.more_keys.empty()) {
    grid.start_api();
    const auto said = gridsub_file(grid, asked);
    ASSERT_TRUE(said.end.succeeded()) << said.output;
  }
  const auto campaign = asked.more_keys.empty() ? grid.submit(asked) : grid::CampaignId{grid.number("SELECT max(id) FROM campaigns")};
  grid.almighty().start({{"GLEANER_FAILPOINT", fmt::format("{}:{}", name, passage)}});
  EXPECT_TRUE(await([&] { return grid.number(deaths_of(module)) >= deaths_wanted(name); }))
      << grid.number(deaths_of(module)) << " deaths at passage " << passage << " of " << name;
  EXPECT_NE(tail_of(grid.almighty().log(), 100'000).find("killed by signal 9"), std::string::npos) << "it failed otherwise";

  grid.almighty().kill();
  grid.almighty().start();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, asked.tasks));
  EXPECT_TRUE(grid.becomes(fmt::format("SELECT cancelled FROM campaigns WHERE id = {}", endless.value()), "6"));
  for (const auto* cluster : {"alpha", "beta"}) {
    EXPECT_TRUE(await([&] { return grid.cluster(cluster).jobs_in("Running,Waiting,Launching,toLaunch") == 0; })) << cluster;
  }
  EXPECT_TRUE(grid.is_consistent());
}

INSTANTIATE_TEST_SUITE_P(Every, Failpoint, ::testing::ValuesIn(failpoints(false)), name_of);

class UploadFailpoint : public ::testing::TestWithParam<std::string_view> {};

TEST_P(UploadFailpoint, GridapiThatDiesThere_LeavesNoHalfFile_AndTakesTheFilesFromTheNextSubmission) {
  GridUnderTest grid{{}};
  grid.api().start({{"GLEANER_FAILPOINT", std::string{GetParam()}}});
  ASSERT_TRUE(await([&] { return grid.run("gridclusters", {"--quiet"}).end.succeeded(); }));
  const TestCampaign asked{.tasks = 10, .exec_file = grid.oracle().task(checking_files()), .more_keys = R"("input_files":["common"])"};
  const auto broken = gridsub_file(grid, asked);
  EXPECT_FALSE(broken.end.succeeded());
  EXPECT_TRUE(await([&] { return !grid.api().is_running(); })) << "it lives: " << broken.output;
  EXPECT_EQ(grid.number("SELECT count(*) FROM campaigns"), 0);

  grid.api().kill();
  grid.start_api();
  const auto said = gridsub_file(grid, asked);
  ASSERT_TRUE(said.end.succeeded()) << said.output;
  EXPECT_EQ(grid.number("SELECT count(*) FROM inputs"), 2) << "the file, and the list of files";
  grid.almighty().start();
  const auto campaign = grid::CampaignId{grid.number("SELECT max(id) FROM campaigns")};
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, asked.tasks));
  EXPECT_TRUE(grid.is_consistent());
}

INSTANTIATE_TEST_SUITE_P(Every, UploadFailpoint, ::testing::ValuesIn(failpoints(true)), name_of);

}  // namespace
}  // namespace gleaner::tests
