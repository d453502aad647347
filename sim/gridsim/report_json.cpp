#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "sim/gridsim/report.hpp"

namespace gleaner::gridsim {
namespace {

/// Writes members of objects by their type.
class Document {
 public:
  void open(std::string_view key = {}) {
    if (!key.empty()) name(key);
    writer_.StartObject();
  }
  void close() { writer_.EndObject(); }
  void open_list(std::string_view key) {
    name(key);
    writer_.StartArray();
  }
  void close_list() { writer_.EndArray(); }
  void add(std::string_view key, const std::string& value) {
    name(key);
    writer_.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  }
  void add(std::string_view key, double value) {
    name(key);
    writer_.Double(value);
  }
  void add(std::string_view key, std::int64_t value) {
    name(key);
    writer_.Int64(value);
  }
  void add(std::string_view key, bool value) {
    name(key);
    writer_.Bool(value);
  }
  template <class T>
  void add(std::string_view key, const std::optional<T>& value) {
    if (value) return add(key, *value);
    name(key);
    writer_.Null();
  }
  [[nodiscard]] std::string text() const { return {buffer_.GetString(), buffer_.GetSize()}; }

 private:
  void name(std::string_view key) { writer_.Key(key.data(), static_cast<rapidjson::SizeType>(key.size())); }
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_{buffer_};
};

void add_seconds(Document& document, const ClusterMetrics& cluster) {
  document.add("resources", std::int64_t{cluster.resources});
  document.add("capacity_resource_seconds", cluster.capacity);
  document.add("local_resource_seconds", cluster.local);
  document.add("used_resource_seconds", cluster.used);
  document.add("wasted_resource_seconds", cluster.wasted);
  document.add("overhead_resource_seconds", cluster.overhead);
  document.add("idle_resource_seconds", cluster.idle);
  document.add("jobs_submitted", cluster.submitted);
  document.add("jobs_submitted_before_90_percent", cluster.submitted_before_full);
}

void add_campaign(Document& document, const CampaignMetrics& campaign) {
  document.open();
  document.add("name", campaign.name);
  document.add("user", campaign.user);
  document.add("tasks", campaign.tasks);
  document.add("done", campaign.done);
  document.add("failed", campaign.failed);
  document.add("used_resource_seconds", campaign.used);
  document.add("submitted_at_seconds", campaign.submitted);
  document.add("flow_seconds", campaign.flow);
  document.add("slowdown", campaign.slowdown);
  document.close();
}

void add_summary(Document& document, const Metrics& metrics) {
  document.add("simulated_seconds", metrics.end);
  document.add("complete", metrics.complete);
  document.add("utilisation", metrics.utilisation());
  document.add("omniscient_resource_seconds", metrics.omniscient.work);
  document.add("omniscient_until_seconds", metrics.omniscient.until);
  document.add("achieved_resource_seconds", metrics.achieved);
  document.add("efficiency", metrics.efficiency());
  document.add("waste", metrics.waste());
  add_seconds(document, metrics.all);
  document.add("jobs_preempted", metrics.preempted);
  document.add("jobs_wiped", metrics.wiped);
  document.add("jobs_over_walltime", metrics.walltime_kills);
  document.add("mean_flow_seconds", metrics.mean_flow);
  document.add("mean_slowdown", metrics.mean_slowdown);
  document.add("fairness", metrics.fairness);
  document.add("makespan_seconds", metrics.makespan);
  document.add("cycles", metrics.cycles);
}

void add_variant(Document& document, const Variant& variant) {
  document.open();
  document.add("variant", variant.name);
  document.add("seed", static_cast<std::int64_t>(variant.scenario.seed));
  document.open("configuration");
  for (const auto& [key, value] : variant.scenario.settings) document.add(key, value);
  document.close();
  add_summary(document, variant.metrics);
  document.open_list("clusters");
  for (const auto& cluster : variant.metrics.clusters) {
    document.open();
    document.add("name", cluster.name);
    add_seconds(document, cluster);
    document.close();
  }
  document.close_list();
  document.open_list("campaigns");
  for (const auto& campaign : variant.metrics.campaigns) add_campaign(document, campaign);
  document.close_list();
  document.close();
}

}  // namespace

std::string to_json(const std::string& key, const std::vector<Variant>& variants) {
  Document document;
  document.open();
  document.add("varied", key.empty() ? std::optional<std::string>{} : std::optional{key});
  document.open_list("variants");
  for (const auto& variant : variants) add_variant(document, variant);
  document.close_list();
  document.close();
  return document.text();
}

}  // namespace gleaner::gridsim
