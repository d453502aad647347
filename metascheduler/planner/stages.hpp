#pragma once
#include <optional>
#include <vector>

#include "metascheduler/planner/draft.hpp"
#include "metascheduler/planner/orders/order.hpp"
#include "metascheduler/planner/placements/placement.hpp"
#include "metascheduler/planner/schedulers/scheduler.hpp"

/// The stages of a plan, in their order, and the steps that consider the plan as a whole (docs/architecture/planning.md). Stage 2 is
/// prioritize.hpp. Each has a file of its own.
namespace gleaner::planner {

/// Stage 1. The campaigns and clusters that can be planned at all: states, brakes, clusters that
/// answer, users known there, requests that the cluster could ever satisfy. The others get their
/// decision in the draft. The result is in the order of the ids.
[[nodiscard]] std::vector<Contender> feasible(Draft& draft);

/// Why nothing of a campaign can be sent to a cluster at all, neither a task that waits nor a replica; nothing when it can.
[[nodiscard]] std::optional<Reason> why_not(const CampaignView& campaign, const ClusterView& cluster, const PairView& pair);

/// Stage 3. Limits on jobs: the JDL's max_jobs on those of a campaign that live on a cluster (those
/// of unknown launches included), those of `gridctl limit`, what a cluster under stress takes, and
/// the few that go first to a cluster of which nothing is known.
void throttle(const CampaignScheduler& scheduler, const Contender& contender, std::vector<Candidate*>& candidates, Draft& draft);

/// Of which tasks jobs are to be made. A pair's fitting tasks are of those that wait.
enum class Tasks { waiting, running };

/// Sets what each candidate is allowed: throttle without its decisions, for replicas too.
void allow(Tasks tasks, const CampaignScheduler& scheduler, const Contender& contender, const std::vector<Candidate*>& candidates, const Draft& draft);

/// Stage 4. The resources that each cluster has for the campaign, and the jobs that fit in them.
void match(const CampaignScheduler& scheduler, const Contender& contender, std::vector<Candidate*>& candidates, Draft& draft);

/// Stage 5. Which clusters the campaign gets first: the JDL's order of clusters, then those on which
/// its tasks have not failed lately, then the placement policy's word.
void allocate(const Placement& placement, const Contender& contender, std::vector<Candidate*>& candidates);

/// Stage 6. How many jobs on each cluster, in the order of the candidates: the campaign
/// scheduler's word, of the tasks that are left. Free resources of every cluster go before the
/// queue of any: a task that could run at once does not wait elsewhere. What is given is written
/// into the ledger and the limits.
/// @param most_resources  of this turn; one job is given even when it takes more
[[nodiscard]] Served size(const CampaignScheduler& scheduler, Distribution distribution, double most_resources, Contender& contender,
                          std::vector<Candidate*>& candidates, Draft& draft);

/// Stage 7. The launches: what each candidate got, in arrays that its cluster takes.
void emit(Draft& draft);

/// match, for a campaign that no cluster has room for although one job of it takes several
/// resources: what is freed on the cluster that can start it first is held back for it (spec/001,
/// "Backfill"; spec/004, "Schedule Reserved Jobs"). One reservation a campaign, one a cluster; only where nothing but resources is
/// lacking, and for a task that may go there.
void reserve(Contender& contender, Draft& draft);

/// Jobs of the lowest priority give way: what the campaigns of normal priority and above still want
/// on a cluster, and did not get for want of resources, is freed there by killing jobs of lowest
/// campaigns; no more than is wanted, and what kills on their way will free is counted. Which jobs,
/// the youngest, is for the caller to say: a plan knows counts only. Source: spec/002, "Project
/// Priority".
void preempt(std::vector<Contender>& contenders, Draft& draft);

/// The campaign scheduler `finalize`: campaigns whose JDL allows it, and of whose tasks none waits
/// any more, get second copies of running tasks, each task at most one, on clusters where its first
/// copy is not, and only on resources that are free. Tasks that run longer than expected get theirs
/// before other campaigns get anything; the others when the plan has served everybody.
/// Source: spec/003, "finalize scheduling"; spec/002, "Expired Job Management".
void replicate(ReplicaKind kind, Draft& draft);

}  // namespace gleaner::planner
