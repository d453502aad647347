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

/// What becomes of a launch, from its plan to the day when its last orphan can come: pure rules. The runner gathers, calls them, writes;
/// the model checker calls the same functions.
///
///   planned --to_begin--> launching --to_send--> the POST --after_post--> accepted | refused | void | unknown
///   unknown --to_look, found_of, fate_of--> accepted | void; a job found of either: adoption_of
///   tasks of a launch given up: settle_unsubmitted; bound ones, while they wait: release_of
///
/// Void is cheap, because the fence holds: the tasks keep their attempts and wait for the same cluster, where an orphan (a job of the
/// void launch that appears late) and its successor contend for one claim.
namespace gleaner::grid {

/// After its launch was given up as void, an orphan is looked for so long, and the folder of its claims stays.
inline constexpr std::chrono::hours kOrphanWatch{1};
/// Time between two looks for orphans.
inline constexpr std::chrono::seconds kOrphanPeriod{30};
/// A launch older than this is not sent any more: its runner was stopped meanwhile, and the plan is stale.
inline constexpr std::chrono::seconds kSendPatience{30};

/// What a runner does with a launch next.
enum class LaunchStep {
  go_on,      ///< begins it, or sends it
  give_back,  ///< its tasks go back; certainly nothing was sent
  leave       ///< it is somebody else's now: nothing is sent, nothing is written
};

/// Of a planned launch, before its intent is written. On a cluster that does not answer, or is disabled, nothing begins.
struct PlannedLaunch {
  CampaignState campaign = CampaignState::in_treatment;
  bool cluster_usable = true;
};
[[nodiscard]] LaunchStep to_begin(const PlannedLaunch& launch);

/// Of a launch whose intent is written, right before its POST: its runner may have been stopped in between for any time.
struct Intent {
  LaunchState state = LaunchState::launching;
  bool own_term = true;  ///< the launch carries the term of this runner's lease, and the lease is still of that term
  CampaignState campaign = CampaignState::in_treatment;
  std::chrono::microseconds age{};  ///< since the intent was written, by the database's clock
};
[[nodiscard]] LaunchStep to_send(const Intent& intent);

/// What came back from a POST.
enum class PostAnswer {
  accepted,  ///< 201, with the id of each job
  refused,   ///< 4xx, or refused before it was sent: nothing was done
  not_sent,  ///< no connection: nothing was done
  lost       ///< anything else: it may have been carried out, or may still be, at any time; also when its runner died meanwhile
};
struct AfterPost {
  LaunchState state = LaunchState::unknown;
  bool gives_back = false;     ///< its tasks go back to the bag; nothing was sent
  bool brakes = false;         ///< nothing more of the campaign goes there for a while
  bool cluster_usable = true;  ///< this runner goes on with the next launch there
  bool operator==(const AfterPost&) const = default;
};
[[nodiscard]] AfterPost after_post(PostAnswer answer);

/// Whether jobs of a launch that is given up may exist.
enum class Sent { never, maybe };

/// A job of a launch that is given up: its end is never_submitted.
struct Unsubmitted {
  Sent sent = Sent::maybe;
  bool fenced = false;            ///< its attempt is claimed in the folder of an earlier, void launch
  bool replicas_allowed = false;  ///< by its campaign's JDL: a task may run twice
};
/// What follows for its task. As settle() says, but a task of which no job can exist is free to go anywhere with its attempt, and one
/// that may run twice is released at once, with a new attempt.
[[nodiscard]] Settlement settle_unsubmitted(const TaskFacts& task, const JobFacts& job, const Unsubmitted& launch, const Limits& limits);

/// Whether jobs of this launch are to be looked for now. `sent`: its POST may have been sent.
struct Search {
  LaunchState state = LaunchState::unknown;
  bool sent = true;
  std::optional<std::chrono::microseconds> since_look = {};     ///< since the last look
  std::optional<std::chrono::microseconds> since_settled = {};  ///< since it was given up
};
[[nodiscard]] bool to_look(const Search& search);

/// A job that OAR lists for the launch's user.
struct ListedJob {
  RemoteJobId id{0};
  std::string_view name;
  std::string_view command;
  bool over = false;
};
struct FoundJob {
  JobId job{0};
  RemoteJobId remote{0};
  JobIdentity identity{CampaignId{0}, TaskNumber{0}, 0, JobId{0}};
  bool again = false;  ///< OAR has run it more than once
  bool operator==(const FoundJob&) const = default;
};
/// The jobs of the launch with this tag among those listed, one for each job of ours, by job. OAR may have run a job twice by itself
/// (resubmission): the one that is not over counts, else the newest.
[[nodiscard]] std::vector<FoundJob> found_of(std::span<const ListedJob> listed, std::string_view tag, CampaignId campaign);

/// What a look found, together with all the looks before it.
struct Looked {
  LaunchState state = LaunchState::unknown;               ///< or void
  int missing = 0;                                        ///< jobs of the launch of which OAR knows nothing
  int looks = 0;                                          ///< while it was unknown, this one included
  std::optional<std::chrono::microseconds> healthy = {};  ///< since the answer was lost and the cluster answers again; nothing: it does not
};
struct LookPatience {
  int looks = 1;                      ///< void_looks
  std::chrono::microseconds delay{};  ///< void_delay
};
/// accepted: each of its jobs is known. void: looked for often and long enough. Else the state as it was.
[[nodiscard]] LaunchState fate_of(const Looked& looked, const LookPatience& patience);

/// Whether a launch that became void brakes its campaign there: from the second one in a row on, so that a cluster that was away for a
/// moment is used again at once. `voids`: void launches of the campaign there since the last accepted one, this one included.
[[nodiscard]] bool void_brakes(int voids);

/// A job whose launch was unknown or given up shows itself.
struct Adoption {
  bool moves = false;  ///< its task is submitted now
  bool late = false;   ///< no task waits for it: it is to be killed
  bool operator==(const Adoption&) const = default;
};
[[nodiscard]] Adoption adoption_of(const TaskFacts& task, int attempt);

/// Whether a launch is searched again when one of its jobs must hold a claim: another job found the attempt claimed, and no contender
/// lives. Only one that may have been sent.
[[nodiscard]] bool is_reopened(LaunchState state, Sent sent);

/// Tasks that wait for their cluster, as a job of their attempt may still appear there.
struct BoundTasks {
  bool replicas_allowed = false;       ///< by their campaign's JDL
  bool retired = false;                ///< an administrator retired their cluster
  std::chrono::microseconds waited{};  ///< since they went back to the bag
};
enum class Release { replicas, retired, waited };
/// Why they may go elsewhere, each with a new attempt (attempt_after_release): brakes and outages are no reason.
/// @param release_after  0: never because of the time
[[nodiscard]] std::optional<Release> release_of(const BoundTasks& tasks, std::chrono::microseconds release_after);
[[nodiscard]] int attempt_after_release(const TaskFacts& task);

/// What the folder of a launch waits for before it is removed from the cluster.
struct FolderFacts {
  LaunchState state = LaunchState::accepted;
  bool in_use = false;                                          ///< a live job, or a task in the bag, is claimed in it
  std::optional<std::chrono::microseconds> since_settled = {};  ///< since the launch was accepted, or given up
  std::optional<std::chrono::microseconds> since_never_began =
      {};  ///< since the last end of a job of it that never began, or was deleted before: OAR may start it late
};
[[nodiscard]] bool may_be_removed(const FolderFacts& folder);

}  // namespace gleaner::grid
