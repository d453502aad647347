#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/store/clean.hpp"

/// Which files of campaigns that go on are to be removed from a cluster: pure.
namespace gleaner::nikita {

/// Of the folders of one campaign, the oldest first, until no more files than its target are left.
struct Leavings {
  std::vector<store::LaunchFolder> remove;  ///< whole: nobody can claim in them any more
  std::vector<store::LaunchFolder> thin;    ///< some of their attempts are settled, the rest goes on; the fullest first
};
[[nodiscard]] Leavings leavings_of(std::span<const store::LaunchFolder> folders, grid::Instant now);

/// Two files for each attempt: a claim, and the file of its job.
inline constexpr std::int64_t kFilesPerAttempt = 2;

/// Of the files in a folder, those of attempts that are not among the ones in use; what is not a claim or a job's file stays.
[[nodiscard]] std::vector<std::string> settled_files(std::span<const std::string> names, std::span<const store::Attempt> in_use);

}  // namespace gleaner::nikita
