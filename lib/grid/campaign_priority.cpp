#include "lib/grid/campaign_priority.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "lib/text/numbers.hpp"

namespace gleaner::grid {
namespace {

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    auto part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    part.remove_prefix(std::min(part.size(), part.find_first_not_of(' ')));
    parts.push_back(part.substr(0, part.find_last_not_of(' ') + 1));
  }
  return parts;
}

bool weighs_priority(std::string_view weights) {
  constexpr std::string_view kFactor{"priority:"};
  for (const auto part : parts_of(weights)) {
    if (!part.starts_with(kFactor)) continue;
    if (const auto weight = text::real_number(part.substr(kFactor.size()))) return *weight > 0.0;
  }
  return false;
}

}  // namespace

PriorityEffect effect_of_priority(const OrderOfCampaigns& order) {
  const auto classes = parts_of(order.name);
  const auto is_there = [&](std::string_view name) { return std::ranges::find(classes, name) != classes.end(); };
  if (is_there("priority") || is_there("tickets")) return PriorityEffect::on_all;
  if (is_there("multifactor")) return weighs_priority(order.weights) ? PriorityEffect::on_all : PriorityEffect::none;
  const bool one_by_one = !order.simultaneous && (is_there("fairshare") || is_there("fairtree"));
  return one_by_one ? PriorityEffect::on_own_campaigns : PriorityEffect::none;
}

std::optional<std::string> priority_note(int priority, const OrderOfCampaigns& order) {
  const auto effect = effect_of_priority(order);
  if (priority == kNormalPriority || priority == kLowestPriority || effect == PriorityEffect::on_all) return std::nullopt;
  const auto does =
      effect == PriorityEffect::none ? "changes nothing in the order of campaigns here" : "sorts the campaigns of its own user only here";
  return fmt::format("campaign_priority {} {}: the grid's campaign_order is '{}', without the class 'priority'", priority, does,
                     order.name);
}

}  // namespace gleaner::grid
