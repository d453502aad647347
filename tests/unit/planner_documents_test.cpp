// The worked examples of the specification's documents, to the figure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <map>

#include "lib/grid/usage.hpp"
#include "metascheduler/planner/draft.hpp"
#include "metascheduler/planner/orders/user_queues.hpp"
#include "metascheduler/planner/prioritize.hpp"
#include "metascheduler/planner/stages.hpp"
#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

constexpr double kHour = 3600.0;

// ------------------------------------------------------------------ 001, "first-come", "backfill"

/// Four nodes, and the document's four jobs, each a campaign of one task; played job by job.
class FourJobs {
 public:
  struct Job {
    int nodes;
    double hours;
  };
  struct Run {
    double begin, end;
  };

  explicit FourJobs(std::vector<grid::Limit> limits = {}) : limits_{std::move(limits)} {}

  /// When each job ran, in hours, by its number.
  std::map<int, Run> play() {
    for (double now = 0.0; runs_.size() < kJobs.size(); now = next_end(now)) {
      const auto planned = plan(at(now));
      for (const auto& launch : planned.launches) {
        const auto number = static_cast<int>(launch.campaign.value());
        runs_[number] = {now, now + kJobs.at(number).hours};
      }
      if (!planned.reservations.empty()) reserved_ = planned.reservations.front();
      EXPECT_LT(now, 100.0);
    }
    return runs_;
  }
  [[nodiscard]] double makespan() const {
    double end = 0.0;
    for (const auto& [number, run] : runs_) end = std::max(end, run.end);
    return end;
  }
  [[nodiscard]] double node_hours() const {
    double used = 0.0;
    for (const auto& [number, run] : runs_) used += kJobs.at(number).nodes * (run.end - run.begin);
    return used;
  }
  [[nodiscard]] const std::optional<HeldBack>& reserved() const { return reserved_; }

 private:
  inline static const std::map<int, Job> kJobs{{123, {2, 2}}, {124, {2, 2}}, {125, {1, 1}}, {126, {4, 4}}};

  [[nodiscard]] Snapshot at(double now) const {
    auto cluster = a_cluster(1, "nodes");
    cluster.max_resources = cluster.free_resources = 4;
    Snapshot snapshot{.clusters = {cluster}, .campaigns = {}, .pairs = {}};
    snapshot.now = grid::from_unix(static_cast<std::int64_t>(now * kHour));
    snapshot.limits = limits_;
    for (const auto& [number, job] : kJobs) {
      const auto run = runs_.find(number);
      const bool runs = run != runs_.end() && run->second.end > now;
      if (run == runs_.end()) {
        snapshot.campaigns.push_back(a_campaign(number, 1));
        snapshot.pairs.push_back(a_pair(number, 1, job.nodes));
        snapshot.pairs.back().walltime = job.hours * kHour;
      } else if (runs) {
        snapshot.clusters[0].free_resources -= job.nodes;
        snapshot.clusters[0].endings.push_back({(run->second.end - now) * kHour, double(job.nodes)});
        for (auto& limit : snapshot.limits) limit.used += 1;
      }
    }
    return snapshot;
  }
  [[nodiscard]] double next_end(double now) const {
    double next = 1e9;
    for (const auto& [number, run] : runs_) {
      if (run.end > now) next = std::min(next, run.end);
    }
    return next;
  }

  std::vector<grid::Limit> limits_;
  std::map<int, Run> runs_;
  std::optional<HeldBack> reserved_;
};

TEST(Document001, FirstComeFirstServed_OneJobAtATime_TakesNineHours) {
  FourJobs jobs{{{.id = 1, .kind = LimitKind::running_jobs, .most = 1}}};
  const auto runs = jobs.play();
  EXPECT_DOUBLE_EQ(runs.at(123).begin, 0);
  EXPECT_DOUBLE_EQ(runs.at(124).begin, 2);
  EXPECT_DOUBLE_EQ(runs.at(125).begin, 4);
  EXPECT_DOUBLE_EQ(runs.at(126).begin, 5);
  EXPECT_DOUBLE_EQ(jobs.makespan(), 9);
  EXPECT_DOUBLE_EQ(jobs.node_hours(), 25);
  EXPECT_NEAR(jobs.node_hours() / (4 * jobs.makespan()), 0.694, 0.0005);
}

