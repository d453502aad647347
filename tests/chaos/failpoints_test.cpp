#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "lib/process/failpoint.hpp"
#include "tests/chaos/seed.hpp"
#include "tests/system/grid_under_test.hpp"

namespace gleaner::tests {
namespace {

constexpr process::Duration kPatience{60'000};

class Failpoint : public ::testing::TestWithParam<std::string_view> {};

std::string deaths_of(std::string_view module) {
  return fmt::format("SELECT count(*) FROM cycles, jsonb_array_elements(modules) m WHERE m->>'module' = '{}' AND m->>'result' = 'failed'",
                     module);
}

/// At which of its passages a process is to die: some at the first, some at the second one. All deletions are sent in one passage, and not
/// again before their time: there is no second one of nikita's.
int passage_of(std::string_view name) {
  const auto place = std::ranges::find(process::kFailpoints, name) - process::kFailpoints.begin();
  Dice dice{chaos_seed() + static_cast<std::uint64_t>(place)};
  const int rolled = dice.roll(1, 2);
  return name.starts_with("nikita.") ? 1 : rolled;
}

/// Deaths that there must be, so that "again and again" is true. What nikita deletes is gone after the first of them.
std::int64_t deaths_wanted(std::string_view name) { return name == "nikita.after_delete" ? 1 : 2; }

/// A campaign whose jobs run until they are killed, so that Nikita has something to do.
grid::CampaignId begin_endless(GridUnderTest& grid) {
  const auto endless = grid.submit({.tasks = 6, .exec_file = grid.oracle().task("sleep 300")});
  EXPECT_TRUE(grid.becomes(fmt::format("SELECT count(*) FROM jobs WHERE campaign_id = {} AND state = 'running'", endless.value()), "6"));
  return endless;
}

TEST_P(Failpoint, ModuleThatDiesThereAgainAndAgain_LosesNothing_AndRunsNothingTwice) {
  const std::string name{GetParam()};
  const auto module = name.substr(0, name.find('.'));
  const int passage = passage_of(name);
  GridUnderTest grid{{.configuration = {{"lease_duration", "3s"}, {"void_delay", "2s"}}}};
  grid.almighty().start();
  const auto endless = begin_endless(grid);

  grid.almighty().kill();
  grid.cancel(endless);
  const auto campaign = grid.submit({.tasks = 100, .exec_file = grid.oracle().task("sleep 0.3")});
  grid.almighty().start({{"GLEANER_FAILPOINT", fmt::format("{}:{}", name, passage)}});
  EXPECT_TRUE(await(kPatience, [&] { return grid.number(deaths_of(module)) >= deaths_wanted(name); }))
      << grid.number(deaths_of(module)) << " deaths at passage " << passage << " of " << name;
  EXPECT_NE(tail_of(grid.almighty().log(), 100'000).find("killed by signal 9"), std::string::npos) << "it failed otherwise";

  grid.almighty().kill();
  grid.almighty().start();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 100));
  EXPECT_TRUE(grid.becomes(fmt::format("SELECT cancelled FROM campaigns WHERE id = {}", endless.value()), "6"));
  for (const auto* cluster : {"alpha", "beta"}) {
    EXPECT_TRUE(await(kPatience, [&] { return grid.cluster(cluster).jobs_in("Running,Waiting,Launching,toLaunch") == 0; })) << cluster;
  }
  EXPECT_TRUE(grid.is_consistent());
}

INSTANTIATE_TEST_SUITE_P(Every, Failpoint, ::testing::ValuesIn(process::kFailpoints), [](const auto& each) {
  std::string text{each.param};
  std::ranges::replace(text, '.', '_');
  return text;
});

}  // namespace
}  // namespace gleaner::tests
