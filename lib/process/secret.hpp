#pragma once
#include <filesystem>
#include <string>

#include <tl/expected.hpp>

namespace gleaner::process {

/// Reads a file that holds a secret, without its last line end. The error states the remedy: the file cannot be read, is empty, or can be
/// read by its group or by others (refused).
[[nodiscard]] tl::expected<std::string, std::string> read_secret_file(const std::filesystem::path& path);

}  // namespace gleaner::process
