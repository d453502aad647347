#pragma once
#include <filesystem>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/jdl/problem.hpp"
#include "sim/gridsim/engine/scenario.hpp"

namespace gleaner::gridsim {

/// Reads a scenario. Files that it names (traces, JDL and parameter files) are looked for beside it.
/// @return the scenario, or everything that is wrong with it at once, in the order of the text
[[nodiscard]] tl::expected<Scenario, std::vector<jdl::Problem>> read_scenario(std::string_view text, const std::filesystem::path& folder);

}  // namespace gleaner::gridsim
