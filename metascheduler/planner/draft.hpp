#pragma once
#include <map>
#include <vector>

#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/file_servers.hpp"
#include "metascheduler/planner/ledger.hpp"
#include "metascheduler/planner/limits.hpp"
#include "metascheduler/planner/plan.hpp"

namespace gleaner::planner {

/// The last tasks of a campaign that was served lack room on a cluster, or may wait in its queue; it holds them all at once.
struct LastTasks {
  const CampaignView* campaign = nullptr;
  std::size_t cluster_index = 0;
};

/// Those of a snapshot, by their ids.
using Campaigns = std::map<grid::CampaignId, const CampaignView*>;
[[nodiscard]] Campaigns by_id(const std::vector<CampaignView>& campaigns);

/// A plan while it is made.
struct Draft {
  const Snapshot& snapshot;
  const PlannerConfig& config;
  Campaigns campaigns;
  Ledger ledger;
  Limits limits;
  FileServers file_servers;
  Plan plan = {};
  std::vector<Candidate*> served = {};     ///< those that got jobs, in the order of their first jobs
  std::vector<LastTasks> last_tasks = {};  ///< in the order of the turns
  std::vector<double> room_at_an_end;      ///< of each cluster: resources that one job's end gives to whoever's turn it is (match.cpp)

  Draft(const Snapshot& of, const PlannerConfig& by)
      : snapshot{of},
        config{by},
        campaigns{by_id(of.campaigns)},
        ledger{of.clusters, of.keeps},
        limits{of, std::chrono::duration<double>{by.pool_duration}.count()},
        file_servers{of, by.probe_jobs},
        room_at_an_end(of.clusters.size(), 0.0) {}
};

/// The parts of the offer to a candidate, as match found it.
[[nodiscard]] OfferParts parts_of(const Candidate& candidate);

/// The reason of a candidate whose resources earlier campaigns took.
[[nodiscard]] Reason earlier_campaigns(const Candidate& candidate, const Ledger& ledger);

/// The reason of a candidate to which a cap allows no job.
[[nodiscard]] Reason reason_of(const Cap& cap, const Candidate& candidate, const Draft& draft);

/// The bound of a launch of as many jobs as a cap allows.
[[nodiscard]] Bound bound_of(const Cap& cap, const Candidate& candidate, const Draft& draft);

/// Has input files brought for so many of the tasks that a candidate gets next; the greatest number of a plan counts.
void want_inputs(Plan& plan, const Candidate& candidate, std::int64_t tasks);

/// Writes the decision on a pair that a stage stops, unless jobs were given before.
void note_stop(Plan& plan, Candidate& candidate, Stage stage, Reason reason);

/// Writes the decision on a pair that got jobs.
void note_given(Plan& plan, Candidate& candidate, Bound bound);

/// Removes the candidates of a turn for which `test` returns a reason, and writes their decisions. A candidate stopped by `size` may be
/// retried in the next turn, unless the test has closed it; one stopped by another stage is closed for this plan.
template <class Test>
void filter(Stage stage, Plan& plan, std::vector<Candidate*>& candidates, Test test) {
  std::erase_if(candidates, [&](Candidate* candidate) {
    std::optional<Reason> reason = test(*candidate);
    if (!reason) return false;
    note_stop(plan, *candidate, stage, std::move(*reason));
    candidate->closed = candidate->closed || stage != Stage::size;
    return true;
  });
}

}  // namespace gleaner::planner
