#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string_view>

namespace gleaner::process {

struct FileOwner {
  uid_t user = 0;
  gid_t group = 0;
};
/// Whom files of this process belong to.
[[nodiscard]] FileOwner our_files();

/// Writes the file whole or not at all, in place of one that is there. Nobody else can read it before it has its owner and mode, and no
/// link that waits in its place is followed. Only root gives it to another owner; others write it as their own. Throws Error (failure).
void write_whole_file(const std::filesystem::path& file, std::string_view text, mode_t mode, FileOwner owner);

}  // namespace gleaner::process
