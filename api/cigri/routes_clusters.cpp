// CiGri's routes of clusters and their use.
#include <array>

#include <fmt/format.h>

#include "api/cigri/ask.hpp"
#include "api/cigri/gate.hpp"
#include "api/cigri/words.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::api::cigri {
namespace {

using rapidjson::Value;

void write_links_of(text::JsonWriter& json, const Call& call, const Value& cluster) {
  write_links(
      json, {{"self", link(call, fmt::format("/clusters/{}", number_of(cluster, "id").value_or(0)))}, {"parent", link(call, "/clusters")}});
}

http::Response list_clusters(const Call& call) {
  return translated(ask_clusters(call), [&](text::JsonWriter& json, const Value& ours) {
    json.key("items").array(member(ours, "items").GetArray(), [&](const Value& cluster) {
      json.object([&] {
        copy(json, cluster, {"id", "name"});
        write_links_of(json, call, cluster);
      });
    });
    copy(json, ours, {"total"});
    write_links(json, {{"self", link(call, "/clusters")}, {"parent", link(call, "/")}});
  });
}

/// `0.25/0.8`: the cluster's stress factor, and the one that is too much.
std::string stress_of(const Call& call, const Value& cluster) {
  const auto& factor = member(member(cluster, "stress"), "stress_factor");
  return fmt::format("{:g}/{:g}", factor.IsNumber() ? factor.GetDouble() : 0.0, call.config.stress_max);
}

http::Response show_cluster(const Call& call) {
  return translated(ask(call, {.method = "GET", .path = "/clusters/" + part(call, 0)}), [&](text::JsonWriter& json, const Value& ours) {
    copy(json, ours, {"id", "name", "api_url"});
    json.field("api_auth_type", authentication(text_of(ours, "api_auth_type")));
    copy(json, ours, {"api_auth_header"});
    json.field("api_chunk_size", grid::cigri::kChunkSize);
    json.field("api_limit", grid::cigri::kLimit);
    json.field("ssh_host", host_of(text_of(ours, "api_url")));
    json.field("batch", batch(text_of(ours, "api")));
    json.field("resource_unit", grid::cigri::kResourceUnit);
    copy(json, ours, {"power"});
    copy(json, ours, {"properties"});
    json.field("stress_factor", stress_of(call, ours));
    copy(json, ours, {"enabled"});
    write_links_of(json, call, ours);
    copy(json, ours, {"blacklisted", "under_stress"});
  });
}

/// One list of clusters.
void write_point(text::JsonWriter& json, const Value& point) {
  copy_seconds(json, point, "date");
  json.key("clusters").array(member(point, "clusters").GetArray(), [&](const Value& cluster) {
    json.object([&] {
      copy(json, cluster, {"cluster_name", "cluster_id", "max_resources", "used_resources"});
      copy_as(json, "used_by_cigri", cluster, "used_by_grid");
      copy(json, cluster, {"unavailable_resources"});
    });
  });
}

http::Response grid_usage(const Call& call) {
  constexpr std::int64_t kYear9999 = 253'402'300'799;
  Question question{.method = "GET", .path = "/gridusage"};
  for (const std::string_view key : {"from", "to"}) {
    if (!call.request.parameter(key)) continue;
    const auto seconds = number(call, key, 0, {0, kYear9999});
    if (!seconds) return translated_refusal(call.caller, seconds.error());
    question.query.emplace_back(key, text::utc(grid::from_unix(*seconds)));
  }
  const bool is_now = question.query.empty();
  question.query.emplace_back("limit", fmt::format("{}", call.config.max_rows));
  return translated(ask(call, question), [&](text::JsonWriter& json, const Value& ours) {
    const auto& items = member(ours, "items");
    json.key("items").begin_array();
    for (const auto& point : items.GetArray()) json.object([&] { write_point(json, point); });
    // CiGri's clients break on a list without a first item.
    if (items.Empty() && is_now)
      json.object([&] {
        json.field("date", grid::to_unix(call.now));
        json.key("clusters").begin_array().end_array();
      });
    json.end_array();
    for (const std::string_view name : {"from", "to"}) copy_seconds(json, ours, name);
    json.field("total", items.Empty() && is_now ? std::int64_t{1} : std::int64_t{items.Size()});
    write_links(json, {{"self", link(call, "/gridusage")}, {"parent", link(call, "/")}});
  });
}

}  // namespace

std::span<const Route> cluster_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/clusters", Access::anybody, list_clusters},
      Route{"GET", "/clusters/:id", Access::anybody, show_cluster},
      Route{"GET", "/gridusage", Access::anybody, grid_usage, "from to"},
  };
  return kRoutes;
}

}  // namespace gleaner::api::cigri
