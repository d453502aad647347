// The strip of a campaign: its tasks by state, block by block.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <future>
#include <pqxx/pqxx>

#include "lib/store/views_blocks.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {
namespace {

using store::views::Strip;
using ::testing::IsEmpty;

class StripOfACampaign : public GridFixture {
 protected:
  Strip strip(grid::CampaignId campaign, std::int64_t most = 1000) {
    Strip found;
    transact([&](store::Transaction& t) { found = store::views::strip(t, *store::views::campaign(t, campaign), most); });
    return found;
  }
  /// Blocks that are kept and are not those of the tasks.
  std::string wrong_blocks() {
    return value(R"(
      WITH counted AS (SELECT c.id, n.* FROM campaigns c CROSS JOIN LATERAL blocks_of(c.id) n),
      kept AS (SELECT * FROM task_blocks WHERE (launching, submitted, running, done, failed, cancelled) <> (0, 0, 0, 0, 0, 0))
      SELECT coalesce(string_agg(format('%s.%s', coalesce(k.campaign_id, n.id), coalesce(k.block, n.block)), ' '), '')
      FROM counted n FULL JOIN kept k ON k.campaign_id = n.id AND k.block = n.block
      WHERE (k.launching, k.submitted, k.running, k.done, k.failed, k.cancelled)
        IS DISTINCT FROM (n.launching, n.submitted, n.running, n.done, n.failed, n.cancelled))");
  }
  void set_states(grid::CampaignId campaign, std::int64_t first, std::int64_t last, std::string_view state) {
    execute(fmt::format("UPDATE tasks SET state = '{}' WHERE campaign_id = {} AND number BETWEEN {} AND {}", state, campaign.value(), first,
                        last));
  }
};

TEST_F(StripOfACampaign, OfFewTasks_HasABlockForEachThatWasTaken) {
  const auto campaign = a_campaign(5);
  EXPECT_THAT(strip(campaign).blocks, IsEmpty()) << "all wait";
  const auto jobs = launched(campaign, alpha, 3);
  end(jobs[0], grid::JobEnd::done);
  end(jobs[1], grid::JobEnd::task_error);
  const auto found = strip(campaign);
  EXPECT_EQ(found.width, 1);
  ASSERT_EQ(found.blocks.size(), 3U);
  EXPECT_EQ(found.blocks[0].counts.done, 1);
  EXPECT_EQ(found.blocks[1].counts.failed, 1);
  EXPECT_EQ(found.blocks[2].counts.submitted + found.blocks[2].counts.running, 1);
  EXPECT_EQ(found.blocks[2].first, 2);
}

TEST_F(StripOfACampaign, OfManyTasks_HasAtMostAsManyBlocksAsAreWanted_OfWholeThousands) {
  const auto campaign = a_campaign(25'500);
  set_states(campaign, 0, 1999, "done");
  set_states(campaign, 25'400, 25'499, "failed");
  const auto whole = strip(campaign);
  EXPECT_EQ(whole.width, 1000) << "they are kept so";
  ASSERT_EQ(whole.blocks.size(), 3U);
  EXPECT_EQ(whole.blocks[2].first, 25'000);
  EXPECT_EQ(whole.blocks[2].tasks, 500) << "the last one has what is left";
  EXPECT_EQ(whole.blocks[2].counts.waiting, 400);
  EXPECT_EQ(whole.blocks[2].counts.failed, 100);
  const auto coarse = strip(campaign, 10);
  EXPECT_EQ(coarse.width, 3000);
  ASSERT_EQ(coarse.blocks.size(), 2U);
  EXPECT_EQ(coarse.blocks[0].counts.done, 2000);
  EXPECT_EQ(coarse.blocks[0].counts.waiting, 1000);
}

TEST_F(StripOfACampaign, GoesBackToNothing_WhenItsTasksDo) {
  const auto campaign = a_campaign(30'000);
  set_states(campaign, 0, 29'999, "cancelled");
  EXPECT_EQ(strip(campaign).blocks.size(), 30U);
  set_states(campaign, 0, 29'999, "waiting");
  EXPECT_THAT(strip(campaign).blocks, IsEmpty());
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(StripOfACampaign, ScriptsAreNoTasksOfIt) {
  const auto campaign = a_campaign(3);
  execute(fmt::format("INSERT INTO tasks (campaign_id, number, parameter) VALUES ({}, -1, '')", campaign.value()));
  set_states(campaign, -1, -1, "done");
  EXPECT_THAT(strip(campaign).blocks, IsEmpty());
  EXPECT_EQ(value("SELECT count(*) FROM task_blocks"), "0");
}

/// Two transactions that write the same two blocks, each the other one first.
TEST_F(StripOfACampaign, BlocksThatAreWrittenInEitherOrder_MakeNobodyWaitForEver) {
  const auto campaign = a_campaign(4000);
  const auto flip = [&](pqxx::work& work, std::int64_t number) {
    work.exec(
        fmt::format("UPDATE tasks SET state = CASE state WHEN 'waiting' THEN 'done' ELSE 'waiting' END::task_state "
                    "WHERE campaign_id = {} AND number = {}",
                    campaign.value(), number));
  };
  const auto alternate = [&](std::int64_t one, std::int64_t other) {
    pqxx::connection mine{conninfo};
    for (int time = 0; time < 50; ++time) {
      pqxx::work work{mine};
      flip(work, one);
      flip(work, other);
      work.commit();
    }
  };
  auto first = std::async(std::launch::async, alternate, 10, 3010);
  auto second = std::async(std::launch::async, alternate, 3020, 20);
  EXPECT_NO_THROW(first.get());
  EXPECT_NO_THROW(second.get());
  EXPECT_EQ(wrong_blocks(), "");
}

TEST_F(StripOfACampaign, IsThatOfItsTasks_AfterAnyHistory) {
  const std::vector<grid::CampaignId> campaigns{a_campaign(2500), a_campaign(21'000)};
  const std::vector<std::string> states{"waiting", "launching", "submitted", "running", "done", "failed", "cancelled"};
  const bool held = rc::check("each block counts its tasks", [&] {
    const auto first = *rc::gen::inRange<std::int64_t>(0, 21'000);
    const auto last = first + *rc::gen::element<std::int64_t>(0, 1, 999, 1000, 3000);
    const auto state = *rc::gen::elementOf(states), from = *rc::gen::elementOf(states);
    // Both campaigns at once, from several states.
    execute(fmt::format("UPDATE tasks SET state = '{}' WHERE number BETWEEN {} AND {} AND (state = '{}' OR number % 3 = 0)", state, first,
                        last, from));
    RC_ASSERT(wrong_blocks() == "");
    const auto most = *rc::gen::inRange<std::int64_t>(1, 1001);
    for (const auto campaign : campaigns) {
      const auto found = strip(campaign, most);
      RC_ASSERT(std::ssize(found.blocks) <= most);
      auto left = recount(campaign);
      for (const auto& block : found.blocks) {
        RC_ASSERT(block.first % found.width == 0);
        RC_ASSERT(block.counts.waiting + block.counts.launching + block.counts.submitted + block.counts.running + block.counts.done +
                      block.counts.failed + block.counts.cancelled ==
                  block.tasks);
        left.launching -= block.counts.launching, left.submitted -= block.counts.submitted, left.running -= block.counts.running;
        left.done -= block.counts.done, left.failed -= block.counts.failed, left.cancelled -= block.counts.cancelled,
            left.waiting -= block.counts.waiting;
      }
      RC_ASSERT(left.waiting >= 0);
      left.waiting = 0;
      RC_ASSERT(left == Counters{});
    }
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace gleaner::tests
