#pragma once
#include <filesystem>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/jdl/problem.hpp"
#include "sim/gridsim/engine/scenario.hpp"

namespace gleaner::gridsim {

/// Reads a scenario. The paths of files that it names (traces, JDL and parameter files) are relative to it.
/// @return the scenario, or all errors at once, in the order of the text
[[nodiscard]] tl::expected<Scenario, std::vector<jdl::Problem>> read_scenario(std::string_view text, const std::filesystem::path& folder);

}  // namespace gleaner::gridsim
