#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/node_sizes.hpp"

namespace gleaner::grid {

/// A node that OAR starts jobs on.
struct NamedNode {
  enum class Rest {
    open,   ///< it has jobs, or may have some
    empty,  ///< it is awake, and no job holds any of it
    asleep  ///< OAR wakes it for a job
  };
  std::string name;
  int resources = 0;
  Rest rest = Rest::open;
  bool operator==(const NamedNode&) const = default;
};

/// The usable nodes of a cluster by name, so that jobs can be kept from those that are to stay empty.
class NamedNodes {
 public:
  /// Reads the format of text(); empty when the text does not have it.
  [[nodiscard]] static std::optional<NamedNodes> parse(std::string_view text);

  /// A node whose name cannot stand in a condition, or too many nodes, make the whole list unknown: a condition of the others might
  /// leave out nodes that jobs need.
  void add(NamedNode node);

  [[nodiscard]] bool known() const { return !spoilt_ && !nodes_.empty(); }
  /// "e 16 node-1", a line a node: it is open (o), empty (e) or asleep (z), its resources, its name. By name. Empty: nothing is known.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] NodeSizes sizes(NamedNode::Rest rest) const;
  [[nodiscard]] std::size_t longest_name() const;

  /// A condition on OAR's resources that keeps jobs from as many nodes of these sizes without jobs: those that sleep first, then the last
  /// ones by name. It names the nodes that are left out, or the others, whichever is shorter. An empty text: there is no such node, or no
  /// other. Empty: it would be longer than `most` bytes.
  [[nodiscard]] std::optional<std::string> condition_leaving(const NodeSizes& leaves, std::size_t most) const;

 private:
  std::vector<NamedNode> nodes_;
  bool spoilt_ = false;
};

/// Bytes of a condition that leaves nodes empty. grid::wrong_properties allows 8000 of all conditions of a job.
inline constexpr std::size_t kMostOfCondition = 6000;

/// Whether a condition that names as many of these nodes is short enough, by the longest name.
[[nodiscard]] bool can_name(int nodes, std::size_t longest_name);

}  // namespace gleaner::grid
