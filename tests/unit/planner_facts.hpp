#pragma once
#include "metascheduler/snapshot_of.hpp"
#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {

/// The facts of one campaign on one cluster, whose status is a second old, and the plan that is made of them.
struct FactsOfOne {
  grid::PlanningFacts facts;
  process::Config config;
  PlannerConfig planner = {};

  explicit FactsOfOne(int resources_per_job) {
    auto snapshot = one_of_each(resources_per_job);
    facts.clusters.emplace_back(snapshot.clusters[0]).status_at = grid::from_unix(1000);
    facts.campaigns.emplace_back(snapshot.campaigns[0]);
    facts.pairs.emplace_back(snapshot.pairs[0]).login = "ada";
    config.status_max_age = std::chrono::seconds{60};
    config.failures_before_brake = 3;
    config.campaign_scheduler = "workqueue";
  }
  /// Jobs of the lowest priority that run there.
  void let_lowest_run(int jobs) {
    auto& lowest = facts.campaigns.emplace_back(facts.campaigns[0]);
    lowest.id = campaign_id(2);
    lowest.priority = kLowestPriority;
    auto& pair = facts.pairs.emplace_back(facts.pairs[0]);
    pair.campaign = lowest.id;
    pair.active = true;
    pair.running = jobs;
  }
  /// Jobs of the lowest priority that a plan kills.
  [[nodiscard]] int kills() const {
    int jobs = 0;
    for (const auto& preemption : made().preemptions) jobs += preemption.jobs;
    return jobs;
  }
  /// Jobs that the campaign gets in a plan, and why no others.
  [[nodiscard]] int jobs() const { return jobs_on(made(), 1, 1); }
  [[nodiscard]] std::string why() const { return explain(*decision_on(made(), 1, 1), {{cluster_id(1), "alpha"}}); }
  [[nodiscard]] Plan made() const { return plan(metascheduler::snapshot_of(facts, config, grid::from_unix(1001)), planner); }
};

}  // namespace gleaner::planner::test
