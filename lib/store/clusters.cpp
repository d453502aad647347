#include "lib/store/clusters.hpp"

#include <algorithm>
#include <span>

#include "lib/store/dependencies.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"
#include "lib/store/fields.hpp"
#include "lib/text/clean.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::exec_prepared;

Cluster read(const auto& row) {
  Cluster cluster;
  cluster.id = *row.id;
  cluster.name = *row.name;
  cluster.url = *row.url;
  cluster.api = *row.api;
  cluster.homes = *row.homes;
  cluster.authentication = *row.authentication;
  cluster.login = *row.login;
  cluster.secret_file = *row.secret_file;
  cluster.identity_header = *row.identity_header;
  cluster.ca_file = *row.ca_file;
  cluster.certificate_file = *row.certificate_file;
  cluster.key_file = *row.key_file;
  cluster.verify_tls = *row.verify_tls;
  cluster.insecure = *row.insecure;
  cluster.flood = row.flood;
  cluster.array_size = row.array_size;
  if (row.headroom.has_value()) cluster.headroom = row.headroom.as(grid::headroom);
  if (row.availability.has_value()) cluster.availability = row.availability.as(grid::availability);
  cluster.load_property = row.load_property;
  cluster.shared_home = row.shared_home;
  cluster.enabled = *row.enabled;
  cluster.retired_at = row.retired_at;
  cluster.reachable = row.reachable;
  cluster.unreachable_since = row.unreachable_since;
  cluster.healthy_since = row.healthy_since;
  cluster.failed_polls = *row.failed_polls;
  cluster.next_probe_at = row.next_probe_at;
  cluster.last_error = row.last_error.value_or("");
  cluster.max_resources = *row.max_resources;
  cluster.no_resources_since = row.no_resources_since;
  cluster.resources_at = row.resources_at;
  if (row.utilized_resources.has_value()) cluster.load = grid::ClusterLoad{*row.utilized_resources, row.loaded_resources.value_or(0)};
  cluster.load_at = row.load_at;
  cluster.memory_property = *row.memory_property;
  cluster.memory_unit_mb = *row.memory_unit_mb;
  cluster.memory_max_mb = row.memory_max_mb;
  detail::read_fields<grid::kDeclaredFields>(row, cluster);
  detail::read_fields<grid::kOutOfUseFields>(row, cluster);
  return cluster;
}

std::optional<std::string> text_of(const std::optional<grid::Headroom>& headroom) {
  return headroom ? std::optional{headroom->text()} : std::nullopt;
}

std::optional<std::string> text_of(const std::optional<grid::Availability>& policy) {
  return policy ? std::optional{std::string{grid::name_of(*policy)}} : std::nullopt;
}

void declare(Transaction& transaction, grid::ClusterId cluster, const grid::DeclaredFacts& facts) {
  text::JsonWriter json;
  json.object(
      [&] { grid::for_each_field(grid::kDeclaredFields, [&](const auto& field) { json.field(field.column, facts.*field.member); }); });
  exec(transaction, sql::clusters_declare{.declared = json.text(), .cluster = cluster});
}

}  // namespace

namespace {

void read_tokens(Transaction& transaction, std::span<Cluster> clusters) {
  std::vector<grid::ClusterId> wanted;
  for (const auto& cluster : clusters) {
    if (cluster.authentication == "token") wanted.push_back(cluster.id);
  }
  for (auto& token : stored_tokens(transaction, wanted)) {
    const auto cluster = std::ranges::find(clusters, token.owner.cluster, &Cluster::id);
    if (cluster != clusters.end()) cluster->tokens.push_back(std::move(token));
  }
}

}  // namespace

std::vector<Cluster> clusters(Transaction& transaction) {
  std::vector<Cluster> all;
  for (const auto& row : exec_prepared(transaction, sql::clusters_all{})) all.push_back(read(row));
  read_tokens(transaction, all);
  return all;
}

std::vector<Cluster> clusters_to_poll(Transaction& transaction, AskNodes ask) {
  auto found = clusters(transaction);
  std::erase_if(found, [](const Cluster& cluster) { return cluster.retired_at; });
  for (const auto& row : exec_prepared(transaction, sql::clusters_logins_for_nodes{.all = ask == AskNodes::everywhere})) {
    const auto cluster = std::ranges::find(found, row.cluster_id.as<grid::ClusterId>(), &Cluster::id);
    if (cluster != found.end()) cluster->login_for_nodes = *row.login;
  }
  return found;
}

std::map<grid::ClusterId, KnownNodes> known_nodes(Transaction& transaction) {
  std::map<grid::ClusterId, KnownNodes> all;
  for (const auto& row : exec(transaction, sql::clusters_node_sizes{})) {
    auto& nodes = all[row.id.as<grid::ClusterId>()];
    nodes.sizes = grid::NodeSizes::parse(row.node_sizes.value_or("")).value_or(grid::NodeSizes{});
    nodes.memory = grid::NodeMemory::parse(row.node_memory.value_or("")).value_or(grid::NodeMemory{});
    nodes.reserved = grid::NodeSizes::parse(row.reserved_sizes.value_or("")).value_or(grid::NodeSizes{});
    nodes.reserved_resources = *row.reserved_resources;
    nodes.levels = grid::LevelSizes::parse(row.level_sizes.value_or("")).value_or(grid::LevelSizes{});
  }
  return all;
}

