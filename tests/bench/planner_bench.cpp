#include <fmt/format.h>
#include <gtest/gtest.h>

#include "metascheduler/planner/plan.hpp"
#include "tests/bench/measure.hpp"

// Issue "metascheduler", what must be shown, 5: the speed of a plan.
namespace gleaner::planner {
namespace {

Snapshot a_grid(int clusters, int campaigns, std::int64_t tasks) {
  Snapshot snapshot{.clusters = {}, .campaigns = {}, .pairs = {}};
  for (int i = 1; i <= clusters; ++i)
    snapshot.clusters.push_back({.id = grid::ClusterId{i}, .name = fmt::format("c{}", i), .max_resources = 128, .free_resources = 100, .flood = 0.5, .array_size = 500});
  for (int i = 1; i <= campaigns; ++i) {
    snapshot.campaigns.push_back({.id = grid::CampaignId{i}, .user = fmt::format("user{}", i % 50), .submitted = grid::from_unix(i), .waiting_tasks = tasks});
    for (int j = 1; j <= clusters; ++j) {
      snapshot.pairs.push_back({.campaign = grid::CampaignId{i}, .cluster = grid::ClusterId{j}, .resources_per_job = 1});
      snapshot.pairs.back().walltime = 3600;
    }
  }
  for (int i = 0; i < 50; ++i) {
    snapshot.users.push_back({.name = fmt::format("user{}", i), .share = 0.02, .usage = 0.001 * i});
    snapshot.shares.push_back({.name = fmt::format("user{}", i), .usage = 0.001 * i, .is_user = true});
  }
  return snapshot;
}

double milliseconds(const Snapshot& snapshot, const PlannerConfig& config) {
  return 1000.0 * tests::least_seconds(5, [&] { ASSERT_FALSE(plan(snapshot, config).decisions.empty()); });
}

TEST(PlannerBench, TwoThousandCampaignsOnAHundredClusters) {
  const auto few = a_grid(100, 2000, 50);
  const auto many = a_grid(100, 2000, 5000);
  const auto most = a_grid(100, 2000, 5'000'000);
  // The floor: the work of visiting every pair once, and of keeping a decision for each.
  const double floor = 1000.0 * tests::least_seconds(7, [&] {
    std::vector<Decision> decisions;
    decisions.reserve(many.pairs.size());
    for (const auto& pair : many.pairs) decisions.push_back({.campaign = pair.campaign, .cluster = pair.cluster});
    ASSERT_EQ(decisions.size(), many.pairs.size());
  });
  for (const std::string_view order : {"fifo", "fairshare", "fairtree", "tickets"}) {
    const PlannerConfig config{.order = std::string{order}};
    const double with_few = milliseconds(few, config), with_many = milliseconds(many, config), with_most = milliseconds(most, config);
    tests::report(fmt::format("a plan of 2 000 campaigns on 100 clusters, {}", order),
                  fmt::format("{:.1f} ms with 10 million tasks waiting, {:.1f} ms with 10 thousand million, {:.1f} ms with 100 thousand; a decision for each pair alone {:.1f} ms",
                              with_many, with_most, with_few, floor));
    EXPECT_LT(with_most, 2.0 * with_many) << order;
    EXPECT_LT(with_many, 10.0 * floor) << order;
  }
}

TEST(PlannerBench, OneAssignmentACycle_OfTechilasExample) {
  for (const auto* order : {"tickets", "fifo", "fairshare"}) {
    auto snapshot = a_grid(1, 2, 0);
    snapshot.clusters[0].free_resources = 1;
    snapshot.clusters[0].flood = 0;
    const PlannerConfig config{.order = order};
    int cycles = 0;
    const double seconds = tests::least_seconds(3, [&] {
      snapshot.campaigns[0].waiting_tasks = 500;
      snapshot.campaigns[1].waiting_tasks = 1000;
      for (cycles = 0; snapshot.campaigns[0].waiting_tasks + snapshot.campaigns[1].waiting_tasks > 0; ++cycles) {
        snapshot.seed = static_cast<std::uint64_t>(cycles);
        const auto result = plan(snapshot, config);
        ASSERT_EQ(result.launches.size(), 1U);
        --snapshot.campaigns[static_cast<std::size_t>(result.launches[0].campaign.value() - 1)].waiting_tasks;
      }
    });
    tests::report(fmt::format("Techila's example, {}", order), fmt::format("{} cycles in {:.4f} s: {:.0f} cycles a second", cycles, seconds, cycles / seconds));
    EXPECT_EQ(cycles, 1500);
  }
}

}  // namespace
}  // namespace gleaner::planner
