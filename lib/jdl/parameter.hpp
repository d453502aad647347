#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

namespace gleaner::jdl {

using Arguments = std::vector<std::string>;

/// The parameter of one task. A string is a line, split into arguments as a POSIX shell splits words (only quotes and backslashes are
/// special); a vector has the arguments themselves.
using Parameter = std::variant<std::string, Arguments>;

/// The greatest size of a parameter, all its arguments together.
inline constexpr std::size_t kMostParameterBytes = 64 * 1024;

/// An error in a parameter: a column from 1, or 0 for the whole.
struct ParameterError {
  std::size_t column = 0;
  std::string message;
};

/// Checks whether a line can be a parameter: length, UTF-8 without NUL, closed quotes.
[[nodiscard]] tl::expected<void, ParameterError> check_line(std::string_view line);
/// The same for any parameter.
[[nodiscard]] tl::expected<void, ParameterError> check(const Parameter& parameter);

/// The arguments of the task's command, byte for byte.
[[nodiscard]] tl::expected<Arguments, ParameterError> arguments_of(const Parameter& parameter);

/// The arguments as a shell reads them as text (params_shell): the words of a line as they are written, but for the
/// backslash before a `$` (text::without_oarsub_backslashes()), other arguments in quotes.
[[nodiscard]] tl::expected<Arguments, ParameterError> shell_words_of(const Parameter& parameter);

/// A parameter as messages quote it, at most 60 characters.
[[nodiscard]] std::string quoted_parameter(const Parameter& parameter);

/// The task's name: the first argument, as in CiGri (CIGRI_JOB_NAME); empty: there is none. Names need not be unique.
[[nodiscard]] std::string task_name(const Parameter& parameter);

/// Appends the parameter as one line of NDJSON, with its end: a JSON string for a line, an array of strings for arguments. `check` must
/// accept the parameter.
void append_ndjson(std::string& out, const Parameter& parameter);
/// The same for a parameter that is a line.
void append_ndjson_line(std::string& out, std::string_view line);

/// Reads such a line (without its end; a trailing CR is accepted). Numbers, in an array or alone, keep their spelling. The result has
/// passed `check`.
[[nodiscard]] tl::expected<Parameter, ParameterError> parse_ndjson(std::string_view line);

}  // namespace gleaner::jdl
