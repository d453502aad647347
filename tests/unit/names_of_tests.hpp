#pragma once
#include <set>
#include <string>

namespace gleaner::tests {

/// All tests of the sources, as `Suite.Name`.
[[nodiscard]] std::set<std::string> names_of_tests();

}  // namespace gleaner::tests
