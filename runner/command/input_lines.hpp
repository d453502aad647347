#pragma once
#include <string>
#include <string_view>

namespace gleaner::runner {

/// The lines of the wrapper that define how a task gets its input files; empty for a campaign without any.
[[nodiscard]] std::string input_functions(std::string_view patterns);
/// The lines before the command of a task, of a launch whose campaign has these patterns, one a line.
[[nodiscard]] std::string input_lines(std::string_view patterns);

}  // namespace gleaner::runner
