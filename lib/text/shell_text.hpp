#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace gleaner::text {

/// The effect of bash on the first part of a line that split_words() reads otherwise, to follow "a shell would": `replace $HOME by the
/// value of that variable`. Empty: both read the same words. The line has no open quotes.
[[nodiscard]] std::optional<std::string> shell_would(std::string_view line);

/// The text as CiGri's jobs got it, whose oarsub passed it through one more shell: `\$` becomes `$`, and `\\\$` becomes `\$`. A `$` after
/// an even number of backslashes keeps them: that shell replaced the variable, as the job's does here.
[[nodiscard]] std::string without_oarsub_backslashes(std::string_view text);

/// The first `$` that without_oarsub_backslashes() changes, with its backslashes and the name after it: `\$HOME`. Empty: there is none.
[[nodiscard]] std::string_view first_oarsub_dollar(std::string_view text);

}  // namespace gleaner::text
