#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"
#include "lib/store/dependencies.hpp"
#include "lib/store/events.hpp"

/// Sinks: the facts for grid::find_sink, and the return of swallowed tasks to the bag.
namespace gleaner::store {

/// The last jobs done of a campaign on a cluster, those that began last first.
struct EndsOfPair {
  grid::CampaignId campaign{0};
  std::vector<grid::JobId> jobs = {};
  std::vector<double> seconds = {};              ///< durations, in the same order
  std::vector<double> began = {};                ///< in seconds since 1970, in the same order
  std::vector<bool> named = {};                  ///< whether an open event SINK names the job, in the same order
  std::optional<double> min_duration = {};       ///< the JDL's, in seconds
  std::optional<double> slowest_elsewhere = {};  ///< greatest mean duration of the campaign's jobs on another cluster, over all time
  double start_cost = 0.0;                       ///< seconds that a job takes on the cluster besides its task, as last measured
  bool suspected = false;
  bool others = false;                     ///< another cluster may get tasks of the campaign
  std::optional<double> compared_at = {};  ///< since when another cluster may be compared, in seconds since 1970; of JudgedLate::stretches
};

/// Campaigns whose jobs on the cluster are judged by those that ended elsewhere, perhaps later.
struct JudgedLate {
  std::vector<grid::CampaignId> campaigns = {};  ///< all
  std::vector<grid::CampaignId> stretches = {};  ///< those of which ends that others followed may be short ones, too
};
/// Up to `most` are in `stretches`; which ones differs from one `now` to the next. Cost: O(the cluster's pairs, and their durations where
/// the other clusters have done few jobs).
[[nodiscard]] JudgedLate judged_late(Transaction& transaction, grid::ClusterId cluster, int most, grid::Instant now);

/// How many of the last ends are read: of most pairs, and of those that are suspected or in JudgedLate::stretches.
struct EndsRead {
  int usual = 0, late = 0;
};
/// For campaigns in treatment or paused: those of which some of `ended` are done on this cluster, and those of `late`. Jobs that are marked
/// as swallowed are left out, unless the cluster is suspected and the event that names them is open. Cost: O(ended + `read` jobs of each
/// campaign).
[[nodiscard]] std::vector<EndsOfPair> last_ends(Transaction& transaction, grid::ClusterId cluster, std::span<const grid::JobId> ended,
                                                const JudgedLate& late, EndsRead read);

struct RunningJob {
  grid::JobId id{0};
  double began = 0.0;  ///< in seconds since 1970
};
/// The campaign's jobs that run on the cluster since `since` or later, those that began last first. Cost: O(the campaign's running jobs).
[[nodiscard]] std::vector<RunningJob> running_since(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster,
                                                    double since);

/// The durations of the last jobs done on each other cluster of these campaigns, in seconds. Swallowed jobs are included, so that two
/// clusters do not accuse each other forever when the tasks of a campaign become short.
using EndsElsewhere = std::map<grid::CampaignId, std::vector<std::vector<double>>>;
[[nodiscard]] EndsElsewhere ends_elsewhere(Transaction& transaction, grid::ClusterId cluster, std::span<const grid::CampaignId> campaigns,
                                           int last);

/// Marks the jobs that an event SINK names.
void mark_swallowed(Transaction& transaction, std::int64_t event, std::span<const grid::JobId> jobs);
/// An open event SINK of a cluster that names a part of what the cluster swallowed.
struct UnmarkedEnds {
  std::int64_t event = 0;
  grid::CampaignId campaign{0};
  double bound = 0.0;  ///< seconds: each of them took less
};
/// Leaves the ends that are older than the event's to mark_more(), as far as all of them took less than the bound, in seconds.
void leave_unmarked(Transaction& transaction, std::int64_t event, double bound, grid::Instant now);
/// Up to `most` of these events, the least recently served first.
[[nodiscard]] std::vector<UnmarkedEnds> unmarked_ends(Transaction& transaction, grid::ClusterId cluster, int most);
/// Marks up to `most` more jobs, and returns them. Fewer: no more are to be marked.
[[nodiscard]] std::vector<grid::JobId> mark_more(Transaction& transaction, std::int64_t event, int most, grid::Instant now);

/// Marks those of the carriers of `jobs`, or among these, whose further tasks were all swallowed, by the event that names them.
void mark_carriers(Transaction& transaction, std::span<const grid::JobId> jobs);
/// The tasks of all jobs that the event names, in ascending order.
[[nodiscard]] std::vector<std::int64_t> swallowed_tasks(Transaction& transaction, std::int64_t event);

enum class Suspicion { raised, cleared };
void suspect(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, Suspicion suspicion);

/// A sink, by the id of its event or the name of its cluster: exactly one of the two.
struct SinkName {
  std::optional<std::int64_t> event = {};
  std::optional<std::string> cluster = {};
};
struct GivenBack {
  std::int64_t tasks = 0;
  HeldAgain after;                       ///< the tasks that come after them
  std::optional<grid::TaskNumber> next;  ///< more are left from this one on
};
/// Returns the tasks from `first` on that the sink swallowed to the bag, up to kTasksOfPiece, each as a new attempt with a clean slate, and
/// puts a terminated campaign in treatment again. Its brake stays; where it went with the campaign's end, it is set again, so that the
/// tasks go elsewhere first. The last ones close the sink's events. Tasks in other campaigns' bags that wait for one of them wait for it
/// again. No tasks, with no change, when none is left, the campaign is cancelled, or it is sealed.
[[nodiscard]] GivenBack retry_swallowed_tasks(Transaction& transaction, grid::CampaignId campaign, const SinkName& sink, BrakeLength brake,
                                              grid::Instant now, grid::TaskNumber first = grid::TaskNumber{0});

}  // namespace gleaner::store
