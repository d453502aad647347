#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/process/run.hpp"
#include "lib/terminal/output.hpp"

/// What the command lines of several programs have in common.
namespace gleaner::clients {

/// --json, --csv, --quiet: at most one of them; those that a program does not have are not given.
[[nodiscard]] terminal::Form form_of(const process::Arguments& arguments);

/// Ids, one an argument or several with commas between them; each once, in the order given. Throws
/// process::Error (usage).
[[nodiscard]] std::vector<std::int64_t> ids_of(const std::vector<std::string>& arguments);

/// A whole number of an option; throws process::Error (usage) unless it is from `least` to `most`.
[[nodiscard]] std::int64_t number_of(const process::Arguments& arguments, std::string_view option, std::int64_t fallback,
                                     std::int64_t least, std::int64_t most);

/// Where the `param_file` of a campaign file is on this machine: `~/x` and `{HOME}/x` are in our home, another relative path is beside the
/// campaign file, or in the working directory when the campaign was in no file.
[[nodiscard]] std::filesystem::path parameter_path(std::string_view path, const std::filesystem::path& campaign_file);

/// Who runs the program.
[[nodiscard]] std::string our_name();

/// `1,2,3`.
[[nodiscard]] std::string joined(const std::vector<std::int64_t>& ids);

}  // namespace gleaner::clients
