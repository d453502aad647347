#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace gleaner::tests {

/// For a test that failed: campaigns, launches, jobs, events, brakes and decisions, as text.
[[nodiscard]] std::string text_of_database(const std::string& conninfo);
/// The last lines of the logs.
[[nodiscard]] std::string ends_of(const std::vector<std::filesystem::path>& logs);

}  // namespace gleaner::tests