TEST(Document001, Backfill_TakesSevenHours_InThePlacesOfTheTable) {
  FourJobs jobs;
  const auto runs = jobs.play();
  EXPECT_DOUBLE_EQ(runs.at(123).begin, 0);
  EXPECT_DOUBLE_EQ(runs.at(124).begin, 0);
  EXPECT_DOUBLE_EQ(runs.at(125).begin, 2);
  EXPECT_DOUBLE_EQ(runs.at(126).begin, 3);
  EXPECT_DOUBLE_EQ(jobs.makespan(), 7);
  EXPECT_NEAR(jobs.node_hours() / (4 * jobs.makespan()), 0.893, 0.0005);
  ASSERT_TRUE(jobs.reserved());
  EXPECT_EQ(jobs.reserved()->campaign, campaign_id(126));
  EXPECT_DOUBLE_EQ(jobs.reserved()->resources, 4);
}

// ------------------------------------------------------------------ 001, "fair-share"

TEST(Document001, UsageOfADay_DecaysTo0525_AndTo03675) {
  EXPECT_DOUBLE_EQ(grid::fair_priority(0.75, 1.0, grid::UsageRule::by_share), 0.0);
  const std::array yesterday{0.0, 1.0};
  EXPECT_NEAR(0.75 * grid::decayed_usage(yesterday, 0.7), 0.525, 1e-9);
  EXPECT_NEAR(grid::fair_priority(0.75, grid::decayed_usage(yesterday, 0.7), grid::UsageRule::by_share), 0.225, 1e-9);
  const std::array before{0.0, 0.0, 1.0};
  EXPECT_NEAR(0.75 * grid::decayed_usage(before, 0.7), 0.3675, 1e-9);
  EXPECT_NEAR(grid::fair_priority(0.75, grid::decayed_usage(before, 0.7), grid::UsageRule::by_share), 0.3825, 1e-9);
}

TEST(Document001, JackAndJill_RunInTheOrderOfTheExample_AndGetWhatTheyPaidFor) {
  Snapshot snapshot{
      .clusters = {a_cluster(1)}, .campaigns = {a_campaign(1, 6), a_campaign(2, 6)}, .pairs = {a_pair(1, 1, 4), a_pair(2, 1, 4)}};
  snapshot.clusters[0].max_resources = snapshot.clusters[0].free_resources = 4;
  snapshot.campaigns[0].user = "jack";
  snapshot.campaigns[1].user = "jill";
  for (auto& pair : snapshot.pairs) pair.walltime = 6 * kHour;
  snapshot.users = {{.name = "jack", .share = 0.25}, {.name = "jill", .share = 0.75}};
  const PlannerConfig config{.campaign_order = "fairshare"};
  const auto priority = [&](std::size_t user) {
    return grid::fair_priority(snapshot.users[user].share, snapshot.users[user].usage, grid::UsageRule::absolute);
  };
  std::vector<std::pair<double, double>> priorities;
  std::string order;
  for (int turn = 0; turn < 4; ++turn) {
    priorities.emplace_back(priority(0), priority(1));
    const auto planned = plan(snapshot, config);
    ASSERT_EQ(planned.launches.size(), 1U);
    ASSERT_EQ(planned.launches[0].jobs, 1);
    const auto who = planned.launches[0].campaign == campaign_id(1) ? 0U : 1U;
    order += who == 0 ? "jack " : "jill ";
    snapshot.users[who].usage += 24.0 / 96.0;
    --snapshot.campaigns[who].waiting_tasks;
  }
  priorities.emplace_back(priority(0), priority(1));
  EXPECT_EQ(order, "jill jill jill jack ");
  EXPECT_THAT(priorities, testing::ElementsAre(testing::Pair(0.25, 0.75), testing::Pair(0.25, 0.50), testing::Pair(0.25, 0.25),
                                               testing::Pair(0.25, 0.0), testing::Pair(0.0, 0.0)));
  EXPECT_DOUBLE_EQ(snapshot.users[0].usage, 0.25);
  EXPECT_DOUBLE_EQ(snapshot.users[1].usage, 0.75);
}

