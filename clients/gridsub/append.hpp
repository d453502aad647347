#pragma once
#include "clients/api_client.hpp"
#include "lib/process/run.hpp"
#include "lib/terminal/output.hpp"

namespace gleaner::gridsub {

/// Appends tasks to the campaign that --campaign names, or only checks that (--dry-run). Returns the campaign's id. Throws process::Error.
std::int64_t append(const process::Context& context, terminal::Output& output);

}  // namespace gleaner::gridsub
