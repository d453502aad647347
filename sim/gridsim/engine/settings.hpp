#pragma once
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "sim/gridsim/engine/scenario.hpp"

namespace gleaner::gridsim {

/// The grid's configuration as it is when nothing is said: no file and no environment has a say in a
/// simulation.
[[nodiscard]] process::Config default_config();

/// Sets a key of the grid's configuration (packaging/gleaner.conf). The error says what would be right:
/// the closest key, or the names of the policies; keys that a simulation has no use for are refused.
[[nodiscard]] tl::expected<void, std::string> set(Scenario& scenario, std::string_view key, std::string_view value);

}  // namespace gleaner::gridsim
