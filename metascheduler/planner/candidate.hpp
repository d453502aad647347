#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "metascheduler/planner/decision.hpp"
#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::planner {

constexpr int kNoLimit = std::numeric_limits<int>::max();

/// Resources that a cluster has left for a campaign.
struct Offer {
  double resources = 0.0;  ///< the flood included
  double free = 0.0;       ///< of them, the free ones
};

/// Resources of one job.
struct Width {
  double resources = 1.0;
  bool known = true;  ///< from the JDL's request or expressions, or measured; else it is a guess that is rather too big
};

/// The most jobs that a candidate may get, by one cause.
struct Cap {
  enum class Kind {
    offer,
    bag,
    fitting,
    max_jobs,
    trial,
    one_per_cluster,
    limit,
    stress,
    file_server,
    probe,
    unjudged,
    width,
    matching,
    turn,
    pools,
    inputs
  };
  Kind kind = Kind::max_jobs;
  int jobs = kNoLimit;    ///< more than those that live
  int most = 0;           ///< the figure behind it, live jobs included
  std::size_t limit = 0;  ///< where a limit of `gridctl limit` is the cause: its index in Limits
};

/// A pair on its way through the stages. candidate_of (room.hpp) makes it, and each stage fills in its part.
struct Candidate {
  const PairView* pair = nullptr;
  const ClusterView* cluster = nullptr;
  std::size_t cluster_index = 0;  ///< in the snapshot's list
  double ratio = 1.0;             ///< jobs per resource, within its bounds (usable_ratio)
  Width width = {};               ///< of one job, as limits count it
  int tolerated_jobs = 0;         ///< jobs that may wait there, with those that wait already (grid::tolerated_jobs)
  std::ptrdiff_t home = -1;       ///< of a home that clusters share: its index in Contender::homes
  std::int64_t bound = 0;         ///< tasks left in the bag that are bound to this cluster alone
  // Set for this turn.
  Cap allowed = {};                ///< throttle: the tightest cap
  bool probes = false;             ///< throttle: a few jobs try the cluster, each with one task
  int allowed_waiting = kNoLimit;  ///< throttle: jobs that may have to wait in the queue
  Offer offer = {};                ///< match
  double kept = 0.0;               ///< match: resources of the cluster that are kept from the campaign, and not in the offer
  int room = 0;                    ///< match: jobs that the offer has room for
  // The state of the plan so far.
  bool closed = false;  ///< stopped by throttle or match, whose figures only shrink while a plan is made; or for its input files
  int jobs = 0;
  int returned = 0;              ///< of these, for tasks that are bound to this cluster, or to the home that it shares
  int pooled = 0;                ///< further tasks, which these jobs take
  int replicas = 0;              ///< beside these jobs
  double resources = 0.0;        ///< of these jobs, as the plan counts them
  std::ptrdiff_t decision = -1;  ///< its index in Plan::decisions
};

/// Live and frozen jobs of the pair, with those given in this plan.
[[nodiscard]] inline int live_jobs(const Candidate& candidate) {
  return candidate.pair->live_jobs + candidate.pair->frozen_jobs + candidate.jobs + candidate.replicas;
}

/// A home that some clusters of a campaign share.
struct Home {
  std::string_view name;
  std::int64_t tasks = 0;                       ///< left in the bag, for any of these clusters
  std::vector<std::string_view> clusters = {};  ///< those that the campaign uses
};

/// A campaign with the clusters that may still get jobs of it.
struct Contender {
  const CampaignView* campaign = nullptr;
  std::vector<Candidate> candidates = {};
  std::int64_t tasks_for_anyone = 0;            ///< left in the bag, for any cluster
  std::int64_t tasks_given = 0;                 ///< taken from the bag by this plan
  std::int64_t tasks_reserved = 0;              ///< left in the bag, for the clusters or homes that they are bound to
  std::int64_t tasks_fenced = 0;                ///< of these, tasks that a job of a void launch may still run there
  std::int64_t tasks_following = 0;             ///< of these, tasks that follow others there
  std::vector<std::string_view> followed = {};  ///< clusters for which tasks left in the bag wait, as they follow others there
  std::vector<std::string_view> kept = {};      ///< clusters for which tasks left in the bag wait that may have checkpoints there
  std::vector<Home> homes = {};
  bool has_reservation = false;
  std::vector<std::size_t> limits = {};  ///< indices in Limits of those that may bind it, on some cluster

  [[nodiscard]] std::int64_t tasks() const { return tasks_for_anyone + tasks_reserved; }
  /// Tasks left in the bag that are bound to this cluster, or to the home that it shares.
  [[nodiscard]] std::int64_t bound_tasks(const Candidate& candidate) const;
  /// Takes tasks that are bound to the cluster, then those bound to its home; at most bound_tasks().
  void take_bound(Candidate& candidate, std::int64_t tasks);
};

}  // namespace gleaner::planner
