#include "runner/input_turns.hpp"

#include <algorithm>
#include <utility>

namespace gleaner::runner {

InputTurns::InputTurns(std::vector<store::InputsToSend> wanted) {
  for (auto& inputs : wanted) {
    auto& campaigns = of(inputs.user).campaigns;
    campaigns.push_back(std::move(inputs));
  }
}

std::optional<store::InputsToSend> InputTurns::next() {
  if (users_.empty()) return std::nullopt;
  auto user = std::move(users_.front());
  users_.pop_front();
  auto inputs = std::move(user.campaigns.front());
  user.campaigns.pop_front();
  if (!user.campaigns.empty()) users_.push_back(std::move(user));
  return inputs;
}

void InputTurns::put_back(store::InputsToSend inputs) {
  auto& campaigns = of(inputs.user).campaigns;
  const auto place = std::ranges::upper_bound(campaigns, inputs.priority, {}, &store::InputsToSend::priority);
  campaigns.insert(place, std::move(inputs));
}

/// A user without a campaign here gets a place after all others.
InputTurns::OfUser& InputTurns::of(const std::string& user) {
  const auto found = std::ranges::find(users_, user, &OfUser::user);
  if (found != users_.end()) return *found;
  return users_.emplace_back(OfUser{.user = user, .campaigns = {}});
}

}  // namespace gleaner::runner
