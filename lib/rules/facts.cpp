#include "lib/rules/facts.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "lib/store/clusters.hpp"

namespace gleaner::rules {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void put(Writer& writer, const std::string& text) { writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size())); }

void write_cluster(Writer& writer, const store::Cluster& cluster, const std::vector<store::NormalUser>& listed) {
  writer.Key(cluster.name.data(), static_cast<rapidjson::SizeType>(cluster.name.size()));
  writer.StartObject();
  writer.Key("enabled");
  writer.Bool(cluster.enabled);
  writer.Key("reachable");
  if (cluster.reachable) writer.Bool(*cluster.reachable);
  else writer.Null();
  writer.Key("max_resources");
  writer.Int(cluster.max_resources);
  writer.Key("power");
  writer.Double(cluster.power);
  writer.Key("normal_users");
  writer.StartArray();
  for (const auto& user : listed) {
    if (!user.cluster || *user.cluster == cluster.name) put(writer, user.name);
  }
  writer.EndArray();
  writer.EndObject();
}

}  // namespace

Setting load_setting(store::Transaction& transaction) {
  Setting setting;
  setting.rules = store::rules(transaction);
  const auto listed = store::normal_users(transaction);
  rapidjson::StringBuffer buffer;
  Writer writer{buffer};
  writer.StartObject();
  for (const auto& cluster : store::clusters(transaction)) {
    write_cluster(writer, cluster, listed);
    if (!cluster.enabled) setting.disabled.push_back(cluster.name);
    setting.known.enabled.push_back(cluster.name);
  }
  writer.EndObject();
  setting.clusters.assign(buffer.GetString(), buffer.GetSize());
  return setting;
}

}  // namespace gleaner::rules
