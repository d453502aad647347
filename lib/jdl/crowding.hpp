#pragma once
#include <vector>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/needs.hpp"
#include "lib/jdl/requests.hpp"
#include "lib/jdl/tree.hpp"

/// Where other keys meet those of grouping: a job needs what all the tasks need that it carries out side by side, and what is decided for
/// each task alone has no effect on tasks that share a job.
namespace gleaner::jdl {

/// The sections whose jobs would need more of a consumable than a limit allows at once, in the file's order.
/// @param limits  of each of the file's clusters, in the file's order; a request for whole nodes counts as the cluster's smallest
[[nodiscard]] std::vector<TooWideSection> crowded_sections(const CampaignFile& file, const std::vector<ClusterLimits>& limits,
                                                           const std::vector<Consumable>& consumables);

/// The keys of a file that may meet; null: it does not state the key.
struct GroupingKeys {
  const Member* grouping = nullptr;  ///< temporal_grouping, or dimensional_grouping
  const Member* replicas = nullptr;
};
/// Doubts where `replicas` has little effect, or grouping none, as expressions give each task a request of its own.
void doubt_pools(const CampaignFile& file, const GroupingKeys& keys, Form form, Findings& findings);

}  // namespace gleaner::jdl
