#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "sim/minioar/dialect.hpp"
#include "sim/minioar/posted_options.hpp"

namespace gleaner::minioar {

/// Escapes each of `marks` with a backslash, and doubles the backslashes before it.
[[nodiscard]] std::string escape_before(std::string_view text, std::string_view marks);

/// The arguments of oarsub after a shell has parsed them.
struct CommandLine {
  std::string shown;                   ///< the command line as OAR quotes it in errors
  std::vector<std::string> arguments;  ///< options, then the command if any
  std::string noise;                   ///< stderr of command substitutions
  std::string folder;                  ///< in which oarsub is started
};

struct ShellFailure {
  int status;  ///< exit status
  std::string output;
  std::string shown;
};

/// Builds the command line of oarsub and has it parsed by the shells through which OAR passes it: `$`, the backquote and the backslash are
/// special in options and command. Runs in `home`, with the given login environment. The `workdir`, and the `directory` where it is no
/// option, are read unquoted; oarsub is started there.
[[nodiscard]] tl::expected<CommandLine, ShellFailure> read_by_shell(const PostedOptions& posted, const std::string& home,
                                                                    const std::vector<std::string>& environment, FolderIs folder);

}  // namespace gleaner::minioar
