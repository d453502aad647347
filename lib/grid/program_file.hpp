#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

/// The program of jobs as a file on a cluster, in the home of their user (runner/wrapper/file.bash).
namespace gleaner::grid {

/// The folder of all grids' programs in a user's home, as a path of OAR's API.
inline constexpr std::string_view kProgramsFolder{"~/.gleaner/programs"};
/// The beginning of a job's command that calls one.
inline constexpr std::string_view kProgramCall{"bash ~/.gleaner/programs/"};

/// A program is named by the SHA-256 of its content, in hexadecimal.
[[nodiscard]] inline bool is_program_name(std::string_view name) {
  constexpr std::size_t kDigits = 64;
  return name.size() == kDigits && std::ranges::all_of(name, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

[[nodiscard]] inline std::string program_call(std::string_view sha256) { return std::string{kProgramCall}.append(sha256); }

/// The program that a job's command calls, as OAR lists the command. Empty: it calls none.
[[nodiscard]] inline std::optional<std::string_view> called_program(std::string_view command) {
  if (!command.starts_with(kProgramCall)) return std::nullopt;
  command.remove_prefix(kProgramCall.size());
  const auto name = command.substr(0, command.find(' '));
  return is_program_name(name) ? std::optional{name} : std::nullopt;
}

}  // namespace gleaner::grid
