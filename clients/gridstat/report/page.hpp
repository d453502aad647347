#pragma once
#include <string>
#include <vector>

#include "clients/gridstat/report/figures.hpp"
#include "clients/json.hpp"
#include "lib/grid/time.hpp"

/// The report of a campaign as one page of HTML, which needs no server and runs no script.
namespace gleaner::gridstat::report {

/// Answers of the API, and the tasks added up.
struct Report {
  clients::Json campaign;
  clients::Json stats;
  std::vector<clients::Json> forecasts;  ///< the oldest first
  std::vector<clients::Json> decisions;  ///< the present ones
  std::vector<clients::Json> reasons;    ///< the times of each cluster by reason (`clusters` of the API's history of decisions)
  std::vector<clients::Json> events;     ///< open and closed
  clients::Json failures;                ///< by groups that failed alike
  Figures figures;
};
[[nodiscard]] std::string page_of(const Report& report, grid::Instant now);

}  // namespace gleaner::gridstat::report
