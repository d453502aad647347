#pragma once
#include <cstddef>
#include <string_view>

namespace gleaner::text {

/// The deepest that JSON from outside may be nested where what reads it calls itself.
inline constexpr std::size_t kDeepestJson = 64;

/// Whether arrays and objects of a JSON text stand in each other deeper than so. It needs no stack and no
/// memory, and the text may be anything.
[[nodiscard]] bool is_nested_deeper(std::string_view json, std::size_t most = kDeepestJson);

}  // namespace gleaner::text
