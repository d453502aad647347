#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/terminal/output.hpp"
#include "lib/process/run.hpp"

/// What the command lines of several programs have in common.
namespace gleaner::clients {

/// --json, --csv, --quiet: at most one of them; those that a program does not have are not given.
[[nodiscard]] terminal::Form form_of(const process::Arguments& arguments);

/// Ids, one an argument or several with commas between them; each once, in the order given. Throws
/// process::Error (usage).
[[nodiscard]] std::vector<std::int64_t> ids_of(const std::vector<std::string>& arguments);

/// A whole number of an option; throws process::Error (usage) unless it is from `least` to `most`.
[[nodiscard]] std::int64_t number_of(const process::Arguments& arguments, std::string_view option, std::int64_t fallback, std::int64_t least,
                                     std::int64_t most);

/// Who runs the program.
[[nodiscard]] std::string our_name();

/// `1,2,3`.
[[nodiscard]] std::string joined(const std::vector<std::int64_t>& ids);

}  // namespace gleaner::clients
