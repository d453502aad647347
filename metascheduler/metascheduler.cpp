#include "metascheduler/metascheduler.hpp"

#include <fmt/format.h>

#include "lib/process/failpoint.hpp"
#include "metascheduler/facts_of.hpp"
#include "metascheduler/planner/plan.hpp"
#include "metascheduler/planner_config.hpp"
#include "metascheduler/snapshot_of.hpp"
#include "metascheduler/submitted_of.hpp"

namespace gleaner::metascheduler {
namespace {

std::vector<store::StoredDecision> decisions_of(const planner::Plan& plan, const store::PlanningFacts& facts) {
  planner::ClusterNames names;
  for (const auto& cluster : facts.clusters) names.emplace(cluster.id, cluster.name);
  std::vector<store::StoredDecision> stored;
  for (const auto& decision : plan.decisions) {
    store::StoredDecision one;
    one.campaign = decision.campaign;
    one.cluster = decision.cluster;
    one.stage = planner::name_of(decision.stage);
    one.reason = planner::name_of(decision.reason);
    one.sentence = planner::explain(decision, names);
    one.jobs = decision.jobs;
    stored.push_back(std::move(one));
  }
  for (const auto& standing : plan.standings) {
    store::StoredDecision one;
    one.campaign = standing.campaign;
    one.stage = planner::name_of(planner::Stage::prioritize);
    one.reason = "standing";
    one.sentence = "prioritize: " + standing.text;
    stored.push_back(std::move(one));
  }
  return stored;
}

}  // namespace

std::string Counts::summary() const { return fmt::format("campaigns={} launches={} jobs={}", campaigns, launches, jobs); }

Counts run_once(const process::Config& config, store::Database& database, store::Term term, grid::Instant now) {
  Counts counts;
  store::transact(database, term, [&](store::Transaction& transaction) {
    counts = {};
    const auto facts = facts_of(transaction, config, now);
    const auto plan = planner::plan(snapshot_of(facts, config, now), planner_config_of(config));
    for (const auto& release : plan.releases) store::release_bound(transaction, release.campaign, release.cluster);
    for (const auto& launch : plan.launches) {
      counts.jobs += store::plan_launch(
          transaction, {.campaign = launch.campaign, .cluster = launch.cluster, .jobs = launch.jobs, .resources = launch.resources}, term, now);
      ++counts.launches;
    }
    for (const auto& replicas : plan.replicas) {
      counts.jobs += store::plan_replicas(transaction, {.campaign = replicas.campaign,
                                                        .cluster = replicas.cluster,
                                                        .jobs = replicas.jobs,
                                                        .longer_than = longer_than(replicas, facts)}, term, now);
    }
    for (const auto& preemption : plan.preemptions)
      store::preempt_jobs(transaction, preemption.campaign, preemption.cluster, preemption.jobs, now);
    store::write_submitted(transaction, submitted_of(plan, facts), now);
    store::write_decisions(transaction, decisions_of(plan, facts), now);
    counts.campaigns = static_cast<int>(facts.campaigns.size());
    process::failpoint("metascheduler.before_commit");
  });
  process::failpoint("metascheduler.after_commit");
  return counts;
}

}  // namespace gleaner::metascheduler
