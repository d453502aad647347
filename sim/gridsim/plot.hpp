#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/gridsim/report.hpp"

namespace gleaner::gridsim {

/// A picture of the clusters' use over time: resources in use, stacked, the local jobs in grey and one
/// colour a campaign. Of one simulation, a panel for each cluster; of several, a panel for each
/// variant, its clusters summed. The text is a gnuplot script with its data in it.
[[nodiscard]] std::string gnuplot_script(const std::filesystem::path& file, const std::vector<Variant>& variants);

/// Draws it, as SVG. Throws process::Error when gnuplot is not there, or fails, or the file cannot be
/// written; the file then stays as it was.
void draw(const std::filesystem::path& file, const std::vector<Variant>& variants);

/// Mean resources in use in each of so many equal parts of the time, by the local jobs (first) and by
/// each campaign, on one cluster or on all.
struct UseOverTime {
  double step = 0;                         ///< seconds
  std::vector<std::vector<double>> means;  ///< [who][part]
};
[[nodiscard]] UseOverTime use_over_time(const Variant& variant, std::optional<std::size_t> cluster, std::size_t parts);

}  // namespace gleaner::gridsim
