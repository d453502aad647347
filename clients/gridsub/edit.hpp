#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "clients/api_client.hpp"
#include "lib/process/run.hpp"
#include "lib/terminal/output.hpp"

namespace gleaner::gridsub {

/// The changes as JSON, from words such as `walltime=2:0:0`, `clusters.alpha.max_jobs=50` and `clusters.beta=off`. A value is a string,
/// unless it begins as a JSON array, object or string; without a value the key gets its default again. Throws process::Error (usage).
[[nodiscard]] std::string changes_of(const std::vector<std::string>& words);

/// Edits the campaign that --edit names, or only checks that (--dry-run), and shows what changed. Throws process::Error.
void edit(const process::Context& context, terminal::Output& output);

/// Edits a campaign by such words before its failed tasks are retried, and reports what changed. Throws process::Error.
void edit_before_retry(clients::ApiClient& api, terminal::Output& output, std::int64_t id, const std::vector<std::string>& words);

}  // namespace gleaner::gridsub
