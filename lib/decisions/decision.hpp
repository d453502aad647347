#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/decisions/bounds.hpp"
#include "lib/decisions/standing.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/planning_facts.hpp"
#include "lib/grid/time.hpp"

/// Why a campaign got what it got on a cluster. Decisions are data, which the planner makes: lib/decisions/figures.hpp stores their figures
/// and reads them back, `explain` renders them as sentences (`gridstat --why`), and `digest_of` shows whether one has changed. To add a
/// reason, add its struct here, its name to Reason, its rows to lib/decisions/catalogue.hpp and its sentence to lib/decisions/explain.cpp.
namespace gleaner::decisions {

using grid::Brake;

/// The stages of a plan, named after Maui's job flow.
enum class Stage { feasible, prioritize, throttle, match, allocate, size, emit };

/// The reasons, each with the figures of its sentence and with its name in `decisions.reason`.
namespace reason {
struct Launched {
  static constexpr std::string_view kName = "launched";
  Bound bound = {};
};

// Reasons of whole campaigns.
struct Paused {
  static constexpr std::string_view kName = "paused";
};
struct CampaignBraked {
  static constexpr std::string_view kName = "campaign_braked";
  Brake brake;
};
struct BagEmpty {
  static constexpr std::string_view kName = "bag_empty";
  int live_jobs = 0;
  std::int64_t unsettled_tasks = 0;  ///< more than live jobs: those of pools
  bool may_replicate = false;        ///< its running tasks get replicas on free resources
  std::int64_t withheld_tasks = 0;   ///< of the unsettled ones, those whose requests cannot be computed from what was given; up to 1000
};
/// Another campaign comes first.
struct Awaits {
  static constexpr std::string_view kName = "awaits_campaign";
  grid::Awaited awaited;
};
/// None of its tasks is in the bag: each waits for one of another campaign.
struct AwaitsTasks {
  static constexpr std::string_view kName = "awaits_tasks";
  grid::Awaited awaited;
  std::int64_t tasks = 0;  ///< that wait so
  int live_jobs = 0;
};
/// None of its tasks is in the bag: a user holds those that are left.
struct TasksHeld {
  static constexpr std::string_view kName = "tasks_held";
  std::int64_t tasks = 0;  ///< that are held
  grid::Hold hold = {};    ///< of the first of them
  int live_jobs = 0;
};
/// All its tasks are settled.
struct EpiloguesLeft {
  static constexpr std::string_view kName = "epilogues_left";
  std::vector<std::string> clusters;   ///< on which its epilogue is not over
  std::vector<std::string> obstacles;  ///< why it does not run on some of them; empty: it does
};
/// None of the campaign's clusters is known to the grid.
struct NoCluster {
  static constexpr std::string_view kName = "no_cluster";
};

/// The reason of a whole campaign, or of a pair: what is left depends on unknown launches.
struct Frozen {
  static constexpr std::string_view kName = "frozen";
  int frozen_jobs = 0;
};

// The reason of a cluster.
struct ClusterDisabled {
  static constexpr std::string_view kName = "cluster_disabled";
};
struct ClusterRetired {
  static constexpr std::string_view kName = "cluster_retired";
};
struct Unreachable {
  static constexpr std::string_view kName = "unreachable";
};
struct StaleStatus {
  static constexpr std::string_view kName = "stale_status";
};
struct ClusterBraked {
  static constexpr std::string_view kName = "cluster_braked";
  Brake brake;
};

/// OAR starts no job on any resource of the cluster.
struct NoResources {
  static constexpr std::string_view kName = "no_resources";
  grid::OutOfUse out = {};
  std::optional<grid::Instant> since = {};
};

// The reason of a pair that gets nothing there, even if resources are free.
struct PairBraked {
  static constexpr std::string_view kName = "pair_braked";
  Brake brake;
};
struct NotMapped {
  static constexpr std::string_view kName = "not_mapped";
  std::string user;
};
/// The cluster wants a token of each user, and that of the campaign's user is no use.
struct NoToken {
  static constexpr std::string_view kName = "no_token";
  std::string user;
  grid::TokenFault fault = grid::TokenFault::missing;
  std::optional<grid::Instant> since = {};
};
/// One job needs more resources than the cluster has, or has in use.
struct TooBig {
  static constexpr std::string_view kName = "too_big";
  int resources_per_job = 0;
  int max_resources = 0;    ///< at least 1
  int kept_resources = 0;   ///< of them, those that stay free for local jobs; fewer than all
  grid::OutOfUse out = {};  ///< beside them
  int room_of_all = 0;      ///< most resources of one job, if none were out of use
};
/// Each of the waiting tasks needs more than the cluster has.
struct NoTaskFits {
  static constexpr std::string_view kName = "no_task_fits";
  std::int64_t tasks = 0;
};
/// Its prologue or its epilogue there is not over.
struct ScriptFirst {
  static constexpr std::string_view kName = "script_first";
  grid::Preparation preparation = grid::Preparation::prologue_due;  ///< never ready
};
/// Input files of the campaign are still to be brought there.
struct InputsFirst {
  static constexpr std::string_view kName = "inputs_first";
  std::int64_t bytes = 0;
  double mb_s = 0.0;  ///< at which such files reach the cluster; 0: not known
};
struct TestAlreadyGiven {
  static constexpr std::string_view kName = "test_already_given";
  int live_jobs = 0;
  std::int64_t concluded_jobs = 0;
};

// Limits on jobs.
struct MaxJobsReached {
  static constexpr std::string_view kName = "max_jobs_reached";
  int live_jobs = 0;
  int frozen_jobs = 0;
  int max_jobs = 0;
};
/// A limit of `gridctl limit`.
struct LimitReached {
  static constexpr std::string_view kName = "limit_reached";
  LimitInForce limit = {};
};
struct UnderStress {
  static constexpr std::string_view kName = "under_stress";
  int our_jobs = 0;  ///< live ones, of all campaigns
  int job_limit = 0;
  std::string signals;
};
/// The cluster's file server bears no more jobs of the campaign, or nothing shows yet how many.
struct FileServerFull {
  static constexpr std::string_view kName = "file_server_full";
  FileServerLoad server = {};
  int live_jobs = 0;   ///< frozen ones included
  int probe_jobs = 0;  ///< first jobs that show what a task moves
};
/// The probe is out.
struct Probing {
  static constexpr std::string_view kName = "probing";
  int live_jobs = 0;
  int probe_jobs = 0;
};
/// The first tasks ended in almost no time, and nothing has shown yet that this is right.
struct Unjudged {
  static constexpr std::string_view kName = "unjudged";
  int live_jobs = 0;
  std::int64_t done = 0;
  double mean_duration = 0.0;  ///< seconds
};
/// After a brake one job at a time is tried, and it is out.
struct OnTrial {
  static constexpr std::string_view kName = "on_trial";
  int live_jobs = 0;  ///< frozen ones included
  int failures = 0;   ///< in a row, before them
  std::string brake;  ///< as in bound::Trial
};
/// Few of the cluster's resources have the JDL's properties.
struct FewMatch {
  static constexpr std::string_view kName = "few_match";
  int matching_resources = 0;
  int max_resources = 0;
  int live_jobs = 0;  ///< frozen ones included
  double job_resources = 0.0;
};
/// A limit counts resources, and the first job, which shows how many a job takes, is out.
struct WidthUnknown {
  static constexpr std::string_view kName = "width_unknown";
  int live_jobs = 0;
};

// Resources. `job_resources` are those of one job, from the JDL or by the job ratio.
/// The cluster is full, and its queue holds what the flood allows.
struct NoFreeResources {
  static constexpr std::string_view kName = "no_free_resources";
  double job_resources = 0.0;
  OfferParts parts = {};
};
/// Free resources are kept for local jobs.
struct KeptForLocal {
  static constexpr std::string_view kName = "kept_for_local_jobs";
  double job_resources = 0.0;
  OfferParts parts = {};
};
/// Free resources are kept for other campaigns.
struct KeptForOthers {
  static constexpr std::string_view kName = "kept_for_others";
  double job_resources = 0.0;
  bool leaves_too_few = false;  ///< one job needs more than the keeps leave, however many end
  std::vector<KeptFor> keeps = {};
  OfferParts parts = {};
};
/// OAR keeps free resources for advance reservations of local users, which begin too soon for a job.
struct ReservedInOar {
  static constexpr std::string_view kName = "reserved_in_oar";
  double job_resources = 0.0;
  int reserved_resources = 0;  ///< at once
  double needed_before = 0.0;  ///< seconds that a job needs before they begin
  grid::Instant from = {};     ///< when the first of these reservations begins
  grid::Instant until = {};    ///< when the last one ends
  OfferParts parts = {};
};
/// Nodes without jobs are left asleep.
struct NodesAsleep {
  static constexpr std::string_view kName = "nodes_asleep";
  double job_resources = 0.0;
  double wake_minutes = 0.0;  ///< of work for each core of a node, for which it is woken
  grid::Instant at = {};      ///< when the campaign wakes one in any case
  OfferParts parts = {};
};
/// Resources without a job are unavailable: their node reports load.
struct BusyWithoutJob {
  static constexpr std::string_view kName = "busy_without_job";
  double job_resources = 0.0;
  OfferParts parts = {};
};
/// Something is free, but less than one job takes.
struct NotEnoughResources {
  static constexpr std::string_view kName = "not_enough_resources";
  double job_resources = 0.0;
  double offered_resources = 0.0;
  OfferParts parts = {};
};
/// Enough is free, but not on as few nodes as one job takes.
struct NoNodeFree {
  static constexpr std::string_view kName = "no_node_free";
  double job_resources = 0.0;
  int nodes = 1;
  OfferParts parts = {};
};
/// Resources are held back for this campaign's wide job.
struct Reserved {
  static constexpr std::string_view kName = "reserved";
  double job_resources = 0.0;
  grid::Instant at = {};
  OfferParts parts = {};
};
/// Free resources are reserved for a wide job of another campaign.
struct HeldForReservation {
  static constexpr std::string_view kName = "held_for_reservation";
  int free_resources = 0;
  int max_resources = 0;
  grid::CampaignId holder{0};
  double held_resources = 0.0;
};
/// Jobs of the lowest priority are being killed for it.
struct Preempting {
  static constexpr std::string_view kName = "preempting";
  OfferParts parts = {};
};
/// Jobs of users who hold more than their part of the cluster are being killed for its first tasks.
struct PreemptingForFirst {
  static constexpr std::string_view kName = "preempting_for_first_tasks";
  double part_resources = 0.0;  ///< that each of these users keeps
  std::int64_t users = 0;       ///< among whom the cluster is divided
  OfferParts parts = {};
};
/// There was enough, and earlier campaigns of this plan took it.
struct EarlierCampaigns {
  static constexpr std::string_view kName = "earlier_campaigns";
  double job_resources = 0.0;
  double offered_resources = 0.0;
  double taken_resources = 0.0;
  Takers takers = {};
};

// Tasks.
/// The tasks left went to clusters that come first for this campaign.
struct TasksElsewhere {
  static constexpr std::string_view kName = "tasks_elsewhere";
};
/// The tasks left were returned by another cluster, and wait for it.
struct TasksReserved {
  static constexpr std::string_view kName = "tasks_reserved";
  std::int64_t tasks = 0;
};
/// The tasks left wait for another cluster, and may have checkpoints there.
struct TasksKept {
  static constexpr std::string_view kName = "tasks_kept";
  std::int64_t tasks = 0;
  std::vector<std::string> clusters = {};  ///< those that have the home with them
  std::int64_t others = 0;                 ///< wait for another cluster without one
};
/// The tasks left wait for other clusters, where the tasks that they come after left files.
struct TasksFollow {
  static constexpr std::string_view kName = "tasks_follow";
  std::int64_t tasks = 0;
  std::vector<std::string> clusters;
  std::int64_t others = 0;  ///< wait for another cluster and follow none
};
/// Jobs that took these tasks one after the other are over, and the files with the tasks' ends have not been read.
struct EndsUnread {
  static constexpr std::string_view kName = "ends_unread";
  std::int64_t tasks = 0;
};
/// The campaign's own pools use the cluster, and are soon over.
struct PoolsUnderWay {
  static constexpr std::string_view kName = "pools_under_way";
  int live_jobs = 0;
};
}  // namespace reason

using Reason =
    std::variant<reason::Launched, reason::Paused, reason::CampaignBraked, reason::Awaits, reason::AwaitsTasks, reason::TasksHeld,
                 reason::BagEmpty, reason::NoCluster, reason::Frozen, reason::ClusterDisabled, reason::ClusterRetired, reason::Unreachable,
                 reason::StaleStatus, reason::NoResources, reason::ClusterBraked, reason::PairBraked, reason::NotMapped, reason::NoToken,
                 reason::TooBig, reason::ScriptFirst, reason::InputsFirst, reason::EpiloguesLeft, reason::NoTaskFits,
                 reason::TestAlreadyGiven, reason::MaxJobsReached, reason::LimitReached, reason::UnderStress, reason::FileServerFull,
                 reason::Probing, reason::Unjudged, reason::OnTrial, reason::FewMatch, reason::WidthUnknown, reason::NoFreeResources,
                 reason::KeptForLocal, reason::KeptForOthers, reason::ReservedInOar, reason::NodesAsleep, reason::BusyWithoutJob,
                 reason::NotEnoughResources, reason::NoNodeFree, reason::Reserved, reason::HeldForReservation, reason::Preempting,
                 reason::PreemptingForFirst, reason::EarlierCampaigns, reason::TasksElsewhere, reason::TasksReserved, reason::TasksKept,
                 reason::TasksFollow, reason::PoolsUnderWay, reason::EndsUnread>;

/// Whether a reason, or a bound, is one of some.
template <class... Some, class... All>
[[nodiscard]] bool is_one_of(const std::variant<All...>& value) {
  return (std::holds_alternative<Some>(value) || ...);
}

struct Decision {
  grid::CampaignId campaign;
  std::optional<grid::ClusterId> cluster = {};  ///< nothing: the whole campaign
  Stage stage = Stage::feasible;
  Reason reason = {};
  int jobs = 0;               ///< given: only where launched
  double offered_free = 0.0;  ///< where launched: free resources offered before the first jobs were given; no sentence states them
};

[[nodiscard]] std::string_view name_of(Stage stage);
[[nodiscard]] std::optional<Stage> stage_of(std::string_view name);
[[nodiscard]] std::string_view name_of(const Reason& reason);

using ClusterNames = std::map<grid::ClusterId, std::string>;

/// A sentence, and that part of it which states what somebody can do.
struct Explanation {
  std::string sentence;
  std::string advice = {};  ///< a command, or a step; empty: none helps
};

/// One sentence that names the cluster, the figures and what would change it.
/// @param cluster  its name; empty: the decision is on the whole campaign
[[nodiscard]] Explanation explained(Stage stage, const Reason& reason, int jobs, const std::string& cluster);
[[nodiscard]] Explanation explained(const Standing& standing);
/// The sentence of a decision that is not stored. A cluster without a name is `cluster 7`.
[[nodiscard]] inline std::string explain(const Decision& decision, const ClusterNames& names) {
  std::string cluster;
  if (decision.cluster) {
    const auto found = names.find(*decision.cluster);
    cluster = found != names.end() ? found->second : "cluster " + std::to_string(decision.cluster->value());
  }
  return explained(decision.stage, decision.reason, decision.jobs, cluster).sentence;
}

/// The standing without the words that introduce it. Empty for an empty one.
[[nodiscard]] std::string text_of(const Standing& standing);
[[nodiscard]] std::string text_of(const Place& place);

/// The value as its text with so many decimals states it. The figures of places are rounded, because most change a little in each cycle,
/// and each change is a write.
[[nodiscard]] double rounded(double value, int decimals);

/// Two decisions of one version of the program that have the same digest have the same figures. Every figure of the reason counts.
/// Cost: no allocation.
[[nodiscard]] std::uint64_t digest_of(const Decision& decision);
[[nodiscard]] std::uint64_t digest_of(const Standing& standing);

}  // namespace gleaner::decisions
