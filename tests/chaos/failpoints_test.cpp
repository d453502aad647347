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
  return fmt::format(
      "SELECT count(*) FROM cycles, jsonb_array_elements(modules) m WHERE m->>'module' = '{}' AND m->>'result' = 'failed'", module);
}

/// A campaign whose jobs run until they are killed, so that Nikita has something to do.
grid::CampaignId begin_endless(GridUnderTest& grid) {
  const auto endless = grid.submit({.tasks = 6, .exec_file = grid.oracle().task("sleep 300")});
  EXPECT_TRUE(grid.becomes(fmt::format("SELECT count(*) FROM jobs WHERE campaign_id = {} AND state = 'running'", endless.value()), "6"));
  return endless;
}

TEST_P(Failpoint, ModuleThatDiesThereAgainAndAgain_LosesNothing_AndRunsNothingTwice) {
  const std::string name{GetParam()};
  const auto module = name.substr(0, name.find('.'));
  Dice dice{chaos_seed()};
  GridUnderTest grid{{.configuration = {{"lease_duration", "3s"}, {"void_delay", "2s"}}}};
  grid.almighty().start();
  const auto endless = begin_endless(grid);

  grid.almighty().kill();
  grid.cancel(endless);
  const auto campaign = grid.submit({.tasks = 40, .exec_file = grid.oracle().task("sleep 0.3")});
  const int passage = dice.roll(1, 2);
  grid.almighty().start({{"GLEANER_FAILPOINT", fmt::format("{}:{}", name, passage)}});
  const bool died = await(kPatience, [&] {
    const auto state = grid.value(fmt::format("SELECT state FROM campaigns WHERE id = {}", campaign.value()));
    return grid.number(deaths_of(module)) >= 2 || state == "terminated";
  });
  EXPECT_TRUE(died);
  // A deletion that was sent is not sent again before its time: there is one such passage.
  const int passages = name == "nikita.after_delete" ? 1 : 2;
  EXPECT_GE(grid.number(deaths_of(module)), passage == 1 ? passages : 0) << name << " was not passed";

  grid.almighty().kill();
  grid.almighty().start();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 40));
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
