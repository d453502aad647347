#pragma once
#include <string>
#include <string_view>

#include "runner/wrapper/wrapper.hpp"

namespace gleaner::runner {

/// The patterns of output files, one a line (jdl::stored_output_files), as words of the job's shell.
[[nodiscard]] std::string output_words(std::string_view patterns, const WrapperNames& names = kShortNames);

/// One pattern as a word: its wildcards are the shell's, macros have the values of the task, all else is literal.
[[nodiscard]] std::string pattern_word(std::string_view pattern, const WrapperNames& names = kShortNames);

}  // namespace gleaner::runner
