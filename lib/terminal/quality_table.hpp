#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/quality.hpp"
#include "lib/terminal/output.hpp"
#include "lib/text/json_writer.hpp"

/// Tables of how good the plans were, of gridctl and of gridsim.
namespace gleaner::terminal {

struct PlanLine {
  std::string cluster;
  std::string algorithm;  ///< empty: the first ratio
  std::string type;       ///< of the campaigns
  grid::PlanFigures figures;
};
struct ForecastLine {
  std::string cluster;  ///< empty: several
  std::string method;
  grid::ForecastFigures figures;
};

[[nodiscard]] Table plans_table(const std::vector<PlanLine>& lines);
[[nodiscard]] Table forecasts_table(const std::vector<ForecastLine>& lines);
/// The members "plans" and "forecasts", with all sums and the parts made of them.
void write_quality(text::JsonWriter& json, const std::vector<PlanLine>& plans, const std::vector<ForecastLine>& forecasts);

/// `12.3 %`; empty: `-`.
[[nodiscard]] std::string part_text(std::optional<double> part);
/// `12 s`, or longer times as terminal::length writes them.
[[nodiscard]] std::string seconds_text(std::optional<double> seconds);

}  // namespace gleaner::terminal
