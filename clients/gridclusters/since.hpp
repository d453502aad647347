#pragma once
#include <string>
#include <vector>

#include "clients/json.hpp"
#include "lib/grid/time.hpp"
#include "lib/process/values.hpp"
#include "lib/terminal/output.hpp"

/// The use of the clusters in time.
namespace gleaner::gridclusters {

/// Time slices of a span that ends now; they begin at whole steps.
struct Slices {
  grid::Instant from;
  grid::Instant to;
  grid::Seconds step;

  /// Some 24 slices of whole minutes.
  [[nodiscard]] static Slices of(process::Duration span, grid::Instant now);
  /// The path of the API that answers them.
  [[nodiscard]] std::string path() const;
};

/// A line for each slice of each cluster: means, the least that was free, and how much of the slice is known.
/// @param clusters  as the API answers `path()`
[[nodiscard]] terminal::Table use_table(const std::vector<clients::Json>& clusters, const Slices& slices);

/// `gamma: lost from 2026-11-20 18:00:00 to 18:20:00`, a line for each outage.
[[nodiscard]] std::string outages_text(const std::vector<clients::Json>& clusters, grid::Instant now);

}  // namespace gleaner::gridclusters
