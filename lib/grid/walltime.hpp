#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/time.hpp"

namespace gleaner::grid {

/// Reads a walltime as OAR does: `h`, `h:m` or `h:m:s`, each part a number. Nothing when it is
/// not one, or is zero.
[[nodiscard]] std::optional<Seconds> parse_walltime(std::string_view text);

/// Writes it back as h:mm:ss.
[[nodiscard]] std::string format_walltime(Seconds walltime);

}  // namespace gleaner::grid
