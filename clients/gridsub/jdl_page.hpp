#pragma once
#include <string>

namespace gleaner::gridsub {

/// The manual page gleaner-jdl(5): the keys of a campaign file.
[[nodiscard]] std::string jdl_page();

}  // namespace gleaner::gridsub
