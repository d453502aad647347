#pragma once
#include "api/figures.hpp"
#include "api/metrics_page.hpp"

/// The families of GET /metrics that the database's figures make.
namespace gleaner::api {

void write_health(MetricsPage& page, std::string_view word);
void write_grid(MetricsPage& page, const Figures::Reading& reading, const process::Config& config);

}  // namespace gleaner::api
