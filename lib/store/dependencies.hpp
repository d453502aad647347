#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/grid/dependency.hpp"
#include "lib/grid/planning_facts.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"
#include "lib/store/lease.hpp"
#include "lib/store/requests.hpp"

/// Campaigns that wait for others.
namespace gleaner::store {

/// The newest campaign of a user with this name that is not cancelled, other than `except`.
[[nodiscard]] std::optional<grid::CampaignId> find_campaign(Transaction& transaction, const std::string& user, const std::string& name,
                                                            grid::CampaignId except);

struct NewDependency {
  grid::DependencyKind kind = grid::DependencyKind::after;
  grid::CampaignId on{0};
  bool stuck = false;  ///< it does not become met unless a user does something (grid::is_stuck); set by wrong_dependency
};

struct WrongDependency {
  grid::DependencyKind kind = grid::DependencyKind::after;
  std::string why;
};
/// Why a campaign of that many tasks cannot wait for these; empty: it can. Locks them until the transaction ends: none of their tasks is
/// settled meanwhile.
[[nodiscard]] std::optional<WrongDependency> wrong_dependency(Transaction& transaction, std::int64_t tasks,
                                                              std::span<NewDependency> dependencies);
/// Why no further campaign of this user may wait for these, which wrong_dependency has locked: `most` may wait for one, and half of them
/// are kept for its own user. Empty: it may.
[[nodiscard]] std::optional<WrongDependency> crowded_dependency(Transaction& transaction, const std::string& user, int most,
                                                                std::span<const NewDependency> dependencies);
/// The clusters with tasks of a campaign whose files no cluster of these names sees: no task there can be followed.
[[nodiscard]] std::vector<std::string> unseen_clusters(Transaction& transaction, grid::CampaignId on, std::span<const std::string> names);
/// Has a campaign wait for others, which wrong_dependency has locked. Its tasks are complete. Cost: does not depend on the tasks: what is
/// done already is released by release_freed(), task by task also if its tasks only have to follow those.
void add_dependencies(Transaction& transaction, grid::CampaignId campaign, std::span<const NewDependency> dependencies, grid::Instant now);

/// The campaigns whose tasks hold tasks of this one, with their numbers of tasks. Locks them, as wrong_dependency does.
struct Holder {
  grid::CampaignId id{0};
  std::int64_t tasks = 0;
};
[[nodiscard]] std::vector<Holder> lock_holders(Transaction& transaction, grid::CampaignId campaign);
/// Takes tasks that were appended, from the number `first` on, out of the bag, until release_freed() has found that their own are done, or
/// where those ran. Does nothing in a campaign whose tasks wait for none, and follow none.
void hold_appended(Transaction& transaction, grid::CampaignId campaign, std::int64_t first);
/// Has the tasks in the bag of a campaign, or of all, follow the tasks that they come after once more: its JDL changed, or a cluster.
/// release_freed() does it, a part at a time. Cost: O(campaigns), whatever their tasks.
void follow_again(Transaction& transaction, std::optional<grid::CampaignId> campaign);

/// The event of a campaign and a cluster: its tasks that follow others which ran there find their files no more.
inline constexpr std::string_view kFilesOutOfReach = "FILES_OUT_OF_REACH";
inline constexpr std::string_view kAwaitsInVain = "AWAITS_IN_VAIN";
/// Opens this event in each campaign that has no cluster in use with the homes of a cluster, where tasks ran that its own follow.
void note_files_out_of_reach(Transaction& transaction, grid::ClusterId retired, grid::Instant now);
/// Closes the cluster's, which is in use again.
void note_files_in_reach(Transaction& transaction, grid::ClusterId cluster, grid::Instant now);

/// A live campaign that waits for one that cannot meet this any more.
struct InVain {
  grid::CampaignId campaign{0};
  bool is_own = false;       ///< of the same user
  std::string tasks;         ///< the numbers of its tasks that wait in vain, if the others go on: `3-40,57`
  std::int64_t unnamed = 0;  ///< further tasks, where these are too many ranges
};
/// The command that cancels its tasks that wait in vain: `'griddel 12 --task 3-40,57' cancels them`.
[[nodiscard]] std::string cancellation_of(const InVain& waiting);
/// The outcome of a campaign that others wait for.
enum class Gone {
  tasks,     ///< some of its tasks were cancelled
  whole,     ///< it was cancelled
  from_here  ///< it was deleted
};
/// Opens the event AWAITS_IN_VAIN in each of them.
std::vector<InVain> note_waiting_in_vain(Transaction& transaction, grid::CampaignId on, Gone gone, grid::Instant now);
/// Updates the events for campaigns that ended just now: those that wait for them in vain get the event, also where their tasks were
/// cancelled as they ran, and those that waited for others in vain have it no longer.
void note_ended(Transaction& transaction, std::span<const grid::CampaignId> ended, grid::Instant now);
/// Those that wait for a campaign that is to be deleted, without the event.
[[nodiscard]] std::vector<InVain> waiting_in_vain(Transaction& transaction, grid::CampaignId on);

/// The outcome of tasks that come after some of a campaign that are to be done anew.
struct HeldAgain {
  std::int64_t waiting = 0;   ///< they were in the bag, and wait for them now
  std::int64_t not_held = 0;  ///< they are under way or done, or wait for nothing any more
};
/// Also where all of the campaign's were done, and the dependency was met.
HeldAgain hold_again(Transaction& transaction, grid::CampaignId on, std::span<const grid::TaskNumber> tasks);

/// A dependency task by task that may have tasks to release.
struct ToRelease {
  grid::CampaignId campaign{0};
  grid::CampaignId on{0};
};
/// The next ones: users take turns, and of each user those looked at longest ago come first. Not those of campaigns that are braked whole.
[[nodiscard]] std::vector<ToRelease> dependencies_to_release(Transaction& transaction, int most, grid::Instant now);

struct Released {
  int tasks = 0;         ///< put into bags
  int dependencies = 0;  ///< looked at
};
/// A task that is released, of a campaign whose requests are computed from what others gave.
struct FreedTask {
  grid::TaskNumber number{0};
  ParameterForm form{};
  std::string parameter;
  std::vector<std::string> given;  ///< by each task that it comes after which gave something (grid::read_given)
};
/// The requests of released tasks.
struct FreedRequests {
  std::vector<std::pair<grid::TaskNumber, int>> tasks;             ///< each with the number of its request
  std::vector<ClusterRequest> added;                               ///< requests that the campaign did not have before
  std::vector<std::pair<grid::TaskNumber, std::string>> withheld;  ///< each with the reason why it has none
};
/// Computes them within the transaction of the release (intake::request_freed).
using RequestFreed = std::function<FreedRequests(Transaction&, grid::CampaignId, const std::vector<FreedTask>&)>;

/// The event of a campaign with tasks whose requests cannot be computed from what others gave. While it is open, they are not in the bag.
inline constexpr std::string_view kGivenWrong = "GIVEN_WRONG";
/// The withheld tasks of a campaign.
struct Withheld {
  std::int64_t tasks = 0;
  grid::TaskNumber first{0};
  std::string why;  ///< of the first
  /// As a sentence, with what helps.
  [[nodiscard]] std::string text(grid::CampaignId campaign) const;
};
/// Empty: none is withheld.
[[nodiscard]] std::optional<Withheld> withheld_tasks(Transaction& transaction, grid::CampaignId campaign);
[[nodiscard]] std::optional<std::string> why_withheld(Transaction& transaction, grid::CampaignId campaign, grid::TaskNumber task);
/// Has the withheld tasks of a campaign released with the JDL's own numbers, in place of what was given to them.
void judge_withheld(Transaction& transaction, grid::CampaignId campaign);

/// Called outside of a transaction, with PostgreSQL's reason. It brakes the campaign, or throws: else the dependency is tried again at
/// once.
using NotReleased = std::function<void(const ToRelease&, const std::string& why)>;
/// Puts tasks into the bags of campaigns that wait task by task, when those that they wait for are done: a few thousand of one dependency
/// in a transaction, users in turn, until the time is over. The rest comes in the next turn. A dependency whose release the database
/// refuses, or that waits too long for a lock, is passed to `refused`, and the others are released.
/// A task whose request cannot be computed from what others gave is withheld, with the event GIVEN_WRONG.
Released release_freed(Database& database, std::optional<Term> term, std::chrono::milliseconds time, grid::Instant now,
                       const RequestFreed& request, const NotReleased& refused);

/// A campaign in treatment or paused, and one that keeps it, or tasks of it, waiting.
struct OpenDependency {
  grid::CampaignId campaign{0};
  std::int64_t waiting = 0;  ///< its tasks that wait, in the bag or not
  grid::Awaited awaited;
};
/// The open dependencies of one campaign, or of all, in the order of their ids.
[[nodiscard]] std::vector<OpenDependency> open_dependencies(Transaction& transaction, std::optional<grid::CampaignId> campaign = {});

/// Notes in the facts of campaigns what keeps them waiting. The facts are in the order of their ids, with all waiting tasks of their bags.
void read_awaited(Transaction& transaction, std::vector<grid::CampaignFacts>& campaigns);

/// A dependency, as its campaign's user sees it.
struct ShownDependency {
  grid::CampaignId campaign{0};
  grid::CampaignId on{0};
  std::optional<std::string> name;  ///< empty: it was deleted
  grid::DependencyKind kind = grid::DependencyKind::after;
  bool met = false;
};
/// Those of some campaigns, in the order of their ids.
[[nodiscard]] std::vector<ShownDependency> dependencies_of(Transaction& transaction, const std::vector<std::int64_t>& campaigns);

}  // namespace gleaner::store
