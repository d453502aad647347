#include "lib/rules/facts.hpp"

#include "lib/store/clusters.hpp"
#include "lib/store/policies.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::rules {
namespace {

void write_cluster(text::JsonWriter& json, const store::Cluster& cluster, const std::vector<store::NormalUser>& listed) {
  json.key(cluster.name).begin_object();
  json.field("enabled", cluster.enabled);
  json.field("reachable", cluster.reachable);
  json.field("max_resources", cluster.max_resources);
  json.field("power", cluster.power);
  json.key("normal_users").begin_array();
  for (const auto& user : listed) {
    if (!user.cluster || *user.cluster == cluster.name) json.value(user.name);
  }
  json.end_array().end_object();
}

}  // namespace

Setting load_setting(store::Transaction& transaction, const std::optional<std::string>& user) {
  Setting setting;
  setting.rules = store::rules(transaction);
  const auto listed = store::normal_users(transaction);
  text::JsonWriter json;
  json.begin_object();
  for (const auto& cluster : store::clusters(transaction)) {
    write_cluster(json, cluster, listed);
    if (!cluster.enabled) setting.disabled.push_back(cluster.name);
    setting.known.enabled.push_back(cluster.name);
  }
  json.end_object();
  setting.clusters = json.text();
  auto& consumables = setting.known.consumables.emplace();
  for (auto& one : store::consumables(transaction, user)) consumables.push_back({std::move(one.name), one.most, one.limit});
  return setting;
}

}  // namespace gleaner::rules
