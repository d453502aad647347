#pragma once
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "sim/gridsim/engine/scenario.hpp"

namespace gleaner::gridsim {

/// The default configuration of the grid. A simulation reads neither the configuration file nor the environment.
[[nodiscard]] process::Config default_config();

/// Sets a key of the grid's configuration (packaging/gleaner.conf). Error: the closest key, or the names of the policies; keys without a
/// meaning in a simulation are refused.
[[nodiscard]] tl::expected<void, std::string> set(Scenario& scenario, std::string_view key, std::string_view value);

}  // namespace gleaner::gridsim
