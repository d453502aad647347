#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gleaner::text {

/// The known name that is nearest to what was typed, when one is near enough to be meant.
[[nodiscard]] std::optional<std::string> closest(std::string_view typed, std::span<const std::string_view> known);

/// `" (did you mean 'walltime'?)"`, or nothing: to put at the end of a message.
[[nodiscard]] std::string did_you_mean(std::string_view typed, std::span<const std::string_view> known);

}  // namespace gleaner::text
