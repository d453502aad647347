#pragma once
#include <cstdint>
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

/// What users do to campaigns.
namespace gleaner::store {

/// What a campaign asks of one cluster, macros expanded.
struct NewCampaignCluster {
  std::string name;
  int priority = 1;
  std::string exec_file;
  std::string exec_directory;
  std::string resources;
  std::optional<int> resources_per_job;
  grid::Seconds walltime{};
  std::string properties;
  std::string project;
  std::string job_types;  ///< separated by commas
  bool best_effort = true;
  std::optional<int> max_jobs;
  std::optional<grid::Seconds> max_walltime;  ///< up to where a walltime grows
};

struct NewCampaign {
  std::string user;
  std::string name;
  grid::CampaignType type{};
  std::string jdl;  ///< JSON, without the parameters
  std::optional<std::string> idempotency_key;
};

/// What a key stands for already.
struct Repeated {
  grid::CampaignId id;
  bool same;  ///< whether it was submitted with this JDL, type included
};

/// A campaign without tasks, invisible until the transaction is committed; or the one that the
/// user submitted under this key before. While another transaction submits under the same key, it
/// waits for its end.
[[nodiscard]] std::variant<grid::CampaignId, Repeated> create_campaign(Transaction& transaction, const NewCampaign& campaign,
                                                                       grid::Instant now);

/// What the campaign's key stands for, without creating anything.
[[nodiscard]] std::optional<Repeated> find_repeated(Transaction& transaction, const NewCampaign& campaign);
/// The name and JDL that admission rules have given to a new campaign; the submitted JDL is kept.
void record_admitted(Transaction& transaction, grid::CampaignId campaign, std::string_view name, const std::string& jdl);

/// False when there is no such cluster.
[[nodiscard]] bool add_campaign_cluster(Transaction& transaction, grid::CampaignId campaign, const NewCampaignCluster& cluster);

/// `line`: split into arguments as a shell does; `arguments`: a JSON array of them.
enum class ParameterForm : char { line = 'l', arguments = 'a' };

/// Whether the tasks of a campaign differ in what they ask for.
enum class Requests { all_the_same, by_task };

/// Writes the tasks of a new campaign, by COPY, in constant memory. While it lives, the transaction
/// can do nothing else. Unless it is finished, the transaction must be given up.
class TaskWriter {
 public:
  TaskWriter(Transaction& transaction, grid::CampaignId campaign, Requests requests = Requests::all_the_same);
  ~TaskWriter();
  TaskWriter(const TaskWriter&) = delete;
  TaskWriter& operator=(const TaskWriter&) = delete;

  void add(ParameterForm form, std::string_view parameter);
  /// By task: the number of its request, from 1; `write_requests` must follow.
  void add(ParameterForm form, std::string_view parameter, int request);
  /// Returns the number of tasks. To be followed by `complete_campaign`.
  std::int64_t finish();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// The tasks "0" to "count - 1".
void write_numbered_tasks(Transaction& transaction, grid::CampaignId campaign, std::int64_t count);
/// Its tasks are all written: sets its counters, and wakes the conductor up.
void complete_campaign(Transaction& transaction, grid::CampaignId campaign, std::int64_t tasks);

struct CampaignOwner {
  std::string user;
  grid::CampaignState state{};
};
[[nodiscard]] std::optional<CampaignOwner> campaign_owner(Transaction& transaction, grid::CampaignId campaign);

// Each returns false, and changes nothing, when the campaign is not in a state for it.

/// in_treatment -> paused.
[[nodiscard]] bool hold_campaign(Transaction& transaction, grid::CampaignId campaign);
/// paused -> in_treatment, brakes lifted. One in treatment only has its brakes lifted.
[[nodiscard]] bool resume_campaign(Transaction& transaction, grid::CampaignId campaign);
/// -> cancelled. Tasks in the bag at once; those of live jobs when their jobs end.
[[nodiscard]] bool cancel_campaign(Transaction& transaction, grid::CampaignId campaign, grid::Instant now);

/// Failed tasks go back to the bag, each as a new attempt with a clean slate; brakes are lifted; a
/// terminated campaign is in treatment again. Returns how many; 0, and changes nothing, when none
/// failed or the campaign is cancelled.
[[nodiscard]] std::int64_t retry_failed_tasks(Transaction& transaction, grid::CampaignId campaign, grid::Instant now);

/// Closes its open events and lifts its brakes. Returns how many events.
std::int64_t fix_campaign_events(Transaction& transaction, grid::CampaignId campaign, grid::Instant now);

struct EventOwner {
  std::optional<std::string> user;  ///< nothing: an event of no campaign
  std::optional<grid::CampaignId> campaign;
  bool open = false;
};
[[nodiscard]] std::optional<EventOwner> event_owner(Transaction& transaction, std::int64_t event);
/// Closes it and lifts the brake of its target; false when it is not open.
[[nodiscard]] bool fix_event(Transaction& transaction, std::int64_t event, grid::Instant now);

}  // namespace gleaner::store
