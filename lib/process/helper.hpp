#pragma once
#include <filesystem>
#include <string_view>

namespace gleaner::process {

/// The path of a program of ours that this program starts and users do not: a module of almighty, the interpreter of admission rules. It is
/// in this program's own folder, as in a build tree, or in the folder of helpers of an installation, relative to it. If it is in neither,
/// the path is the first of the two.
[[nodiscard]] std::filesystem::path helper_program(std::string_view name);

}  // namespace gleaner::process
