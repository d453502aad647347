#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "metascheduler/planner/candidate.hpp"

namespace gleaner::planner {

/// A placement policy: which clusters a campaign gets first. A new one is a class in a file of
/// this folder and a line in table.cpp.
class Placement {
 public:
  virtual ~Placement() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Puts the clusters of one campaign in order, the first to be filled first. The result does not
  /// depend on the order in which they are given.
  virtual void arrange(std::vector<Candidate>& candidates) const = 0;
};

[[nodiscard]] tl::expected<const Placement*, std::string> find_placement(std::string_view name);

}  // namespace gleaner::planner