std::vector<Cluster> clusters_with_launches(Transaction& transaction, grid::Instant void_since) {
  std::vector<Cluster> found;
  for (const auto& row : exec_prepared(transaction, sql::clusters_with_launches{.void_since = void_since})) found.push_back(read(row));
  read_tokens(transaction, found);
  return found;
}

std::vector<Cluster> clusters_to_wipe(Transaction& transaction, grid::Instant ended_before) {
  std::vector<Cluster> found;
  for (const auto& row : exec_prepared(transaction, sql::clusters_to_wipe{.ended_before = ended_before})) found.push_back(read(row));
  read_tokens(transaction, found);
  return found;
}

std::optional<Cluster> find_cluster(Transaction& transaction, std::string_view name) {
  const auto rows = exec(transaction, sql::clusters_find{.name = name});
  if (rows.empty()) return std::nullopt;
  std::vector<Cluster> found{read(rows[0])};
  read_tokens(transaction, found);
  return std::move(found.front());
}

grid::ClusterId add_cluster(Transaction& transaction, const Cluster& c) {
  const auto rows = exec(transaction, sql::clusters_add{
                                          .name = c.name,
                                          .url = c.url,
                                          .api = c.api,
                                          .homes = c.homes,
                                          .authentication = c.authentication,
                                          .login = c.login,
                                          .secret_file = c.secret_file,
                                          .identity_header = c.identity_header,
                                          .ca_file = c.ca_file,
                                          .certificate_file = c.certificate_file,
                                          .key_file = c.key_file,
                                          .verify_tls = c.verify_tls,
                                          .insecure = c.insecure,
                                          .flood = c.flood,
                                          .array_size = c.array_size,
                                          .headroom = text_of(c.headroom),
                                          .availability = text_of(c.availability),
                                          .load_property = c.load_property,
                                          .enabled = c.enabled,
                                          .memory_property = c.memory_property,
                                          .memory_unit_mb = c.memory_unit_mb,
                                          .memory_max_mb = c.memory_max_mb,
                                          .shared_home = c.shared_home,
                                      });
  const grid::ClusterId id = *rows[0].id;
  declare(transaction, id, c);
  return id;
}

void edit_cluster(Transaction& transaction, const Cluster& c) {
  exec(transaction, sql::clusters_edit{
                        .url = c.url,
                        .api = c.api,
                        .homes = c.homes,
                        .authentication = c.authentication,
                        .login = c.login,
                        .secret_file = c.secret_file,
                        .identity_header = c.identity_header,
                        .ca_file = c.ca_file,
                        .certificate_file = c.certificate_file,
                        .key_file = c.key_file,
                        .verify_tls = c.verify_tls,
                        .insecure = c.insecure,
                        .flood = c.flood,
                        .array_size = c.array_size,
                        .headroom = text_of(c.headroom),
                        .availability = text_of(c.availability),
                        .load_property = c.load_property,
                        .enabled = c.enabled,
                        .memory_property = c.memory_property,
                        .memory_unit_mb = c.memory_unit_mb,
                        .memory_max_mb = c.memory_max_mb,
                        .shared_home = c.shared_home,
                        .cluster = c.id,
                    });
  declare(transaction, c.id, c);
  follow_again(transaction, std::nullopt);
}

bool remove_cluster(Transaction& transaction, grid::ClusterId cluster) {
  return !exec(transaction, sql::clusters_remove{.cluster = cluster}).empty();
}

void map_user(Transaction& transaction, std::string_view user, grid::ClusterId cluster, std::string_view login) {
  exec(transaction, sql::clusters_map_user{.user = user, .cluster = cluster, .login = login});
}

bool unmap_user(Transaction& transaction, std::string_view user, grid::ClusterId cluster) {
  return !exec(transaction, sql::clusters_unmap_user{.user = user, .cluster = cluster}).empty();
}

std::vector<UserMapping> user_mappings(Transaction& transaction) {
  std::vector<UserMapping> all;
  for (const auto& row : exec(transaction, sql::clusters_user_mappings{})) all.push_back({*row.user_name, *row.cluster, *row.login});
  return all;
}

void record_status(Transaction& transaction, const GridStatus& s) {
  exec_prepared(transaction, sql::clusters_record_status{
                                 .cluster = s.cluster,
                                 .time = s.time,
                                 .max_resources = s.max_resources,
                                 .free = s.free,
                                 .used = s.used,
                                 .used_besteffort = s.used_besteffort,
                                 .our_running = s.our_running,
                                 .our_waiting = s.our_waiting,
                                 .reachable = s.reachable,
                                 .api_latency_ms = s.api_latency_ms,
                                 .stress = s.stress,
                                 .response_ms = s.response_ms,
                             });
}

