#pragma once
#include <chrono>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/grid/settle.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"

/// The rules of a launch, from its plan to the last time at which an orphan can appear. They are pure functions: the runner gathers facts,
/// calls them and writes the results. The model checker calls the same functions.
///
///   planned --to_begin--> launching --to_send--> the POST --after_post--> accepted | refused | void | unknown
///   unknown --to_look, found_of, fate_of--> accepted | void; a job found of either: adoption_of
/// tasks of a void or refused launch: settle_unsubmitted; bound tasks, while they wait: release_of
///
/// To declare a launch void is safe, because the fence holds: the tasks keep their attempts and wait for the same cluster, where an orphan
/// (a job of the void launch that appears late) and its successor contend for one claim.
namespace gleaner::grid {

/// For this time after a launch became void, orphans are searched for, and the folder of its claims stays.
inline constexpr std::chrono::hours kOrphanWatch{1};
/// Time between two looks for orphans.
inline constexpr std::chrono::seconds kOrphanPeriod{30};
/// A launch whose intent is older than this is not sent: its runner was stopped meanwhile, and the plan is out of date.
inline constexpr std::chrono::seconds kSendPatience{30};

/// The next step of a runner with a launch.
enum class LaunchStep {
  go_on,      ///< begin it, or send it
  give_back,  ///< its tasks go back to the bag; nothing was sent
  leave       ///< another runner owns it: send nothing, write nothing
};

/// A planned launch, before its intent is written. None begins on a cluster that is unreachable or disabled.
struct PlannedLaunch {
  CampaignState campaign = CampaignState::in_treatment;
  bool cluster_usable = true;
  bool has_cancelled_task = false;  ///< a user cancelled one of its tasks: the others are planned again
};
[[nodiscard]] LaunchStep to_begin(const PlannedLaunch& launch);

/// A launch whose intent is written, right before its POST. Its runner may have been stopped in between, for any time.
struct Intent {
  LaunchState state = LaunchState::launching;
  bool own_term = true;  ///< the launch has the term of this runner's lease, and that term is current
  CampaignState campaign = CampaignState::in_treatment;
  std::chrono::microseconds age{};  ///< since the intent was written, by the database's clock
};
[[nodiscard]] LaunchStep to_send(const Intent& intent);

/// The result of a POST.
enum class PostAnswer {
  accepted,  ///< 201, with the id of each job
  refused,   ///< 4xx, or refused before it was sent: no job exists
  not_sent,  ///< no connection: no job exists
  lost       ///< anything else, also when the runner died: the jobs may exist, or may still appear at any time
};
struct AfterPost {
  LaunchState state = LaunchState::unknown;
  bool gives_back = false;     ///< its tasks go back to the bag: no job of it exists
  bool brakes = false;         ///< a brake is set on the campaign on this cluster
  bool cluster_usable = true;  ///< this runner continues with the next launch there
  bool operator==(const AfterPost&) const = default;
};
[[nodiscard]] AfterPost after_post(PostAnswer answer);

/// Whether jobs of a void or refused launch may exist.
enum class Sent { never, maybe };

/// A job of a void or refused launch: its end is never_submitted.
struct Unsubmitted {
  Sent sent = Sent::maybe;
  bool fenced = false;            ///< its attempt is claimed in the folder of an earlier, void launch
  bool replicas_allowed = false;  ///< by its campaign's JDL: a task may run twice
};
/// The consequence for its task: as settle(), with two exceptions. If no job of the attempt can exist, the task may go to any cluster and
/// keeps its attempt. If the task may run twice, it is released at once, with a new attempt.
[[nodiscard]] Settlement settle_unsubmitted(const TaskFacts& task, const JobFacts& job, const Unsubmitted& launch, const Limits& limits);

/// A launch whose jobs may have to be searched for. `sent`: its POST may have been sent.
struct Search {
  LaunchState state = LaunchState::unknown;
  bool sent = true;
  std::optional<std::chrono::microseconds> since_look = {};     ///< since the last look; empty: never
  std::optional<std::chrono::microseconds> since_settled = {};  ///< since it became void; empty: it is not
};
[[nodiscard]] bool to_look(const Search& search);

/// A job that OAR lists for the launch's user.
struct ListedJob {
  RemoteJobId id{0};
  ListedAs as;
  bool over = false;
};
struct FoundJob {
  JobId job{0};
  RemoteJobId remote{0};
  JobIdentity identity{CampaignId{0}, TaskNumber{0}, 0, JobId{0}};
  bool again = false;  ///< OAR has run it more than once
  bool operator==(const FoundJob&) const = default;
};
/// The jobs of the launch among those listed: one entry for each of our jobs, ordered by job. If OAR ran a job twice (its own
/// resubmission), the run that is not over counts, else the newest.
[[nodiscard]] std::vector<FoundJob> found_of(std::span<const ListedJob> listed, const SubmittedAs& launch, CampaignId campaign);

/// The result of one look, and of all looks before it.
struct Looked {
  LaunchState state = LaunchState::unknown;               ///< or void
  int missing = 0;                                        ///< jobs of the launch that OAR does not list
  int looks = 0;                                          ///< looks while the launch was unknown, this one included
  std::optional<std::chrono::microseconds> healthy = {};  ///< since the answer was lost and the cluster answers again; empty: it does not
                                                          ///< answer
};
struct LookPatience {
  int looks = 1;                      ///< void_looks
  std::chrono::microseconds delay{};  ///< void_delay
};
/// accepted: all of its jobs are known. void: enough looks in enough time found no job. Otherwise the state is unchanged.
[[nodiscard]] LaunchState fate_of(const Looked& looked, const LookPatience& patience);

/// Whether a launch that became void brakes its campaign on this cluster. The first void launch in a row does not, so that a cluster that
/// was unreachable for a moment is used again at once. `voids`: void launches of the campaign there since the last accepted one, this one
/// included.
[[nodiscard]] bool void_brakes(int voids);

/// A job of an unknown or void launch that OAR lists.
struct Adoption {
  bool moves = false;  ///< its task becomes submitted
  bool late = false;   ///< no task waits for it: it is to be killed
  bool operator==(const Adoption&) const = default;
};
[[nodiscard]] Adoption adoption_of(const TaskFacts& task, int attempt);

/// Whether a launch is searched again because one of its jobs must hold a claim: another job found the attempt claimed, and no contender
/// lives. Only a launch that may have been sent is searched.
[[nodiscard]] bool is_reopened(LaunchState state, Sent sent);

/// Tasks that wait for their cluster because a job of their attempt may still appear there.
struct BoundTasks {
  bool replicas_allowed = false;       ///< by their campaign's JDL
  bool retired = false;                ///< an administrator retired their cluster
  std::chrono::microseconds waited{};  ///< since they went back to the bag
};
enum class Release { replicas, retired, waited };
/// The reason for which they may go to another cluster, each with a new attempt (attempt_after_release); empty: they stay bound. Brakes and
/// outages are no reason.
/// @param release_after  0: time alone never releases them
[[nodiscard]] std::optional<Release> release_of(const BoundTasks& tasks, std::chrono::microseconds release_after);
[[nodiscard]] int attempt_after_release(const TaskFacts& task);

/// The facts that decide when the folder of a launch may be removed from the cluster.
struct FolderFacts {
  LaunchState state = LaunchState::accepted;
  bool in_use = false;                                          ///< a live job, or a task in the bag, claims in it
  std::optional<std::chrono::microseconds> since_settled = {};  ///< since the launch was accepted or became void
  std::optional<std::chrono::microseconds> since_never_began =
      {};  ///< since the last end of a job of it that never began, or was deleted before: OAR may start it late
};
[[nodiscard]] bool may_be_removed(const FolderFacts& folder);

}  // namespace gleaner::grid
