#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "clients/gridsub/campaign.hpp"
#include "lib/grid/time.hpp"
#include "lib/jdl/parameter.hpp"

namespace gleaner::gridsub {

/// A task of a campaign file, and its request on one of the file's clusters.
struct LocalTask {
  std::int64_t number = 0;
  jdl::Parameter parameter;
  const jdl::ClusterSection* section = nullptr;  ///< of the campaign's file
  std::string resources;
  int cores = 1;  ///< lines of $OAR_NODEFILE
  grid::Seconds walltime{};
  std::vector<std::string> notes{};  ///< what its user should know before it runs
};

/// The parameter of one of the campaign's tasks.
[[nodiscard]] jdl::Parameter parameter_of(Campaign& campaign, std::int64_t number);

/// Throws process::Error (usage): there is no such task or cluster, or the campaign would be refused for this task.
/// @param cluster  empty: the file's first one
[[nodiscard]] LocalTask local_task(Campaign& campaign, std::int64_t number, const std::optional<std::string>& cluster);

/// Where a job of the task runs here.
struct LocalPlace {
  std::string user;
  std::string home;
  std::filesystem::path folder;  ///< for the wrapper's own files, the input files, and $OAR_NODEFILE
};

/// The words of the program that carries out the task as a job does: with a job's environment alone, and the runner's wrapper.
/// Throws process::Error (usage): a job cannot be given this.
[[nodiscard]] std::vector<std::string> job_words(const Campaign& campaign, const LocalTask& task, const LocalPlace& place);

/// The exec_directory, with the values of its variables.
[[nodiscard]] std::string directory_of(const LocalTask& task, const LocalPlace& place);

/// The folder that $CIGRI_INPUTS names.
[[nodiscard]] std::filesystem::path inputs_folder(const LocalPlace& place);

/// The name of the file that $OAR_NODEFILE names.
[[nodiscard]] std::filesystem::path node_file(const LocalPlace& place);

}  // namespace gleaner::gridsub
