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

/// @param factor  its name with a colon
bool weighs(std::string_view factor, std::string_view weights) {
  for (const auto part : parts_of(weights)) {
    if (!part.starts_with(factor)) continue;
    if (const auto weight = text::real_number(part.substr(factor.size()))) return *weight > 0.0;
  }
  return false;
}

}  // namespace

PriorityEffect effect_of_priority(const OrderOfCampaigns& order) {
  const auto classes = parts_of(order.name);
  const auto is_there = [&](std::string_view name) { return std::ranges::find(classes, name) != classes.end(); };
  if (is_there("priority") || is_there("tickets")) return PriorityEffect::on_all;
  if (is_there("multifactor")) return weighs("priority:", order.weights) ? PriorityEffect::on_all : PriorityEffect::none;
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

std::string given_priority_note(std::string_view holder, std::string_view name, int priority, const OrderOfCampaigns& order) {
  const auto classes = parts_of(order.name);
  const auto is_there = [&](std::string_view known) { return std::ranges::find(classes, known) != classes.end(); };
  const auto has = fmt::format("{} {} has priority {}, which", holder, name, priority);
  if (is_there("priority")) return fmt::format("{} counts before the campaigns' own", has);
  if (is_there("tickets")) return fmt::format("{} counts in the ranking", has);
  const auto factor = fmt::format("{}_priority", holder);
  if (is_there("multifactor") && weighs(factor + ":", order.weights)) return fmt::format("{} counts as a factor", has);
  const auto lacks = is_there("multifactor") ? fmt::format(" and without a weight of '{}'", factor) : "";
  return fmt::format("{} changes nothing here: the grid's campaign_order is '{}', without the class 'priority'{}", has, order.name, lacks);
}

}  // namespace gleaner::grid
