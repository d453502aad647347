#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/time.hpp"

namespace gleaner::grid {

/// Ten years of 366 days.
inline constexpr Seconds kLongestWalltime{std::int64_t{10} * 366 * 86400};

/// Reads a walltime as OAR does: `h`, `h:m` or `h:m:s`, each part a number. Empty when the text is no walltime, or when it is zero.
[[nodiscard]] std::optional<Seconds> parse_walltime(std::string_view text);

/// Writes a walltime as h:mm:ss.
[[nodiscard]] std::string format_walltime(Seconds walltime);

/// The next walltime of a coarse scale that is not shorter. The scale has 8 or more steps for each doubling, in round numbers of seconds,
/// minutes or hours, so that computed walltimes have few different values.
[[nodiscard]] Seconds round_up_walltime(Seconds walltime);

}  // namespace gleaner::grid
