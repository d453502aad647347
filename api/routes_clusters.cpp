// Routes that read clusters.
#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "api/campaign_json.hpp"
#include "api/cluster_json.hpp"
#include "api/limits.hpp"
#include "api/page.hpp"
#include "api/router.hpp"
#include "api/use_in_time.hpp"
#include "lib/store/calls.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/matching.hpp"
#include "lib/store/views_grid.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::api {

void write_availability(text::JsonWriter& json, const store::Cluster& cluster) {
  json.field("id", cluster.id);
  json.field("name", cluster.name);
  json.field("enabled", cluster.enabled);
  json.field("retired_at", cluster.retired_at);
  json.field("reachable", cluster.reachable);
  json.field("unreachable_since", cluster.unreachable_since);
  json.field("last_error", cluster.last_error.empty() ? std::nullopt : std::optional{cluster.last_error});
}

void write_status(text::JsonWriter& json, const std::optional<store::GridStatus>& status) {
  if (!status) {
    json.null();
    return;
  }
  json.object([&] {
    json.field("time", status->time);
    json.field("max_resources", status->max_resources);
    json.field("free", status->free);
    json.field("used", status->used);
    json.field("used_besteffort", status->used_besteffort);
    json.field("our_running", status->our_running);
    json.field("our_waiting", status->our_waiting);
    json.field("api_latency_ms", status->api_latency_ms);
  });
}

int kept_resources(const store::views::ClusterView& view, const process::Config& config) {
  return grid::kept_resources(view.cluster.headroom.value_or(config.headroom), view.learnt_headroom, view.cluster.max_resources);
}

namespace {

namespace views = store::views;

void write_stress(text::JsonWriter& json, const views::Stress& stress, const process::Config& config) {
  json.object([&] {
    json.field("stress_factor", stress.factor);
    json.field("stress_max", config.stress_max);
    json.field("usual_stress_factor", stress.usual_factor);
    json.field("response_ms", stress.response_ms);
    json.field("calm_response_ms", stress.calm_response_ms);
    json.field("job_limit", stress.job_limit);
    json.field("signal", stress.signal);
    json.field("reason", stress.reason.empty() ? std::nullopt : std::optional{stress.reason});
    json.field("since", stress.since);
  });
}

/// The load that the nodes report, where it counts.
void write_load(text::JsonWriter& json, const store::Cluster& cluster, const process::Config& config) {
  const auto policy = cluster.availability.value_or(config.availability);
  const bool counts = policy != grid::Availability::dedicated && cluster.load;
  json.field("availability", grid::name_of(policy));
  json.field("utilized_resources", counts ? std::optional{cluster.load->utilized} : std::nullopt);
  json.field("loaded_resources", counts ? std::optional{cluster.load->loaded} : std::nullopt);
}

/// A cluster, and the condition on the resources of all jobs there.
struct ClusterOfSite {
  views::ClusterView view;
  std::string properties;
};

void write_cluster(text::JsonWriter& json, const ClusterOfSite& of_site, const process::Config& config) {
  const auto& view = of_site.view;
  const auto& cluster = view.cluster;
  write_availability(json, cluster);
  json.field("api_url", cluster.url);
  json.field("api", cluster.api);
  json.field("api_auth_type", cluster.authentication);
  json.field("api_auth_header", cluster.identity_header);
  json.field("properties", of_site.properties);
  json.field("shared_home", cluster.shared_home);
  json.field("power", cluster.power);
  json.field("flood", cluster.flood);
  json.field("array_size", cluster.array_size);
  json.field("headroom", cluster.headroom ? std::optional{cluster.headroom->text()} : std::nullopt);
  json.field("kept_resources", kept_resources(view, config));
  write_load(json, cluster, config);
  json.field("max_resources", cluster.max_resources);
  grid::for_each_field(grid::kOutOfUseFields, [&](const auto& field) { json.field(field.name, cluster.*field.member); });
  json.field("no_resources_since", cluster.no_resources_since);
  json.field("blacklisted", !cluster.enabled || cluster.reachable == std::optional{false} || view.brake.has_value());
  json.key("brake");
  write_brake(json, view.brake);
  json.field("under_stress", view.stress.job_limit.has_value());
  json.key("stress");
  write_stress(json, view.stress, config);
  json.key("status");
  write_status(json, view.status);
  write_links(json, {{"self", fmt::format("/v1/clusters/{}", cluster.id.value())}, {"parent", "/v1/clusters"}});
}

std::vector<ClusterOfSite> read_clusters(store::Transaction& transaction, grid::Instant now) {
  auto properties = store::cluster_properties(transaction);
  std::vector<ClusterOfSite> all;
  for (auto& view : views::clusters(transaction, now)) {
    const auto id = view.cluster.id;
    all.push_back({std::move(view), properties[id]});
  }
  return all;
}

std::vector<ClusterOfSite> load_clusters(const Call& call) {
  return call.connections.read([&](store::Transaction& transaction) { return read_clusters(transaction, call.now); });
}

http::Response list_clusters(const Call& call) {
  const auto part = window(call);
  if (!part) return part.error();
  std::optional<grid::Instant> standstill;
  const auto clusters = call.connections.read([&](store::Transaction& transaction) {
    standstill = standstill_of(call, transaction);
    return read_clusters(transaction, call.now);
  });
  const auto page = page_of(clusters, *part);
  text::JsonWriter json;
  json.object([&] {
    json.key("items").array(page, [&](const auto& view) { json.object([&] { write_cluster(json, view, call.config); }); });
    json.field("standstill", standstill);
    write_page_end(json, call, {.window = *part, .shown = std::ssize(page), .total = std::ssize(clusters), .parent = "/"});
  });
  return answer(json);
}

http::Response show_cluster(const Call& call) {
  const auto clusters = load_clusters(call);
  const auto& asked = call.parts[0];
  auto found = std::ranges::find_if(clusters, [&](const auto& one) { return one.view.cluster.name == asked; });
  if (found == clusters.end()) {
    const auto id = id_of(asked);
    found = std::ranges::find_if(clusters, [&](const auto& one) { return id && one.view.cluster.id.value() == *id; });
  }
  if (found == clusters.end()) return error(Code::no_such_cluster, fmt::format("there is no cluster '{}'", jdl::excerpt(asked)));
  text::JsonWriter json;
  json.object([&] { write_cluster(json, *found, call.config); });
  return answer(json);
}

/// OAR's server says that jobs there began or ended. It proves nothing, so the cluster is only polled sooner.
http::Response take_call(const Call& call) {
  if (call.caller.role != Role::administrator &&
      std::ranges::find(call.config.api_callers, call.caller.user) == call.config.api_callers.end())
    return error(
        Code::administrators_only,
        fmt::format("{} may not call for a cluster: that is for administrators, and for the users of api_callers", call.caller.user));
  const auto& name = call.parts[0];
  const auto found = call.connections.write([&](store::Transaction& transaction) {
    const auto cluster = store::find_cluster(transaction, name);
    if (cluster) store::note_call(transaction, cluster->id, store::now(transaction));
    return cluster.has_value();
  });
  if (!found) return error(Code::no_such_cluster, fmt::format("there is no cluster '{}'", jdl::excerpt(name)));
  return accepted(fmt::format("{} is polled soon", name), {}, "/v1/clusters/" + name);
}

void write_usage(text::JsonWriter& json, const views::Usage& usage) {
  json.object([&] {
    json.field("cluster_id", usage.cluster);
    json.field("cluster_name", usage.name);
    json.field("max_resources", usage.max_resources);
    json.field("used_resources", usage.used);
    json.field("used_by_grid", usage.ours);
    json.field("unavailable_resources", std::max(0, usage.max_resources - usage.free - usage.used));
  });
}

/// The figures of one time form one item.
std::vector<std::span<const views::Usage>> by_time(const std::vector<views::Usage>& all) {
  std::vector<std::span<const views::Usage>> groups;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    for (end = begin; end < all.size() && all[end].time == all[begin].time;) ++end;
    groups.push_back(std::span{all}.subspan(begin, end - begin));
  }
  return groups;
}

