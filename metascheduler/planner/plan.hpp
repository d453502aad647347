#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/grid/id.hpp"
#include "metascheduler/planner/decision.hpp"
#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::planner {

/// How much each factor of the order `multifactor` counts.
struct FactorWeights {
  double age = 1000.0;
  double fairshare = 1000.0;
  double size = 0.0;
  double priority = 1000.0;
  double affinity = 500.0;
};

/// How usage counts against a share (spec/001, "fair-share").
enum class UsageRule {
  absolute,  ///< P = S - U: the worked example
  by_share   ///< P = S - S U: the formula
};

/// The policies, by name (docs/policies.md).
struct PlannerConfig {
  std::string order = "fifo";       ///< who goes first: classes, then an order within them: "priority,fairshare"
  std::string placement = "power";  ///< which clusters a campaign gets first
  bool simultaneous = false;        ///< several campaigns of one user take part at once
  UsageRule usage_rule = UsageRule::absolute;
  FactorWeights weights = {};
  double age_max = 7.0 * 86400;     ///< seconds after which a campaign's age counts in full
  int probe_jobs = 3;               ///< that go first to a cluster of which nothing is known
  bool reservations = true;         ///< wide jobs have what is freed held back for them
};

/// "age:1000,size:10": the factors that are not named count 0. The error says what is wrong.
[[nodiscard]] tl::expected<FactorWeights, std::string> parse_weights(std::string_view text);

/// Refuses an unknown policy, with the closest known name.
[[nodiscard]] tl::expected<void, std::string> check(const PlannerConfig& config);

/// What a configuration's policies look at in a snapshot, besides clusters, campaigns, pairs and limits.
struct Needs {
  bool shares = false;   ///< users, with their priorities and usage, and the tree of shares
  bool couples = false;  ///< PairView::affine
};
/// Throws std::invalid_argument when the configuration does not pass check().
[[nodiscard]] Needs needs_of(const PlannerConfig& config);

[[nodiscard]] std::vector<std::string_view> order_names();    ///< of the orders within a class
[[nodiscard]] std::vector<std::string_view> class_names();    ///< that may come before an order
[[nodiscard]] std::vector<std::string_view> placement_names();
[[nodiscard]] std::vector<std::string_view> scheduler_names();

/// One submission to make: one array of jobs of one campaign on one cluster.
struct Launch {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  int jobs = 0;
  double resources = 0.0;  ///< that the plan counts for it
  int returned = 0;        ///< of the jobs, those for tasks that void launches on this cluster gave back
  bool operator==(const Launch&) const = default;
};

/// Running jobs to kill, the youngest first, so that campaigns of higher priority get their
/// resources; those that wait in the queue there go with them, or they would take what is freed.
struct Preemption {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  int jobs = 0;
  bool operator==(const Preemption&) const = default;
};

/// Which running tasks get a second copy.
enum class ReplicaKind {
  expired,  ///< those that run longer than expected
  finalize  ///< the last ones of a campaign, as resources are free
};

/// Second copies of running tasks, on a cluster where their first one is not.
struct Replicas {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  int jobs = 0;
  ReplicaKind kind = ReplicaKind::finalize;
  bool operator==(const Replicas&) const = default;
};

/// Resources held back for a wide job.
struct HeldBack {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  double resources = 0.0;
  grid::Instant at{};  ///< when they are free, by the forecasts
};

/// Where a campaign stands in the order, and what it stands there for; also that its priority does nothing there.
struct Standing {
  grid::CampaignId campaign;
  std::string text;
};

struct Plan {
  std::vector<Launch> launches;     ///< in the order in which they are to be made
  std::vector<Preemption> preemptions;
  std::vector<Replicas> replicas;
  std::vector<HeldBack> reservations;
  std::vector<Standing> standings;  ///< of the orders that have figures, and of idle priorities; one a campaign at most
  std::vector<Decision> decisions;  ///< one for each pair, or one for a whole campaign
};

/// Plans one cycle. Pure: the same snapshot gives the same plan, in whatever order its lists
/// are; the cost depends on the number of pairs, not of tasks.
/// Throws std::invalid_argument when the configuration does not pass check() or a pair names an
/// unknown campaign or cluster.
[[nodiscard]] Plan plan(const Snapshot& snapshot, const PlannerConfig& config = {});

}  // namespace gleaner::planner
