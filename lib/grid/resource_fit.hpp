#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/node_sizes.hpp"
#include "lib/grid/resource_request.hpp"

namespace gleaner::grid {

/// A request that a cluster can never hold, whoever else is on it.
struct TooWide {
  std::string why;      ///< one sentence, without a full stop: what it takes, what the cluster has, what would fit
  std::string biggest;  ///< the biggest request of its kind that fits; empty: it is a union (`+`), and has no such thing
};

/// Nothing when the cluster can hold the request, or when nothing is known of its nodes. Each level of a request takes at least one
/// resource of its own, whatever a site calls its levels; `nodes`, `host` and `network_address` are nodes.
[[nodiscard]] std::optional<TooWide> too_wide(const ResourceRequest& request, std::string_view cluster, const NodeSizes& nodes);

}  // namespace gleaner::grid
