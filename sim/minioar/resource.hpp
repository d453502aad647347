#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gleaner::minioar {

using PropertyValue = std::variant<std::int64_t, std::string>;
[[nodiscard]] std::string as_text(const PropertyValue& value);

enum class ResourceState { alive = 1, absent = 2, suspected = 3, dead = 4 };
[[nodiscard]] std::string_view name_of(ResourceState state);
[[nodiscard]] std::optional<ResourceState> resource_state(std::string_view name);

/// One core of a node, or a licence, which belongs to none. Its index in the list of resources is its id - 1.
struct Resource {
  std::int64_t id;
  std::int64_t cpu;
  std::int64_t core;
  std::int64_t cpuset;  ///< number of the core on its node
  std::int64_t mem;
  std::string host;
  std::string cluster;
  ResourceState state = ResourceState::alive;
  std::int64_t last_job_date = 0;
  std::int64_t licence = 0;  ///< its number; 0: it is a core
  std::int64_t gpu = 0;      ///< the number of the GPU that it belongs to; 0: to none
  bool best_effort = true;   ///< property besteffort: whether best-effort jobs get it
};

struct ClusterShape {
  std::string name = "minioar";
  int nodes = 2;
  int cores = 8;
  std::int64_t mem = 16;
  int reserved_nodes = 0;  ///< of the nodes, the last ones: besteffort = NO
  int licences = 0;        ///< resources of the type licence
  int gpus = 0;            ///< of each node, each with the same number of its cores
};
/// Nodes called NAME-1, NAME-2…, one cpu each; then the licences.
[[nodiscard]] std::vector<Resource> make_resources(const ClusterShape& shape);

/// The value of `column` for this resource. Empty: there is no such column.
[[nodiscard]] std::optional<PropertyValue> property(const Resource& resource, std::string_view column);

enum class ColumnType { integer, text };
/// Empty: there is no such column.
[[nodiscard]] std::optional<ColumnType> column_type(std::string_view column);

}  // namespace gleaner::minioar
