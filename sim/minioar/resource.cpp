#include "sim/minioar/resource.hpp"

#include <array>

#include <fmt/format.h>

namespace gleaner::minioar {

namespace {
constexpr std::array<std::string_view, 4> kStateNames{"Alive", "Absent", "Suspected", "Dead"};
}

std::string as_text(const PropertyValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

std::string_view name_of(ResourceState state) { return kStateNames.at(static_cast<std::size_t>(state) - 1); }

std::optional<ResourceState> resource_state(std::string_view name) {
  for (std::size_t i = 0; i < kStateNames.size(); ++i) {
    if (kStateNames.at(i) == name) return static_cast<ResourceState>(i + 1);
  }
  return std::nullopt;
}

std::vector<Resource> make_resources(const ClusterShape& shape) {
  std::vector<Resource> resources;
  for (int node = 1; node <= shape.nodes; ++node) {
    for (int core = 0; core < shape.cores; ++core) {
      const auto id = static_cast<std::int64_t>(resources.size()) + 1;
      resources.push_back({.id = id,
                           .cpu = node,
                           .core = id,
                           .cpuset = core,
                           .mem = shape.mem,
                           .host = fmt::format("{}-{}", shape.name, node),
                           .cluster = shape.name,
                           .best_effort = node <= shape.nodes - shape.reserved_nodes});
      if (shape.gpus > 0) resources.back().gpu = std::int64_t{node - 1} * shape.gpus + core * shape.gpus / shape.cores + 1;
    }
  }
  for (int licence = 1; licence <= shape.licences; ++licence)
    resources.push_back({.id = static_cast<std::int64_t>(resources.size()) + 1,
                         .cpu = 0,
                         .core = 0,
                         .cpuset = 0,
                         .mem = 0,
                         .host = {},
                         .cluster = {},
                         .licence = licence});
  return resources;
}

std::optional<PropertyValue> property(const Resource& resource, std::string_view column) {
  if (column == "resource_id") return resource.id;
  if (column == "host" || column == "network_address" || column == "nodes") return resource.host;
  if (column == "cluster") return resource.cluster;
  if (column == "cpu") return resource.cpu;
  if (column == "core") return resource.core;
  if (column == "cpuset") return resource.cpuset;
  if (column == "mem") return resource.mem;
  if (column == "state") return std::string{name_of(resource.state)};
  if (column == "state_num") return static_cast<std::int64_t>(resource.state);
  if (column == "type") return std::string{resource.licence > 0 ? "licence" : "default"};
  if (column == "licence") return resource.licence;
  if (column == "gpu") return resource.gpu;
  if (column == "besteffort") return std::string{resource.best_effort ? "YES" : "NO"};
  if (column == "next_state") return std::string{"UnChanged"};
  if (column == "available_upto") return std::int64_t{2147483647};
  if (column == "last_job_date") return resource.last_job_date;
  for (const auto* no : {"deploy", "desktop_computing", "drain", "finaud_decision", "next_finaud_decision", "suspended_jobs"}) {
    if (column == no) return std::string{"NO"};
  }
  for (const auto* zero : {"expiry_date", "last_available_upto", "scheduler_priority"}) {
    if (column == zero) return std::int64_t{0};
  }
  return std::nullopt;
}

std::optional<ColumnType> column_type(std::string_view column) {
  const auto value = property(Resource{.id = 1, .cpu = 1, .core = 1, .cpuset = 0, .mem = 0, .host = {}, .cluster = {}}, column);
  if (!value) return std::nullopt;
  return std::holds_alternative<std::int64_t>(*value) ? ColumnType::integer : ColumnType::text;
}

}  // namespace gleaner::minioar
