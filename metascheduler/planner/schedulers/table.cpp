#include <stdexcept>

#include "metascheduler/planner/policy_table.hpp"
#include "metascheduler/planner/schedulers/finalize.hpp"
#include "metascheduler/planner/schedulers/prediction.hpp"
#include "metascheduler/planner/schedulers/test.hpp"
#include "metascheduler/planner/schedulers/workqueue.hpp"

namespace gleaner::planner {
namespace {

const TestScheduler kTest;
const Workqueue kWorkqueue;
const Prediction kPrediction;
const Finalize kFinalize;

/// Those that a campaign may name; `test` is its type's.
constexpr PolicyTable<CampaignScheduler, 3> kSchedulers{&kWorkqueue, &kPrediction, &kFinalize};

}  // namespace

const CampaignScheduler& scheduler_of(const CampaignView& campaign) {
  if (campaign.type == grid::CampaignType::test) return kTest;
  const auto found = find_policy(kSchedulers, "campaign scheduler", campaign.scheduler);
  if (!found) throw std::invalid_argument{found.error()};
  return **found;
}

std::vector<std::string_view> scheduler_names() { return names_of(kSchedulers); }

std::vector<std::string_view> default_scheduler_names() {
  std::vector<std::string_view> names;
  for (const auto* scheduler : kSchedulers) {
    if (scheduler->may_be_default()) names.push_back(scheduler->name());
  }
  return names;
}

}  // namespace gleaner::planner
