#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/database.hpp"
#include "lib/store/views.hpp"

/// Views of tasks and jobs for users.
namespace gleaner::store::views {

/// A task's last job.
struct LastJob {
  grid::JobId id{0};
  std::string cluster;
  grid::JobState state{};
  std::optional<std::int64_t> remote_id;
  std::optional<std::string> ending;
  std::optional<int> exit_status;  ///< a wait status
  grid::LaunchId launch{0};
  std::optional<int> resources;
  std::optional<grid::Instant> submitted_at;
  std::optional<grid::Instant> started_at;
  std::optional<grid::Instant> ended_at;
};

struct Task {
  grid::TaskNumber number{0};
  ParameterForm form{};
  std::string parameter;
  grid::TaskState state{};
  bool cancelling = false;               ///< its user cancelled it, and its job is still to be killed
  std::optional<std::string> held_by{};  ///< the user who holds it; empty: nobody does
  std::optional<grid::Instant> held_at{};
  int attempt = 0;
  int charged = 0;
  std::optional<LastJob> job;
};

struct TaskFilter {
  std::vector<grid::TaskState> states{};  ///< empty: any
  bool held = false;                      ///< only those that a user holds, which wait
  std::optional<std::int64_t> failure{};  ///< only those of this group of failures (failure_groups), which are failed
  std::int64_t from = 0;                  ///< tasks from this number on
};
/// By number. The total counts all numbers, without a query. At most 2 MB of parameters, but at least one task.
[[nodiscard]] Page<Task> tasks(Transaction& transaction, const Campaign& campaign, const TaskFilter& filter, Window window);

struct Job {
  grid::JobId id{0};
  grid::CampaignId campaign{0};
  std::string user;
  grid::TaskNumber task{0};
  ParameterForm form{};
  std::string parameter;
  grid::LaunchId launch{0};
  std::optional<std::string> tag;
  grid::ClusterId cluster{0};
  std::string cluster_name;
  grid::JobState state{};
  int attempt = 0;
  std::optional<std::int64_t> remote_id;
  std::optional<int> exit_status;  ///< a wait status
  std::optional<std::string> ending;
  std::optional<int> resources;
  std::optional<grid::Instant> submitted_at;
  std::optional<grid::Instant> started_at;
  std::optional<grid::Instant> ended_at;
  std::optional<grid::Instant> checkpointed_at;  ///< when OAR passed the last signal for a checkpoint on to it
  int resubmissions = 0;
  std::optional<double> cpu_seconds;  ///< that its task had of the processors; empty: unknown
  std::optional<int> peak_memory;     ///< MB that its task took at most; empty: unknown
  std::optional<double> io_mb;        ///< MB that its task read from file systems and wrote to them; empty: unknown
  std::optional<std::string> message;
  std::string login;             ///< of its user on the cluster
  bool pooled = false;           ///< `remote_id` is its carrier's
  std::string exec_directory;    ///< macros expanded
  std::string output_directory;  ///< likewise; empty: its stdout and stderr are in exec_directory (grid::stream_name)
};
[[nodiscard]] std::optional<Job> job(Transaction& transaction, grid::JobId id);
/// The oldest first.
[[nodiscard]] std::vector<Job> jobs_of_task(Transaction& transaction, grid::CampaignId campaign, grid::TaskNumber task);

}  // namespace gleaner::store::views
