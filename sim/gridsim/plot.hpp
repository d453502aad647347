#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/gridsim/report.hpp"

namespace gleaner::gridsim {

/// A plot of the clusters' use over time: resources in use, stacked, the local jobs in grey, one colour per campaign for the commands of
/// its tasks, red for those that were killed, and black for the starts and ends of jobs. For one simulation, a panel per cluster; for
/// several, a panel per variant, with its clusters summed. The text is a gnuplot script that contains its data.
[[nodiscard]] std::string gnuplot_script(const std::filesystem::path& file, const std::vector<Variant>& variants);

/// Draws the plot as SVG. Throws process::Error if gnuplot is missing or fails, or the file cannot be written; the file is unchanged then.
void draw(const std::filesystem::path& file, const std::vector<Variant>& variants);

/// Mean resources in use in each of so many equal parts of the time, on one cluster or on all: by the local jobs, by the commands of each
/// campaign's tasks, by those whose work was lost, and by the starts and ends of jobs.
struct UseOverTime {
  double step = 0;                         ///< seconds
  std::vector<std::vector<double>> means;  ///< [who][part]
};
[[nodiscard]] UseOverTime use_over_time(const Variant& variant, std::optional<std::size_t> cluster, std::size_t parts);

}  // namespace gleaner::gridsim
