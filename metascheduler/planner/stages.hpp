#pragma once
#include <optional>
#include <tuple>
#include <vector>

#include "metascheduler/planner/draft.hpp"
#include "metascheduler/planner/orders/order.hpp"
#include "metascheduler/planner/placements/placement.hpp"
#include "metascheduler/planner/schedulers/scheduler.hpp"

/// The stages of a plan, in their order, and the steps that consider the plan as a whole (docs/architecture/planning.md). Stage 2 is
/// prioritize.hpp. Each has a file of its own.
namespace gleaner::planner {

/// Stage 1. The campaigns, each with the clusters that can be planned at all: by states, brakes, clusters that answer, accounts of users,
/// and requests that the cluster can hold. The others get their decision in the draft. The result is in the order of the ids.
[[nodiscard]] std::vector<Contender> feasible(Draft& draft);

/// Why no job of a campaign can be sent to a cluster, neither for a waiting task nor for a replica; nothing if it can.
[[nodiscard]] std::optional<Reason> why_not(const CampaignView& campaign, const ClusterView& cluster, const PairView& pair);

/// Why a cluster gets nothing of a campaign whose tasks left all wait for other clusters.
[[nodiscard]] Reason why_bound(const Contender& contender);

/// Stage 3. Caps on live jobs (frozen ones included): the JDL's max_jobs, limits of `gridctl limit`, the job limit of a cluster under
/// stress, its file server, resources with the JDL's properties, and the probe of a cluster of which nothing is known.
void throttle(const CampaignScheduler& scheduler, const Contender& contender, std::vector<Candidate*>& candidates, Draft& draft);

/// The tasks for which jobs are wanted. PairView::fitting_tasks counts waiting ones.
enum class Tasks { waiting, running };

/// Sets Candidate::allowed and allowed_waiting: throttle without its decisions, for replicas too.
void allow(Tasks tasks, const CampaignScheduler& scheduler, const Contender& contender, const std::vector<Candidate*>& candidates,
           const Draft& draft);

/// Stage 4. The resources that each cluster has for the campaign, and the jobs that fit in them.
void match(const CampaignScheduler& scheduler, std::vector<Candidate*>& candidates, Draft& draft);

/// How much a campaign prefers a cluster, whatever the placement: whether its input files are there, then the JDL's priority of the
/// cluster, then whether its nodes have the memory that tasks took, then its standing. The greatest goes first.
using Preference = std::tuple<bool, int, int, int>;
[[nodiscard]] Preference preference_of(const PairView& pair);

/// Stage 5. Sorts the clusters, the one to fill first at the head: by preference_of, then by the placement policy.
void allocate(const Placement& placement, const Contender& contender, std::vector<Candidate*>& candidates);

/// Stage 6. Gives jobs on each cluster, in the order of the candidates: the least of the caps that the campaign scheduler, the tasks left,
/// the limits and the turn set. The free resources of every cluster go before the queue of any: a task that could run at once does not
/// wait elsewhere. Writes what it gives into the ledger and the limits.
/// @param turn     bounds the resources; one job is given even if it takes more
/// @param sharers  the candidates that share the bag of the campaign, beyond this turn
[[nodiscard]] Served size(const CampaignScheduler& scheduler, Distribution distribution, const Turn& turn, Contender& contender,
                          std::vector<Candidate*>& candidates, const std::vector<Candidate*>& sharers, Draft& draft);

/// The most jobs of one submission: as configured, or fewer where a web server refused a larger one.
[[nodiscard]] int array_size_of(const Candidate& candidate);

/// Stage 7. Makes the launches: the jobs of each candidate, in arrays of at most its cluster's array_size.
void emit(Draft& draft);

/// Reserves resources for a campaign of wide jobs for which no cluster has room: freed resources of the cluster that can start one first
/// are held back for it. At most one reservation for each campaign, and one for each cluster; only where nothing but resources is
/// lacking, and for a task that may go there. One that was given jobs in this plan gets it for its next one, until the next plan: the
/// resources are its own in the order, and a reservation of a later campaign would last. Source: document 001, "Backfill"; document 004,
/// "Schedule Reserved Jobs".
void reserve(Contender& contender, Draft& draft);

/// Before the first turn: holds back again what earlier plans held for wide jobs that did not start, in the order in which they were made.
/// Whatever the campaigns' order is now, a job that others overtake by turns would never start. Jobs that take these resources meanwhile
/// end before the time that the first of these plans foresaw. A campaign whose job runs there waits for its turn again.
/// Those made while last tasks of a campaign that was submitted before lacked room there do not come again: they would overtake these.
void renew(std::vector<Contender>& contenders, Draft& draft);

/// Frees resources that campaigns of normal priority and above lack on a cluster, by killing jobs of the lowest priority there. It kills
/// no more than needed, and counts the resources of kills on their way. The caller chooses the jobs, because a plan has only counts.
/// Source: document 002, "Project Priority".
void preempt(std::vector<Contender>& contenders, Draft& draft);

/// Frees resources for first tasks that have a head start and find none on a cluster (PlannerConfig::head_start_preempts): jobs are killed
/// there of users who hold more than their part, and these keep it. A part is the cluster's resources by the number of users who hold some
/// there, or whose first tasks wait for it; a user's first tasks get no more than that either. Only jobs of campaigns whose class does not
/// go before that of the first tasks are killed, and none that carry out first tasks. First tasks that request nodes free nothing: no kill
/// of so many jobs empties one node. Source: document 003, note 3, "the problem of scheduling small campaigns".
void give_way(const OrderChoice& order, const Placement& placement, HeadStarts& head_starts, std::vector<Contender>& contenders,
              Draft& draft);

/// The campaign scheduler `finalize`: if the JDL allows it, each running task may get one replica, and only on free resources: on a cluster
/// where its first job is not or, where the campaign has one cluster alone, on another node of that. Expired tasks get theirs before any
/// campaign gets anything, whether tasks of theirs wait or not; the others when no task of the campaign waits, and after the plan has
/// served all campaigns. The contenders' candidates count the replicas of their pairs from then on.
/// Source: document 003, "finalize scheduling"; document 002, "Expired Job Management".
void replicate(ReplicaKind kind, std::vector<Contender>& contenders, Draft& draft);

}  // namespace gleaner::planner
