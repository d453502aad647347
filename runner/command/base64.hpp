#pragma once
#include <string>
#include <string_view>

namespace gleaner::runner {

/// RFC 4648, with padding, on one line.
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace gleaner::runner
