#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ostream>

#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/plan.hpp"
#include "tests/bench/measure.hpp"

// The speed of a plan (issue "metascheduler", requirement 5).
namespace gleaner::planner {
namespace {

Snapshot a_grid(int clusters, int campaigns, std::int64_t tasks) {
  Snapshot snapshot{.clusters = {}, .campaigns = {}, .pairs = {}};
  for (int i = 1; i <= clusters; ++i) {
    auto& cluster = snapshot.clusters.emplace_back();
    cluster.id = grid::ClusterId{i};
    cluster.name = fmt::format("c{}", i);
    cluster.max_resources = 128;
    cluster.free_resources = 100;
    cluster.flood = 0.5;
    cluster.array_size = 500;
  }
  for (int i = 1; i <= campaigns; ++i) {
    auto& campaign = snapshot.campaigns.emplace_back();
    campaign.id = grid::CampaignId{i};
    campaign.user = fmt::format("user{}", i % 50);
    campaign.submitted = grid::from_unix(i);
    campaign.waiting_tasks = tasks;
    campaign.scheduler = "workqueue";
    for (int j = 1; j <= clusters; ++j) {
      auto& pair = snapshot.pairs.emplace_back();
      pair.campaign = campaign.id;
      pair.cluster = grid::ClusterId{j};
      pair.resources_per_job = 1;
      pair.walltime = 3600;
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
  // The floor: a copy of the facts of every pair, and a candidate and a decision for each. A plan is bound by the memory that it reads:
  // a floor that visits one field of each pair alone varies with the machine otherwise than a plan does.
  const double floor = 1000.0 * tests::least_seconds(7, [&] {
                         std::vector<Candidate> candidates;
                         std::vector<Decision> decisions;
                         const auto pairs = many.pairs;
                         candidates.reserve(pairs.size());
                         decisions.reserve(pairs.size());
                         for (const auto& pair : pairs) {
                           candidates.push_back({.pair = &pair});
                           decisions.push_back({.campaign = pair.campaign, .cluster = pair.cluster});
                         }
                         ASSERT_EQ(candidates.size(), decisions.size());
                       });
  for (const std::string_view order : {"fifo", "fairshare", "fairtree", "tickets"}) {
    const PlannerConfig config{.campaign_order = std::string{order}};
    const double with_few = milliseconds(few, config), with_many = milliseconds(many, config), with_most = milliseconds(most, config);
    tests::report(
        fmt::format("a plan of 2 000 campaigns on 100 clusters, {}", order),
        fmt::format(
            "{:.1f} ms with 10 million tasks waiting, {:.1f} ms with 10 thousand million, {:.1f} ms with 100 thousand; its floor {:.1f} ms, ratio {:.1f}",
            with_many, with_most, with_few, floor, with_many / floor));
    EXPECT_LT(with_most, 2.0 * with_many) << order;
    EXPECT_LT(with_many, 2.0 * floor) << order;
  }
}

/// "John" has 500 jobs and "Alice" 1000; each cycle one core is free.
struct Assigned {
  int john = 0;
  int alice = 0;
  bool operator==(const Assigned&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Assigned& assigned) {
  return out << assigned.john << " of John, " << assigned.alice << " of Alice";
}

constexpr Assigned kExample{.john = 500, .alice = 1000};
constexpr int kCyclesOfExample = kExample.john + kExample.alice;

Assigned assign(Snapshot& snapshot, const PlannerConfig& config, int cycles) {
  snapshot.campaigns[0].waiting_tasks = kExample.john;
  snapshot.campaigns[1].waiting_tasks = kExample.alice;
  Assigned assigned;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    snapshot.seed = static_cast<std::uint64_t>(cycle);
    for (const auto& launch : plan(snapshot, config).launches) {
      const auto campaign = static_cast<std::size_t>(launch.campaign.value() - 1);
      (campaign == 0 ? assigned.john : assigned.alice) += launch.jobs;
      snapshot.campaigns[campaign].waiting_tasks -= launch.jobs;
    }
  }
  return assigned;
}

// Document 002, "Scheduling Cycle", states several hundred cycles a second; docs/measured.md has the figures that are reached.
TEST(PlannerBench, OneAssignmentACycle_OfTechilasExample) {
  for (const auto* order : {"tickets", "fifo", "fairshare"}) {
    auto snapshot = a_grid(1, 2, 0);
    snapshot.clusters[0].free_resources = 1;
    snapshot.clusters[0].flood = 0;
    const PlannerConfig config{.campaign_order = order};
    const double seconds = tests::least_seconds(3, [&] { ASSERT_EQ(assign(snapshot, config, kCyclesOfExample), kExample) << order; });
    const double a_second = kCyclesOfExample / seconds;
    tests::report(fmt::format("Techila's example, {}", order),
                  fmt::format("{} cycles in {:.4f} s: {:.0f} cycles a second", kCyclesOfExample, seconds, a_second));
    const auto first_half = assign(snapshot, config, kCyclesOfExample / 2);
    EXPECT_EQ(first_half.john + first_half.alice, kCyclesOfExample / 2) << order << ": each cycle assigns one";
  }
}

}  // namespace
}  // namespace gleaner::planner
