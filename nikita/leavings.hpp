#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/store/clean.hpp"

/// Which files of unfinished campaigns are to be removed from a cluster. Pure.
namespace gleaner::nikita {

/// The folders of one campaign to clean, the oldest first, until at most its target number of files is left.
struct Leavings {
  std::vector<store::LaunchFolder> remove;  ///< to be removed whole: no job can claim in them any more
  std::vector<store::LaunchFolder> thin;  ///< to be removed in part: some of their attempts are settled; the fullest first. Never a pool's:
                                          ///< without its claim, a carrier would run a settled attempt again
};
[[nodiscard]] Leavings leavings_of(std::span<const store::LaunchFolder> folders, grid::Instant now);

/// Two files for each attempt: a claim, and the file of its job.
inline constexpr std::int64_t kFilesPerAttempt = 2;

/// The files of a folder whose attempts are not in use. Files that are neither claims nor jobs' files stay.
[[nodiscard]] std::vector<std::string> settled_files(std::span<const std::string> names, std::span<const store::Attempt> in_use);

}  // namespace gleaner::nikita
