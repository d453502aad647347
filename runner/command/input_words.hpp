#pragma once
#include <string>
#include <string_view>

#include "runner/wrapper/wrapper.hpp"

namespace gleaner::runner {

/// The paths of a task's input files as words of the job's shell. `patterns` are one a line; they have words of the task's parameter.
[[nodiscard]] std::string input_words(std::string_view patterns, const WrapperNames& names = kShortNames);

}  // namespace gleaner::runner
