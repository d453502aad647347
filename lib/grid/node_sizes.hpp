#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gleaner::grid {

/// In place of the text of NodeSizes where those are counted that have free resources, and none has.
inline constexpr std::string_view kNoFreeNode{"none"};

/// Number of nodes of each size of a cluster. A size is in resources, whatever their state: a node that is down now may be up tomorrow.
class NodeSizes {
 public:
  /// Reads the format of text(); empty when the text does not have it.
  [[nodiscard]] static std::optional<NodeSizes> parse(std::string_view text);

  void add(int resources, int nodes = 1);

  /// "16x2 8x40", the biggest nodes first: 2 nodes of 16 resources, and 40 of 8. An empty text: nothing is known.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool known() const { return !sizes_.empty(); }

  [[nodiscard]] int resources() const;
  [[nodiscard]] int nodes() const { return nodes_with(1); }
  /// Number of nodes with at least this many resources.
  [[nodiscard]] int nodes_with(int resources) const;
  /// Resources of the smallest among the `nodes` biggest nodes; 0 when there are fewer nodes.
  [[nodiscard]] int size_of(int nodes) const;
  [[nodiscard]] int biggest() const { return size_of(1); }

  [[nodiscard]] const std::map<int, int, std::greater<>>& by_size() const { return sizes_; }

  bool operator==(const NodeSizes&) const = default;

 private:
  std::map<int, int, std::greater<>> sizes_;  ///< size in resources → nodes
};

}  // namespace gleaner::grid
