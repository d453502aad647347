#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/launch_fate.hpp"
#include "lib/grid/settle.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// A launch's way, from the plan to its fate. What is decided on it, lib/grid/launch_fate.hpp says; here it is read and written, each
/// change guarded by the state that it leaves.
namespace gleaner::store {

/// A launch to make, with all that its submission needs.
struct LaunchToMake {
  grid::LaunchId id{0};
  grid::CampaignId campaign{0};
  int jobs = 0;
  grid::CampaignState campaign_state = grid::CampaignState::in_treatment;
  std::string campaign_name;
  std::string user;
  std::string login;  ///< of the user on the cluster
  std::string exec_file;
  std::string exec_directory;
  std::string request;  ///< OAR's -l, without the walltime: its own, where the campaign's tasks differ
  grid::Seconds walltime{};
  std::optional<std::int64_t> memory_mb;  ///< that a node of its jobs must have
  std::string memory_property;            ///< of the cluster's resources; empty: they do not tell
  int memory_unit_mb = 1;
  std::string properties;
  std::string project;
  std::string job_types;  ///< comma list
  bool best_effort = true;
};
[[nodiscard]] std::vector<LaunchToMake> planned_launches(Transaction& transaction, grid::ClusterId cluster);

/// Launches planned on clusters that do not answer or are disabled: nothing was sent.
[[nodiscard]] std::vector<grid::LaunchId> stranded_launches(Transaction& transaction);

struct LaunchLine {
  grid::JobId job{0};
  grid::TaskNumber task{0};
  int attempt = 0;
  grid::LaunchId fence{0};  ///< the launch in whose folder the attempt is claimed
  char form = 'l';          ///< l: a line to split; a: a JSON array of arguments
  std::string parameter;
};
[[nodiscard]] std::vector<LaunchLine> launch_lines(Transaction& transaction, grid::LaunchId launch);

/// planned → launching, the intent before any network; false when it is not planned any more.
struct LaunchIntent {
  grid::LaunchId launch{0};
  std::string tag;
  std::string login;  ///< its jobs are looked for, deleted and read as this user, whatever the mapping says later
};
[[nodiscard]] bool begin_launch(Transaction& transaction, const LaunchIntent& intent, Term term, grid::Instant now);

/// How launches that were begun stand now, by id.
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
/// Writes OAR's ids of the jobs of a launch that was just accepted. Number of jobs taken over.
int accept_launch(Transaction& transaction, grid::LaunchId launch, std::span<const AcceptedJob> jobs,
                  std::optional<grid::RemoteJobId> array, grid::Instant now);
/// The same of jobs of an unknown or void launch that were found: what follows for their tasks, grid::adoption_of says. A job that no
/// task waits for lives all the same, so that it can be killed. What is not a job of this launch is left out.
int adopt_jobs(Transaction& transaction, grid::LaunchId launch, std::span<const grid::FoundJob> found,
               std::optional<grid::RemoteJobId> array, grid::Instant now);

/// launching → unknown: no answer, so its tasks are frozen.
void mark_unknown(Transaction& transaction, std::span<const grid::LaunchId> launches, const std::string& error, grid::Instant now);

/// Launches that a runner left in the middle. The caller holds the cluster's lock.
[[nodiscard]] std::vector<grid::LaunchId> interrupted_launches(Transaction& transaction, grid::ClusterId cluster);

/// A launch that is not made, or was not carried out as far as is known.
struct GiveBack {
  grid::LaunchId launch{0};
  grid::LaunchState from = grid::LaunchState::planned;  ///< the state that it leaves: in any other it is somebody else's, and stays
  grid::LaunchState to = grid::LaunchState::void_;      ///< or refused
  grid::Sent sent = grid::Sent::maybe;
  std::string error;
};
/// Ends those of its jobs that have no id of OAR, and settles their tasks (grid::settle_unsubmitted). False when it had left the state.
bool give_back(Transaction& transaction, const GiveBack& what, const grid::Limits& limits, grid::Instant now);

struct UnsettledLaunch {
  grid::LaunchId id{0};
  grid::CampaignId campaign{0};
  std::string tag;
  grid::LaunchState state = grid::LaunchState::unknown;  ///< or void
  int missing = 0;                                       ///< jobs of which OAR has no id
  int looks = 0;
  int voids = 0;  ///< launches of its campaign there that were given up since the last accepted one
  grid::Instant launching_at;
  grid::Instant unknown_at;
  std::optional<grid::Instant> settled_at;
  std::optional<grid::Instant> last_look_at;
  std::string error;
  std::string login;
};
[[nodiscard]] std::vector<UnsettledLaunch> unsettled_launches(Transaction& transaction, grid::ClusterId cluster, grid::Instant void_since);
void note_look(Transaction& transaction, std::span<const grid::LaunchId> launches, grid::Instant now);
/// Whether jobs of a launch may still appear on the cluster: then it is asked, even when it is disabled.
[[nodiscard]] bool awaits_launches(Transaction& transaction, grid::ClusterId cluster, grid::Instant void_since);

/// Tasks that wait for a cluster because of one launch.
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
/// They may go anywhere, each with a new attempt. Which they are.
std::vector<grid::TaskNumber> release_tasks(Transaction& transaction, grid::LaunchId launch, grid::Instant now);

}  // namespace gleaner::store
