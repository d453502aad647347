#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/campaign_type.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"
#include "lib/store/policies.hpp"
#include "lib/store/replicas.hpp"

/// What the metascheduler reads and writes.
namespace gleaner::store {

struct ActiveBrake {
  std::string reason;
  grid::Instant until;
};

struct PlanningCluster {
  grid::ClusterId id{0};
  std::string name;
  double power = 1;
  double cost = 0;           ///< of one resource for an hour
  double transfer_mb_s = 0;  ///< 0: not known
  int max_node_resources = 0;  ///< of the biggest node; 0: not known
  std::optional<int> job_limit;
  std::string stress_reason;
  double flood = 0;
  int array_size = 1;
  bool enabled = true;
  bool retired = false;
  bool reachable = false;
  int unknown_launches = 0;  ///< whose fate is unknown, and which its status is too old to show
  int max_resources = 0;
  int free = 0;
  int our_running = 0;  ///< resources that jobs of ours occupied
  std::optional<grid::Instant> status_at;
  std::optional<ActiveBrake> brake;
};

struct PlanningCampaign {
  grid::CampaignId id{0};
  std::string user;
  grid::CampaignType type = grid::CampaignType::default_;
  grid::CampaignState state = grid::CampaignState::in_treatment;
  grid::Instant submitted_at;
  std::int64_t waiting = 0;  ///< tasks in the bag
  int priority = 4;          ///< 1 to 7
  std::string project;
  std::optional<std::string> scheduler;   ///< that the JDL names
  std::optional<double> min_duration;     ///< seconds
  double input_mb = 0;                    ///< of one task, on average
  bool replicas_allowed = false;
  bool differing = false;                 ///< its tasks ask for different things
  std::optional<ActiveBrake> brake;
};

struct PlanningPair {
  grid::CampaignId campaign{0};
  grid::ClusterId cluster{0};
  int priority = 1;
  std::optional<int> resources_per_job;
  std::optional<double> job_ratio;
  bool active = false;         ///< it had a job, or has a forecast of its own; else all but what the JDL asks is as below
  int last_submitted = 0;      ///< jobs, in the last cycle (forecasts.nsub)
  double last_offered = 0;     ///< free resources, in that cycle
  int launching = 0, waiting = 0, running = 0, unknown = 0;  ///< jobs
  int unseen = 0;              ///< of the unknown ones, those whose launch the cluster's status is too old to show
  std::int64_t concluded = 0;
  std::optional<int> max_jobs;
  int failures_in_a_row = 0;
  std::optional<grid::Instant> last_failure_at;
  double walltime = 0;         ///< seconds
  std::int64_t done = 0;       ///< jobs
  bool suspected = false;      ///< a sink for the campaign, as far as is known
  double duration_sum = 0, duration_squares = 0;  ///< of them, in seconds
  std::int64_t resources_sum = 0, resources_jobs = 0;  ///< that OAR assigned, and to how many jobs
  std::optional<grid::Instant> last_start_at;
  std::optional<grid::Instant> last_accept_at;
  std::int64_t returned = 0;  ///< tasks bound to this cluster
  std::optional<std::int64_t> fitting;  ///< tasks of those that wait that the cluster can hold; nothing: all
  bool has_properties = false;  ///< its JDL asks for some
  std::optional<int> matching;  ///< resources of the cluster that have them; nothing: it has not told
  std::string login;
  std::optional<ActiveBrake> brake;
};

/// A campaign of which something cannot be read.
struct Unreadable {
  grid::CampaignId id{0};
  std::string why;
  std::optional<ActiveBrake> brake;
};

struct PlanningFacts {
  std::vector<PlanningCluster> clusters;
  std::vector<PlanningCampaign> campaigns;
  std::vector<PlanningPair> pairs;  ///< each of a campaign and of a cluster above, by their ids
  std::vector<Unreadable> unreadable;  ///< not among the campaigns
  bool any_limits = false, any_shares = false, any_priorities = false;  ///< for policy_facts to read
  bool any_set_aside = false;  ///< campaigns with an open event kCannotPlan
  PolicyFacts policies;
  std::vector<Replicable> replicable;
};

struct ClusterDefaults {
  double flood;
  int array_size;
};

/// Without their brakes and their stress.
[[nodiscard]] std::vector<PlanningCluster> planning_clusters(Transaction& transaction, const ClusterDefaults& defaults);
/// Clusters, campaigns and pairs with their counters; not what stops or binds them: brakes, stress, limits, logins, tasks given back.
[[nodiscard]] PlanningFacts counted_facts(Transaction& transaction, const ClusterDefaults& defaults);
/// Clusters, campaigns and pairs; what the policies need besides is read apart (policy_facts, replicable_tasks).
[[nodiscard]] PlanningFacts planning_facts(Transaction& transaction, const ClusterDefaults& defaults, grid::Instant now);

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
/// All that was decided on a campaign, as one number: where it is the same the decisions are, and are neither told nor written again.
struct CampaignDigest {
  grid::CampaignId campaign{0};
  std::int64_t digest = 0;
};
using TellDecisions = std::function<std::vector<StoredDecision>(grid::CampaignId)>;

/// The decisions of a cycle, a digest for each campaign that has any; `tell` is asked for those of the campaigns whose digest changed.
/// A decision that only repeats the last costs no write; a pair without one keeps none.
/// One that the database refuses is left out, with an event.
void write_decisions(Transaction& transaction, std::span<const CampaignDigest> digests, const TellDecisions& tell, grid::Instant now);

/// The event of a campaign that cannot be planned.
inline constexpr std::string_view kCannotPlan = "CANNOT_PLAN";
/// Campaigns that got their plan: of those that had that event, it is closed, and the brake that came with it is lifted.
void note_planned(Transaction& transaction, std::span<const grid::CampaignId> campaigns, grid::Instant now);

}  // namespace gleaner::store
