#pragma once
#include <array>
#include <optional>
#include <vector>

#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/orders/order.hpp"

namespace gleaner::planner {

/// On which clusters the campaigns of a class are served: all, those of affinity, or the others.
enum class AffinityClass { any, affinity, others };

/// One class: all its campaigns go before those of the next.
struct ClassMembers {
  AffinityClass affinity = AffinityClass::any;
  std::vector<std::size_t> members;  ///< contenders, by ascending id
};

[[nodiscard]] inline bool belongs(const PairView& pair, AffinityClass affinity) {
  return affinity == AffinityClass::any || pair.has_affinity == (affinity == AffinityClass::affinity);
}

/// The place of a campaign's class, that of affinity apart: lexicographic, the smallest goes first. By type and lowest priority, then by
/// the class of priority with its three levels: project, group and campaign.
using ClassRank = std::array<int, 4>;
[[nodiscard]] ClassRank class_rank(const OrderChoice& order, const CampaignView& campaign);

/// Stage 2. The classes, which go before any order: test campaigns first; then the others, by the classes that the configuration names
/// (seven priorities, by project, then by group, then by campaign; clusters of affinity); campaigns of the lowest priority last, because
/// they give way to all others. Source: document 003, the note of 20 May; document 002, "Project Priority".
[[nodiscard]] std::vector<ClassMembers> classes_of(const OrderChoice& order, const std::vector<Contender>& contenders);

}  // namespace gleaner::planner
