#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lib/store/views_grid.hpp"

/// The use of clusters in time slices.
namespace gleaner::store::views {

/// A figure in one slice; its mean is over time.
struct Spread {
  int least = 0;
  double mean = 0;
  int most = 0;
};

/// The figures of a cluster in one slice, in resources.
struct UseOfSlice {
  std::int64_t slice = 0;    ///< from 0
  double known_seconds = 0;  ///< above 0, at most a slice
  Spread max_resources;
  Spread used;
  Spread used_besteffort;
  Spread ours;
  Spread unavailable;
};

/// A time in which a cluster was not reached.
struct Outage {
  grid::Instant from;
  std::optional<grid::Instant> to;  ///< empty: it lasts
};

struct UseOfCluster {
  std::vector<UseOfSlice> slices;  ///< those of which something is known, in their order
  std::vector<Outage> outages;     ///< the newest first
};

/// The use of these clusters, in the order of their ids. A figure holds until the next one, for `holds` at most.
/// Cost: O(figures in the span), 2 us each.
[[nodiscard]] std::vector<UseOfCluster> use(Transaction& transaction, std::span<const grid::ClusterId> clusters, const Span& span,
                                            grid::Seconds holds);

}  // namespace gleaner::store::views
