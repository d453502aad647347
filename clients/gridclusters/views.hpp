#pragma once
#include <string>
#include <vector>

#include "clients/json.hpp"
#include "lib/grid/time.hpp"
#include "lib/terminal/output.hpp"

/// Renders the clusters of the API as text. Pure functions.
namespace gleaner::gridclusters {

/// One line per cluster: whether it receives jobs, and its resources.
[[nodiscard]] terminal::Table clusters_table(const std::vector<clients::Json>& clusters, grid::Instant now);
/// Notes that no column shows.
[[nodiscard]] std::string reasons(const std::vector<clients::Json>& clusters, const terminal::Screen& screen, grid::Instant now);

/// `name  [####      ]  12 of 16 used, 8 by the grid`.
[[nodiscard]] std::string usage_text(const std::vector<clients::Json>& clusters, const terminal::Screen& screen);

/// CiGri's line for each cluster: its id, name and host, its stress factor, and whether it is blacklisted or under stress.
[[nodiscard]] std::string infos_text(const std::vector<clients::Json>& clusters);
/// All that the API says of each cluster, a line for each field.
[[nodiscard]] std::string details_text(const std::vector<clients::Json>& clusters);
/// The line of infos_text and a bar of the resources for each cluster, and a legend. The marks differ without colours too.
[[nodiscard]] std::string bars_text(const std::vector<clients::Json>& clusters, const terminal::Screen& screen);

}  // namespace gleaner::gridclusters
