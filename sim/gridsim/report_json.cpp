#include "lib/text/json_writer.hpp"
#include "sim/gridsim/report.hpp"

namespace gleaner::gridsim {
namespace {

void add_seconds(text::JsonWriter& json, const ClusterMetrics& cluster) {
  json.field("resources", std::int64_t{cluster.resources});
  json.field("capacity_resource_seconds", cluster.capacity);
  json.field("local_resource_seconds", cluster.local);
  json.field("used_resource_seconds", cluster.used);
  json.field("wasted_resource_seconds", cluster.wasted);
  json.field("overhead_resource_seconds", cluster.overhead);
  json.field("idle_resource_seconds", cluster.idle);
  json.field("awake_node_seconds", cluster.awake);
  json.field("local_jobs", cluster.local_waits.jobs);
  json.field("local_wait_seconds", cluster.local_waits.sum);
  json.field("mean_local_wait_seconds", cluster.local_waits.mean());
  json.field("p95_local_wait_seconds", cluster.local_waits.p95);
  json.field("longest_local_wait_seconds", cluster.local_waits.longest);
  json.field("mean_local_wait_without_grid_seconds", cluster.local_waits_alone.mean());
  json.field("p95_local_wait_without_grid_seconds", cluster.local_waits_alone.p95);
  json.field("jobs_submitted", cluster.submitted);
  json.field("jobs_submitted_before_90_percent", cluster.submitted_before_full);
}

void add_campaign(text::JsonWriter& json, const CampaignMetrics& campaign) {
  json.begin_object();
  json.field("name", campaign.name);
  json.field("user", campaign.user);
  json.field("tasks", campaign.tasks);
  json.field("done", campaign.done);
  json.field("failed", campaign.failed);
  json.field("used_resource_seconds", campaign.used);
  json.field("submitted_at_seconds", campaign.submitted);
  json.field("flow_seconds", campaign.flow);
  json.field("slowdown", campaign.slowdown);
  json.end_object();
}

void add_summary(text::JsonWriter& json, const Metrics& metrics) {
  json.field("simulated_seconds", metrics.end);
  json.field("complete", metrics.complete);
  json.field("utilisation", metrics.utilisation());
  json.field("omniscient_resource_seconds", metrics.omniscient.work);
  json.field("omniscient_until_seconds", metrics.omniscient.until);
  json.field("achieved_resource_seconds", metrics.achieved);
  json.field("efficiency", metrics.efficiency());
  json.field("waste", metrics.waste());
  add_seconds(json, metrics.all);
  json.field("jobs_preempted", metrics.preempted);
  json.field("jobs_wiped", metrics.wiped);
  json.field("jobs_over_walltime", metrics.walltime_kills);
  json.field("mean_flow_seconds", metrics.mean_flow);
  json.field("mean_slowdown", metrics.mean_slowdown);
  json.field("fairness", metrics.fairness);
  json.field("makespan_seconds", metrics.makespan);
  json.field("cycles", metrics.cycles);
}

void add_variant(text::JsonWriter& json, const Variant& variant) {
  json.begin_object();
  json.field("variant", variant.name);
  json.field("seed", static_cast<std::int64_t>(variant.scenario.seed));
  json.key("configuration").begin_object();
  for (const auto& [key, value] : variant.scenario.settings) json.field(key, value);
  json.end_object();
  add_summary(json, variant.metrics);
  json.key("clusters").begin_array();
  for (const auto& cluster : variant.metrics.clusters) {
    json.begin_object();
    json.field("name", cluster.name);
    add_seconds(json, cluster);
    json.end_object();
  }
  json.end_array();
  json.key("campaigns").begin_array();
  for (const auto& campaign : variant.metrics.campaigns) add_campaign(json, campaign);
  json.end_array();
  terminal::write_quality(json, variant.metrics.quality.plans, variant.metrics.quality.forecasts);
  json.end_object();
}

}  // namespace

std::string to_json(const std::string& key, const std::vector<Variant>& variants) {
  text::JsonWriter json;
  json.begin_object();
  json.field("varied", key.empty() ? std::optional<std::string>{} : std::optional{key});
  json.key("variants").begin_array();
  for (const auto& variant : variants) add_variant(json, variant);
  json.end_array();
  json.end_object();
  return json.text();
}

}  // namespace gleaner::gridsim
