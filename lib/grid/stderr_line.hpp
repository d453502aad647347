#pragma once
#include <string>
#include <string_view>

/// The line of stderr that a failed task leaves in the name of its job's end (runner/wrapper/errors.bash), so that failures can be grouped:
/// a blank as a comma, bytes other than letters, digits and `._=+-` as `%XX`.
namespace gleaner::grid {

/// The most bytes of a line as it is noted. The wrapper stops before a name of a file would be too long.
inline constexpr std::size_t kLongestStderrLine = 100;

/// The beginning of a line as the wrapper notes it.
[[nodiscard]] std::string noted_stderr_line(std::string_view line);

/// The line of a note, in valid UTF-8 without control characters. Empty: there is none, or no wrapper wrote it. A job's files are in a home
/// where its user may write.
[[nodiscard]] std::string read_stderr_line(std::string_view noted);

}  // namespace gleaner::grid
