#pragma once
#include <cstdint>
#include <string>

#include "lib/grid/time.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::tests {

/// A time, in seconds since 1970, as the API writes it.
[[nodiscard]] inline std::string utc(std::int64_t seconds) { return text::utc(grid::from_unix(seconds)); }

}  // namespace gleaner::tests
