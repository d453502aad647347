#pragma once
#include <filesystem>
#include <vector>

#include "sim/gridsim/report.hpp"

namespace gleaner::gridsim {

/// Writes `jobs.csv` (every job: when it was planned, queued, started, ended, and how) and `cycles.csv` (the observations and actions of
/// each cycle for each pair) into a folder, which is created if missing; for a comparison, into one folder per variant. Times are seconds
/// since the beginning. Throws process::Error if a file cannot be written.
void write_csv(const std::filesystem::path& folder, const std::vector<Variant>& variants);

}  // namespace gleaner::gridsim
