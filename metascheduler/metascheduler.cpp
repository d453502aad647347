#include "metascheduler/metascheduler.hpp"

#include <fmt/format.h>

#include <map>

#include "lib/process/failpoint.hpp"
#include "metascheduler/decided.hpp"
#include "metascheduler/facts_of.hpp"
#include "metascheduler/planner/plan.hpp"
#include "metascheduler/planner_config.hpp"
#include "metascheduler/snapshot_of.hpp"
#include "metascheduler/submitted_of.hpp"

namespace gleaner::metascheduler {
namespace {

using PairKey = std::pair<grid::CampaignId, grid::ClusterId>;

/// The bag may have held less than was thought.
void keep_to(const std::map<PairKey, int>& got, std::vector<store::Submitted>& submitted) {
  for (auto& one : submitted) {
    const auto found = got.find({one.campaign, one.cluster});
    one.jobs = found == got.end() ? 0 : found->second;
    if (one.jobs == 0) one.offered = 0;
  }
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
    std::map<PairKey, int> got;
    for (const auto& launch : plan.launches) {
      const int jobs = store::plan_launch(
          transaction, {.campaign = launch.campaign, .cluster = launch.cluster, .jobs = launch.jobs, .resources = launch.resources}, term, now);
      got[{launch.campaign, launch.cluster}] += jobs;
      counts.jobs += jobs;
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
    auto submitted = submitted_of(plan, facts);
    keep_to(got, submitted);
    store::write_submitted(transaction, submitted, now);
    const Decided decided{plan, facts};
    store::write_decisions(transaction, decided.digests(), [&](grid::CampaignId campaign) { return decided.tell(campaign); }, now);
    counts.campaigns = static_cast<int>(facts.campaigns.size());
    process::failpoint("metascheduler.before_commit");
  });
  process::failpoint("metascheduler.after_commit");
  return counts;
}

}  // namespace gleaner::metascheduler
