#pragma once
#include <string>
#include <string_view>

/// The lines of the jobs' wrapper for what tasks leave: its stdout, its stderr and its output files (lib/grid/task_outputs.hpp). Both are
/// empty for a campaign without an output_directory.
namespace gleaner::runner {

/// Before the command: makes the folder, and sends stdout and stderr into it. Where that fails nothing is run, and the job ends as one that
/// could not claim its attempt. `folder` is a word of the job's shell; empty: the campaign has none.
[[nodiscard]] std::string lines_before_command(std::string_view folder);

/// After the command, while its status is in `s`: each file that matches becomes a hard link in the folder, or a copy where the file system
/// is another one. When a file cannot be gathered, a task that succeeded ends with grid::kNotGathered. The end is noted afterwards, so that
/// the files of a task that is done are all there. `patterns` are one a line (jdl::stored_output_files).
[[nodiscard]] std::string lines_after_command(std::string_view folder, std::string_view patterns);

/// One pattern as a word of the job's shell: its wildcards are the shell's, macros have the values of the task, all else is literal.
[[nodiscard]] std::string pattern_word(std::string_view pattern);

}  // namespace gleaner::runner
