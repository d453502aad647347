#pragma once
#include <string>
#include <string_view>

namespace gleaner::runner {

/// A folder as a word of the job's shell: variables are expanded with the job's values, and the rest is literal.
[[nodiscard]] std::string folder_word(std::string_view folder);

}  // namespace gleaner::runner
