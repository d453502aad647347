#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/campaign_type.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/database.hpp"

/// Changes of submitted campaigns: tasks that are appended, and edits of the JDL.
namespace gleaner::store {

/// A submitted campaign, as changes need it.
struct SubmittedCampaign {
  std::string user;
  grid::CampaignState state{};
  grid::CampaignType type{};
  std::string jdl;  ///< JSON
  std::int64_t tasks = 0;
  int requests = 0;     ///< different ones of its tasks; 0: all have the same
  bool sealed = false;  ///< it is being removed
};
[[nodiscard]] std::optional<SubmittedCampaign> submitted_campaign(Transaction& transaction, grid::CampaignId campaign);

/// Waits until no other transaction appends to the campaign, until this one ends.
void lock_appends(Transaction& transaction, grid::CampaignId campaign);

/// The numbers [first, first + count).
struct TaskRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};
/// Adds written tasks, which begin at the campaign's number of tasks, to its bag, and wakes the conductor up. A terminated campaign is in
/// treatment again. False, with no change: the campaign is cancelled, being removed, or gone.
/// @param mean_input_mb  of the new tasks; empty: as that of the others
[[nodiscard]] bool append_tasks(Transaction& transaction, grid::CampaignId campaign, TaskRange tasks, std::optional<double> mean_input_mb);

/// The new request of a campaign, in place of its JDL `before`.
struct EditedCampaign {
  std::string before;  ///< JSON
  std::string jdl;     ///< JSON, without the parameters
  std::string name;
  int requests = 0;
  std::vector<NewCampaignCluster> clusters;
};
/// False: the campaign has ended, its JDL is not `before` any more, or a cluster is gone; the transaction must be abandoned.
[[nodiscard]] bool edit_campaign(Transaction& transaction, grid::CampaignId campaign, const EditedCampaign& edited);

/// A change, for the record.
struct CampaignChange {
  std::string author;
  std::string edits = "[]";          ///< JSON: an array of `{"path", "before", "after"}`
  std::optional<TaskRange> tasks{};  ///< that were appended
  std::optional<std::string> idempotency_key{};
  std::int64_t digest = 0;  ///< of what was sent under the key
};
void record_change(Transaction& transaction, grid::CampaignId campaign, const CampaignChange& change, grid::Instant now);

/// An earlier append with the same key.
struct RepeatedAppend {
  TaskRange tasks;
  std::int64_t digest = 0;
};
[[nodiscard]] std::optional<RepeatedAppend> find_append(Transaction& transaction, grid::CampaignId campaign, const std::string& key);

struct RecordedChange {
  std::string author;
  grid::Instant at;
  std::string edits;  ///< JSON
  std::optional<TaskRange> tasks;
};
/// The newest first, `most` at most.
[[nodiscard]] std::vector<RecordedChange> recorded_changes(Transaction& transaction, grid::CampaignId campaign, int most);

}  // namespace gleaner::store
