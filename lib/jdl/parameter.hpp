#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

namespace gleaner::jdl {

using Arguments = std::vector<std::string>;

/// What one task gets. A string is a line, split into arguments as a POSIX shell splits words
/// (quotes and backslashes count, nothing else does); a vector is the arguments themselves.
using Parameter = std::variant<std::string, Arguments>;

/// The most bytes that a parameter may have, its arguments taken together.
inline constexpr std::size_t kMostParameterBytes = 64 * 1024;

/// What is wrong with a parameter and where in it: a column from 1, or 0 for the whole.
struct ParameterError {
  std::size_t column = 0;
  std::string message;
};

/// Says whether a line can be a parameter: not too long, UTF-8 without NUL, its quotes closed.
[[nodiscard]] tl::expected<void, ParameterError> check_line(std::string_view line);
/// The same for any parameter.
[[nodiscard]] tl::expected<void, ParameterError> check(const Parameter& parameter);

/// The arguments that the task's command gets, byte for byte.
[[nodiscard]] tl::expected<Arguments, ParameterError> arguments_of(const Parameter& parameter);

/// The task's name: the first argument, as in CiGri (CIGRI_JOB_NAME). Empty when there is none.
/// Names need not be unique.
[[nodiscard]] std::string task_name(const Parameter& parameter);

/// Appends the parameter as one line of NDJSON, its end included: a JSON string for a line, an
/// array of strings for arguments. The parameter must be one that `check` accepts.
void append_ndjson(std::string& out, const Parameter& parameter);
/// The same for a parameter that is a line.
void append_ndjson_line(std::string& out, std::string_view line);

/// Reads such a line back (without its end; a trailing CR is tolerated). Numbers in an array, or
/// alone, are taken as they are written. What it returns has passed `check`.
[[nodiscard]] tl::expected<Parameter, ParameterError> parse_ndjson(std::string_view line);

}  // namespace gleaner::jdl
