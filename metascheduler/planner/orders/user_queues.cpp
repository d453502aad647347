#include "metascheduler/planner/orders/user_queues.hpp"

#include <algorithm>
#include <tuple>

namespace gleaner::planner {

UserQueues::UserQueues(const Class& among) : among_{among} {
  if (among.config.simultaneous) {
    taking_part_ = among.members;
    return;
  }
  for (const auto member : among.members) waiting_[among.campaign(member).user].push_back(member);
  for (auto& [user, campaigns] : waiting_) {
    std::ranges::sort(campaigns, std::greater{}, [&](std::size_t member) {
      const auto& campaign = among.campaign(member);
      return std::tuple{campaign.priority, campaign.submitted, campaign.id};
    });
    taking_part_.push_back(campaigns.back());
    campaigns.pop_back();
  }
  std::ranges::sort(taking_part_);
}

std::optional<std::size_t> UserQueues::exhausted(std::size_t contender) {
  std::erase(taking_part_, contender);
  const auto queue = waiting_.find(among_.campaign(contender).user);
  if (queue == waiting_.end() || queue->second.empty()) return std::nullopt;
  const auto next = queue->second.back();
  queue->second.pop_back();
  taking_part_.insert(std::ranges::lower_bound(taking_part_, next), next);
  return next;
}

}  // namespace gleaner::planner