// ------------------------------------------------------------------ 003, the note of 20 May

Snapshot three_campaigns_two_clusters() {
  Snapshot snapshot{.clusters = {a_cluster(1, "cluster1"), a_cluster(2, "cluster2")},
                    .campaigns = {a_campaign(1), a_campaign(2), a_campaign(3)},
                    .pairs = {}};
  for (int campaign = 1; campaign <= 3; ++campaign) {
    for (int cluster = 1; cluster <= 2; ++cluster) snapshot.pairs.push_back(a_pair(campaign, cluster));
  }
  snapshot.pairs[0].has_affinity = true;                                   // campaign 1, cluster 1
  snapshot.pairs[2].has_affinity = snapshot.pairs[3].has_affinity = true;  // campaign 2, both
  return snapshot;
}

TEST(Document003, Affinity_LaunchesTheSchedulersInTheFourSteps) {
  const auto snapshot = three_campaigns_two_clusters();
  const PlannerConfig config{.campaign_order = "affinity"};
  Draft draft{snapshot, config};
  const auto contenders = feasible(draft);
  std::vector<std::string> steps;
  for (const auto& [affinity, members] : classes_of(parse_order("affinity").value(), contenders)) {
    for (const auto member : members) {
      std::string step = fmt::format("campaign{} on", contenders[member].campaign->id.value());
      for (const auto& candidate : contenders[member].candidates) {
        if (belongs(*candidate.pair, affinity)) step += " " + candidate.cluster->name;
      }
      steps.push_back(step);
    }
  }
  EXPECT_THAT(steps, testing::ElementsAre("campaign1 on cluster1", "campaign2 on cluster1 cluster2", "campaign1 on cluster2",
                                          "campaign3 on cluster1 cluster2"));
}

TEST(Document003, Affinity_GivesAClusterToItsOwnUsersFirst_AndWhatTheyLeaveToOthers) {
  auto snapshot = three_campaigns_two_clusters();
  snapshot.campaigns[1].waiting_tasks = 10;
  const auto result = plan(snapshot, {.campaign_order = "affinity"});
  EXPECT_EQ(jobs_on(result, 1, 1), 16);
  EXPECT_EQ(jobs_on(result, 2, 2), 10);
  EXPECT_EQ(jobs_on(result, 1, 2), 6);
  EXPECT_EQ(jobs_on(result, 3, 1) + jobs_on(result, 3, 2), 0);
}

// ------------------------------------------------------------------ 002

TEST(Document002, JohnsProjects_AreProcessedInTheOrderOfTheirCreation_OnFourCores) {
  Snapshot snapshot{.clusters = {a_cluster(1)}, .campaigns = {a_campaign(1, 6), a_campaign(2, 6)}, .pairs = {a_pair(1, 1), a_pair(2, 1)}};
  snapshot.clusters[0].max_resources = snapshot.clusters[0].free_resources = 4;
  const PlannerConfig config{.campaign_order = "tickets"};
  const std::array<std::pair<int, int>, 3> steps{{{4, 0}, {2, 2}, {0, 4}}};
  for (const auto& [first, second] : steps) {
    const auto result = plan(snapshot, config);
    EXPECT_EQ(jobs_on(result, 1, 1), first);
    EXPECT_EQ(jobs_on(result, 2, 1), second);
    snapshot.campaigns[0].waiting_tasks -= first;
    snapshot.campaigns[1].waiting_tasks -= second;
  }
  EXPECT_EQ(snapshot.campaigns[0].waiting_tasks + snapshot.campaigns[1].waiting_tasks, 0);
}

