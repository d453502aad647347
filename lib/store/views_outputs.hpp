#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/states.hpp"
#include "lib/store/database.hpp"

/// Views of where the outputs of tasks are.
namespace gleaner::store::views {

/// A job whose outputs may be read.
struct OutputJob {
  int attempt = 0;
  std::int64_t remote_id = 0;
  grid::ClusterId cluster{0};
  std::string cluster_name;
  std::string login;             ///< the user of its files
  std::string exec_directory;    ///< macros expanded
  std::string output_directory;  ///< likewise; empty: the outputs are in exec_directory (grid::stream_name)
  bool pooled = false;           ///< `remote_id` is its carrier's, and the names of its files have its task
};

struct TaskOutputs {
  grid::TaskNumber number{0};
  grid::TaskState state{};
  std::optional<OutputJob> job;  ///< of a settled task: the job that did it, else its last one that started
};

/// The tasks with numbers in [from, end), by number. Cost: O(tasks).
[[nodiscard]] std::vector<TaskOutputs> outputs(Transaction& transaction, grid::CampaignId campaign, std::int64_t from, std::int64_t end);

/// The job of one attempt.
[[nodiscard]] std::optional<OutputJob> output_job(Transaction& transaction, grid::CampaignId campaign, grid::TaskNumber task, int attempt);

/// A login's home on a cluster, of which files are read for a job of a campaign.
struct HomeToRead {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  std::string login;
};
/// Another cluster through which these files can be read, if the home is shared, and the cluster itself does not answer or was retired.
[[nodiscard]] std::optional<grid::ClusterId> output_reader(Transaction& transaction, const HomeToRead& home);

}  // namespace gleaner::store::views
