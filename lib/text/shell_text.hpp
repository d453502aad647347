#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace gleaner::text {

/// What bash would do with the first part of a line that split_words() reads otherwise, to follow "a shell would": `replace $HOME by the
/// value of that variable`. Empty: both read the same words. The line has no open quotes.
[[nodiscard]] std::optional<std::string> shell_would(std::string_view line);

}  // namespace gleaner::text
