#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/grid/campaign_type.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"
#include "lib/text/ranges.hpp"

/// Users' actions on campaigns.
namespace gleaner::store {

/// The prologue or the epilogue of a campaign on one cluster.
struct NewScript {
  std::string text;                       ///< macros expanded; empty: there is none
  std::optional<grid::Seconds> walltime;  ///< empty: as a task's
};

/// The requests of a campaign on one cluster, macros expanded.
struct NewCampaignCluster {
  std::string name;
  int priority = 1;
  std::string exec_file;
  std::string exec_directory;
  std::string resources;
  std::optional<int> resources_per_job;
  std::optional<int> nodes_per_job = {};
  grid::Seconds walltime{};
  std::string properties;
  std::string project;
  std::string job_types;  ///< one a line
  bool best_effort = true;
  std::optional<int> max_jobs;
  std::optional<grid::Seconds> max_walltime;  ///< upper bound of a raised walltime; empty: it is never raised
  std::string output_directory;               ///< empty: not stated
  std::string output_files;                   ///< patterns, one a line
  NewScript prologue = {};
  NewScript epilogue = {};
};

struct NewCampaign {
  std::string user;
  std::string name;
  grid::CampaignType type{};
  std::string jdl;  ///< JSON, without the parameters
  std::optional<std::string> idempotency_key;
  std::vector<std::string> groups = {};     ///< unix groups of the user
  std::optional<std::int64_t> digest = {};  ///< of the whole request, where it has a key
};

/// The campaign that a key was used for before.
struct Repeated {
  grid::CampaignId id;
  bool same;  ///< whether the request was the same: its JDL, type included, and its digest
};

/// Creates a campaign without tasks, which is invisible until the transaction is committed; or returns the one that the user submitted
/// under this key before. If another transaction submits under the same key, this function waits for its end.
[[nodiscard]] std::variant<grid::CampaignId, Repeated> create_campaign(Transaction& transaction, const NewCampaign& campaign,
                                                                       grid::Instant now);

/// Returns the campaign of the key, and creates none. Empty: the key is new.
[[nodiscard]] std::optional<Repeated> find_repeated(Transaction& transaction, const NewCampaign& campaign);
/// Stores the name and JDL of a new campaign after its admission rules; the submitted JDL is kept.
void record_admitted(Transaction& transaction, grid::CampaignId campaign, std::string_view name, const std::string& jdl);

/// Writes what the campaign asks of a cluster, also in place of what it asked before. False when there is no such cluster.
[[nodiscard]] bool add_campaign_cluster(Transaction& transaction, grid::CampaignId campaign, const NewCampaignCluster& cluster);

/// `line`: split into arguments as a shell does; `arguments`: a JSON array of them.
enum class ParameterForm : char { line = 'l', arguments = 'a' };

/// Whether the tasks of a campaign have different requests.
enum class Requests { all_the_same, by_task };

/// Writes tasks of a campaign by COPY, in constant memory. While the writer lives, the transaction cannot run other statements. If `finish`
/// is not called, the transaction must be abandoned.
class TaskWriter {
 public:
  /// @param first  number of the first task
  TaskWriter(Transaction& transaction, grid::CampaignId campaign, Requests requests = Requests::all_the_same, std::int64_t first = 0);
  ~TaskWriter();
  TaskWriter(const TaskWriter&) = delete;
  TaskWriter& operator=(const TaskWriter&) = delete;

  void add(ParameterForm form, std::string_view parameter);
  /// A task with the number of its request, from 1; `write_requests` must follow.
  void add(ParameterForm form, std::string_view parameter, int request);
  /// Returns the number of tasks that were written. `complete_campaign` must follow, or `append_tasks`.
  std::int64_t finish();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Writes `count` tasks, from the number `first` on, whose parameters are their numbers.
void write_numbered_tasks(Transaction& transaction, grid::CampaignId campaign, std::int64_t count, std::int64_t first = 0);
/// Marks the campaign's tasks as complete: sets its counters, and wakes the conductor up.
void complete_campaign(Transaction& transaction, grid::CampaignId campaign, std::int64_t tasks);

struct CampaignOwner {
  std::string user;
  grid::CampaignState state{};
  std::int64_t tasks = 0;
};
[[nodiscard]] std::optional<CampaignOwner> campaign_owner(Transaction& transaction, grid::CampaignId campaign);

// Each of these returns false, and changes nothing, when the campaign's state does not allow it.

/// in_treatment -> paused.
[[nodiscard]] bool hold_campaign(Transaction& transaction, grid::CampaignId campaign);
/// paused -> in_treatment, lifts the brakes, closes the event MAX_FAILS, and counts the failures for max_fails from 0 again. For a campaign
/// in treatment it only lifts the brakes.
[[nodiscard]] bool resume_campaign(Transaction& transaction, grid::CampaignId campaign, grid::Instant now);
/// -> cancelled. Tasks in the bag are cancelled at once, those of live jobs when their jobs end. Cost: O(tasks that were given back to the
/// bag), so a caller empties a large bag before.
[[nodiscard]] bool cancel_campaign(Transaction& transaction, grid::CampaignId campaign, grid::Instant now);
/// If more than `most` tasks were given back to the bag of a campaign in treatment or paused, cancels `most` of them. Returns their number.
[[nodiscard]] std::int64_t cancel_returned_tasks(Transaction& transaction, grid::CampaignId campaign, std::int64_t most);

/// Closes the open events of a terminated campaign, whose failures its user accepts so. Returns the number of events.
std::int64_t acknowledge_campaign(Transaction& transaction, grid::CampaignId campaign, grid::Instant now);

inline constexpr text::Range kAllTasks{0, text::kOpenEnd};
/// The first `most` failed tasks of a campaign in a range; only those whose last job was on the cluster, if there is one, and only those of
/// the group of failures (lib/store/failures.hpp), if there is one.
struct FailedTasks {
  grid::CampaignId campaign{0};
  std::optional<grid::ClusterId> cluster = {};
  text::Range range = kAllTasks;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::optional<std::int64_t> group = {};
};
/// Returns failed tasks to the bag, each as a new attempt with a clean slate, and puts a terminated campaign in treatment again. Where all
/// clusters are meant, it lifts the brakes. Returns the tasks in ascending order; none, with no change, when none failed or the campaign is
/// cancelled.
[[nodiscard]] std::vector<grid::TaskNumber> retry_failed_tasks(Transaction& transaction, const FailedTasks& failed, grid::Instant now);

/// Closes the campaign's open events, lifts its brakes, and has its failed scripts run again. Returns the number of events.
std::int64_t fix_campaign_events(Transaction& transaction, grid::CampaignId campaign, grid::Instant now);

struct EventOwner {
  std::optional<std::string> user;  ///< empty: the event is about no campaign
  std::optional<grid::CampaignId> campaign;
  std::optional<grid::ClusterId> cluster{};
  bool open = false;
};
[[nodiscard]] std::optional<EventOwner> event_owner(Transaction& transaction, std::int64_t event);
/// Closes the event and lifts the brake of its target; a script whose failure it reports is run again. False when it is not open.
[[nodiscard]] bool fix_event(Transaction& transaction, std::int64_t event, grid::Instant now);

}  // namespace gleaner::store
