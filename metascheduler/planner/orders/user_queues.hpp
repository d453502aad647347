#pragma once
#include <map>
#include <string>
#include <vector>

#include "metascheduler/planner/orders/order.hpp"

namespace gleaner::planner {

/// The campaigns of a class that take part: all, or only the first one of each user, by priority and then by creation, until it is
/// exhausted (document 002, "Project Priority", "Simultaneous Project Processing").
class UserQueues {
 public:
  explicit UserQueues(const Class& among);

  /// The contenders that take part now, by ascending index.
  [[nodiscard]] const std::vector<std::size_t>& taking_part() const { return taking_part_; }
  /// @return the contender that takes part instead, if any
  std::optional<std::size_t> exhausted(std::size_t contender);

 private:
  const Class& among_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> waiting_;  ///< by user, the next one last
  std::vector<std::size_t> taking_part_;
};

}  // namespace gleaner::planner
