#pragma once
#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "lib/process/options.hpp"
#include "lib/process/run.hpp"

namespace gleaner::process {

/// The content of one command line.
struct CommandLine {
  enum class Action { run, help, version, describe } action = Action::run;
  std::optional<std::string> config_file;
  std::string form;    ///< of the description: man, bash …
  GivenOptions given;  ///< configuration keys
  Arguments arguments;
};

/// Reads a command line. Dashes and underscores in the names of options are equivalent. A long option may be shortened as long
/// as no other one of the program begins so.
[[nodiscard]] tl::expected<CommandLine, Complaints> read_command_line(const Program& program, int argc, char** argv);

/// The text of --help.
[[nodiscard]] std::string help_text(const Program& program);

}  // namespace gleaner::process
