#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "lib/grid/resource_request.hpp"

namespace gleaner::grid {

/// The memory of a cluster's nodes, as a property of OAR's resources states it.
class NodeMemory {
 public:
  /// Reads the format of text(); empty when the text does not have it.
  [[nodiscard]] static std::optional<NodeMemory> parse(std::string_view text);

  /// A node of so many resources. Memory that is no whole number counts as the next smaller one.
  void add(int resources, double memory);

  /// "16:192 8:64": nodes of 16 resources with 192, others of 8 with 64. An empty text: nothing is known.
  [[nodiscard]] std::string text() const;

  /// Resources of one node that a job must hold so that no more jobs of its kind share a node than the node's memory holds. OAR reserves no
  /// memory, but gives each resource to one job. Empty: no node with so much memory is known.
  /// @param memory  of the job on a node, in the unit of the property
  [[nodiscard]] std::optional<int> resources_for(double memory) const;
  /// The memory of the node that has most, in the unit of the property. Empty: it is not known.
  [[nodiscard]] std::optional<std::int64_t> most() const;

  /// The same memory in MB.
  /// @param unit  of the property, in MB
  [[nodiscard]] NodeMemory in_mb(int unit) const;
  [[nodiscard]] bool known() const { return !kinds_.empty(); }
  /// Whether all nodes whose memory is known have as many resources and as much memory.
  [[nodiscard]] bool is_uniform() const { return kinds_.size() == 1; }
  /// The least memory that goes with so many resources of a node, if its resources share it; 0: with the whole node. Empty: not known.
  [[nodiscard]] std::optional<std::int64_t> share_of(int resources) const;
  /// The kinds of nodes: resources and memory.
  [[nodiscard]] const std::set<std::pair<int, std::int64_t>>& kinds() const { return kinds_; }

 private:
  std::set<std::pair<int, std::int64_t>> kinds_;
};

/// The request with at least so many resources of each node: `/core=1` becomes `/nodes=1/core=12`. Empty: the request stays, as it asks for
/// as many, or for whole nodes, or for something else than cores.
[[nodiscard]] std::optional<std::string> with_node_resources(const ResourceRequest& request, int resources);

}  // namespace gleaner::grid
