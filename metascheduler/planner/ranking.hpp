#pragma once
#include <array>
#include <vector>

#include "lib/grid/id.hpp"

namespace gleaner::planner {

/// On which clusters the campaigns of a class are served: all, those of affinity, or the others.
enum class AffinityClass { any, affinity, others };

/// The place of a campaign's class, that of affinity apart: lexicographic, the smallest goes first. By type and lowest priority, then by
/// the class of priority with its three levels: project, group and campaign (each 0 if the order has no classes of priority).
using ClassRank = std::array<int, 4>;

/// One class of a plan: all its campaigns go before those of the next.
struct RankedClass {
  AffinityClass affinity = AffinityClass::any;
  ClassRank rank = {};
  /// The one that goes first at the head. Where the order draws, the one that is most likely drawn first.
  std::vector<grid::CampaignId> campaigns = {};
  bool operator==(const RankedClass&) const = default;
};

}  // namespace gleaner::planner
