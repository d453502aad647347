#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::planner {

/// An order policy: who goes first among the campaigns of one type. A new one is a class in a
/// file of this folder and a line in table.cpp.
class CampaignOrder {
 public:
  virtual ~CampaignOrder() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// The same campaigns, the first to be served first. The answer does not depend on the order
  /// in which they are given.
  [[nodiscard]] virtual std::vector<const CampaignView*> rank(std::vector<const CampaignView*> campaigns) const = 0;
};

[[nodiscard]] tl::expected<const CampaignOrder*, std::string> find_order(std::string_view name);

}  // namespace gleaner::planner
