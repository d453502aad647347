#pragma once
#include <cstddef>
#include <string_view>

namespace gleaner::text {

/// The greatest nesting of JSON from outside, for recursive readers.
inline constexpr std::size_t kDeepestJson = 64;

/// Whether arrays and objects of a JSON text are nested deeper. Needs neither stack nor memory, and accepts any bytes.
[[nodiscard]] bool is_nested_deeper(std::string_view json, std::size_t most = kDeepestJson);

}  // namespace gleaner::text