void record_reached(Transaction& transaction, grid::ClusterId cluster, grid::Instant now) {
  const auto changed = exec_prepared(transaction, sql::clusters_record_reached{.now = now, .cluster = cluster}).affected_rows();
  if (changed > 0) close_event(transaction, "CLUSTER_UNREACHABLE", {.campaign = {}, .cluster = cluster}, now);
}

void record_resources(Transaction& transaction, grid::ClusterId cluster, int max_resources, const grid::OutOfUse& out,
                      const grid::NodeSizes& nodes, grid::Instant now, const MoreOfNodes& more) {
  exec_prepared(transaction, sql::clusters_record_resources{.resources = max_resources,
                                                            .suspected = out.suspected_resources,
                                                            .absent = out.absent_resources,
                                                            .dead = out.dead_resources,
                                                            .reserved = more.reserved,
                                                            .others = more.others,
                                                            .now = now,
                                                            .node_sizes = nodes.text(),
                                                            .reserved_sizes = more.reserved_nodes.text(),
                                                            .level_sizes = more.levels.text(),
                                                            .node_memory = more.memory ? std::optional{more.memory->text()} : std::nullopt,
                                                            .cluster = cluster});
}

void record_free_nodes(Transaction& transaction, grid::ClusterId cluster, const std::optional<FreeNodes>& free) {
  const auto text = [](const grid::NodeSizes& nodes) { return nodes.known() ? nodes.text() : std::string{grid::kNoFreeNode}; };
  exec_prepared(transaction, sql::clusters_record_free_nodes{.free_nodes = free ? text(free->nodes) : std::string{},
                                                             .reserved_free_nodes = free ? text(free->reserved) : std::string{},
                                                             .reserved_free = free ? free->reserved.resources() : 0,
                                                             .cluster = cluster});
}

void record_reservations(Transaction& transaction, grid::ClusterId cluster, const std::vector<grid::AdvanceReservation>& reservations) {
  exec_prepared(transaction, sql::clusters_record_reservations{.reservations = grid::text_of(reservations), .cluster = cluster});
}

std::vector<grid::AdvanceReservation> reservations(Transaction& transaction, grid::ClusterId cluster) {
  const auto rows = exec(transaction, sql::clusters_reservations{.cluster = cluster});
  if (rows.empty()) return {};
  return grid::advance_reservations(rows[0].advance_reservations.as<std::string>()).value_or(std::vector<grid::AdvanceReservation>{});
}

void record_named_nodes(Transaction& transaction, grid::ClusterId cluster, const grid::NamedNodes& nodes) {
  using Rest = grid::NamedNode::Rest;
  exec_prepared(transaction, sql::clusters_record_named_nodes{.cluster = cluster,
                                                              .nodes = nodes.text(),
                                                              .open_sizes = nodes.sizes(Rest::open).text(),
                                                              .empty_sizes = nodes.sizes(Rest::empty).text(),
                                                              .asleep_sizes = nodes.sizes(Rest::asleep).text(),
                                                              .longest_name = static_cast<int>(nodes.longest_name())});
}

grid::NamedNodes named_nodes(Transaction& transaction, grid::ClusterId cluster) {
  const auto rows = exec(transaction, sql::clusters_named_nodes{.cluster = cluster});
  if (rows.empty()) return {};
  return grid::NamedNodes::parse(rows[0].nodes.as<std::string>()).value_or(grid::NamedNodes{});
}

void reread_resources(Transaction& transaction, grid::ClusterId cluster) {
  exec(transaction, sql::clusters_reread_resources{.cluster = cluster});
}

void record_load(Transaction& transaction, grid::ClusterId cluster, const std::optional<grid::ClusterLoad>& load, grid::Instant now) {
  exec_prepared(transaction, sql::clusters_record_load{.utilized = load ? std::optional{load->utilized} : std::nullopt,
                                                       .loaded = load ? std::optional{load->loaded} : std::nullopt,
                                                       .now = load ? std::optional{now} : std::nullopt,
                                                       .cluster = cluster});
}

std::optional<std::string> login_to_ask(Transaction& transaction, grid::ClusterId cluster) {
  const auto rows = exec(transaction, sql::clusters_login_to_ask{.cluster = cluster});
  if (rows.empty()) return std::nullopt;
  return std::string{*rows[0].login};
}

ProvenEnds proven_ends(Transaction& transaction, grid::ClusterId cluster) {
  const auto rows = exec(transaction, sql::clusters_proven_ends{.cluster = cluster});
  return {*rows[0].ended, *rows[0].proven, *rows[0].unproven};
}

bool record_unreachable(Transaction& transaction, grid::ClusterId cluster, std::string_view error, grid::Instant now,
                        grid::Instant retry_at) {
  const auto rows = exec(transaction, sql::clusters_record_unreachable{
                                          .now = now, .error = text::clean_text(error), .retry_at = retry_at, .cluster = cluster});
  return !rows.empty() && rows[0].failed_polls.as<int>() == 1;
}

}  // namespace gleaner::store
