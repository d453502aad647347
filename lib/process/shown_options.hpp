#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lib/process/run.hpp"

/// The options of a program as people see them: --help, the manual page and the completions are made of these.
namespace gleaner::process {

/// The program's own options, then those that all programs have: --help, --version, and --config where the configuration is used.
[[nodiscard]] std::vector<ProgramOption> own_options(const Program& program);

/// The configuration keys that the program takes as options: its own, the log's and, with the database, the limits of its connections.
[[nodiscard]] std::vector<std::string> used_keys(const Program& program);

/// The meaning of the exit statuses (exit_code.hpp).
inline constexpr std::string_view kExitStatuses =
    "0 done; 1 failed; 2 wrong command line or configuration; 3 not found; 4 refused;\n"
    "5 the database, the API or a cluster cannot be reached; 74 done, but stdout cannot be written; 75 somebody else holds the lease.";

struct ShownOption {
  std::string name;      ///< without dashes
  std::string letter{};  ///< of its short form; empty: none
  std::string value{};   ///< FILE, DURATION …; empty: a switch
  std::string help{};
  bool may_lack_value = false;         ///< `--watch` or `--watch=2s`
  std::vector<std::string> choices{};  ///< the values that it takes; empty: not listed
};

[[nodiscard]] std::vector<ShownOption> shown_options(const Program& program);
/// The same of the configuration keys, each with its choices and its default in the help.
[[nodiscard]] std::vector<ShownOption> shown_keys(const Program& program);

/// The name of an option without its letter: `file` of `file,f`.
[[nodiscard]] std::string long_name(std::string_view name);

/// `-f, --file FILE`, `--watch[=DURATION]`.
[[nodiscard]] std::string usage_of(const ShownOption& option);

}  // namespace gleaner::process
