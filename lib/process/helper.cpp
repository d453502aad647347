#include "lib/process/helper.hpp"

#include <system_error>

namespace gleaner::process {

namespace fs = std::filesystem;

fs::path helper_program(std::string_view name) {
  const auto ours = fs::read_symlink("/proc/self/exe").parent_path();
  const auto beside_us = ours / name;
  // Relative, so that an installation works wherever it is.
  const auto installed = (ours / GLEANER_HELPERS / name).lexically_normal();
  std::error_code ignored;
  return fs::exists(beside_us, ignored) || !fs::exists(installed, ignored) ? beside_us : installed;
}

}  // namespace gleaner::process
