#pragma once
#include <optional>
#include <span>
#include <string_view>

/// Which resources of a cluster are available. Source: document 004, "Determine Resource Availability", and Maui's
/// RESOURCEAVAILABILITYPOLICY.
namespace gleaner::grid {

/// The conditions that make a resource unavailable (`gridctl cluster edit --availability`, the option `availability`).
enum class Availability {
  dedicated,  ///< a job holds it
  utilized,   ///< the load of its node keeps it busy
  combined    ///< the greater of both, node by node
};

[[nodiscard]] constexpr std::string_view name_of(Availability policy) {
  switch (policy) {
    case Availability::utilized: return "utilized";
    case Availability::combined: return "combined";
    case Availability::dedicated: break;
  }
  return "dedicated";
}

[[nodiscard]] constexpr std::optional<Availability> availability(std::string_view name) {
  for (const auto one : {Availability::dedicated, Availability::utilized, Availability::combined}) {
    if (name_of(one) == name) return one;
  }
  return std::nullopt;
}

/// The policies, for messages.
inline constexpr std::string_view kAvailabilityForm{"dedicated, utilized or combined"};

/// Whether a text can name a property of OAR's resources.
[[nodiscard]] bool is_property_name(std::string_view text);

/// One node, in resources.
struct NodeUse {
  int configured = 0;  ///< that can be used
  int dedicated = 0;   ///< that jobs hold
  double load = 0.0;   ///< busy ones, as the node states it; below 0, or no number: 0
};

/// `configured − dedicated`, `configured − utilized` or `configured − max(dedicated, utilized)`; from 0 to `configured`. The load is
/// rounded to whole resources, and never more than `configured`.
[[nodiscard]] int available(Availability policy, const NodeUse& node);

/// The load of a cluster, in resources.
struct ClusterLoad {
  int utilized = 0;  ///< kept busy by it
  int loaded = 0;    ///< of these, those for which no job accounts
  bool operator==(const ClusterLoad&) const = default;
};
/// The load of a node beyond the resources that jobs hold there (combined).
[[nodiscard]] ClusterLoad load_by_node(std::span<const NodeUse> nodes);
/// The load beyond all resources that jobs hold (utilized).
/// @param held  by jobs, on all nodes
[[nodiscard]] ClusterLoad load_in_all(std::span<const NodeUse> nodes, int held);

/// Free resources that are available, from 0 to `free`. Loaded resources stay so while jobs start and end, until the load is read again.
/// @param free  held by no job
[[nodiscard]] int available_resources(int free, int loaded);

}  // namespace gleaner::grid
