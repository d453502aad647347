#pragma once
#include <vector>

#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/orders/order.hpp"
#include "metascheduler/planner/ranking.hpp"

namespace gleaner::planner {

/// One class: all its campaigns go before those of the next.
struct ClassMembers {
  AffinityClass affinity = AffinityClass::any;
  std::vector<std::size_t> members;  ///< contenders, by ascending id
};

[[nodiscard]] inline bool belongs(const PairView& pair, AffinityClass affinity) {
  return affinity == AffinityClass::any || pair.has_affinity == (affinity == AffinityClass::affinity);
}

[[nodiscard]] ClassRank class_rank(const OrderChoice& order, const CampaignView& campaign);

/// Stage 2. The classes, which go before any order: test campaigns first; then the others, by the classes that the configuration names
/// (seven priorities, by project, then by group, then by campaign; clusters of affinity); campaigns of the lowest priority last, because
/// they give way to all others. Source: document 003, the note of 20 May; document 002, "Project Priority".
[[nodiscard]] std::vector<ClassMembers> classes_of(const OrderChoice& order, const std::vector<Contender>& contenders);

}  // namespace gleaner::planner
