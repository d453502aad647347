#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gleaner::grid {

/// How many nodes of each size a cluster has, in resources, whatever their state: a node that is down now may be back tomorrow.
class NodeSizes {
 public:
  /// Reads text(); nothing when it is none.
  [[nodiscard]] static std::optional<NodeSizes> parse(std::string_view text);

  void add(int resources, int nodes = 1);

  /// "16x2 8x40", the biggest nodes first: two of 16 resources, and 40 of 8. Empty: nothing is known.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool known() const { return !sizes_.empty(); }

  [[nodiscard]] int resources() const;
  [[nodiscard]] int nodes() const { return nodes_with(1); }
  /// Nodes of at least so many resources.
  [[nodiscard]] int nodes_with(int resources) const;
  /// Resources of the smallest of the so many biggest nodes; 0 when there are fewer.
  [[nodiscard]] int size_of(int nodes) const;
  [[nodiscard]] int biggest() const { return size_of(1); }

  bool operator==(const NodeSizes&) const = default;

 private:
  std::map<int, int, std::greater<>> sizes_;  ///< nodes by their resources
};

}  // namespace gleaner::grid
