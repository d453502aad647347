#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "metascheduler/planner/plan.hpp"

/// Snapshots as sentences, and what a plan gives in a form that reads well in a failure.
namespace gleaner::planner::test {

inline grid::ClusterId cluster_id(std::int64_t id) { return grid::ClusterId{id}; }
inline grid::CampaignId campaign_id(std::int64_t id) { return grid::CampaignId{id}; }

/// A cluster of 16 resources, all free, that takes arrays of 1000 and lets nothing wait.
inline ClusterView a_cluster(std::int64_t id, std::string name = "alpha") {
  ClusterView cluster;
  cluster.id = cluster_id(id);
  cluster.name = std::move(name);
  cluster.max_resources = cluster.free_resources = 16;
  cluster.array_size = 1000;
  return cluster;
}
inline CampaignView a_campaign(std::int64_t id, std::int64_t tasks = 100) {
  CampaignView campaign;
  campaign.id = campaign_id(id);
  campaign.user = "ada";
  campaign.submitted = grid::from_unix(1000 + id);
  campaign.waiting_tasks = tasks;
  campaign.scheduler = "workqueue";
  return campaign;
}
inline CampaignView a_test_campaign(std::int64_t id, std::int64_t tasks = 100) {
  auto campaign = a_campaign(id, tasks);
  campaign.type = grid::CampaignType::test;
  return campaign;
}
inline PairView a_pair(std::int64_t campaign, std::int64_t cluster, int resources_per_job = 1) {
  PairView pair;
  pair.campaign = campaign_id(campaign);
  pair.cluster = cluster_id(cluster);
  pair.resources_per_job = resources_per_job;
  pair.job_ratio = 1.0 / resources_per_job;
  return pair;
}
/// One campaign of 100 tasks on one cluster of 16 free resources.
inline Snapshot one_of_each(int resources_per_job = 1) {
  return {.clusters = {a_cluster(1)}, .campaigns = {a_campaign(1)}, .pairs = {a_pair(1, 1, resources_per_job)}};
}

/// One campaign on alpha and beta, each of 16 free resources.
inline Snapshot two_clusters(std::int64_t tasks) {
  return {.clusters = {a_cluster(1), a_cluster(2, "beta")}, .campaigns = {a_campaign(1, tasks)}, .pairs = {a_pair(1, 1), a_pair(1, 2)}};
}

/// Campaigns of ada, bob… on one cluster of 16 free resources.
inline Snapshot users(const std::vector<std::string>& names) {
  Snapshot snapshot{.clusters = {a_cluster(1)}, .campaigns = {}, .pairs = {}};
  for (std::int64_t i = 1; i <= std::ssize(names); ++i) {
    snapshot.campaigns.push_back(a_campaign(i));
    snapshot.campaigns.back().user = names[static_cast<std::size_t>(i - 1)];
    snapshot.pairs.push_back(a_pair(i, 1));
    snapshot.pairs.back().walltime = 3600;
  }
  return snapshot;
}

inline int jobs_on(const Plan& plan, std::int64_t campaign, std::int64_t cluster) {
  int jobs = 0;
  for (const auto& launch : plan.launches) {
    if (launch.campaign == campaign_id(campaign) && launch.cluster == cluster_id(cluster)) jobs += launch.jobs;
  }
  return jobs;
}

/// The decision on a pair, or on its whole campaign.
inline const Decision* decision_on(const Plan& plan, std::int64_t campaign, std::int64_t cluster) {
  const auto found = std::ranges::find_if(plan.decisions, [&](const Decision& decision) {
    return decision.campaign == campaign_id(campaign) && (!decision.cluster || *decision.cluster == cluster_id(cluster));
  });
  return found == plan.decisions.end() ? nullptr : &*found;
}
inline std::string reason_on(const Plan& plan, std::int64_t campaign, std::int64_t cluster) {
  const auto* decision = decision_on(plan, campaign, cluster);
  return decision ? std::string{name_of(decision->reason)} : "no decision";
}

/// All that a plan decides: `EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 16}}, .stopped = {{2, 1, "earlier_campaigns"}}}))`. A
/// job, a kill, a replica, a reservation or a reason that the test does not expect is a failure.
struct Expect {
  /// Jobs for one campaign on one cluster.
  struct Jobs {
    std::int64_t campaign = 0, cluster = 0;
    int jobs = 0;
    auto operator<=>(const Jobs&) const = default;
  };
  /// Why a pair gets no jobs; cluster 0: the whole campaign.
  struct Why {
    std::int64_t campaign = 0, cluster = 0;
    std::string reason;
    auto operator<=>(const Why&) const = default;
  };
  /// Clusters for which a campaign's inputs are wanted, or that are held back for it.
  struct Pair {
    std::int64_t campaign = 0, cluster = 0;
    auto operator<=>(const Pair&) const = default;
  };
  std::vector<Jobs> launched = {};  ///< all launches of a pair together
  std::vector<Why> stopped = {};
  std::vector<Jobs> preempted = {};
  std::vector<Jobs> replicas = {};
  std::vector<Pair> inputs = {};
  std::vector<Pair> held = {};
  bool operator==(const Expect&) const = default;
};

/// In any order; the sums of each pair.
inline std::vector<Expect::Jobs> summed(const auto& lines) {
  std::map<std::pair<std::int64_t, std::int64_t>, int> jobs;
  for (const auto& line : lines) jobs[{line.campaign.value(), line.cluster.value()}] += line.jobs;
  std::vector<Expect::Jobs> sums;
  for (const auto& [pair, number] : jobs) sums.push_back({pair.first, pair.second, number});
  return sums;
}

inline Expect outcome_of(const Plan& plan) {
  Expect outcome{.launched = summed(plan.launches), .preempted = summed(plan.preemptions), .replicas = summed(plan.replicas)};
  for (const auto& decision : plan.decisions) {
    const bool launched = name_of(decision.reason) == "launched";
    const auto cluster = decision.cluster ? decision.cluster->value() : 0;
    // One that says so without a launch is no expected one.
    if (!launched || jobs_on(plan, decision.campaign.value(), cluster) == 0)
      outcome.stopped.push_back({decision.campaign.value(), cluster, std::string{name_of(decision.reason)}});
  }
  for (const auto& wanted : plan.inputs) outcome.inputs.push_back({wanted.campaign.value(), wanted.cluster.value()});
  for (const auto& held : plan.reservations) outcome.held.push_back({held.campaign.value(), held.cluster.value()});
  return outcome;
}

inline Expect sorted(Expect expected) {
  std::ranges::sort(expected.launched);
  std::ranges::sort(expected.stopped);
  std::ranges::sort(expected.preempted);
  std::ranges::sort(expected.replicas);
  std::ranges::sort(expected.inputs);
  std::ranges::sort(expected.held);
  return expected;
}

/// As a test writes it.
inline void PrintTo(const Expect& expected, std::ostream* out) {
  std::vector<std::string> members;
  const auto add = [&](const char* name, const auto& lines, auto text_of) {
    if (lines.empty()) return;
    std::string list;
    for (const auto& line : lines) list += fmt::format("{}{{{}}}", list.empty() ? "" : ", ", text_of(line));
    members.push_back(fmt::format(".{} = {{{}}}", name, list));
  };
  const auto jobs = [](const Expect::Jobs& line) { return fmt::format("{}, {}, {}", line.campaign, line.cluster, line.jobs); };
  const auto pair = [](const Expect::Pair& line) { return fmt::format("{}, {}", line.campaign, line.cluster); };
  add("launched", expected.launched, jobs);
  add("stopped", expected.stopped,
      [](const Expect::Why& line) { return fmt::format("{}, {}, \"{}\"", line.campaign, line.cluster, line.reason); });
  add("preempted", expected.preempted, jobs);
  add("replicas", expected.replicas, jobs);
  add("inputs", expected.inputs, pair);
  add("held", expected.held, pair);
  *out << fmt::format("Expect{{{}}}", fmt::join(members, ", "));
}

}  // namespace gleaner::planner::test

namespace gleaner::planner {

inline bool operator==(const Plan& plan, const test::Expect& expected) {
  return test::sorted(test::outcome_of(plan)) == test::sorted(expected);
}
inline void PrintTo(const Plan& plan, std::ostream* out) { PrintTo(test::sorted(test::outcome_of(plan)), out); }

}  // namespace gleaner::planner
