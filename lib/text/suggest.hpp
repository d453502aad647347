#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gleaner::text {

/// The known name that is nearest to the typed one; empty: none is near enough.
[[nodiscard]] std::optional<std::string> closest(std::string_view typed, std::span<const std::string_view> known);

/// `" (did you mean 'walltime'?)"` for the end of a message; an empty text when no name is near enough.
[[nodiscard]] std::string did_you_mean(std::string_view typed, std::span<const std::string_view> known);

}  // namespace gleaner::text
