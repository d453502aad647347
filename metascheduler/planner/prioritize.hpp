#pragma once
#include <optional>
#include <vector>

#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/orders/order.hpp"

namespace gleaner::planner {

/// The clusters of a class on which its campaigns are served.
enum class Couples { any, affine, others };

/// Campaigns that all go before those of the next class.
struct ClassMembers {
  Couples couples = Couples::any;
  std::vector<std::size_t> members;  ///< contenders, by ascending id
};

[[nodiscard]] inline bool belongs(const PairView& pair, Couples couples) {
  return couples == Couples::any || pair.affine == (couples == Couples::affine);
}

/// Stage 2. Who goes before whom whatever the order says: test campaigns; then the others, by the
/// classes that the configuration names (seven priorities; couples of a user and a cluster before
/// all else); campaigns of the lowest priority last, as they give way to all others.
/// Source: spec/003, the note of 20 May; spec/002, "Project Priority".
[[nodiscard]] std::vector<ClassMembers> classes_of(const OrderChoice& order, const std::vector<Contender>& contenders);

}  // namespace gleaner::planner
