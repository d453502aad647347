#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// A launch's way, from the plan to its fate.
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
  char form = 'l';  ///< l: a line to split; a: a JSON array of arguments
  std::string parameter;
};
[[nodiscard]] std::vector<LaunchLine> launch_lines(Transaction& transaction, grid::LaunchId launch);

/// planned → launching, the intent before any network; false when it is not planned any more.
[[nodiscard]] bool begin_launch(Transaction& transaction, grid::LaunchId launch, const std::string& tag, Term term, grid::Instant now);

struct AcceptedJob {
  grid::JobId job{0};
  grid::RemoteJobId remote{0};
};
/// Writes OAR's ids; adopts jobs of a launch that was unknown or void. Number of jobs taken over.
int accept_launch(Transaction& transaction, grid::LaunchId launch, std::span<const AcceptedJob> jobs, std::optional<grid::RemoteJobId> array,
                  grid::Instant now);

/// launching → unknown: no answer, so its tasks are frozen.
void mark_unknown(Transaction& transaction, std::span<const grid::LaunchId> launches, const std::string& error);

/// Launches that a runner left in the middle. The caller holds the cluster's lock.
[[nodiscard]] std::vector<grid::LaunchId> interrupted_launches(Transaction& transaction, grid::ClusterId cluster);

/// Where the tasks of a launch that never was may go.
enum class Back { anywhere, same_cluster };
struct GiveBack {
  grid::LaunchId launch{0};
  grid::LaunchState state = grid::LaunchState::void_;  ///< or refused
  Back back = Back::anywhere;
  std::string error;
};
void give_back(Transaction& transaction, const GiveBack& what, grid::Instant now);

struct UnsettledLaunch {
  grid::LaunchId id{0};
  grid::CampaignId campaign{0};
  std::string tag;
  grid::LaunchState state = grid::LaunchState::unknown;  ///< or void
  int jobs = 0;
  int looks = 0;
  grid::Instant launching_at;
  std::optional<grid::Instant> settled_at;
  std::optional<grid::Instant> last_look_at;
  std::string error;
  std::string login;
};
[[nodiscard]] std::vector<UnsettledLaunch> unsettled_launches(Transaction& transaction, grid::ClusterId cluster, grid::Instant void_since);
void note_look(Transaction& transaction, std::span<const grid::LaunchId> launches, grid::Instant now);

}  // namespace gleaner::store
