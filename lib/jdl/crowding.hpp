#pragma once
#include <vector>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/needs.hpp"
#include "lib/jdl/requests.hpp"
#include "lib/jdl/tree.hpp"

/// Where the keys of grouping meet those of consumables: a job needs what all the tasks need that it carries out side by side.
namespace gleaner::jdl {

/// The sections whose jobs would need more of a consumable than a limit allows at once, in the file's order.
/// @param limits  of each of the file's clusters, in the file's order; a request for whole nodes counts as the cluster's smallest
[[nodiscard]] std::vector<TooWideSection> crowded_sections(const CampaignFile& file, const std::vector<ClusterLimits>& limits,
                                                           const std::vector<Consumable>& consumables);

}  // namespace gleaner::jdl
