#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "metascheduler/planner/candidate.hpp"

namespace gleaner::planner {

/// How the tasks of a campaign are distributed among clusters that all have room (document 004, "Distribute Jobs Tasks Across Allocated
/// Resources").
enum class Distribution {
  blocks,      ///< the first cluster is filled, then the next
  round_robin  ///< each cluster gets a part in proportion to its room
};

/// A placement policy: which clusters a campaign gets first. A new one is a class in a file of
/// this folder and a line in table.cpp.
class Placement {
 public:
  virtual ~Placement() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual Distribution distribution() const { return Distribution::blocks; }
  /// The speed by which it ranks a cluster for all campaigns alike; empty: it ranks by something else.
  [[nodiscard]] virtual std::optional<double> speed(const ClusterView&) const { return std::nullopt; }
  /// Sorts the clusters of one campaign that have room for it, the one to fill first at the head. The result does not depend on the
  /// order in which they are given.
  /// @param contender  the campaign, with all its clusters
  virtual void arrange(const Contender& contender, std::vector<Candidate*>& candidates) const = 0;
};

[[nodiscard]] tl::expected<const Placement*, std::string> find_placement(std::string_view name);
[[nodiscard]] std::vector<std::string_view> placement_names();

}  // namespace gleaner::planner
