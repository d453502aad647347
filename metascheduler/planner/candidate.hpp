#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "metascheduler/planner/decision.hpp"
#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::planner {

constexpr int kNoLimit = std::numeric_limits<int>::max();

/// What a cluster has left for a campaign, in resources.
struct Offer {
  double resources = 0.0;  ///< the flood included
  double free = 0.0;       ///< of them, the free ones
};

/// Resources of one job.
struct Width {
  double resources = 1.0;
  bool known = true;  ///< by the JDL's request or expressions, or measured; else it is a guess that is rather too big
};

/// The most jobs that a candidate may get, by one cause.
struct Cap {
  enum class Kind { offer, bag, fitting, max_jobs, one_per_cluster, limit, stress, probe, width, matching, turn };
  Kind kind = Kind::max_jobs;
  int jobs = kNoLimit;    ///< more than those that live
  int most = 0;           ///< the figure behind it, live jobs included
  std::size_t limit = 0;  ///< where a limit of `gridctl limit` is the cause: its index in Limits
};

/// A pair on its way through the stages, as candidate_of (room.hpp) makes it; each stage fills in its part.
struct Candidate {
  const PairView* pair = nullptr;
  const ClusterView* cluster = nullptr;
  std::size_t cluster_index = 0;      ///< in the snapshot's list
  double ratio = 1.0;                 ///< jobs per resource, within what makes sense
  Width width = {};                   ///< what limits count
  int tolerated_jobs = 0;             ///< that may wait there, those that wait already included (grid::tolerated_jobs)
  // What this turn allows.
  Cap allowed = {};                   ///< throttle: the tightest of what holds it
  int allowed_waiting = kNoLimit;     ///< throttle: jobs that may have to wait in the queue
  Offer offer = {};                   ///< match
  int room = 0;                       ///< match: jobs that the offer has room for
  // What the plan has given until now.
  bool closed = false;                ///< throttle or match stopped it: what they count only shrinks while a plan is made
  int jobs = 0;
  int returned = 0;                   ///< of them, for tasks that this cluster returned
  double resources = 0.0;             ///< that they count for
  std::ptrdiff_t decision = -1;       ///< its index in Plan::decisions
};

/// A campaign with the clusters that may still get some of it.
struct Contender {
  const CampaignView* campaign = nullptr;
  std::vector<Candidate> candidates = {};
  std::int64_t tasks_for_anyone = 0;   ///< of the bag, those left that may go to any cluster
  std::int64_t tasks_reserved = 0;     ///< those left that wait for the clusters that returned them
  bool has_reservation = false;
  std::vector<std::size_t> limits = {};  ///< indices of the limits that may hold it, on some cluster

  [[nodiscard]] std::int64_t tasks() const { return tasks_for_anyone + tasks_reserved; }
};

}  // namespace gleaner::planner