TEST(Document002, OfJohnAndAlice_Projects2And3_TakePartInTheDraw) {
  Snapshot snapshot{.clusters = {a_cluster(1)}, .campaigns = {a_campaign(1), a_campaign(2), a_campaign(3), a_campaign(4)}, .pairs = {}};
  for (int campaign = 1; campaign <= 4; ++campaign) {
    snapshot.campaigns[static_cast<std::size_t>(campaign - 1)].user = campaign <= 2 ? "John" : "Alice";
    snapshot.pairs.push_back(a_pair(campaign, 1));
  }
  snapshot.campaigns[1].priority = 2;
  const PlannerConfig config{.campaign_order = "tickets"};
  Draft draft{snapshot, config};
  const auto contenders = feasible(draft);
  const Class among{snapshot, config, contenders, {0, 1, 2, 3}, 16.0, 0};
  UserQueues queues{among};
  EXPECT_THAT(queues.taking_part(), testing::ElementsAre(1, 2));
  EXPECT_EQ(queues.exhausted(1), 0U);
  EXPECT_THAT(queues.taking_part(), testing::ElementsAre(0, 2));
}

TEST(Document002, ALicenceFor500Cores_UsesTheFastestOf1200) {
  Snapshot snapshot{.clusters = {a_cluster(1, "slow"), a_cluster(2, "fast"), a_cluster(3, "middle")},
                    .campaigns = {a_campaign(1, 10'000)},
                    .pairs = {a_pair(1, 1), a_pair(1, 2), a_pair(1, 3)}};
  for (auto& cluster : snapshot.clusters) cluster.max_resources = cluster.free_resources = 400;
  snapshot.clusters[1].power = 3;
  snapshot.clusters[2].power = 2;
  snapshot.limits = {{.id = 1, .kind = LimitKind::running_jobs, .most = 500}};
  const auto result = plan(snapshot, {.placement = "fastest"});
  EXPECT_EQ(jobs_on(result, 1, 2), 400);
  EXPECT_EQ(jobs_on(result, 1, 3), 100);
  EXPECT_EQ(jobs_on(result, 1, 1), 0);
  EXPECT_EQ(reason_on(result, 1, 1), "limit_reached");
}

// ------------------------------------------------------------------ 000

TEST(Document000, Packed_FillsTheFullestInstanceThatFits_ThenOpensTheCheapest) {
  Snapshot snapshot{.clusters = {a_cluster(1, "big"), a_cluster(2, "small"), a_cluster(3, "closed"), a_cluster(4, "cheap")},
                    .campaigns = {a_campaign(1, 8)},
                    .pairs = {a_pair(1, 1, 2), a_pair(1, 2, 2), a_pair(1, 3, 2), a_pair(1, 4, 2)}};
  snapshot.clusters[0].free_resources = 10;
  snapshot.clusters[0].our_jobs = 3;
  snapshot.clusters[1].free_resources = 4;
  snapshot.clusters[1].our_jobs = 6;
  snapshot.clusters[2].cost = 5.0;
  snapshot.clusters[3].cost = 1.0;
  const auto result = plan(snapshot, {.placement = "packed"});
  EXPECT_EQ(jobs_on(result, 1, 2), 2);
  EXPECT_EQ(jobs_on(result, 1, 1), 5);
  EXPECT_EQ(jobs_on(result, 1, 4), 1);
  EXPECT_EQ(jobs_on(result, 1, 3), 0);
}

TEST(Document000, WorkIsOrderedByTheCostOfTheCheapestClusterThatFits) {
  Snapshot snapshot{.clusters = {a_cluster(1), a_cluster(2)},
                    .campaigns = {a_campaign(1, 100), a_campaign(2, 100)},
                    .pairs = {a_pair(1, 2), a_pair(2, 1), a_pair(2, 2)}};
  snapshot.clusters[0].cost = 1.0;
  snapshot.clusters[1].cost = 4.0;
  const auto result = plan(snapshot, {.campaign_order = "cheapest", .placement = "packed"});
  EXPECT_EQ(jobs_on(result, 2, 1) + jobs_on(result, 2, 2), 32);
  EXPECT_EQ(reason_on(result, 1, 2), "earlier_campaigns");
}

}  // namespace
}  // namespace gleaner::planner::test
