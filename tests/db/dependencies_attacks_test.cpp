#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>

#include "tests/db/answer_times.hpp"
#include "tests/db/await.hpp"
#include "tests/db/dependencies_fixture.hpp"

/// Users whose many campaigns wait for one: what they cost the others.
namespace gleaner::tests {
namespace {

using grid::DependencyKind;
using ::testing::IsEmpty;

/// The transaction that settles a campaign's tasks also filled the bags of all that wait for it.
TEST_F(Dependencies, Attack_ManyCampaignsThatWaitForOne_CostItsSettlingNothing_AndUsersTakeTurns) {
  constexpr int kTasks = 40;
  const auto first = a_campaign(kTasks);
  std::vector<grid::CampaignId> attacking;
  for (int i = 0; i < 30; ++i) {
    attacking.push_back(after(first, DependencyKind::after_each, kTasks));
    execute(fmt::format("UPDATE campaigns SET user_name = 'mal' WHERE id = {}", attacking.back().value()));
  }
  const auto honest = after(first, DependencyKind::after_each, kTasks);
  release();
  const auto jobs = launched(first, alpha, kTasks);
  for (const auto& job : jobs) end(job, grid::JobEnd::done);
  EXPECT_EQ(value("SELECT count(*) FROM freed_tasks"), std::to_string(kTasks)) << "one note a task, however many campaigns wait";
  EXPECT_EQ(stored.returned_tasks().size(), 0U);
  EXPECT_THAT(broken(), IsEmpty());
  EXPECT_EQ(release(std::chrono::milliseconds{0}).dependencies, 0) << "the time of a turn bounds it";
  finish();
  EXPECT_EQ(release().tasks, 31 * kTasks) << "also once the first has ended, and the dependencies are met";
  EXPECT_EQ(bag(honest), bag(attacking.front()));
  EXPECT_EQ(value("SELECT count(*) FROM freed_tasks"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM dependencies WHERE released_at IS NULL"), "0");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Dependencies, Attack_400CampaignsThatWaitForOne_DelayNoLaunchAndNoEndOfOthers) {
  constexpr int kTasks = 60;
  const auto first = a_campaign(kTasks);
  for (int i = 0; i < 400; ++i) after(first, DependencyKind::after_each, kTasks);
  execute("UPDATE campaigns SET user_name = 'mal'");
  const auto honest = a_campaign(200);
  const auto one_task = [&] { end(launched(honest, alpha, 1).front(), grid::JobEnd::done); };
  const auto alone = answer_times(one_task);
  release();
  for (const auto& job : launched(first, alpha, kTasks)) end(job, grid::JobEnd::done);
  store::Database other{conninfo};
  std::atomic<int> released = 0;
  Attackers turns{1, [&] {
                    released += store::release_freed(other, term, std::chrono::milliseconds{200}, now, intake::request_freed,
                                                     [](const store::ToRelease&, const std::string& why) { throw std::runtime_error{why}; })
                                    .tasks;
                  }};
  ASSERT_TRUE(await([&] { return turns.acts() > 0; }));
  show_beside("400 campaigns after_each one", alone, answer_times(one_task));
  EXPECT_TRUE(await([&] { return released == 400 * kTasks; })) << released;
  EXPECT_EQ(counters(honest).done, 200);
}

}  // namespace
}  // namespace gleaner::tests
