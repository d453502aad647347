#pragma once
#include <string>
#include <string_view>

/// The lines of the jobs' wrapper for checkpoints (lib/grid/checkpoint.hpp). Those of a campaign without checkpoints are empty.
namespace gleaner::runner {

/// R(), which carries out the command and forwards the signal, with `command` as the shell text that starts the command. OAR signals the
/// wrapper alone.
[[nodiscard]] std::string run_with_checkpoints(std::string_view signal, std::string_view command);

/// Before the command: makes the task's folder, and names it in CIGRI_CHECKPOINT. Where that fails nothing is run, and the job ends as one
/// that could not claim its attempt.
[[nodiscard]] std::string checkpoint_lines_before_command(std::string_view signal);

/// After the end is noted, while the command's status is in `s`: removes the folder of a task that is done.
[[nodiscard]] std::string checkpoint_lines_after_end(std::string_view signal);

}  // namespace gleaner::runner
