#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/level_sizes.hpp"
#include "lib/grid/node_sizes.hpp"
#include "lib/grid/resource_request.hpp"

namespace gleaner::grid {

/// A request that a cluster can never hold, even when it is empty.
struct TooWide {
  std::string why;      ///< one sentence, without a full stop: the request's size, the cluster's, and what would fit
  std::string biggest;  ///< the biggest request of its kind that fits; empty: the request is a union (`+`), which has none
};

/// Empty when the cluster can hold the request, or when its nodes are unknown. Each level of a request takes at least one resource of its
/// own, whatever the names of a site's levels; `nodes`, `host` and `network_address` are nodes. A level of `levels` has only as many values
/// as the cluster has (`/gpu=9` where there are 8).
[[nodiscard]] std::optional<TooWide> too_wide(const ResourceRequest& request, std::string_view cluster, const NodeSizes& nodes,
                                              const LevelSizes& levels = {});

/// Resources of one job on a cluster: as the request states them, else those of its whole nodes, GPUs or other levels (`/gpu=2`), if all of
/// one kind have one size. Empty: only a job that has started shows them.
[[nodiscard]] std::optional<int> resources_on(const ResourceRequest& request, const NodeSizes& nodes, const LevelSizes& levels = {});

}  // namespace gleaner::grid
