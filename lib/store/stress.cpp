#include "lib/store/stress.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::get;
using detail::get_instant;
using detail::text;

std::string ids_of(std::span<const grid::JobId> jobs) {
  detail::Array ids;
  for (const auto job : jobs) ids.add(job.value());
  return ids.literal();
}

StressedCluster read_cluster(const pqxx::row& row) {
  StressedCluster cluster;
  cluster.id = grid::ClusterId{row["id"].as<std::int64_t>()};
  cluster.time = *get_instant(row["time"]);
  cluster.max_resources = row["max_resources"].as<int>();
  cluster.stress = get<double>(row["stress"]);
  cluster.response_ms = get<double>(row["response_ms"]);
  cluster.live = row["live"].as<int>();
  cluster.running = row["running"].as<int>();
  cluster.judged_at = get_instant(row["judged_at"]);
  cluster.usual_stress = get<double>(row["usual_stress"]);
  cluster.calm_latency_ms = get<double>(row["calm_latency_ms"]);
  cluster.stressed_polls = row["stressed_polls"].as<int>();
  cluster.slow_polls = row["slow_polls"].as<int>();
  cluster.job_limit = get<int>(row["job_limit"]);
  cluster.signal = text(row["signal"]);
  cluster.reason = text(row["reason"]);
  cluster.limited_at = get_instant(row["limited_at"]);
  cluster.changed_at = get_instant(row["changed_at"]);
  cluster.trial_at = get_instant(row["trial_at"]);
  return cluster;
}

}  // namespace

void sample_durations(Transaction& transaction, grid::ClusterId cluster, std::span<const grid::JobId> jobs, int running) {
  if (jobs.empty()) return;
  exec(transaction, sql::stress_sample{.running = running, .jobs = ids_of(jobs), .cluster = cluster});
}

StressFacts stress_facts(Transaction& transaction) {
  StressFacts facts;
  exec(transaction, sql::stress_settle{});
  for (const auto& row : exec(transaction, sql::stress_clusters{})) facts.clusters.push_back(read_cluster(row));
  for (const auto& row : exec(transaction, sql::stress_samples{})) {
    StoredSample sample;
    sample.job = grid::JobId{row["job_id"].as<std::int64_t>()};
    sample.cluster = grid::ClusterId{row["cluster_id"].as<std::int64_t>()};
    sample.campaign = grid::CampaignId{row["campaign_id"].as<std::int64_t>()};
    sample.started_at = *get_instant(row["started_at"]);
    sample.running = row["running"].as<int>();
    sample.seconds = get<double>(row["seconds"]);
    sample.done = row["done"].as<bool>();
    facts.samples.push_back(sample);
  }
  return facts;
}

void write_stress(Transaction& transaction, const StressedCluster& c) {
  exec(transaction, sql::stress_write{
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
