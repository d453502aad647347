#pragma once
#include <string_view>

/// stdout and stderr, which may be closed, full, or a pipe that nobody reads. None of these functions throws.
namespace gleaner::process {

/// Occupies the numbers of standard streams that are closed, so that no connection or file gets one of them and takes a message for its
/// data. Reads and writes of such a stream fail as before.
void occupy_standard_streams() noexcept;

/// Writes a message to stderr. One that cannot be written is lost.
void write_to_stderr(std::string_view text) noexcept;

/// Writes to stdout, and returns 0, or the error number if not all of it could be written.
[[nodiscard]] int write_to_stdout(std::string_view text) noexcept;

}  // namespace gleaner::process
