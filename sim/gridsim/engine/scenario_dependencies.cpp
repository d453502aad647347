#include <fmt/format.h>

#include <algorithm>

#include "sim/gridsim/engine/scenario_parts.hpp"

namespace gleaner::gridsim {
namespace {

std::optional<std::size_t> place_of(const jdl::Dependency& dependency, const Scenario& scenario, std::size_t own) {
  const auto& campaigns = scenario.campaigns;
  const auto* const id = std::get_if<grid::CampaignId>(&dependency.on);
  const auto is_it = [&](std::size_t place) {
    return id != nullptr ? campaigns[place].id == *id : campaigns[place].name == std::get<std::string>(dependency.on);
  };
  for (std::size_t place = 0; place < campaigns.size(); ++place) {
    if (place != own && is_it(place)) return place;
  }
  return std::nullopt;
}

/// Whether a campaign would wait for itself.
bool is_in_cycle(const Scenario& scenario, std::size_t campaign) {
  std::vector<bool> seen(scenario.campaigns.size());
  std::vector<std::size_t> next{campaign};
  while (!next.empty()) {
    const auto place = next.back();
    next.pop_back();
    for (const auto& first : scenario.campaigns[place].first) {
      if (first.place == campaign) return true;
      if (!seen[first.place]) next.push_back(first.place);
      seen[first.place] = true;
    }
  }
  return false;
}

}  // namespace

/// A campaign that a number names was there when the number was written: it is over.
void resolve_dependencies(const Node& root, Scenario& scenario, Findings& findings) {
  for (std::size_t i = 0; i < scenario.campaigns.size(); ++i) {
    auto& campaign = scenario.campaigns[i];
    for (const auto& dependency : campaign.dependencies) {
      const bool is_name = std::holds_alternative<std::string>(dependency.on);
      if (const auto place = place_of(dependency, scenario, i)) campaign.first.push_back({dependency.kind, *place});
      else if (is_name)
        findings.add(root.offset, std::string{name_of(dependency.kind)}, jdl::text_of(dependency.on),
                     fmt::format("campaign '{}' comes after {}, and there is none", campaign.name, jdl::text_of(dependency.on)));
    }
  }
  for (std::size_t i = 0; i < scenario.campaigns.size(); ++i) {
    if (!is_in_cycle(scenario, i)) continue;
    findings.add(root.offset, "after", "",
                 fmt::format("campaign '{}' comes after itself: it would never start", scenario.campaigns[i].name));
    return;
  }
}

}  // namespace gleaner::gridsim
