#pragma once
#include <string>

#include <tl/expected.hpp>

#include "lib/process/options.hpp"
#include "lib/process/run.hpp"

namespace gleaner::process {

/// The answer to --describe=FORM, which the build uses: `man`, the program's manual page; `bash`, `zsh` or `fish`, its completion; `conf`,
/// the page of the configuration; or a page of its own.
[[nodiscard]] tl::expected<std::string, Complaints> description(const Program& program, const std::string& form);

}  // namespace gleaner::process
