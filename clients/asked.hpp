#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/process/run.hpp"
#include "lib/terminal/output.hpp"

/// Command-line options that several programs share.
namespace gleaner::clients {

/// The output form by --json, --csv and --quiet. Throws process::Error (usage) for more than one of them.
[[nodiscard]] terminal::Form form_of(const process::Arguments& arguments);

/// Ids, one per argument or several with commas between them; each once, in the order given. Throws process::Error (usage).
/// @param what  what they are ids of, for the message
[[nodiscard]] std::vector<std::int64_t> ids_of(const std::vector<std::string>& arguments, std::string_view what = "a campaign");

/// The tasks of the option --task, `7,9-12`, as lists that each fit into a URL; empty without the option. Throws process::Error (usage) for
/// what is no list of tasks, and for more or fewer campaigns than one.
[[nodiscard]] std::vector<std::string> task_lists(const process::Arguments& arguments, const std::vector<std::int64_t>& campaigns);

/// The whole number of an option, or `fallback` without it. Throws process::Error (usage) unless it is from `least` to `most`.
[[nodiscard]] std::int64_t number_of(const process::Arguments& arguments, std::string_view option, std::int64_t fallback,
                                     std::int64_t least, std::int64_t most);

/// The path of a campaign file's `param_file` on this machine: `~/x`, `$HOME/x` and `{HOME}/x` are in our home; another relative path is
/// relative to the folder of the campaign file, or to the working directory if the campaign is not from a file.
[[nodiscard]] std::filesystem::path parameter_path(std::string_view path, const std::filesystem::path& campaign_file);

/// The name of the user who runs the program.
[[nodiscard]] std::string our_name();

/// `1,2,3`.
[[nodiscard]] std::string joined(const std::vector<std::int64_t>& ids);

}  // namespace gleaner::clients
