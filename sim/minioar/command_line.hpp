#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "sim/minioar/posted_options.hpp"

namespace gleaner::minioar {

/// Puts a backslash before each of `marks`, and doubles the backslashes that precede it.
[[nodiscard]] std::string escape_before(std::string_view text, std::string_view marks);

/// What oarsub is called with, after a shell has read it.
struct CommandLine {
  std::string shown;                   ///< for error messages, as OAR quotes it
  std::vector<std::string> arguments;  ///< options, then the command if any
  std::string noise;                   ///< what substitutions have printed on stderr
};

struct ShellFailure {
  int status;  ///< exit status
  std::string output;
  std::string shown;
};

/// Builds the command line of oarsub and has it read by the shells through which OAR passes it: in
/// options and command, `$`, the backquote and the backslash count. Runs in `home`, with the login
/// environment given.
[[nodiscard]] tl::expected<CommandLine, ShellFailure> read_by_shell(const PostedOptions& posted, const std::string& home,
                                                                    const std::vector<std::string>& environment);

}  // namespace gleaner::minioar
