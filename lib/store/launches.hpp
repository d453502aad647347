#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/launch_fate.hpp"
#include "lib/grid/script.hpp"
#include "lib/grid/settle.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Launches, from the plan to their fate. lib/grid/launch_fate.hpp has the rules; these functions read and write. Each change is guarded by
/// the state that it leaves.
namespace gleaner::store {

/// Jobs of a campaign on a cluster whose ends show what a start costs there.
inline constexpr int kEnoughMeasured = 20;

/// A launch to make, with all data for its submission.
struct LaunchToMake {
  grid::LaunchId id{0};
  grid::CampaignId campaign{0};
  int jobs = 0;
  grid::CampaignState campaign_state = grid::CampaignState::in_treatment;
  std::string campaign_name;
  std::string user;
  std::string login;      ///< of the user on the cluster
  std::string exec_file;  ///< of a script: its text
  std::string exec_directory;
  std::optional<grid::Script> script;     ///< that its job carries out; empty: tasks of the bag
  std::string request;                    ///< OAR's -l, without the walltime; the launch's own request, if the campaign's tasks differ
  grid::Seconds walltime{};               ///< of one task
  bool to_measure = false;                ///< its jobs are to show what a start costs
  std::optional<grid::Seconds> pool;      ///< how long its jobs take pooled tasks; empty: it has none
  bool side_by_side = false;              ///< as many at a time as they have cores
  std::optional<std::int64_t> memory_mb;  ///< memory that a node of its jobs must have
  std::optional<grid::RemoteJobId>
      beside;                   ///< the running job whose nodes its job avoids, because it is a replica; empty: it may go anywhere
  std::string leaves;           ///< nodes that its jobs leave empty (the text of grid::NodeSizes); empty: none
  std::string memory_property;  ///< property of the cluster's resources that states the memory; empty: there is none
  int memory_unit_mb = 1;
  std::string properties;
  std::string project;
  std::string job_types;  ///< one a line
  bool best_effort = true;
  std::string output_directory;   ///< empty: stdout and stderr are in exec_directory
  std::string output_files;       ///< patterns, one a line
  std::string input_files;        ///< patterns, one a line; empty: it has none
  bool placeholders = false;      ///< braces of exec_file stand for words of the parameter
  bool params_shell = false;      ///< parameters are shell text
  bool gives = false;             ///< its tasks may give numbers to others
  std::string checkpoint_signal;  ///< empty: its tasks write no checkpoints
  grid::Seconds checkpoint_cost{};
  bool shares_home = false;  ///< jobs of other clusters, with the same numbers, may write into the home
};
[[nodiscard]] std::vector<LaunchToMake> planned_launches(Transaction& transaction, grid::ClusterId cluster);

/// Planned launches on unreachable or disabled clusters: nothing was sent.
[[nodiscard]] std::vector<grid::LaunchId> stranded_launches(Transaction& transaction);

struct LaunchLine {
  grid::JobId job{0};
  grid::TaskNumber task{0};
  int attempt = 0;
  grid::LaunchId fence{0};  ///< the launch in whose folder the attempt is claimed
  bool pooled = false;      ///< the jobs of the launch take it: it is not in the array
  char form = 'l';          ///< l: a line to split; a: a JSON array of arguments
  std::string parameter;
  bool cancelling = false;  ///< its user cancelled the task
};
[[nodiscard]] std::vector<LaunchLine> launch_lines(Transaction& transaction, grid::LaunchId launch);

/// planned → launching, the intent before the POST; false when the launch is not planned any more.
struct LaunchIntent {
  grid::LaunchId launch{0};
  std::string tag;
  std::string login;  ///< its jobs are searched for, killed and read as this user, whatever the mapping is later
};
[[nodiscard]] bool begin_launch(Transaction& transaction, const LaunchIntent& intent, Term term, grid::Instant now);

/// The present states of launches that were begun, by id.
struct BegunLaunch {
  grid::LaunchId id{0};
  grid::LaunchState state = grid::LaunchState::launching;
  Term term = 0;
  grid::CampaignState campaign = grid::CampaignState::in_treatment;
  grid::Instant launching_at;
};
[[nodiscard]] std::vector<BegunLaunch> begun_launches(Transaction& transaction, std::span<const grid::LaunchId> launches);

struct AcceptedJob {
  grid::JobId job{0};
  grid::RemoteJobId remote{0};
};
/// Records OAR's ids of the jobs of a launch that was just accepted. Returns the number of jobs recorded.
int accept_launch(Transaction& transaction, grid::LaunchId launch, std::span<const AcceptedJob> jobs,
                  std::optional<grid::RemoteJobId> array, grid::Instant now);
/// Bounds the jobs of an array of the campaign on the cluster, because a request for more was too large. `gridsub --fix` lifts the bound.
void bound_arrays(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, int jobs);
/// Adopts found jobs of an unknown or void launch; grid::adoption_of decides the consequences for their tasks. A job that no task waits for
/// becomes live too, so that it can be killed. Jobs of other launches are left out.
int adopt_jobs(Transaction& transaction, grid::LaunchId launch, std::span<const grid::FoundJob> found,
               std::optional<grid::RemoteJobId> array, grid::Instant now);

/// launching → unknown: the answer was lost, so its tasks are frozen.
void mark_unknown(Transaction& transaction, std::span<const grid::LaunchId> launches, const std::string& error, grid::Instant now);

/// Launches whose runner was interrupted. The caller must hold the cluster's lock.
[[nodiscard]] std::vector<grid::LaunchId> interrupted_launches(Transaction& transaction, grid::ClusterId cluster);

/// A launch that is given up: it was never sent, or no job of it was found.
struct GiveBack {
  grid::LaunchId launch{0};
  grid::LaunchState from = grid::LaunchState::planned;  ///< the state that it leaves; in any other state it is unchanged
  grid::LaunchState to = grid::LaunchState::void_;      ///< or refused
  grid::Sent sent = grid::Sent::maybe;
  std::string error;
};
/// Ends the launch's jobs without an id of OAR, and settles their tasks (grid::settle_unsubmitted). False when the launch was not in that
/// state.
bool give_back(Transaction& transaction, const GiveBack& what, const grid::Limits& limits, grid::Instant now);

struct UnsettledLaunch {
  grid::LaunchId id{0};
  grid::CampaignId campaign{0};
  std::string tag;
  grid::LaunchState state = grid::LaunchState::unknown;  ///< or void
  int missing = 0;                                       ///< jobs without an id of OAR
  int looks = 0;
  int voids = 0;  ///< launches of its campaign there that became void since the last accepted one
  grid::Instant launching_at;
  grid::Instant unknown_at;
  std::optional<grid::Instant> settled_at;
  std::optional<grid::Instant> last_look_at;
  std::string error;
  std::string login;
};
[[nodiscard]] std::vector<UnsettledLaunch> unsettled_launches(Transaction& transaction, grid::ClusterId cluster, grid::Instant void_since);
void note_look(Transaction& transaction, std::span<const grid::LaunchId> launches, grid::Instant now);
/// Whether jobs of a launch may still appear on the cluster. If so, the cluster is asked even when it is disabled.
[[nodiscard]] bool awaits_launches(Transaction& transaction, grid::ClusterId cluster, grid::Instant void_since);

/// Tasks bound to a cluster because of one launch.
struct BoundTasks {
  grid::LaunchId launch{0};
  grid::CampaignId campaign{0};
  grid::ClusterId cluster{0};
  std::string cluster_name;
  bool replicas_allowed = false;
  bool retired = false;  ///< the cluster
  std::int64_t tasks = 0;
  grid::Instant since;
};
[[nodiscard]] std::vector<BoundTasks> bound_tasks(Transaction& transaction);
/// Releases them: they may go to any cluster, each with a new attempt. Returns their numbers.
std::vector<grid::TaskNumber> release_tasks(Transaction& transaction, grid::LaunchId launch, grid::Instant now);

}  // namespace gleaner::store
