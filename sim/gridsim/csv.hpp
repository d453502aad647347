#pragma once
#include <filesystem>
#include <vector>

#include "sim/gridsim/report.hpp"

namespace gleaner::gridsim {

/// Writes `jobs.csv` (every job: when it was planned, queued, started, ended, and how) and `cycles.csv`
/// (what each cycle saw and did for each campaign on each cluster) into a folder, made if need be; of a
/// comparison, into one folder a variant. Times are seconds since the beginning. Throws process::Error
/// when a file cannot be written.
void write_csv(const std::filesystem::path& folder, const std::vector<Variant>& variants);

}  // namespace gleaner::gridsim
