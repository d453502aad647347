#pragma once
#include <string>

#include "runner/command/command.hpp"
#include "runner/wrapper/wrapper.hpp"

namespace gleaner::runner {

/// How the wrapper carries out the command of a task, whose words are the arguments of its function set_command().
struct CommandWords {
  std::string text;  ///< the shell text exec_file
  std::string run;   ///< the call of a shell that carries it out
};

/// - Words as they are: they are the arguments of the shell that reads exec_file. They stand at its end, or as `"${1}"` where exec_file has
///   the placeholder `{1}`, and `${1}` within its double quotes. `{}` is all words, joined by blanks, as one word.
/// - Words of shell text (params_shell): the text that the shell reads has them in it.
[[nodiscard]] CommandWords command_words(const LaunchFacts& facts, const WrapperNames& names = kShortNames);

}  // namespace gleaner::runner
