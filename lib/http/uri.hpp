#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gleaner::http {

/// The parameters of a query string, in their order, names possibly repeated. `+` is a space;
/// a parameter without `=` has an empty value; a broken escape is kept as it was typed.
using Query = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Query parse_query(std::string_view text);

/// Splits a request target at its first `?`; the second part is empty without one.
[[nodiscard]] std::pair<std::string_view, std::string_view> split_target(std::string_view target);

}  // namespace gleaner::http
