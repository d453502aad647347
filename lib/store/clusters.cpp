#include "lib/store/clusters.hpp"

#include "lib/grid/text.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::get;
using detail::get_instant;
using detail::micros;
using detail::text;

Cluster read(const pqxx::row& row) {
  Cluster cluster;
  cluster.id = grid::ClusterId{row["id"].as<std::int64_t>()};
  cluster.name = text(row["name"]);
  cluster.url = text(row["url"]);
  cluster.authentication = text(row["authentication"]);
  cluster.login = text(row["login"]);
  cluster.secret_file = text(row["secret_file"]);
  cluster.identity_header = text(row["identity_header"]);
  cluster.ca_file = text(row["ca_file"]);
  cluster.certificate_file = text(row["certificate_file"]);
  cluster.key_file = text(row["key_file"]);
  cluster.verify_tls = row["verify_tls"].as<bool>();
  cluster.power = row["power"].as<double>();
  cluster.flood = get<double>(row["flood"]);
  cluster.array_size = get<int>(row["array_size"]);
  cluster.enabled = row["enabled"].as<bool>();
  cluster.retired_at = get_instant(row["retired_at"]);
  cluster.reachable = get<bool>(row["reachable"]);
  cluster.unreachable_since = get_instant(row["unreachable_since"]);
  cluster.healthy_since = get_instant(row["healthy_since"]);
  cluster.failed_polls = row["failed_polls"].as<int>();
  cluster.next_probe_at = get_instant(row["next_probe_at"]);
  cluster.last_error = text(row["last_error"]);
  cluster.max_resources = row["max_resources"].as<int>();
  cluster.resources_at = get_instant(row["resources_at"]);
  cluster.memory_property = text(row["memory_property"]);
  cluster.memory_unit_mb = row["memory_unit_mb"].as<int>();
  cluster.memory_max_mb = get<std::int64_t>(row["memory_max_mb"]);
  cluster.cost = row["cost"].as<double>();
  cluster.transfer_mb_s = row["transfer_mb_s"].as<double>();
  return cluster;
}

}  // namespace

std::vector<Cluster> clusters(Transaction& transaction) {
  std::vector<Cluster> all;
  for (const auto& row : exec(transaction, sql::clusters_all)) all.push_back(read(row));
  return all;
}

std::map<grid::ClusterId, grid::NodeSizes> node_sizes(Transaction& transaction) {
  std::map<grid::ClusterId, grid::NodeSizes> all;
  for (const auto& row : exec(transaction, sql::clusters_node_sizes)) {
    if (auto sizes = grid::NodeSizes::parse(text(row[1]))) all.emplace(grid::ClusterId{row[0].as<std::int64_t>()}, std::move(*sizes));
  }
  return all;
}

std::vector<Cluster> clusters_with_launches(Transaction& transaction, grid::Instant void_since) {
  std::vector<Cluster> found;
  for (const auto& row : exec(transaction, sql::clusters_with_launches, micros(void_since))) found.push_back(read(row));
  return found;
}

std::vector<Cluster> clusters_to_wipe(Transaction& transaction, grid::Instant ended_before) {
  std::vector<Cluster> found;
  for (const auto& row : exec(transaction, sql::clusters_to_wipe, micros(ended_before))) found.push_back(read(row));
  return found;
}

std::optional<Cluster> find_cluster(Transaction& transaction, std::string_view name) {
  const auto rows = exec(transaction, sql::clusters_by_name, std::string{name});
  if (rows.empty()) return std::nullopt;
  return read(rows[0]);
}

grid::ClusterId add_cluster(Transaction& transaction, const Cluster& c) {
  const auto rows = exec(transaction, sql::clusters_add, c.name, c.url, c.authentication, c.login, c.secret_file, c.identity_header, c.ca_file,
                         c.certificate_file, c.key_file, c.verify_tls, c.power, c.flood, c.array_size, c.enabled, c.memory_property, c.memory_unit_mb, c.memory_max_mb, c.cost, c.transfer_mb_s);
  return grid::ClusterId{rows[0][0].as<std::int64_t>()};
}

void edit_cluster(Transaction& transaction, const Cluster& c) {
  exec(transaction, sql::clusters_edit, c.id.value(), c.url, c.authentication, c.login, c.secret_file, c.identity_header, c.ca_file,
       c.certificate_file, c.key_file, c.verify_tls, c.power, c.flood, c.array_size, c.enabled, c.memory_property, c.memory_unit_mb, c.memory_max_mb, c.cost, c.transfer_mb_s);
}

bool remove_cluster(Transaction& transaction, grid::ClusterId cluster) {
  return !exec(transaction, sql::clusters_remove, cluster.value()).empty();
}

void map_user(Transaction& transaction, std::string_view user, grid::ClusterId cluster, std::string_view login) {
  exec(transaction, sql::clusters_map_user, std::string{user}, cluster.value(), std::string{login});
}

void record_status(Transaction& transaction, const GridStatus& s) {
  exec(transaction, sql::clusters_status, s.cluster.value(), micros(s.time), s.max_resources, s.free, s.used, s.used_besteffort, s.our_running,
       s.our_waiting, s.reachable, s.api_latency_ms, s.stress, s.response_ms);
}

void record_reached(Transaction& transaction, grid::ClusterId cluster, grid::Instant now) {
  const auto changed = exec(transaction, sql::clusters_reached, cluster.value(), micros(now)).affected_rows();
  if (changed > 0) close_event(transaction, "CLUSTER_UNREACHABLE", {.campaign = {}, .cluster = cluster}, now);
}

void record_resources(Transaction& transaction, grid::ClusterId cluster, int max_resources, const grid::NodeSizes& nodes, grid::Instant now) {
  exec(transaction, sql::clusters_resources, cluster.value(), max_resources, micros(now), nodes.text());
}

bool record_unreachable(Transaction& transaction, grid::ClusterId cluster, std::string_view error, grid::Instant now, grid::Instant retry_at) {
  const auto rows = exec(transaction, sql::clusters_unreachable, cluster.value(), grid::clean_text(error), micros(now), micros(retry_at));
  return !rows.empty() && rows[0][0].as<int>() == 1;
}

}  // namespace gleaner::store