/// @param to  the end of the time, which all pages have; empty: it is the present
http::Response answer_usage(const Call& call, const std::vector<std::span<const views::Usage>>& groups, views::Window part,
                            std::optional<grid::Instant> from, std::optional<grid::Instant> to) {
  const auto page = page_of(groups, part);
  http::Query fixed;
  if (to) fixed.emplace_back("to", text::utc(*to));
  text::JsonWriter json;
  json.object([&] {
    json.key("items").array(page, [&](const auto& group) {
      json.object([&] {
        json.field("date", std::ranges::max(group, {}, &views::Usage::time).time);
        json.key("clusters").array(group, [&](const auto& usage) { write_usage(json, usage); });
      });
    });
    json.field("from", from);
    json.field("to", to);
    write_page_end(json, call, {.window = part, .shown = std::ssize(page), .total = std::ssize(groups), .parent = "/", .fixed = fixed});
  });
  return answer(json);
}

http::Response usage_now(const Call& call, views::Window part) {
  const auto all = call.connections.read([](store::Transaction& transaction) { return views::usage_now(transaction); });
  std::vector<std::span<const views::Usage>> groups;
  if (!all.empty()) groups.emplace_back(all);
  return answer_usage(call, groups, part, {}, {});
}

http::Response grid_usage(const Call& call) {
  if (call.request.parameter("step")) return show_use_in_time(call);
  const auto from = instant(call, "from");
  if (!from) return from.error();
  const auto to = instant(call, "to");
  if (!to) return to.error();
  const auto part = window(call);
  if (!part) return part.error();
  if (!*from && !*to) return usage_now(call, *part);
  views::Span span{from->value_or(grid::Instant{}), to->value_or(std::chrono::ceil<std::chrono::seconds>(call.now)), grid::Seconds{60}};
  if (span.from >= span.to) return error(Code::bad_value, "from must be before to");
  constexpr int kMostSlices = 1000;
  constexpr std::uint64_t kMemoryOfUsage = std::uint64_t{16} << 20U;  // bytes of memory for so many slices of some ten clusters
  auto memory = take_memory(call, kMemoryOfUsage);
  if (!memory) return memory.error();
  span.slice = std::max(span.slice, std::chrono::ceil<grid::Seconds>((span.to - span.from) / kMostSlices));
  const auto all = call.connections.read([&](store::Transaction& transaction) { return views::usage(transaction, span); });
  return with_memory(answer_usage(call, by_time(all), *part, *from, span.to), std::move(*memory));
}

}  // namespace

std::span<const Route> cluster_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/clusters", Access::identified, list_clusters, "limit offset"},
      Route{"GET", "/v1/clusters/:id", Access::identified, show_cluster},
      Route{"POST", "/v1/clusters/:id/calls", Access::identified, take_call},
      Route{"GET", "/v1/gridusage", Access::identified, grid_usage, "from to step limit offset"},
  };
  return kRoutes;
}

}  // namespace gleaner::api
