#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The wrapper's operations on files. Each is false when it failed, and none is synced.
namespace gleaner::wrapper {

enum class Create { new_only, any };  ///< new_only: as `>` under `set -C`
bool write_file(const std::string& path, std::string_view content, Create create);
bool append_file(const std::string& path, std::string_view content);
bool make_link(const std::string& from, const std::string& to);
bool rename_file(const std::string& from, const std::string& to);
bool make_folders(const std::string& path);
bool remove_all(const std::string& path);

[[nodiscard]] bool exists(const std::string& path);
[[nodiscard]] bool is_folder(const std::string& path);
[[nodiscard]] bool is_file(const std::string& path);
[[nodiscard]] bool has_content(const std::string& path);
[[nodiscard]] bool has_files(const std::string& folder);
[[nodiscard]] bool has_two_names(const std::string& path);
/// Empty: it cannot be read.
[[nodiscard]] std::optional<std::string> content_of(const std::string& path);

/// The files that a pattern of the wrapper names, as bash expands it (globstar, nullglob), in the order of their names. A pattern without
/// wildcards names itself.
[[nodiscard]] std::vector<std::string> expand(const std::string& pattern, const std::string& folder);

}  // namespace gleaner::wrapper
