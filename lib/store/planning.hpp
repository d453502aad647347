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

/// Queries of the metascheduler.
namespace gleaner::store {

/// The configuration's values for clusters without values of their own.
struct ClusterDefaults {
  double flood;
  int array_size;
  grid::Headroom headroom = {};
  grid::Availability availability = grid::Availability::dedicated;
};

/// The clusters' facts, without brakes.
[[nodiscard]] std::vector<grid::ClusterFacts> planning_clusters(Transaction& transaction, const ClusterDefaults& defaults);
/// Clusters, campaigns and pairs with their counters; without obstacles, limits and returned tasks.
[[nodiscard]] grid::PlanningFacts counted_facts(Transaction& transaction, const ClusterDefaults& defaults);
/// Adds what keeps tasks from a campaign's clusters, or from all: brakes in force, campaigns that come first, scripts, logins. Features
/// that are not in use are not read (PlanningFacts::present).
void read_obstacles(Transaction& transaction, grid::PlanningFacts& facts, grid::Instant now);
/// All facts of a plan, except PlanningFacts::policies, which has its own functions (policy_facts, replicable_tasks).
[[nodiscard]] grid::PlanningFacts planning_facts(Transaction& transaction, const ClusterDefaults& defaults, grid::Instant now);

struct PlannedLaunch {
  grid::CampaignId campaign{0};
  grid::ClusterId cluster{0};
  int jobs = 0;
  int pooled = 0;           ///< further tasks that the jobs take; 0 where the campaign's tasks have different requests
  grid::Seconds pool{120};  ///< for how long they take tasks
  double resources = 0;
  std::string leaves = {};  ///< nodes that the jobs leave empty (the text of grid::NodeSizes); empty: none
};
/// Takes the tasks from the bag and writes the launch and its jobs. Returns the number of jobs, which is smaller than requested if the bag
/// holds fewer tasks; pooled ones are not among them. If tasks have different requests, there is one launch for each shape, and their
/// resources together exceed those given by at most one job. A launch that the database refuses gets no job, and an event.
int plan_launch(Transaction& transaction, const PlannedLaunch& launch, Term term, grid::Instant now);

struct Submitted {
  grid::CampaignId campaign{0};
  grid::ClusterId cluster{0};
  int jobs = 0;
  double offered = 0;      ///< free resources
  double first_ratio = 1;  ///< for a pair without a forecast
};
/// Pairs that are not listed keep their previous values. If the database refuses one, it is left out, with an event.
void write_submitted(Transaction& transaction, std::span<const Submitted> submitted, grid::Instant now);

struct StoredDecision {
  grid::CampaignId campaign{0};
  std::optional<grid::ClusterId> cluster;  ///< empty: the whole campaign
  std::string stage;
  std::string reason;
  std::string subject = {};  ///< of the reason (decisions::subject_of)
  std::string figures;       ///< of the reason, a JSON object (lib/decisions/figures.hpp)
  int jobs = 0;
};
/// The digest of a campaign's decisions. If it is unchanged, the decisions are neither asked for nor written again.
struct CampaignDigest {
  grid::CampaignId campaign{0};
  std::int64_t digest = 0;
};
using DecisionsOf = std::function<std::vector<StoredDecision>(grid::CampaignId)>;

/// In which order a plan serves the campaigns.
struct StoredOrder {
  std::string campaign_order;               ///< of the configuration
  std::string classes;                      ///< a JSON array with an object for each (docs/architecture/planning.md)
  std::vector<std::int64_t> campaigns;      ///< ids, the first at the head, kMostPlaces at most
  std::vector<std::int64_t> class_numbers;  ///< the class of each, from 1
  std::int64_t places = 0;                  ///< of the plan, those that were left out included
};
inline constexpr std::size_t kMostPlaces = 10'000;

/// Writes the decisions of a cycle, and the order of its campaigns. Each campaign with decisions has a digest; `decisions_of` is called for
/// those whose digest changed. A repeated decision costs no write, nor does an order that is that of the last cycle; a pair without a new
/// decision loses its old one. If the database refuses a decision, it is left out, with an event.
/// @param order  null: what is stored stays
void write_decisions(Transaction& transaction, std::span<const CampaignDigest> digests, const DecisionsOf& decisions_of,
                     const StoredOrder* order, grid::Instant now);

/// The event of a campaign that cannot be planned.
inline constexpr std::string_view kCannotPlan = "CANNOT_PLAN";
/// Records campaigns that were planned: closes an open event CANNOT_PLAN, and lifts its brake.
void note_planned(Transaction& transaction, std::span<const grid::CampaignId> campaigns, grid::Instant now);

}  // namespace gleaner::store
