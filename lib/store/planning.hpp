#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/planning_facts.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// What the metascheduler reads and writes.
namespace gleaner::store {

/// The configuration's values for clusters that have none of their own.
struct ClusterDefaults {
  double flood;
  int array_size;
};

/// Without their brakes.
[[nodiscard]] std::vector<grid::ClusterFacts> planning_clusters(Transaction& transaction, const ClusterDefaults& defaults);
/// Clusters, campaigns and pairs with their counters; not what stops or binds them: brakes, limits, logins, tasks given back.
[[nodiscard]] grid::PlanningFacts counted_facts(Transaction& transaction, const ClusterDefaults& defaults);
/// Clusters, campaigns and pairs. PlanningFacts::policies is read apart (policy_facts, replicable_tasks).
[[nodiscard]] grid::PlanningFacts planning_facts(Transaction& transaction, const ClusterDefaults& defaults, grid::Instant now);

struct PlannedLaunch {
  grid::CampaignId campaign{0};
  grid::ClusterId cluster{0};
  int jobs = 0;
  double resources = 0;
};
/// Takes the tasks from the bag and writes the launch and its jobs; the number of jobs that it
/// got, which is smaller when the bag holds less than was thought. Where tasks ask for different
/// resources there are as many launches as kinds of them, and their resources together are at most
/// those given, but for the last job. One that the database refuses gets none, and an event.
int plan_launch(Transaction& transaction, const PlannedLaunch& launch, Term term, grid::Instant now);

struct Submitted {
  grid::CampaignId campaign{0};
  grid::ClusterId cluster{0};
  int jobs = 0;
  double offered = 0;      ///< free resources
  double first_ratio = 1;  ///< when the pair has no forecast yet
};
/// A pair that is not given keeps what was said of it last. What the database refuses is left out, with an event.
void write_submitted(Transaction& transaction, std::span<const Submitted> submitted, grid::Instant now);

struct StoredDecision {
  grid::CampaignId campaign{0};
  std::optional<grid::ClusterId> cluster;  ///< nothing: on the whole campaign
  std::string stage;
  std::string reason;
  std::string sentence;
  int jobs = 0;
};
/// The decisions on a campaign as one number. If it is the same, so are they, and they are neither explained nor written again.
struct CampaignDigest {
  grid::CampaignId campaign{0};
  std::int64_t digest = 0;
};
using ExplainDecisions = std::function<std::vector<StoredDecision>(grid::CampaignId)>;

/// Writes the decisions of a cycle. Each campaign that has any has a digest; `explain` is called for those whose digest changed.
/// A decision that repeats the last costs no write; a pair without one keeps none.
/// One that the database refuses is left out, with an event.
void write_decisions(Transaction& transaction, std::span<const CampaignDigest> digests, const ExplainDecisions& explain, grid::Instant now);

/// The event of a campaign that cannot be planned.
inline constexpr std::string_view kCannotPlan = "CANNOT_PLAN";
/// Campaigns that got their plan: of those that had that event, it is closed, and the brake that came with it is lifted.
void note_planned(Transaction& transaction, std::span<const grid::CampaignId> campaigns, grid::Instant now);

}  // namespace gleaner::store
