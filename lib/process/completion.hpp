#pragma once
#include <string>

#include "lib/process/run.hpp"

namespace gleaner::process {

enum class Shell { bash, zsh, fish };

/// The completion of a program in a shell: its options, the values of those whose values can be listed, and its arguments. It is made of
/// the tables of --help; campaigns, clusters and the like come from the grid, when the user asks for them.
[[nodiscard]] std::string completion(const Program& program, Shell shell);

}  // namespace gleaner::process
