#include "lib/jdl/crowding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "lib/jdl/values.hpp"

namespace gleaner::jdl {
namespace {

/// Tasks that a job carries out at a time; 0: not known.
int workers_on(const ClusterSection& section, const grid::NodeSizes& nodes) {
  if (const auto cores = section.resources.resources()) return *cores;
  return nodes.known() ? nodes.size_of(nodes.nodes()) : 0;
}

std::optional<std::string> why_crowded(const CampaignFile& file, const ClusterSection& section, const ClusterLimits& limits,
                                       const std::vector<Consumable>& consumables) {
  const int workers = workers_on(section, limits.nodes);
  for (const auto& [name, count] : file.needs) {
    const auto known = std::ranges::find(consumables, name, &Consumable::name);
    if (known == consumables.end() || !known->most || static_cast<double>(workers) * count <= *known->most) continue;
    const auto fitting = static_cast<int>(*known->most) / count;
    return fmt::format(
        "with dimensional_grouping, a job of {} carries out {} tasks at a time there and needs {} of {}, and limit {} allows {:g} at once: "
        "{}",
        section.resources_text(), workers, std::int64_t{workers} * count, name, known->limit, *known->most,
        fitting > 1 ? fmt::format("write \"resources\": \"/nodes=1/core={}\" at most, or leave dimensional_grouping out", fitting)
                    : std::string{"leave dimensional_grouping out"});
  }
  return std::nullopt;
}

}  // namespace

std::vector<TooWideSection> crowded_sections(const CampaignFile& file, const std::vector<ClusterLimits>& limits,
                                             const std::vector<Consumable>& consumables) {
  std::vector<TooWideSection> found;
  if (!file.scheduling.side_by_side || file.needs.empty()) return found;
  for (std::size_t i = 0; i < file.clusters.size(); ++i) {
    if (!file.clusters[i].resources_expression.empty()) continue;
    if (auto why = why_crowded(file, file.clusters[i], limits[i], consumables)) found.push_back({i, std::move(*why)});
  }
  return found;
}

}  // namespace gleaner::jdl
