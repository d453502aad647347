#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

/// The project's own files, for tests that read sources and pages.
namespace gleaner::tests {

/// The root of the sources: $GLEANER_SOURCE_DIR, else the working directory.
[[nodiscard]] inline std::filesystem::path source_tree() {
  const char* folder = std::getenv("GLEANER_SOURCE_DIR");
  return folder != nullptr ? folder : ".";
}

/// The content of a file, by its path below the root; empty if it cannot be read.
[[nodiscard]] inline std::string source_text(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream{source_tree() / file}.rdbuf();
  return text.str();
}

}  // namespace gleaner::tests
