#include "lib/store/stress.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::exec_prepared;
using detail::ids_of;

StressedCluster read_cluster(const sql::stress_clusters::Row& row) {
  StressedCluster cluster;
  cluster.id = *row.id;
  cluster.time = *row.time;
  cluster.max_resources = *row.max_resources;
  cluster.stress = row.stress;
  cluster.response_ms = row.response_ms;
  cluster.live = *row.live;
  cluster.running = *row.running;
  cluster.judged_at = row.judged_at;
  cluster.usual_stress = row.usual_stress;
  cluster.calm_latency_ms = row.calm_latency_ms;
  cluster.stressed_polls = *row.stressed_polls;
  cluster.slow_polls = *row.slow_polls;
  cluster.job_limit = row.job_limit;
  cluster.signal = *row.signal;
  cluster.reason = *row.reason;
  cluster.limited_at = row.limited_at;
  cluster.changed_at = row.changed_at;
  cluster.trial_at = row.trial_at;
  return cluster;
}

}  // namespace

void sample_durations(Transaction& transaction, grid::ClusterId cluster, std::span<const grid::JobId> jobs, int running) {
  if (jobs.empty()) return;
  exec_prepared(transaction, sql::stress_sample{.running = running, .jobs = ids_of(jobs), .cluster = cluster});
}

StressFacts stress_facts(Transaction& transaction) {
  StressFacts facts;
  exec_prepared(transaction, sql::stress_settle{});
  for (const auto& row : exec_prepared(transaction, sql::stress_clusters{})) facts.clusters.push_back(read_cluster(row));
  for (const auto& row : exec_prepared(transaction, sql::stress_samples{})) {
    StoredSample sample;
    sample.job = *row.job_id;
    sample.cluster = *row.cluster_id;
    sample.campaign = *row.campaign_id;
    sample.started_at = *row.started_at;
    sample.running = *row.running;
    sample.seconds = row.seconds;
    sample.done = *row.done;
    facts.samples.push_back(sample);
  }
  return facts;
}

void write_stress(Transaction& transaction, const StressedCluster& c) {
  exec_prepared(transaction, sql::stress_write{
                                 .cluster = c.id,
                                 .judged_at = c.judged_at,
                                 .usual_stress = c.usual_stress,
                                 .calm_latency_ms = c.calm_latency_ms,
                                 .stressed_polls = c.stressed_polls,
                                 .slow_polls = c.slow_polls,
                                 .job_limit = c.job_limit,
                                 .signal = c.signal,
                                 .reason = c.reason,
                                 .limited_at = c.limited_at,
                                 .changed_at = c.changed_at,
                                 .trial_at = c.trial_at,
                             });
}

void forget_samples(Transaction& transaction, std::span<const grid::JobId> jobs) {
  if (jobs.empty()) return;
  exec(transaction, sql::stress_forget{.jobs = ids_of(jobs)});
}

}  // namespace gleaner::store
