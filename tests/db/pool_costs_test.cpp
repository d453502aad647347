#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/db/pools_fixture.hpp"

/// The costs of the jobs of pools, and the time of their tasks.
namespace gleaner::tests {
namespace {

TEST_F(PoolsInDatabase, WhatStartsCost_IsMeasured_UntilEnoughIsKnown_UnlessTasksRunSideBySide) {
  const auto campaign = a_campaign(20);
  execute(R"(UPDATE campaigns SET jdl = jdl || '{"dimensional_grouping": true}')");
  EXPECT_FALSE(is_to_measure(campaign));
  execute(R"(UPDATE campaigns SET jdl = jdl - 'dimensional_grouping')");
  EXPECT_TRUE(is_to_measure(campaign));
  const auto jobs = launched(campaign, alpha, 2);
  transact([&](store::Transaction& transaction) {
    store::Verdict verdict{.left = store::facts_for_settling(transaction, std::array{jobs.back().id}).at(0),
                           .started_at = now,
                           .ended_at = now + grid::Seconds{8},
                           .resources = 1,
                           .command = 1.25};
    verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, grid::JobEnd::done, grid::Deletion::none, many_attempts);
    store::settle_jobs(transaction, std::array{verdict}, now);
  });
  end(jobs.front(), grid::JobEnd::done);
  EXPECT_EQ(pair("measured || ' ' || command_s || ' ' || held_s"), "1 1.25 8");
  EXPECT_EQ(pair("done || ' ' || duration_sum"), "2 18") << "a task of a job of its own still takes as long as its job";
  execute(fmt::format("UPDATE campaign_clusters SET measured = {}", store::kEnoughMeasured));
  EXPECT_FALSE(is_to_measure(campaign));
}

/// Document 003: the memory profile of a prediction.
TEST_F(PoolsInDatabase, WhatTasksTookOfProcessorsAndMemory_IsKeptByJob_AndSummedUpOfTheDoneOnes) {
  const auto campaign = a_campaign(5);
  const auto jobs = launched(campaign, alpha, 5);
  struct Took {
    std::optional<double> wall, cpu;
    std::optional<int> peak;
    grid::JobEnd end = grid::JobEnd::done;
  };
  const std::vector<Took> all{{10, 7.5, 300}, {20, 2.5, 812}, {5, {}, {}}, {}, {9, 9, 5000, grid::JobEnd::task_error}};
  for (std::size_t i = 0; i < all.size(); ++i)
    transact([&](store::Transaction& transaction) {
      store::Verdict verdict{.left = store::facts_for_settling(transaction, std::array{jobs[i].id}).at(0),
                             .end = all[i].end,
                             .started_at = now,
                             .ended_at = now + grid::Seconds{30},
                             .resources = 1,
                             .wall = all[i].wall,
                             .cpu = all[i].cpu,
                             .peak_memory = all[i].peak};
      verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, all[i].end, grid::Deletion::none, many_attempts);
      store::settle_jobs(transaction, std::array{verdict}, now);
    });
  EXPECT_EQ(pair("cpu_jobs || ' ' || cpu_s || ' ' || cpu_wall_s || ' ' || memory_jobs || ' ' || peak_memory_mb"), "2 10 30 2 812");
  EXPECT_EQ(
      value("SELECT string_agg(coalesce(cpu_s::text, '-') || ' ' || coalesce(peak_memory_mb::text, '-'), ', ' ORDER BY id) FROM jobs"),
      "7.5 300, 2.5 812, - -, - -, 9 5000");
}

TEST_F(PoolsInDatabase, Document003_WhatTasksReadAndWrote_IsKeptByJob_SummedUpOfTheDoneOnes_AndReadByThePlanner) {
  const auto campaign = a_campaign(5);
  const auto jobs = launched(campaign, alpha, 5);
  struct Took {
    std::optional<double> wall, io;
    grid::JobEnd end = grid::JobEnd::done;
  };
  const std::vector<Took> all{{10, 120.5}, {20, 0}, {5, {}}, {{}, 7}, {9, 9e6, grid::JobEnd::task_error}};
  for (std::size_t i = 0; i < all.size(); ++i)
    transact([&](store::Transaction& transaction) {
      store::Verdict verdict{.left = store::facts_for_settling(transaction, std::array{jobs[i].id}).at(0),
                             .end = all[i].end,
                             .started_at = now,
                             .ended_at = now + grid::Seconds{30},
                             .resources = 1,
                             .wall = all[i].wall,
                             .io_mb = all[i].io};
      verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, all[i].end, grid::Deletion::none, many_attempts);
      store::settle_jobs(transaction, std::array{verdict}, now);
    });
  EXPECT_EQ(pair("io_jobs || ' ' || io_mb || ' ' || io_wall_s"), "2 120.5 30");
  EXPECT_EQ(value("SELECT string_agg(coalesce(io_mb::text, '-'), ', ' ORDER BY id) FROM jobs"), "120.5, 0, -, 7, 9000000");
  execute("UPDATE clusters SET file_server_mb_s = 250 WHERE name = 'alpha'");
  transact([&](store::Transaction& transaction) {
    for (const auto& facts : store::planning_clusters(transaction, {.flood = 0, .array_size = 100}))
      EXPECT_EQ(facts.file_server_mb_s, facts.id == alpha ? 250 : 0) << facts.name;
  });
}

TEST_F(PoolsInDatabase, WhatAStartCosts_IsThatOfTheLastCampaignsThatMeasuredIt_AndNoUserDecidesItForTheOthers) {
  const auto cost = [&](grid::ClusterId cluster) {
    std::optional<double> found;
    transact([&](store::Transaction& transaction) {
      for (const auto& facts : store::planning_clusters(transaction, {.flood = 0, .array_size = 100}))
        if (facts.id == cluster) found = facts.start_cost;
    });
    return found;
  };
  EXPECT_EQ(cost(alpha), std::nullopt);
  const auto set = [&](grid::CampaignId campaign, int measured, double command, double held) {
    execute(
        fmt::format("UPDATE campaign_clusters SET measured = {}, command_s = {}, held_s = {} WHERE campaign_id = {} AND cluster_id = {}",
                    measured, command, held, campaign.value(), alpha.value()));
  };
  set(a_campaign(20), 1000, 0, 100'000);
  for (int i = 0; i < 9; ++i) set(a_campaign(20), 1, 4, 10);
  const auto last = a_campaign(20);
  set(last, 1, 4, 10);
  EXPECT_EQ(cost(alpha), 6) << "the first is too long ago";
  set(last, 31, 0, 40 * 26 - 30);
  EXPECT_EQ(cost(alpha), (9 * 6 + 40 * 26 - 30) / 40.0) << "each job counts the same";
  set(last, 1000, 9000, 0);
  EXPECT_EQ(cost(alpha), 0) << "clocks differ";
  EXPECT_EQ(cost(beta), std::nullopt);
  const auto of = [&](const std::string& user, double own_part) {
    const auto campaign = a_campaign(20);
    execute(fmt::format("UPDATE campaigns SET user_name = '{}' WHERE id = {}", user, campaign.value()));
    set(campaign, 1'000'000, 0, 1'000'000 * own_part);
  };
  set(last, 1000, 0, 6000);
  of("mal", 40);
  EXPECT_LT(cost(alpha), 7) << "the lesser one of two";
  for (int i = 0; i < 30; ++i) of("mal", 40);
  of("bob", 7);
  EXPECT_EQ(cost(alpha), 7) << "the median of three users, however many campaigns and jobs one has";
}

}  // namespace
}  // namespace gleaner::tests
